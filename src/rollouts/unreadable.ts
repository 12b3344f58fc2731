import { z } from 'zod'
import type { Unreadable } from '../bucket/index.ts'
import type { Doubt } from '../graph/index.ts'
import { rolloutIdOf } from './layout.ts'
import { type Rollout, isKnownRollout, isKnownStep } from './model.ts'

/** A rollout that cannot be read. It may have left units half applied, and no other document says so. */
export interface DamagedRollout {
  readonly id: string
  /** When its document was last written. */
  readonly at: number
  /** Ids of the units it is about; null: it could be any. */
  readonly units: ReadonlySet<string> | null
  /** Nothing is wrong with it: a newer OpenTaco wrote it, and can read it. */
  readonly isNewer: boolean
}

/** A newer format may mean something else by this, so only the known one is searched. */
const Units = z.object({ v: z.literal(1), steps: z.array(z.object({ unit: z.object({ id: z.string() }) })) })

export function unitsIn(bytes: Buffer): ReadonlySet<string> | undefined {
  try {
    return new Set(Units.parse(JSON.parse(bytes.toString('utf8'))).steps.map(({ unit }) => unit.id))
  } catch {
    return undefined
  }
}

/** All that leave something unknown about their units. */
export function damagedAmong({
  loaded,
  unreadable,
}: {
  readonly loaded: readonly { readonly value: Rollout }[]
  readonly unreadable: readonly Unreadable<ReadonlySet<string>>[]
}): DamagedRollout[] {
  return [...unreadable.map(damageOf), ...loaded.flatMap(({ value }) => notUnderstood(value))]
}

export function damageOf({ key, at, isNewer, salvaged }: Unreadable<ReadonlySet<string>>): DamagedRollout {
  return { id: rolloutIdOf(key), at, units: salvaged ?? null, isNewer }
}

/** Its status, or that of some of its steps, is known to a newer OpenTaco only. So is what that does to the units. */
function notUnderstood(rollout: Rollout): DamagedRollout[] {
  const steps = rollout.steps.filter((step) => !isKnownRollout(rollout) || !isKnownStep(step))
  if (steps.length === 0) return []
  const units = new Set(steps.map(({ unit }) => unit.id))
  return [{ id: rollout.id, at: rollout.createdAt, units, isNewer: true }]
}

export function doubtOf(damaged: readonly DamagedRollout[]): Doubt {
  return (unit) => damaged.find(({ units }) => units === null || units.has(unit))?.id
}
