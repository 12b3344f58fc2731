import type { Clock } from '../base/clock.ts'

export interface RestOptions {
  readonly clock: Clock
  readonly lastActiveAt: () => number
  readonly usedBytes: () => number
  /** Frees what nobody uses any more. */
  readonly collect: () => void
}

const QUIET_MS = 1_500
const WORTHWHILE_BYTES = 12 * 2 ** 20

/**
 * Gives memory back while nothing is asked for. A listing of thousands of units leaves several times its own size
 * behind, which would otherwise lie there until somebody needs the room: for ever, on a server that is little used.
 * Gives a function to be called every second or so.
 */
export function memoryAtRest(options: RestOptions): () => void {
  let usedAfter = 0
  return () => {
    if (options.clock.now() - options.lastActiveAt() < QUIET_MS) return
    if (options.usedBytes() - usedAfter < WORTHWHILE_BYTES) return
    options.collect()
    usedAfter = options.usedBytes()
  }
}
