import { teamsIn } from '../../../../access/index.ts'
import type { Caller, UnitView } from '../../../../state/index.ts'
import type { WebServices } from '../services.ts'
import { unitPath, withQuery } from '../shell/addresses.ts'
import { type OrgView, hasPlace } from '../shell/view.ts'

/** Something that was found, and where it is. */
export interface Hit {
  readonly label: string
  readonly href: string
  /** What else there is to say, such as the unit of an output. */
  readonly note?: string | undefined
}

export interface Found {
  readonly title: string
  readonly hits: readonly Hit[]
  readonly total: number
  /** Where all of them are listed. */
  readonly all?: string | undefined
}

interface Asked {
  readonly org: string
  /** What is looked for, in lower case. */
  readonly text: string
  readonly view: OrgView
}

const MOST = 20

/** Everything that the person may see whose name has the text in it. One request for each kind at most. */
export async function findAll(
  asked: Asked,
  caller: Caller,
  services: WebServices,
): Promise<readonly Found[]> {
  const kinds = [findUnits, findOutputs, findTeams, findVariableSets]
  const found = await Promise.all(kinds.map((kind) => kind(asked, caller, services)))
  return found.filter(({ total }) => total > 0)
}

async function findUnits(
  { org, text, view }: Asked,
  caller: Caller,
  { control }: WebServices,
): Promise<Found> {
  const { base } = view.org
  const { items, total } = await control.units.select(
    {
      org,
      matches: (unit) => rankOf(unit, text) !== undefined,
      compare: (a, b) => (rankOf(a, text) ?? 0) - (rankOf(b, text) ?? 0),
      skip: 0,
      limit: MOST,
    },
    caller,
  )
  return {
    title: 'Units',
    total,
    hits: items.map((unit) => ({
      label: unit.name,
      href: unitPath(base, unit.name),
      note: unit.description || labelsOf(unit),
    })),
    all: withQuery(base, { view: 'table', search: text }),
  }
}

/** The smaller, the better. Undefined: not at all. Pure. */
export function rankOf(
  { name, description, labels }: Pick<UnitView, 'name' | 'description' | 'labels'>,
  text: string,
): number | undefined {
  const lower = name.toLowerCase()
  const last = lower.slice(lower.lastIndexOf('/') + 1)
  if (lower === text || last === text) return 0
  if (last.startsWith(text)) return 1
  if (lower.includes(text)) return 2
  if (description.toLowerCase().includes(text)) return 3
  return Object.entries(labels).some((pair) => pair.join('=').toLowerCase().includes(text)) ? 4 : undefined
}

const labelsOf = ({ labels }: UnitView) =>
  Object.entries(labels)
    .map((pair) => pair.join('='))
    .join(' ')

async function findOutputs(
  { org, text, view }: Asked,
  caller: Caller,
  { control }: WebServices,
): Promise<Found> {
  const namesIn = ({ outputs }: UnitView) =>
    (outputs ?? []).map(({ name }) => name).filter((name) => name.toLowerCase().includes(text))
  const { items, total } = await control.units.select(
    {
      org,
      matches: (unit) => view.may('outputs:read', unit) && namesIn(unit).length > 0,
      skip: 0,
      limit: MOST,
    },
    caller,
  )
  return {
    title: 'Outputs',
    total,
    hits: items.map((unit) => ({
      label: namesIn(unit).join(', '),
      href: unitPath(view.org.base, unit.name, 'outputs'),
      note: unit.name,
    })),
  }
}

async function findTeams({ org, text, view }: Asked, _: Caller, { orgAccess }: WebServices): Promise<Found> {
  const teams = hasPlace(view, '/people') ? teamsIn(await orgAccess.fresh(org)) : []
  const path = `${view.org.base}/people?tab=teams`
  return listed(
    'Teams',
    teams.filter(({ name, description = '' }) => `${name} ${description}`.toLowerCase().includes(text)),
    ({ name, description }) => ({ label: name, href: path, note: description }),
    path,
  )
}

async function findVariableSets(
  { org, text, view }: Asked,
  caller: Caller,
  { variableSets, setSights }: WebServices,
): Promise<Found> {
  const { base } = view.org
  if (!hasPlace(view, '/variables')) return listed('Variable sets', [], () => ({ label: '', href: '' }))
  const sight = await setSights.of(org, caller)
  const sets = (await variableSets.list(org)).filter(sight.sees)
  return listed(
    'Variable sets',
    sets.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(text)),
    ({ id, name, description }) => ({
      label: name,
      href: `${base}/variables/${encodeURIComponent(id)}`,
      note: description,
    }),
    `${base}/variables`,
  )
}

function listed<T>(title: string, all: readonly T[], hitOf: (one: T) => Hit, path?: string): Found {
  return { title, total: all.length, hits: all.slice(0, MOST).map(hitOf), all: path }
}
