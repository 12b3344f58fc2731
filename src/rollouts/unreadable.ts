import { z } from 'zod'
import type { Unreadable } from '../bucket/index.ts'
import type { Doubt } from '../graph/index.ts'
import { rolloutIdOf } from './layout.ts'

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

export function damageOf({ key, at, isNewer, salvaged }: Unreadable<ReadonlySet<string>>): DamagedRollout {
  return { id: rolloutIdOf(key), at, units: salvaged ?? null, isNewer }
}

export function doubtOf(damaged: readonly DamagedRollout[]): Doubt {
  return (unit) => damaged.find(({ units }) => units === null || units.has(unit))?.id
}
