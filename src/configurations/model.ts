import { z } from 'zod'
import { openWord } from '../bucket/index.ts'
import { Content, type RecordKind, type RecordOf } from '../records/index.ts'

const Status = z.enum(['pending', 'uploaded', 'errored', 'archived'])

const shape = {
  status: openWord(Status),
  /** True: a run begins as soon as the content is there. */
  autoQueueRuns: z.boolean(),
  /** True: only for plans that are never applied. */
  speculative: z.boolean(),
  /** True: for a plan that is applied only if somebody asks for it. */
  provisional: z.boolean(),
  /** Who made it: `tfe-api`, or the name of a code host. */
  source: z.string(),
  content: Content.optional(),
  error: z.string().optional(),
  /** When it got each status, by status. */
  times: z.record(z.string(), z.number()),
}

/** How many of a unit are kept. Then the oldest go, except for the current one. */
export const KEPT = 500

export const kind = {
  name: 'configuration version',
  folder: 'configuration-versions',
  word: 'configuration-version',
  prefix: 'cv',
  shape,
  // Servers that create at the same time may each see one that is too many.
  most: KEPT + 100,
  says: ({ status, speculative }) => ({ status, speculative }),
} as const satisfies RecordKind<typeof shape>

/** The code of a unit as it was uploaded at one time: what runs use. */
export type ConfigurationVersion = RecordOf<typeof shape>

/** The newest that runs without an own upload use. */
export function currentOf(all: readonly ConfigurationVersion[]): ConfigurationVersion | undefined {
  return all.findLast(({ status, speculative, provisional }) => {
    return status === 'uploaded' && !speculative && !provisional
  })
}

/** Which go to make room for one more: first those without content, oldest first. */
export function surplus(all: readonly ConfigurationVersion[]): ReadonlySet<string> {
  const current = currentOf(all)?.id
  const others = all.filter(({ id }) => id !== current)
  const inOrder = [
    ...others.filter(({ content }) => content === undefined),
    ...others.filter(({ content }) => content !== undefined),
  ]
  return new Set(inOrder.slice(0, Math.max(0, all.length + 1 - KEPT)).map(({ id }) => id))
}
