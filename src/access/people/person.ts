import { z } from 'zod'
import { type DocumentKind, documentFields, openObject } from '../../bucket/index.ts'
import { JournalEvent } from '../journal-port.ts'
import { accessPrefix } from '../layout.ts'

/** How a person is known to an identity provider. */
const KnownIdentity = openObject({
  provider: z.string(),
  subject: z.string(),
  /** As of the last sign-in or refresh. Checks go by `<provider>/<group>`. */
  groups: z.array(z.string()),
  readAt: z.number(),
  /** Sealed: what the provider needs to read the groups again. */
  refresh: z.string().optional(),
})
export type KnownIdentity = z.infer<typeof KnownIdentity>

const KnownSession = openObject({
  id: z.string(),
  createdAt: z.number(),
  /** Written at most once an hour. */
  seenAt: z.number(),
  expiresAt: z.number(),
  provider: z.string(),
  userAgent: z.string().optional(),
  address: z.string().optional(),
  /** Signed out. It stays here until its cookie would have expired anyway. */
  endedAt: z.number().optional(),
})
export type KnownSession = z.infer<typeof KnownSession>

export const PersonDocument = openObject({
  ...documentFields(1),
  id: z.string(),
  /** Unique, and never given to another person. */
  login: z.string(),
  displayName: z.string().optional(),
  /** Only if the provider has verified it. */
  email: z.string().optional(),
  createdAt: z.number(),
  signedInAt: z.number().optional(),
  identities: z.array(KnownIdentity),
  sessions: z.array(KnownSession),
  /** Sessions that were issued under a lower number are over: "sign out everywhere" raises it. */
  sessionEpoch: z.number().int(),
  /** Set: the person may not do anything, whichever credential they use. */
  suspended: openObject({ at: z.number(), by: z.string() }).optional(),
  outbox: z.array(JournalEvent),
})
export type PersonDocument = z.infer<typeof PersonDocument>

const isUserId = (id: string) => /^user-[0-9A-Za-z]{16}$/.test(id)

export const personKind: DocumentKind<PersonDocument, string> = {
  name: 'person',
  format: { schema: PersonDocument, major: 1, minor: 0 },
  // An id that is none leads to a key that no document has.
  keyOf: (id) => `${peoplePrefix}${isUserId(id) ? id : 'none'}.json`,
  refOf: ({ id }) => id,
  cache: { most: 10_000 },
}

export const peoplePrefix = `${accessPrefix}people/`

/** Claims something for a person, once and for all. */
export const PersonClaim = openObject({ ...documentFields(1), user: z.string() })
type PersonClaim = z.infer<typeof PersonClaim>

/** By the hash of the provider and the subject. */
export const identityKind: DocumentKind<PersonClaim, string> = {
  name: 'identity',
  format: { schema: PersonClaim, major: 1, minor: 0 },
  keyOf: (hash) => `${accessPrefix}identities/${hash}.json`,
}

export const loginKind: DocumentKind<PersonClaim, string> = {
  name: 'login name',
  format: { schema: PersonClaim, major: 1, minor: 0 },
  keyOf: (login) => `${accessPrefix}logins/${login}.json`,
}

/** All groups of a person, as checks compare them. */
export function groupsOf({ identities }: Pick<PersonDocument, 'identities'>): string[] {
  return identities.flatMap(({ provider, groups }) => groups.map((group) => `${provider}/${group}`))
}

const LOGIN = /^[a-z0-9](?:[a-z0-9._-]{0,37}[a-z0-9])?$/

export function isLogin(text: string): boolean {
  return LOGIN.test(text)
}

/** Names that would be read as something else, or that would look like it. */
const RESERVED = new Set(['root', 'anonymous', 'system', 'admin', 'me', 'none', 'everyone'])

/** Login names to try for a new person: the first wish that makes one, then the same with a number. Endless. */
export function* loginsFor(wishes: readonly (string | undefined)[]): Generator<string> {
  const base = wishes.map(asLogin).find((login) => isLogin(login) && !RESERVED.has(login)) ?? 'person'
  yield base
  for (let number = 2; ; number++) yield `${base}-${number}`
}

function asLogin(wish = ''): string {
  return wish
    .toLowerCase()
    .normalize('NFKD')
    .replace(/@.*$/s, '')
    .replaceAll(/[^a-z0-9._-]+/g, '-')
    .slice(0, 30)
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
}
