import type { Scope } from './variable-set.ts'

/** Where a variable comes from, as seen from the unit that it is for. */
export type Source =
  | { readonly kind: 'unit' }
  | {
      readonly kind: 'set'
      readonly id: string
      readonly name: string
      readonly scope: Scope
      readonly priority: boolean
      /** A project owns the set, not the organization. */
      readonly isOfProject: boolean
    }

export interface Candidate<V> {
  readonly variable: V
  readonly source: Source
}

export interface Effective<V> extends Candidate<V> {
  /** What has the same key and category and is weaker, strongest first. */
  readonly overrides: readonly Candidate<V>[]
}

/**
 * The order of Terraform Cloud, strongest first. Priority sets are ranked from the widest to the closest, so that an
 * organization can rely on what it says; all others from the closest to the widest.
 */
const PRIORITY = ['global', 'project', 'unit', 'project of project', 'unit of project']
const USUAL = ['unit of project', 'project of project', 'unit', 'project', 'global']

function rankOf(source: Source): number {
  if (source.kind === 'unit') return PRIORITY.length
  const { scope, priority, isOfProject } = source
  const place = isOfProject ? `${scope} of project` : scope
  return priority ? PRIORITY.indexOf(place) : PRIORITY.length + 1 + USUAL.indexOf(place)
}

/** Negative: `a` is stronger. Within one place, the set whose name comes first. */
function compare(a: Source, b: Source): number {
  const byRank = rankOf(a) - rankOf(b)
  if (byRank !== 0 || a.kind === 'unit' || b.kind === 'unit') return byRank
  if (a.name !== b.name) return a.name < b.name ? -1 : 1
  return a.id < b.id ? -1 : Number(a.id > b.id)
}

/** For each key of each category the strongest candidate, and what it overrides; by category and key. Pure. */
export function effectiveOf<V extends { readonly key: string; readonly category: string }>(
  candidates: readonly Candidate<V>[],
): readonly Effective<V>[] {
  const byKey = new Map<string, Candidate<V>[]>()
  for (const candidate of candidates) {
    const name = `${candidate.variable.category} ${candidate.variable.key}`
    const same = byKey.get(name)
    if (same === undefined) byKey.set(name, [candidate])
    else same.push(candidate)
  }
  return [...byKey]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, same]) => {
      const [first, ...overrides] = same.toSorted((a, b) => compare(a.source, b.source))
      return first === undefined ? [] : [{ ...first, overrides }]
    })
}
