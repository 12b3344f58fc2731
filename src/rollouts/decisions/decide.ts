import { among } from '../../base/text/among.ts'
import type { Caller, GraphFacts, StateControl } from '../../state/index.ts'
import { type Doubt, edgesOf, variablesOf } from '../../graph/index.ts'
import type { Rollout } from '../model.ts'
import { type Verdict, judge } from './proof.ts'
import type { UsedOutputs } from '../services.ts'
import { decide, undecided } from './transitions.ts'

/** Facts of units as they are now, each read once for one decision. */
export interface FreshFacts {
  load(ids: Iterable<string>): Promise<void>
  of(id: string): GraphFacts | undefined
  /** Why nothing can be proven of a unit. */
  readonly doubt: Doubt
}

/** Beyond this, one listing that reads what changed is cheaper than reading each. */
const FEW = 12

export function freshFacts(
  graph: StateControl['graph'],
  org: string,
  caller: Caller,
  doubt: Doubt = () => undefined,
): FreshFacts {
  const known = new Map<string, GraphFacts | undefined>()
  return {
    async load(ids) {
      const missing = [...new Set(ids)].filter((id) => !known.has(id))
      if (missing.length > FEW) {
        const { units } = await graph.units(org, { fresh: true, damaged: 'left out' }, caller)
        const listed = new Map(units.map((unit) => [unit.id, unit]))
        for (const id of missing) {
          const unit = listed.get(id)
          if (unit !== undefined) known.set(id, unit.facts())
        }
      }
      // A unit that is not listed is gone, or its document cannot be read: reading it shows which, and refuses the
      // latter.
      const left = missing.filter((id) => !known.has(id))
      await Promise.all(left.map(async (id) => known.set(id, await graph.facts({ org, unit: id }, caller))))
    },
    of: (id) => known.get(id),
    doubt,
  }
}

/**
 * Lets the outputs decide about every step whose turn it is. A step that is skipped may give the next their turn, so
 * it goes on until nothing moves: a whole branch is skipped at once.
 */
export async function decideAll(rollout: Rollout, facts: FreshFacts, now: number): Promise<Rollout> {
  let current = rollout
  for (;;) {
    if (current.status !== 'active') return current
    const steps = undecided(current, now)
    if (steps.length === 0) return current
    const ids = steps.map(({ unit }) => unit.id)
    await facts.load(ids)
    await facts.load(ids.flatMap((id) => usedIds(facts.of(id))))
    const verdicts = new Map<string, Verdict>(
      ids.map((id) => {
        const unit = facts.of(id)
        return [id, unit === undefined ? { kind: 'run', why: 'it is gone' } : verdictOn(unit, facts)]
      }),
    )
    current = decide(current, verdicts, now)
  }
}

/** Proofs count only if no one can have left the unit half applied. */
export function verdictOn(unit: GraphFacts, { of, doubt }: FreshFacts): Verdict {
  const verdict = judge(unit, of)
  const rollout = verdict.kind === 'skip' ? doubt(unit.id) : undefined
  if (rollout === undefined) return verdict
  return { kind: 'run', why: `the rollout ${rollout} cannot be read, and may have left it half applied` }
}

/** The outputs that a unit uses as they stand, for its fingerprint. */
export function usesOf(unit: GraphFacts, facts: FreshFacts): UsedOutputs[] {
  return edgesOf(unit).flatMap(({ on, outputs }) => {
    const used = facts.of(on)
    if (used === undefined) return []
    const all = used.head?.outputs ?? []
    const isUsed = among(outputs)
    const wanted = all.filter(({ name }) => isUsed(name))
    return [
      {
        unit: { id: used.id, name: used.name },
        commit: used.head?.commit ?? 0,
        outputs: Object.fromEntries(wanted.map(({ name, digest }) => [name, digest])),
        inputs: Object.fromEntries(unit.dependencies.filter((one) => one.on === on).flatMap(variablesOf)),
      },
    ]
  })
}

export function usedIds(unit: GraphFacts | undefined): readonly string[] {
  return unit === undefined ? [] : edgesOf(unit).map(({ on }) => on)
}
