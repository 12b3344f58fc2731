import type { Clock } from './clock.ts'
import { TacoError } from './errors.ts'

const MOST = 100
const LONGEST_PAUSE_MS = 250

/** Returned by a step that must start over from the read. */
export const again = Symbol('again')

/** Runs `read, decide, swap` until it is done: bounded, with growing, random pauses so that racers spread out. */
export async function untilDone<T>(
  clock: Clock,
  what: string,
  step: () => Promise<T | typeof again>,
): Promise<T> {
  for (let attempt = 0; attempt < MOST; attempt++) {
    if (attempt > 1) await clock.sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, 4 * 2 ** attempt))
    const outcome = await step()
    if (outcome !== again) return outcome
  }
  throw new TacoError('BUCKET_UNAVAILABLE', `Too many concurrent changes while ${what}.`, {
    hint: 'Try again in a moment.',
  })
}
