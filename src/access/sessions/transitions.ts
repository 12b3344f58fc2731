import type { KnownIdentity, KnownSession, PersonDocument } from '../people/person.ts'

/**
 * A session takes the place of another. The old one stays good for a moment, for what the browser has already asked
 * for. The same document: this was done before.
 */
export function replaceSession(
  person: PersonDocument,
  old: string,
  { next, endsAt }: { readonly next: KnownSession; readonly endsAt: number },
): PersonDocument {
  const before = person.sessions.find(({ id }) => id === old)
  if (before?.endedAt !== undefined) return person
  const others = person.sessions.filter(({ id }) => id !== old)
  return { ...person, sessions: [...others, ...(before ? [{ ...before, endedAt: endsAt }] : []), next] }
}

/**
 * Takes it upon itself to read the groups of an identity again: what a provider gives for that can often be used only
 * once, so of all servers one does it. The same document: it is not due, or another server does it.
 */
export function claimReading(
  person: PersonDocument,
  identity: Pick<KnownIdentity, 'provider' | 'subject'>,
  { now, everyMs }: { readonly now: number; readonly everyMs: number },
): PersonDocument {
  const isIt = (one: KnownIdentity) =>
    one.provider === identity.provider && one.subject === identity.subject && now - one.readAt >= everyMs
  if (!person.identities.some(isIt)) return person
  return {
    ...person,
    identities: person.identities.map((one) => (isIt(one) ? { ...one, readAt: now } : one)),
  }
}
