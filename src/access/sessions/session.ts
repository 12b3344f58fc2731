import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type PersonDocument, groupsOf } from '../people/person.ts'

/** What a browser's cookie says, sealed so that no one can read or change it. Times are milliseconds. */
export const Session = z.object({
  id: z.string(),
  userId: z.string(),
  /** The number of the person's document at sign-in: if it has been raised since, the session is over. */
  epoch: z.number().int(),
  /** The identity provider that vouched for the person, and when. */
  provider: z.string(),
  authenticatedAt: z.number(),
  createdAt: z.number(),
  seenAt: z.number(),
  /** The rights that the provider gave the person when the cookie was made. If others, the person gets a new session. */
  rights: z.string(),
  /** The secret of the CSRF tokens in its forms. */
  csrf: z.string(),
})
export type Session = z.infer<typeof Session>

export const IDLE_MS = 12 * 3_600_000
export const ABSOLUTE_MS = 7 * 86_400_000

/** When the session is over, unless it is used before. */
export function endOf({ authenticatedAt, seenAt }: Session): number {
  return Math.min(seenAt + IDLE_MS, authenticatedAt + ABSOLUTE_MS)
}

/** Pure: whether a session that was issued to this person is still good. */
export function isValid(session: Session, person: PersonDocument, now: number): boolean {
  if (now >= endOf(session) || person.suspended !== undefined) return false
  if (person.id !== session.userId || person.sessionEpoch !== session.epoch) return false
  const known = person.sessions.find(({ id }) => id === session.id)
  return known?.endedAt === undefined || now < known.endedAt
}

/** Names what an identity provider says a person may do, without telling it. */
export function rightsOf(person: PersonDocument): string {
  const said = [person.email ?? null, groupsOf(person).toSorted()]
  return createHash('sha256').update(JSON.stringify(said)).digest('base64url').slice(0, 16)
}
