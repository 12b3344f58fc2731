import { createSecretKey, randomBytes } from 'node:crypto'
import {
  type IdentityProvider,
  createGroupReader,
  createPeople,
  createServerSettings,
  createSessions,
  createSignInFlow,
  createTokens,
  principalOf,
} from '../../src/access/index.ts'
import type { Identity } from '../../src/access/identity/provider.ts'
import { createKeyRing } from '../../src/access/secrets/key-ring.ts'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { TacoError } from '../../src/base/errors.ts'
import { randomIds } from '../../src/base/ids.ts'
import { silentLog } from '../../src/base/log.ts'
import { openMemoryBucket } from '../../src/bucket/adapters/memory.ts'
import type { Bucket } from '../../src/bucket/index.ts'
import { silentJournal } from './journal.ts'

export const aliceIdentity: Identity = {
  subject: 'sub-alice',
  login: 'alice',
  displayName: 'Alice A.',
  email: { address: 'alice@example.com', isVerified: true },
  groups: ['platform'],
  refresh: 'refresh-1',
}

/** A provider that vouches for whoever the test says. `undefined` from `refreshes`: it does not any more. */
export class TestProvider implements IdentityProvider {
  readonly id: string
  readonly kind = 'oidc'
  readonly label: string
  answersBy: 'redirect' | 'post' = 'redirect'
  identity: Identity = aliceIdentity
  metadata?: NonNullable<IdentityProvider['metadata']>
  readonly used: string[] = []
  refreshes: (() => Promise<Identity | undefined>) | undefined

  constructor(id = 'corp', label = 'Corp') {
    this.id = id
    this.label = label
  }

  begin = ({ redirectUri }: { redirectUri: string }) =>
    Promise.resolve({ url: `https://idp.example/authorize?redirect_uri=${redirectUri}`, keep: 'kept' })

  complete: IdentityProvider['complete'] = ({ url, form, keep }) => {
    const code = (form ?? url.searchParams).get('code')
    if (keep === 'kept' && code === 'good') return Promise.resolve(this.identity)
    return Promise.reject(
      new TacoError('UNAUTHENTICATED', 'The sign-in was not begun in this browser.', {
        hint: 'Sign in again.',
      }),
    )
  }

  refresh = (refresh: string) => {
    this.used.push(refresh)
    return this.refreshes?.() ?? Promise.resolve(this.identity)
  }

  check = () => Promise.resolve({ facts: {}, warnings: [] })
}

export interface SignInWorldOptions {
  readonly bucket?: Bucket
  readonly clock?: Clock
  readonly providers?: readonly IdentityProvider[]
  readonly publicUrl?: string
}

/** Signing in, over a bucket in memory. Several with one bucket are several servers. */
export function signInWorld({
  bucket = openMemoryBucket(),
  clock = systemClock,
  providers: configured = [new TestProvider()],
  publicUrl = 'https://taco.example',
  keys = testKeys(),
}: SignInWorldOptions & { readonly keys?: ReturnType<typeof createKeyRing> } = {}) {
  const { journal, events } = silentJournal()
  const deps = { bucket, clock, ids: randomIds, log: silentLog, journal, keys }
  const people = createPeople(deps)
  const providers = {
    list: () => Promise.resolve(configured),
    find: (id: string) => Promise.resolve(configured.find((provider) => provider.id === id)),
  }
  const groups = createGroupReader({ ...deps, people, providers })
  const sessions = createSessions({ ...deps, people, groups })
  const flow = createSignInFlow({ ...deps, publicUrl, providers, people, sessions })
  const tokens = createTokens({
    ...deps,
    ring: keys,
    owners: {
      user: async (id) => {
        const person = await people.fresh(id)
        return person && principalOf(person, { kind: 'session', id: '' })
      },
      team: () => undefined,
    },
  })
  const settings = createServerSettings(deps)
  return { bucket, clock, keys, people, sessions, settings, flow, tokens, events, configured }
}

export function testKeys() {
  return createKeyRing([{ id: 'k1', key: createSecretKey(randomBytes(32)) }])
}
