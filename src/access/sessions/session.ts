import { z } from 'zod'

/** What a browser's cookie says, sealed so that no one else can read or change it. Times are milliseconds. */
export const Session = z.object({
  id: z.string(),
  userId: z.string(),
  /** The person's session counter at sign-in: if it has moved on since, the session is over. */
  epoch: z.number().int(),
  /** The identity provider that vouched for the person, and when. */
  provider: z.string(),
  authenticatedAt: z.number(),
  createdAt: z.number(),
  seenAt: z.number(),
  /** The secret of the CSRF tokens in its forms. */
  csrf: z.string(),
})
export type Session = z.infer<typeof Session>

export const IDLE_MS = 12 * 3_600_000
export const ABSOLUTE_MS = 7 * 86_400_000

export function isOver({ createdAt, seenAt }: Session, now: number): boolean {
  return now >= seenAt + IDLE_MS || now >= createdAt + ABSOLUTE_MS
}
