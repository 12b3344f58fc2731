import { z } from 'zod'
import { isTacoError } from '../base/errors.ts'
import type { Bucket, Entry } from '../bucket/index.ts'
import type { Doubt } from '../graph/index.ts'

/** A rollout that cannot be read. It may have left units half applied, and nobody will hear of it from there. */
export interface DamagedRollout {
  readonly id: string
  /** When its document was last written. */
  readonly at: number
  /** Ids of the units it is about; null: it could be any. */
  readonly units: ReadonlySet<string> | null
  /** Nothing is wrong with it: a newer OpenTaco wrote it, and can read it. */
  readonly isNewer: boolean
}

/** Whoever wrote it in another shape may mean something else by this, so only what is damaged is looked through. */
const Units = z.object({ v: z.literal(1), steps: z.array(z.object({ unit: z.object({ id: z.string() }) })) })

/** Undefined: it is a failure of another kind, which passes. */
export async function damageOf(
  bucket: Bucket,
  { key, modifiedAt }: Entry,
  error: unknown,
): Promise<DamagedRollout | undefined> {
  if (!isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER')) return undefined
  const id = key.slice(key.lastIndexOf('/') + 1).replace(/\.json$/, '')
  const bytes = await (await bucket.get(key))?.bytes()
  const units = bytes === undefined ? null : unitsIn(bytes)
  return { id, at: modifiedAt, units, isNewer: isTacoError(error, 'BUCKET_NEWER') }
}

function unitsIn(bytes: Buffer): ReadonlySet<string> | null {
  try {
    return new Set(Units.parse(JSON.parse(bytes.toString('utf8'))).steps.map(({ unit }) => unit.id))
  } catch {
    return null
  }
}

export function doubtOf(damaged: readonly DamagedRollout[]): Doubt {
  return (unit) => damaged.find(({ units }) => units === null || units.has(unit))?.id
}
