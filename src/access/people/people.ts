import { createHash } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { TacoError } from '../../base/errors.ts'
import { createFresh } from '../../base/fresh.ts'
import type { Ids } from '../../base/ids.ts'
import { type Bucket, createDocumentStore } from '../../bucket/index.ts'
import { type Caller, authorOf } from '../caller.ts'
import type { AccessEventType } from '../event-types.ts'
import { type JournalPort, SERVER } from '../journal-port.ts'
import type { UserPrincipal, Via } from '../principal.ts'
import {
  type KnownSession,
  type PersonDocument,
  groupsOf,
  identityKind,
  isLogin,
  loginKind,
  loginsFor,
  peoplePrefix,
  personKind,
} from './person.ts'

/** What an identity provider says about somebody who has just signed in. */
export interface SignedIn {
  readonly provider: string
  readonly subject: string
  readonly login?: string | undefined
  readonly displayName?: string | undefined
  readonly email?: { readonly address: string; readonly isVerified: boolean } | undefined
  readonly groups: readonly string[]
  /** Sealed. */
  readonly refresh?: string | undefined
}

export type PersonTransition = (person: PersonDocument) => PersonDocument

/** The people of this server. They exist once, whichever organizations they belong to. */
export interface People {
  /** The person of this identity, who is created at the first sign-in. What the provider says replaces what it said before. */
  signIn(identity: SignedIn, caller: Caller): Promise<PersonDocument>
  /** At most a moment old; undefined if there is no such person. */
  fresh(id: string): PersonDocument | undefined | Promise<PersonDocument | undefined>
  /** By login name or id. NOT_FOUND if there is none. */
  get(loginOrId: string, caller: Caller): Promise<PersonDocument>
  /**
   * Those of these ids that exist, by id. Many are found by one listing, which says what has changed since it was read:
   * only that is read again. At most a moment old.
   */
  among(ids: readonly string[]): Promise<ReadonlyMap<string, PersonDocument>>
  list(
    page: { readonly limit: number; readonly cursor?: string | undefined },
    caller: Caller,
  ): Promise<PeoplePage>
  /** Sign out everywhere: no session that was issued before is accepted any more. */
  endSessions(id: string, caller: Caller): Promise<PersonDocument>
  endSession(id: string, session: string, caller: Caller): Promise<PersonDocument>
  /** Remembers a new session, or that it was used. */
  noteSession(id: string, session: KnownSession, caller: Caller): Promise<PersonDocument>
  setSuspended(id: string, isSuspended: boolean, caller: Caller): Promise<PersonDocument>
  /** For changes that other modules decide on. `type`: of the event that tells of it; none if left out. */
  change(
    id: string,
    transition: PersonTransition,
    caller: Caller,
    type?: AccessEventType,
  ): Promise<PersonDocument>
}

export interface PeoplePage {
  readonly items: readonly PersonDocument[]
  readonly next: string | undefined
  readonly damaged: number
}

/** Another server may go by what it read for this long. Revocations must reach all of them within 5 s. */
export const FRESH_MS = 2_000
const MOST_SESSIONS = 50
/** So many people are read one by one rather than looked for in a listing of all. */
const FEW = 10

