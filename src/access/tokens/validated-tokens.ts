import { hash, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { isTacoError } from '../../base/errors.ts'
import { createFresh } from '../../base/fresh.ts'
import type { DocumentStore } from '../../bucket/index.ts'
import type { JournalEvent } from '../journal-port.ts'
import type { TeamPrincipal, TokenPrincipal, UserPrincipal, Via } from '../principal.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import type { TokenDocument } from './document.ts'
import { readAccessKeyId, signingSecret } from './signing-key.ts'
import { tokenIdOf } from './token-text.ts'
import { isExpired } from './views.ts'

export type TokenStore = DocumentStore<TokenDocument, string, JournalEvent>
export type BearerPrincipal = UserPrincipal | TeamPrincipal | TokenPrincipal

type Maybe<T> = T | undefined | Promise<T | undefined>

/**
 * Those in whose name tokens act, at most a moment old. Undefined: suspended or removed, so their tokens are refused.
 */
export interface TokenOwners {
  user(id: string, via: Via): Maybe<UserPrincipal>
  team(team: { readonly org: string; readonly id: string }, via: Via): Maybe<TeamPrincipal>
}

/**
 * Why a token is not accepted. All but `unknown` and `key-missing` are said only to those who have its secret.
 * `key-missing`: the key ring no longer has the key with which its hash was made.
 */
export type TokenRefusal =
  | { readonly kind: 'unknown' | 'key-missing' | 'expired' | 'inactive-owner' }
  | { readonly kind: 'revoked'; readonly at: number; readonly by: string }

/** How long a record counts without asking the bucket: every server sees a revocation after this and one read. */
const FRESH_MS = 2_000
const MAC_PURPOSE = 'token'

export interface ValidatedTokens {
  /** The bearer, at once, if everything that counts was read a moment ago. Undefined: ask `check`. */
  recent(text: string): BearerPrincipal | undefined
  check(text: string): Promise<BearerPrincipal | TokenRefusal>
  /** For those who sign with the secret of an access key instead. `isRight` is asked whether they have that secret. */
  checkSigned(
    accessKeyId: string,
    isRight: (secret: string) => boolean,
  ): Promise<BearerPrincipal | TokenRefusal>
  /** This process changed it. */
  forget(id: string): void
}

export function createValidatedTokens(deps: {
  readonly documents: Pick<TokenStore, 'find'>
  readonly clock: Clock
  readonly ring: Pick<KeyRing, 'mac'>
  readonly owners: TokenOwners
  /** Called with every use. It must not throw or take long. */
  readonly onUse: (token: TokenDocument, text?: string) => void
}): ValidatedTokens {
  const { documents, clock, ring, owners, onUse } = deps
  const records = createFresh({
    clock,
    forMs: FRESH_MS,
    most: 10_000,
    keyOf: (id: string) => id,
    read: async (id) => (await documents.find(id))?.value,
  })

  /** The digest of the right text of a record that has been read: it takes a quarter of the time of the keyed hash. */
  const digests = new WeakMap<TokenDocument, Buffer>()

  function refusalOf(token: TokenDocument, text: string): TokenRefusal | undefined {
    const digest = hash('sha256', text, 'buffer')
    const known = digests.get(token)
    if (known === undefined || !timingSafeEqual(known, digest)) {
      const expected = macOf(token.hash.keyId, text)
      if (expected === undefined) return { kind: 'key-missing' }
      const stored = Buffer.from(token.hash.mac, 'base64url')
      if (stored.length !== expected.length || !timingSafeEqual(stored, expected)) return { kind: 'unknown' }
      digests.set(token, digest)
    }
    return endOf(token)
  }

  function endOf(token: TokenDocument): TokenRefusal | undefined {
    if (token.revoked !== undefined) return { kind: 'revoked', at: token.revoked.at, by: token.revoked.by }
    return isExpired(token, clock.now()) ? { kind: 'expired' } : undefined
  }

  async function ownerOf(token: TokenDocument, text?: string): Promise<BearerPrincipal | TokenRefusal> {
    const principal = await principalOf(token, owners)
    if (principal === undefined) return { kind: 'inactive-owner' }
    onUse(token, text)
    return principal
  }

  const macOf = (keyId: string, text: string) => known(() => ring.mac(MAC_PURPOSE, text, keyId).mac)

  /** Undefined: the key ring does not have the key. */
  function known<T>(make: () => T): T | undefined {
    try {
      return make()
    } catch (error) {
      if (isTacoError(error, 'SECRET_UNREADABLE')) return undefined
      throw error
    }
  }

  return {
    recent(text) {
      const id = tokenIdOf(text)
      const token = id === undefined ? undefined : records.peek(id)
      if (token === undefined || refusalOf(token, text) !== undefined) return undefined
      const principal = principalOf(token, owners)
      if (principal instanceof Promise) {
        // `check` waits for it, and says what is wrong.
        principal.catch(() => {})
        return undefined
      }
      if (principal !== undefined) onUse(token, text)
      return principal
    },
    async check(text) {
      const id = tokenIdOf(text)
      const token = id === undefined ? undefined : await records.get(id)
      if (token === undefined) return { kind: 'unknown' }
      const refusal = refusalOf(token, text)
      return refusal ?? ownerOf(token, text)
    },
    async checkSigned(accessKeyId, isRight) {
      const named = readAccessKeyId(accessKeyId)
      const token = named && (await records.get(named.id))
      if (token === undefined) return { kind: 'unknown' }
      const secret = known(() => signingSecret(ring, token.id, named?.keyId))
      if (secret === undefined) return { kind: 'key-missing' }
      if (!isRight(secret)) return { kind: 'unknown' }
      return endOf(token) ?? ownerOf(token)
    },
    forget: records.forget,
  }
}

/** Of the whole text, so that it belongs to this kind of token with this id. */
export function hashOf(ring: Pick<KeyRing, 'mac'>, text: string): TokenDocument['hash'] {
  const { keyId, mac } = ring.mac(MAC_PURPOSE, text)
  return { keyId, mac: mac.toString('base64url') }
}

function principalOf(token: TokenDocument, owners: TokenOwners): Maybe<BearerPrincipal> {
  const { id, name, owner, scope } = token
  if (owner.kind !== 'personal' && owner.kind !== 'team')
    return { kind: 'token', use: owner.kind, id, name, org: owner.org, roles: owner.roles, scope }
  const via = { kind: 'token', id, name } as const
  const found =
    owner.kind === 'personal'
      ? owners.user(owner.user, via)
      : owners.team({ org: owner.org, id: owner.team }, via)
  if (scope === undefined) return found
  return found instanceof Promise
    ? found.then((one) => one && { ...one, scope })
    : found && { ...found, scope }
}
