import type { Caller } from '../../../../access/index.ts'
import { projectIdOf } from '../../../../projects/index.ts'
import { type UnitView, flatName } from '../../../../state/index.ts'
import type { TfcServices } from '../kit/define.ts'
import { effectiveLabels } from './tags.ts'
import type { WorkspaceViewer } from './view.ts'

/** Every unit of the organization that the caller may see, by name. */
export async function allUnits(
  { control }: Pick<TfcServices, 'control'>,
  org: string,
  caller: Caller,
): Promise<readonly UnitView[]> {
  const all: UnitView[] = []
  let cursor: string | undefined
  do {
    const page = await control.units.list(
      { org, limit: 1_000, ...(cursor === undefined ? {} : { cursor }) },
      caller,
    )
    all.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined)
  return all
}

export interface WorkspaceQuery {
  readonly 'search[name]'?: string | undefined
  readonly 'search[wildcard-name]'?: string | undefined
  readonly 'search[tags]'?: string | undefined
  readonly 'search[exclude-tags]'?: string | undefined
  readonly 'filter[project][id]'?: string | undefined
  readonly 'filter[current-run][status]'?: string | undefined
}

/** Which units a query asks for. `parameters` has the filters whose names are numbered. Pure. */
export function matching(
  query: WorkspaceQuery,
  parameters: URLSearchParams,
  viewer: WorkspaceViewer,
): (unit: UnitView) => boolean {
  const part = query['search[name]']?.toLowerCase() ?? ''
  const pattern = wildcard(query['search[wildcard-name]'])
  const wanted = words(query['search[tags]'])
  const unwanted = words(query['search[exclude-tags]'])
  const project = query['filter[project][id]']
  const projects = project === undefined ? undefined : new Set(words(project))
  const bindings = taggedIn(parameters)
  const asksForTags = wanted.length + unwanted.length + bindings.length > 0
  // No workspace has a run yet.
  const asksForRuns = words(query['filter[current-run][status]']).length > 0
  return (unit) => {
    if (asksForRuns) return false
    const name = flatName(unit.name)
    if (!name.toLowerCase().includes(part) || !pattern(name)) return false
    if (projects?.has(projectIdOf(unit)) === false) return false
    if (!asksForTags) return true
    const labels = effectiveLabels(unit, viewer)
    return (
      wanted.every((key) => Object.hasOwn(labels, key)) &&
      !unwanted.some((key) => Object.hasOwn(labels, key)) &&
      bindings.every(
        ({ key, value }) => Object.hasOwn(labels, key) && (value === undefined || labels[key] === value),
      )
    )
  }
}

/** By name, unless `sort` names something else; a minus turns the order around. Undefined: by name. */
export function comparing(sort: string | undefined): ((a: UnitView, b: UnitView) => number) | undefined {
  const field = sort?.replace(/^-/, '') ?? 'name'
  const sign = sort?.startsWith('-') === true ? -1 : 1
  if (field === 'name' && sign === 1) return undefined
  const keyOf = (unit: UnitView) =>
    field === 'latest-change-at' ? (unit.state?.at ?? unit.createdAt) : flatName(unit.name)
  return (a, b) => sign * (keyOf(a) < keyOf(b) ? -1 : keyOf(a) > keyOf(b) ? 1 : 0)
}

function words(text: string | undefined): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

/** `*` is any text. */
function wildcard(text: string | undefined): (name: string) => boolean {
  if (text === undefined || text === '') return () => true
  const [first = '', ...rest] = text.toLowerCase().split('*')
  const last = rest.pop()
  return (given) => {
    const name = given.toLowerCase()
    if (last === undefined) return name === first
    if (!name.startsWith(first)) return false
    let at = first.length
    for (const part of rest) {
      const found = name.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return name.length - last.length >= at && name.endsWith(last)
  }
}

/** `filter[tagged][0][key]=env&filter[tagged][0][value]=prod` */
function taggedIn(
  parameters: URLSearchParams,
): readonly { readonly key: string; readonly value?: string | undefined }[] {
  const found = new Map<string, { key?: string; value?: string }>()
  for (const [name, text] of parameters) {
    const match = /^filter\[tagged\]\[(\d{1,3})\]\[(key|value)\]$/.exec(name)
    if (match === null) continue
    const at = String(match[1])
    found.set(at, { ...found.get(at), [String(match[2])]: text })
  }
  return [...found.values()].flatMap(({ key, value }) =>
    key === undefined ? [] : [{ key, value: value === '' ? undefined : value }],
  )
}
