import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../base/clock.ts'
import { messageOf } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import type { Caller } from '../caller.ts'
import type { IdentityProvider } from '../identity/provider.ts'
import { type People, refreshed } from '../people/people.ts'
import type { KnownIdentity, PersonDocument } from '../people/person.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import { sealAgain } from '../secrets/sealed.ts'
import { claimReading } from './transitions.ts'

/** The configured ways to sign in. */
export interface SignInProviders {
  list(): Promise<readonly Pick<IdentityProvider, 'id' | 'label'>[]>
  find(id: string): Promise<IdentityProvider | undefined>
}

/** Keeps groups up to date while people are signed in. */
export interface GroupReader {
  /** The person as they are now. Undefined: the provider does not vouch for them any more. */
  readAgain(person: PersonDocument, provider: string, caller: Caller): Promise<PersonDocument | undefined>
}

const EVERY_MS = 15 * 60_000

/** What a provider needs to read somebody again is sealed for that somebody. */
export function refreshContext({ provider, subject }: Pick<KnownIdentity, 'provider' | 'subject'>): string {
  return `refresh ${JSON.stringify([provider, subject])}`
}

export function createGroupReader(deps: {
  readonly clock: Clock
  readonly log: Log
  readonly keys: KeyRing
  readonly people: Pick<People, 'change' | 'endSessions'>
  readonly providers: SignInProviders
}): GroupReader {
  const { clock, log, keys, people, providers } = deps

  async function readFrom(
    provider: IdentityProvider,
    person: PersonDocument,
    known: KnownIdentity,
    caller: Caller,
  ): Promise<PersonDocument | undefined> {
    if (provider.refresh === undefined || known.refresh === undefined) return person
    const context = refreshContext(known)
    const identity = await provider.refresh(keys.open(known.refresh, context).toString())
    if (identity === undefined || identity.subject !== known.subject) {
      log.info('the provider no longer vouches for a person: their sessions end', {
        person: person.id,
        provider: provider.id,
      })
      await people.endSessions(person.id, caller)
      return undefined
    }
    const refresh =
      identity.refresh === undefined
        ? sealAgain(keys, known.refresh, context)
        : keys.seal(identity.refresh, context)
    const said = { ...identity, provider: provider.id, refresh }
    const isSame = isDeepStrictEqual(known.groups, identity.groups)
    return people.change(
      person.id,
      (document) => refreshed(document, said, clock.now()),
      caller,
      isSame ? undefined : 'person.groups-changed',
    )
  }

  return {
    async readAgain(person, providerId, caller) {
      const isDue = (one: KnownIdentity) =>
        one.provider === providerId && clock.now() - one.readAt >= EVERY_MS
      const known = person.identities.find(isDue)
      if (known === undefined) return person
      const provider = await providers.find(providerId)
      if (provider === undefined) return undefined
      const when = { now: clock.now(), everyMs: EVERY_MS }
      let isOurs = false
      const claimed = await people.change(
        person.id,
        (document) => {
          const next = claimReading(document, known, when)
          isOurs = next !== document
          return next
        },
        caller,
      )
      if (!isOurs) return claimed
      try {
        return await readFrom(provider, claimed, known, caller)
      } catch (error) {
        // Whoever cannot reach the provider is not signed out by that; the next turn tries again.
        log.warn('the groups of a person could not be read again', {
          person: person.id,
          provider: providerId,
          reason: messageOf(error),
        })
        return claimed
      }
    },
  }
}
