import type { Limits } from './limits.ts'
import { type StreamSlots, createStreamSlots } from './stream-slots.ts'

/** What answers that go on for long have in common, on whichever face. */
export interface LongAnswers {
  readonly streams: StreamSlots
  /** Aborted when the server shuts down. */
  readonly stopping: AbortController
}

export function createLongAnswers(limits: Limits): LongAnswers {
  return { streams: createStreamSlots(limits), stopping: new AbortController() }
}
