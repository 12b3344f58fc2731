import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import { type Clock, isRecent } from '../../base/clock.ts'
import type { Refuse } from './refusals.ts'

const MAX_AGE_MS = 10 * 60_000

/** Sign-ins of one provider that were begun in this browser. */
export interface Keeps<T> {
  write(values: T): string
  /** Refuses what is missing, too old, or from another provider. */
  read(keep: string | undefined): T
}

export function keepsOf<T extends object>(
  provider: { readonly id: string; readonly label: string },
  schema: z.ZodType<T>,
  { clock, refuse }: { readonly clock: Clock; readonly refuse: Refuse },
): Keeps<T> {
  const Kept = z.object({ provider: z.literal(provider.id), at: z.number(), values: schema })
  return {
    write: (values) => JSON.stringify({ provider: provider.id, at: clock.now(), values }),
    read(keep) {
      const kept = Kept.safeParse(parsed(keep))
      if (!kept.success)
        throw refuse('not-started', `No sign-in with ${provider.label} was begun in this browser.`)
      if (!isRecent(clock, kept.data.at, MAX_AGE_MS))
        throw refuse('not-started', `The sign-in with ${provider.label} took longer than ten minutes.`)
      return kept.data.values
    },
  }
}

/** Too long to guess. */
export function randomText(): string {
  return randomBytes(32).toString('base64url')
}

function parsed(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
