import { randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { isTacoError } from '../../base/errors.ts'
import type { Ids } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import type { Caller } from '../caller.ts'
import { type People, principalOf } from '../people/people.ts'
import type { KnownSession, PersonDocument } from '../people/person.ts'
import type { UserPrincipal } from '../principal.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import type { GroupReader } from './read-groups.ts'
import { ABSOLUTE_MS, Session, endOf, isValid, rightsOf } from './session.ts'
import { replaceSession } from './transitions.ts'

/** What is known of the browser. */
export interface SessionVisit {
  readonly userAgent?: string | undefined
  readonly address: string
}

/** A cookie to set. */
export interface SessionCookie {
  readonly value: string
  /** After which the browser may forget it. */
  readonly maxAgeSeconds: number
}

export interface OpenSession {
  readonly session: Session
  readonly principal: UserPrincipal
  /** Undefined: the browser's own is still good. */
  readonly cookie: SessionCookie | undefined
}

/**
 * Sessions of browsers. A session is its cookie: servers keep nothing. What ends one early is in the person's document:
 * a number that "sign out everywhere" raises, and the sessions that were signed out one by one.
 */
export interface Sessions {
  begin(person: PersonDocument, provider: string, visit: SessionVisit, caller: Caller): Promise<SessionCookie>
  /** Undefined: it is over, or it was never one. */
  open(cookie: string, visit: SessionVisit, caller: Caller): Promise<OpenSession | undefined>
  /** What the cookie says, without asking whether the session was ended early. It lets nobody in. */
  peek(cookie: string): Session | undefined
}

const CONTEXT = 'session'
/** The cookie is renewed with the time of the last use, though not with every request. */
const RENEW_EVERY_MS = 5 * 60_000
/** The person's document learns of the last use this often. */
const NOTE_EVERY_MS = 3_600_000
/** For what the browser has already asked for with the old cookie. */
const REPLACED_GRACE_MS = 60_000

export function createSessions(deps: {
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly keys: KeyRing
  readonly people: Pick<People, 'fresh' | 'noteSession' | 'change'>
  readonly groups: GroupReader
}): Sessions {
  const { clock, ids, keys, people, groups } = deps

  function sealed(session: Session): SessionCookie {
    return {
      value: keys.seal(JSON.stringify(session), CONTEXT),
      maxAgeSeconds: Math.ceil((endOf(session) - clock.now()) / 1000),
    }
  }

  function unsealed(cookie: string): Session | undefined {
    try {
      return Session.safeParse(JSON.parse(keys.open(cookie, CONTEXT).toString())).data
    } catch (error) {
      // Anyone can send anything, and a key that was taken out of use ends its sessions.
      if (isTacoError(error) || error instanceof SyntaxError) return undefined
      throw error
    }
  }

  function newSession(person: PersonDocument, provider: string, authenticatedAt: number): Session {
    const now = clock.now()
    return {
      id: ids.id('ss'),
      userId: person.id,
      epoch: person.sessionEpoch,
      provider,
      authenticatedAt,
      createdAt: now,
      seenAt: now,
      rights: rightsOf(person),
      csrf: randomBytes(32).toString('base64url'),
    }
  }

  /** A person whose rights changed gets another session: a cookie that was stolen before does not gain by it. */
  async function replaced(
    session: Session,
    person: PersonDocument,
    visit: SessionVisit,
    caller: Caller,
  ): Promise<Session> {
    const next = newSession(person, session.provider, session.authenticatedAt)
    const endsAt = clock.now() + REPLACED_GRACE_MS
    const { sessions } = await people.change(
      person.id,
      (document) => replaceSession(document, session.id, { next: known(next, visit), endsAt }),
      caller,
    )
    // Another request of the same browser was faster, and brings it the new cookie.
    return sessions.some(({ id }) => id === next.id) ? next : session
  }

  async function noted(session: Session, person: PersonDocument, visit: SessionVisit, caller: Caller) {
    const before = person.sessions.find(({ id }) => id === session.id)
    if (before !== undefined && clock.now() - before.seenAt < NOTE_EVERY_MS) return
    await people.noteSession(person.id, known(session, visit), caller)
  }

  return {
    async begin(person, provider, visit, caller) {
      const session = newSession(person, provider, clock.now())
      await people.noteSession(person.id, known(session, visit), caller)
      return sealed(session)
    },

    peek(cookie) {
      const session = unsealed(cookie)
      return session !== undefined && clock.now() < endOf(session) ? session : undefined
    },

    async open(cookie, visit, caller) {
      const session = unsealed(cookie)
      const found = session && (await people.fresh(session.userId))
      if (session === undefined || found === undefined || !isValid(session, found, clock.now()))
        return undefined
      const person = await groups.readAgain(found, session.provider, caller)
      if (person === undefined || !isValid(session, person, clock.now())) return undefined
      const isSame = session.rights === rightsOf(person)
      const seen = { ...session, seenAt: clock.now() }
      const current = isSame ? seen : await replaced(seen, person, visit, caller)
      if (isSame) await noted(seen, person, visit, caller)
      const principal = principalOf(person, { kind: 'session', id: current.id })
      if (principal === undefined) return undefined
      const isDue = current.id !== session.id || clock.now() - session.seenAt >= RENEW_EVERY_MS
      return { session: current, principal, cookie: isDue ? sealed(current) : undefined }
    },
  }
}

/** As the person's document lists it. */
function known(session: Session, { userAgent, address }: SessionVisit): KnownSession {
  const { id, createdAt, seenAt, provider, authenticatedAt } = session
  return {
    id,
    createdAt,
    seenAt,
    provider,
    expiresAt: authenticatedAt + ABSOLUTE_MS,
    ...(userAgent === undefined ? {} : { userAgent: userAgent.slice(0, 300) }),
    address,
  }
}