export function createPeople(deps: {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly ids: Ids
  readonly journal: JournalPort
}): People {
  const { clock, ids, journal } = deps
  const store = createDocumentStore({ ...deps, outbox: journal }, personKind)
  const identities = createDocumentStore(deps, identityKind)
  const logins = createDocumentStore(deps, loginKind)
  const fresh = createFresh({
    clock,
    forMs: FRESH_MS,
    most: 10_000,
    keyOf: (id: string) => id,
    read: async (id) => (await store.find(id))?.value,
  })

  /** The id that belongs to this identity for ever. */
  async function idOf(hash: string): Promise<string> {
    const found = await identities.find(hash)
    if (found !== undefined) return found.value.user
    await identities.create(hash, { user: ids.id('user') })
    return (await identities.get(hash)).value.user
  }

  async function claimLogin(user: string, wishes: readonly (string | undefined)[]): Promise<string> {
    for (const login of loginsFor(wishes)) {
      const made = await logins.create(login, { user })
      if (made !== undefined || (await logins.get(login)).value.user === user) return login
    }
    throw new Error('the login names ended')
  }

  async function change(
    id: string,
    type: AccessEventType | undefined,
    caller: Caller,
    transition: PersonTransition,
    data: Readonly<Record<string, unknown>> = {},
  ): Promise<PersonDocument> {
    const { value } = await store.change(
      id,
      (person) => {
        const next = transition(person)
        if (next === person) return { value: person, answer: undefined }
        const about = { person: id, login: person.login, ...data }
        const events =
          type === undefined ? [] : [journal.make({ org: SERVER }, { type, caller, data: about })]
        return { value: next, events, answer: undefined }
      },
      caller,
    )
    fresh.forget(id)
    return value
  }

  return {
    async signIn(identity, caller) {
      const { provider, subject } = identity
      const id = await idOf(hashOf(provider, subject))
      const now = clock.now()
      if ((await store.find(id)) === undefined) {
        const login = await claimLogin(id, [identity.login, identity.email?.address, subject])
        const data = { person: id, login, provider }
        await store.create(
          id,
          { id, login, createdAt: now, identities: [], sessions: [], sessionEpoch: 1 },
          { events: [journal.make({ org: SERVER }, { type: 'person.created', caller, data })] },
        )
      }
      const signedIn: PersonTransition = (person) => ({
        ...refreshed(person, identity, now),
        signedInAt: now,
      })
      return change(id, 'person.signed-in', caller, signedIn, { provider })
    },
    fresh: (id) => fresh.get(id),
    async get(loginOrId) {
      const claim = isLogin(loginOrId) ? await logins.find(loginOrId) : undefined
      const found = await store.find(claim?.value.user ?? loginOrId)
      if (found !== undefined) return found.value
      throw new TacoError('NOT_FOUND', `There is no person ${loginOrId}.`, {
        facts: { field: 'person', person: loginOrId },
        hint: 'People appear here when they sign in for the first time. See `taco person ls`.',
      })
    },
    async among(asked) {
      const wanted = [...new Set(asked)]
      if (wanted.length <= FEW) {
        const found = await Promise.all(wanted.map((id) => fresh.get(id)))
        return new Map(found.flatMap((person) => (person === undefined ? [] : [[person.id, person]])))
      }
      const keys = new Set(wanted.map((id) => personKind.keyOf(id)))
      const entries = await store.entries(peoplePrefix)
      const { loaded } = await store.readAll(entries.filter(({ key }) => keys.has(key)))
      return new Map(loaded.map(({ value }) => [value.id, value]))
    },
    async list({ limit, cursor }) {
      const entries = (await store.entries(peoplePrefix)).filter(
        ({ key }) => cursor === undefined || key > cursor,
      )
      const page = entries.slice(0, limit)
      const { loaded, unreadable } = await store.readAll(page)
      return {
        items: loaded.map(({ value }) => value),
        next: entries.length > limit ? page.at(-1)?.key : undefined,
        damaged: unreadable.length,
      }
    },
    change: (id, transition, caller, type) => change(id, type, caller, transition),
    endSessions: (id, caller) =>
      change(id, 'person.signed-out', caller, (person) => ({
        ...person,
        sessions: [],
        sessionEpoch: person.sessionEpoch + 1,
      })),
    endSession: (id, session, caller) =>
      change(
        id,
        'session.ended',
        caller,
        (person) => ({
          ...person,
          sessions: person.sessions.map((one) =>
            one.id === session && one.endedAt === undefined ? { ...one, endedAt: clock.now() } : one,
          ),
        }),
        { session },
      ),
    noteSession: (id, session, caller) =>
      change(id, undefined, caller, (person) => {
        const others = person.sessions.filter((one) => one.id !== session.id && one.expiresAt > clock.now())
        const before = person.sessions.find((one) => one.id === session.id)
        if (before?.endedAt !== undefined) return person
        return { ...person, sessions: keepSome([...others, { ...before, ...session }]) }
      }),
    setSuspended: (id, isSuspended, caller) =>
      change(id, isSuspended ? 'person.suspended' : 'person.resumed', caller, (person) => {
        if ((person.suspended !== undefined) === isSuspended) return person
        const { suspended: _, ...rest } = person
        return isSuspended ? { ...rest, suspended: { at: clock.now(), by: authorOf(caller).by } } : rest
      }),
  }
}

/** Ended ones must stay until they expire; of the others, the oldest go. */
function keepSome(sessions: readonly KnownSession[]): KnownSession[] {
  const live = sessions.filter(({ endedAt }) => endedAt === undefined).toSorted((a, b) => b.seenAt - a.seenAt)
  return [...live.slice(0, MOST_SESSIONS), ...sessions.filter(({ endedAt }) => endedAt !== undefined)]
}

/** The person as the provider describes them now. Pure. */
export function refreshed(person: PersonDocument, identity: SignedIn, now: number): PersonDocument {
  const { provider, subject, groups, refresh, displayName, email } = identity
  const others = person.identities.filter((one) => one.provider !== provider || one.subject !== subject)
  const before = person.identities.find((one) => one.provider === provider && one.subject === subject)
  return {
    ...person,
    identities: [
      ...others,
      {
        ...before,
        provider,
        subject,
        groups: [...groups],
        readAt: now,
        ...(refresh === undefined ? {} : { refresh }),
      },
    ],
    ...(displayName === undefined ? {} : { displayName }),
    ...(email?.isVerified === true ? { email: email.address.toLowerCase() } : {}),
  }
}

/** By the person as it was read, and the credential: every request asks for it. */
const principals = new WeakMap<PersonDocument, Map<string, UserPrincipal>>()

/** Undefined: suspended people are nobody. */
export function principalOf(person: PersonDocument, via: Via): UserPrincipal | undefined {
  if (person.suspended !== undefined) return undefined
  let known = principals.get(person)
  if (known === undefined) principals.set(person, (known = new Map()))
  const key = JSON.stringify(Object.values(via))
  let principal = known.get(key)
  if (principal === undefined) known.set(key, (principal = newPrincipal(person, via)))
  return principal
}

function newPrincipal(person: PersonDocument, via: Via): UserPrincipal {
  return {
    kind: 'user',
    id: person.id,
    name: person.login,
    groups: groupsOf(person),
    ...(person.email === undefined ? {} : { email: person.email }),
    via,
  }
}

/** Both are from outside; a separator that neither can hold keeps two of them apart. */
function hashOf(provider: string, subject: string): string {
  return createHash('sha256')
    .update(JSON.stringify([provider, subject]))
    .digest('hex')
}
