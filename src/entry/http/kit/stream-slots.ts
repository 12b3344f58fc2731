import { TacoError } from '../../../base/errors.ts'
import type { Limits } from './limits.ts'

export interface StreamSlots {
  /** Throws when the caller, or all of them together, have as many streams as they may. Gives back how to end it. */
  take(caller: string): () => void
}

/** A stream holds a connection and memory for as long as its client likes. */
export function createStreamSlots(
  limits: Pick<Limits, 'maxEventStreams' | 'maxEventStreamsPerCaller'>,
): StreamSlots {
  const taken = new Map<string, number>()
  let all = 0
  return {
    take(caller) {
      const own = taken.get(caller) ?? 0
      if (own >= limits.maxEventStreamsPerCaller) throw refusal(`${own} are open from this address`)
      if (all >= limits.maxEventStreams) throw refusal(`${all} are open in all`)
      taken.set(caller, own + 1)
      all++
      return () => {
        const left = (taken.get(caller) ?? 1) - 1
        if (left === 0) taken.delete(caller)
        else taken.set(caller, left)
        all--
      }
    },
  }
}

function refusal(said: string): TacoError {
  return new TacoError('RATE_LIMITED', `There are too many event streams: ${said}.`, {
    hint: 'Close one, or read /v1/events page by page.',
  })
}
