import { z } from 'zod'
import type { NodeView } from '../../../../graph/index.ts'
import { Repeated } from '../../openapi/api.ts'
import { matchingLines, option, shell } from '../shell/command-line.ts'
import { ExportFormat } from '../shell/export.ts'
import { LOOKS, type Look, lookOf } from '../shell/status.tsx'

export const VIEWS = ['map', 'graph', 'table', 'tree'] as const

/** A text that is not empty: forms send every field. */
const Text = z
  .string()
  .optional()
  .transform((text) => (text === undefined || text.trim() === '' ? undefined : text.trim()))

/** What the address of the estate says. What is wrong in it is left out rather than refused: people edit addresses. */
export const EstateQuery = z.object({
  view: z.enum(VIEWS).catch('map').default('map'),
  status: Repeated.transform((given) => LOOKS.filter((look) => given?.includes(look) === true)),
  /** `name=value` */
  label: Repeated.transform((given) => (given ?? []).filter((text) => text.indexOf('=') > 0)),
  path: Text.transform((path) => path?.replace(/\/+$/, '')),
  search: Text,
  /** In the past, UTC. */
  at: Text,
  /** The unit that is selected, by name. */
  unit: Text,
  /** Groups of the graph that were opened and closed by hand. */
  open: Repeated.transform((given) => given ?? []),
  shut: Repeated.transform((given) => given ?? []),
  /** The folder of the tree that is open. */
  opened: Text,
  /** Only this unit and what it uses and what uses it, in the graph. */
  around: Text,
  sort: Text,
  page: z.coerce.number().int().catch(1).default(1),
  /** Given: the deleted units instead. */
  deleted: z
    .string()
    .optional()
    .transform((given) => given !== undefined),
  /** Of the deleted ones. */
  cursor: Text,
  format: ExportFormat.catch(undefined),
  /** For scripts: only this part of the page. */
  part: z.enum(['panel']).optional().catch(undefined),
})
export type EstateQuery = z.output<typeof EstateQuery>

/** What of an address is left out because it means nothing, in sentences. Pure. */
export function leftOut(address: string): readonly string[] {
  const parameters = new URLSearchParams(address)
  const given = (name: string) => parameters.getAll(name).filter((text) => text.trim() !== '')
  const wrong = (text: string, what: string) => `“${text}” is not ${what}.`
  return [
    ...given('status')
      .filter((text) => !LOOKS.some((look) => look === text))
      .map((text) => `${wrong(text, 'a status')} Use ${LOOKS.join(', ')}.`),
    ...given('label')
      .filter((text) => text.indexOf('=') <= 0)
      .map((text) => `${wrong(text, 'a label')} Write a name and a value, such as env=prod.`),
    ...given('view')
      .filter((text) => !VIEWS.some((view) => view === text))
      .map((text) => wrong(text, 'a view')),
  ]
}

type Filters = Pick<EstateQuery, 'status' | 'label' | 'path' | 'search'>

export function isFiltered({ status, label, path, search }: Filters): boolean {
  return status.length > 0 || label.length > 0 || path !== undefined || search !== undefined
}

/** `labelled`: ids of the units that have the labels; undefined if no label is asked for. Pure. */
export function selectUnits(
  nodes: readonly NodeView[],
  { status, path, search }: Filters,
  labelled: ReadonlySet<string> | undefined,
): readonly NodeView[] {
  const below = path === undefined ? undefined : `${path}/`
  const looks: ReadonlySet<Look> = new Set(status)
  const text = search?.toLowerCase()
  return nodes.filter(
    (node) =>
      (looks.size === 0 || looks.has(lookOf(node))) &&
      (below === undefined || node.name.startsWith(below) || node.name === path) &&
      (text === undefined || node.name.toLowerCase().includes(text)) &&
      labelled?.has(node.id) !== false,
  )
}

/** By labels and names, `taco unit ls` tells units apart; by status and time, `taco status` does. Pure. */
export function estateCommand({ status, label, path, search }: Filters, at: number | undefined): string {
  const names = [...(path === undefined ? [] : [path]), ...(search === undefined ? [] : [search])]
  if (at === undefined && status.length === 0 && isFiltered({ status, label, path, search })) {
    const options = [...label.flatMap((one) => option('label', one)), ...option('search', search)]
    return shell`taco unit ls ${[...(path === undefined ? [] : [`${path}/`]), ...options]}`
  }
  const isWhole = status.some((look) => look === 'ok' || look === 'never')
  const when = option('at', at === undefined ? undefined : new Date(at).toISOString())
  return names.reduce(matchingLines, shell`taco status ${[...when, ...(isWhole ? ['--all'] : [])]}`)
}

export function countLooks(nodes: readonly NodeView[]): ReadonlyMap<Look, number> {
  const counts = new Map<Look, number>()
  for (const node of nodes) {
    const look = lookOf(node)
    counts.set(look, (counts.get(look) ?? 0) + 1)
  }
  return counts
}

/** A day, or a time of it, UTC. Undefined: it is none, or it is to come. */
export function momentOf(text: string, now: number): number | undefined {
  if (!/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?Z?)?$/.test(text)) return undefined
  const at = Date.parse(text.length === 10 || text.endsWith('Z') ? text : `${text}Z`)
  return Number.isNaN(at) || at > now ? undefined : at
}
