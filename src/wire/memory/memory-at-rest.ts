import type { Clock } from '../../base/clock.ts'

export interface RestOptions {
  readonly clock: Clock
  readonly lastActiveAt: () => number
  /** What is taken from the system for objects, used or not. */
  readonly takenBytes: () => number
  /** Frees unused memory and returns it. */
  readonly collect: () => void
}

/**
 * Longer than the pauses of people and pipelines. A collection takes a tenth of a second, and with the last object of
 * its kind goes the code that was compiled for it: the next requests run at half the speed.
 */
const QUIET_MS = 20_000
/** The collector judges by the last five seconds how much room young objects need. */
const NEXT_MS = 5_500
const WORTHWHILE_BYTES = 12 * 2 ** 20
const LITTLE_BYTES = 2 ** 20

/**
 * Returns memory while there are no requests. A listing of thousands of units leaves several times its own size behind,
 * which would otherwise stay until the space is needed: forever, on a server that is little used. One collection is not
 * enough: the first may only finish what the collector had begun, and the space for young objects is returned only
 * after it was unused for a while. So collections continue until they return nothing. Returns a function to call every
 * second or so.
 */
export function memoryAtRest(options: RestOptions): () => void {
  let takenAfter = 0
  let collectedAt = 0
  let fruitless = Infinity
  return () => {
    const now = options.clock.now()
    if (now - options.lastActiveAt() < QUIET_MS) return
    const taken = options.takenBytes()
    if (taken - takenAfter >= WORTHWHILE_BYTES) fruitless = 0
    else if (now - collectedAt < NEXT_MS) return
    if (fruitless >= 2) return
    options.collect()
    collectedAt = now
    takenAfter = options.takenBytes()
    fruitless = taken - takenAfter < LITTLE_BYTES ? fruitless + 1 : 0
  }
}
