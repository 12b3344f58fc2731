import type { Clock } from '../base/clock.ts'

export interface RestOptions {
  readonly clock: Clock
  readonly lastActiveAt: () => number
  /** What is taken from the system for objects, used or not. */
  readonly takenBytes: () => number
  /** Frees what nobody uses any more and gives it back. */
  readonly collect: () => void
}

const QUIET_MS = 2_500
const WORTHWHILE_BYTES = 12 * 2 ** 20

/**
 * Gives memory back while nothing is asked for. A listing of thousands of units leaves several times its own size
 * behind, which would otherwise lie there until somebody needs the room: for ever, on a server that is little used.
 * Gives a function to be called every second or so.
 */
export function memoryAtRest(options: RestOptions): () => void {
  let takenAfter = 0
  return () => {
    if (options.clock.now() - options.lastActiveAt() < QUIET_MS) return
    if (options.takenBytes() - takenAfter < WORTHWHILE_BYTES) return
    options.collect()
    takenAfter = options.takenBytes()
  }
}
