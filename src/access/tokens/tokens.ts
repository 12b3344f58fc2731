import { randomBytes } from 'node:crypto'
import type { Clock } from '../../base/clock.ts'
import { TacoError } from '../../base/errors.ts'
import { type Ids, idOfRequest } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import { type Bucket, createDocumentStore } from '../../bucket/index.ts'
import { type Caller, authorOf } from '../caller.ts'
import type { AccessEventType } from '../event-types.ts'
import { type JournalPort, SERVER } from '../journal-port.ts'
import type { TokenScope } from '../principal.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import {
  TOKENS_PREFIX,
  type TokenDocument,
  type TokenOwner,
  WORKLOAD_TOKENS_PREFIX,
  noSuchToken,
  tokenKind,
} from './document.ts'
import { type ExpiryRules, defaultExpiry, expiryOf } from './expiry.ts'
import { checkScope, refuseScoped } from './scope.ts'
import { type SigningKey, signingKeyOf } from './signing-key.ts'
import { isTokenId, tokenText } from './token-text.ts'
import { createTokenUsage } from './usage.ts'
import { type TokenOwners, type ValidatedTokens, createValidatedTokens, hashOf } from './validated-tokens.ts'
import { type TokenView, viewToken } from './views.ts'

export interface NewToken {
  readonly name: string
  readonly owner: TokenOwner
  readonly scope?: TokenScope | undefined
  /** Null: never. Undefined: as is usual for its kind. */
  readonly expiresAt?: number | null | undefined
  /** Given: it replaces the tokens of this owner that have the same one. */
  readonly slot?: string | undefined
  /** Names the request: CONFLICT if it has created its token before, whose text cannot be shown again. */
  readonly once?: string | undefined
}

/** Whose tokens. */
export type TokensOf =
  | { readonly user: string }
  | {
      readonly org: string
      readonly kinds?: readonly TokenOwner['kind'][]
      readonly team?: string
      readonly pool?: string
    }

/**
 * Tokens of people, teams, organizations, agents and workloads. Each is a document in the bucket, so every server over
 * the bucket accepts it, and refuses it a moment after it was revoked.
 */
export interface Tokens extends Pick<ValidatedTokens, 'recent' | 'check' | 'checkSigned'> {
  /** The key with which the bearer of this token can sign requests instead. It ends with the token. */
  signingKey(id: string): SigningKey
  /** `text` is shown this once; the bucket holds a keyed hash of it. */
  create(input: NewToken, caller: Caller): Promise<{ readonly token: TokenView; readonly text: string }>
  /** Newest first, revoked and expired ones included. */
  list(of: TokensOf, caller: Caller): Promise<readonly TokenView[]>
  /** NOT_FOUND also for a token of somebody else. */
  get(id: string, of: TokensOf, caller: Caller): Promise<TokenView>
  /** Whose it is, by its id alone. Undefined: there is no such token. */
  ownerOf(id: string): Promise<TokenOwner | undefined>
  /** Revoking what has been revoked changes nothing. */
  revoke(id: string, of: TokensOf, caller: Caller): Promise<TokenView>
  /** Deletes the records of tokens that were revoked or expired long ago. */
  removeOld(caller: Caller): Promise<number>
  /** Resolves when nothing is being written. */
  settled(): Promise<void>
}

const DAY_MS = 86_400_000
/** So that its owner can learn when it was revoked, and by whom. */
const KEPT_MS = 30 * DAY_MS
/** Workload tokens are valid for an hour at most. */
const WORKLOAD_KEPT_MS = DAY_MS

export function createTokens(deps: {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly ring: KeyRing
  readonly owners: TokenOwners
  readonly journal: JournalPort
  readonly expiry?: ExpiryRules
}): Tokens {
  const { bucket, clock, ids, ring, journal, expiry = defaultExpiry } = deps
  const documents = createDocumentStore({ ...deps, outbox: journal }, tokenKind)
  const usage = createTokenUsage({ ...deps, documents })
  const validated = createValidatedTokens({ ...deps, documents, onUse: usage.note })

  function event(
    type: AccessEventType,
    { id, name, owner, expiresAt }: Pick<TokenDocument, 'id' | 'name' | 'owner' | 'expiresAt'>,
    caller: Caller,
  ) {
    const org = owner.kind === 'personal' ? SERVER : owner.org
    return journal.make({ org }, { type, caller, data: { token: id, name, kind: owner.kind, expiresAt } })
  }

  async function owned(id: string, of: TokensOf): Promise<TokenDocument> {
    const loaded = isTokenId(id) ? await documents.find(id) : undefined
    if (loaded === undefined || !isOf(loaded.value.owner, of)) throw noSuchToken(id)
    return loaded.value
  }

  function isOld(token: TokenDocument): boolean {
    const ended = token.revoked?.at ?? token.expiresAt
    return ended !== null && clock.now() - ended > KEPT_MS
  }

  async function list(of: TokensOf): Promise<readonly TokenDocument[]> {
    const { loaded } = await documents.readAll(await documents.entries(TOKENS_PREFIX))
    return loaded.map(({ value }) => value).filter(({ owner }) => isOf(owner, of))
  }

  async function revoke(id: string, caller: Caller): Promise<TokenDocument> {
    const { value } = await documents.change(id, (token) => {
      if (token.revoked !== undefined) return { value: token, answer: undefined }
      const revoked = { at: clock.now(), ...authorOf(caller) }
      return {
        value: { ...token, revoked },
        events: [event('token.revoked', token, caller)],
        answer: undefined,
      }
    })
    validated.forget(id)
    return value
  }

  /** Of two that are made at once, one stays, whichever is done first. */
  async function revokeReplaced(
    { id, owner, slot, createdAt }: TokenDocument,
    caller: Caller,
  ): Promise<void> {
    const isOlder = (other: TokenDocument) =>
      other.createdAt < createdAt || (other.createdAt === createdAt && other.id < id)
    for (const other of await list(sameOwner(owner)))
      if (other.slot === slot && other.revoked === undefined && isOlder(other)) await revoke(other.id, caller)
  }

  return {
    recent: validated.recent,
    check: validated.check,
    checkSigned: validated.checkSigned,
    signingKey: (id) => signingKeyOf(ring, id),

    async create({ name, owner, scope, slot, once, expiresAt: asked }, caller) {
      refuseScoped(caller.principal)
      if (scope !== undefined) checkScope(scope)
      const now = clock.now()
      const expiresAt = expiryOf(owner.kind, asked, now, expiry)
      const prefix = owner.kind === 'workload' ? 'wl' : 'at'
      const id = once === undefined ? ids.id(prefix) : idOfRequest(prefix, once)
      const text = tokenText(owner.kind, id, randomBytes(32).toString('base64url'))
      const fields = {
        id,
        name,
        owner,
        ...(scope === undefined ? {} : { scope: stored(scope) }),
        ...(slot === undefined ? {} : { slot }),
        hash: hashOf(ring, text),
        ...authorOf(caller),
        createdAt: now,
        expiresAt,
      }
      const made = await documents.create(id, fields, { events: [event('token.created', fields, caller)] })
      if (made === undefined)
        throw new TacoError('CONFLICT', 'This request has created its token before.', {
          hint: 'The text of a token is shown once. If you did not see it, revoke the token and create another one.',
        })
      if (slot !== undefined) await revokeReplaced(made.value, caller)
      return { token: viewToken(made.value, now), text }
    },

    async list(of) {
      return (await list(of))
        .toSorted((a, b) => b.createdAt - a.createdAt)
        .map((token) => viewToken(token, clock.now()))
    },

    async ownerOf(id) {
      return isTokenId(id) ? (await documents.find(id))?.value.owner : undefined
    },

    async get(id, of) {
      return viewToken(await owned(id, of), clock.now())
    },

    async revoke(id, of, caller) {
      await owned(id, of)
      return viewToken(await revoke(id, caller), clock.now())
    },

    async removeOld() {
      const now = clock.now()
      let removed = 0
      for (const { key, tag, modifiedAt } of await documents.entries(WORKLOAD_TOKENS_PREFIX))
        if (now - modifiedAt > WORKLOAD_KEPT_MS && (await bucket.delete(key, tag)) === 'deleted') removed++
      const candidates = (await documents.entries(TOKENS_PREFIX)).filter(
        ({ modifiedAt }) => now - modifiedAt > KEPT_MS,
      )
      for (const { key, tag, value } of (await documents.readAll(candidates)).loaded)
        if (isOld(value) && (await bucket.delete(key, tag)) === 'deleted') removed++
      return removed
    },

    settled: usage.settled,
  }
}

function sameOwner(owner: TokenOwner): TokensOf {
  if (owner.kind === 'personal') return { user: owner.user }
  const { org, kind } = owner
  return { org, kinds: [kind], ...(owner.kind === 'team' && { team: owner.team }) }
}

function isOf(owner: TokenOwner, of: TokensOf): boolean {
  if ('user' in of) return owner.kind === 'personal' && owner.user === of.user
  if (owner.kind === 'personal' || owner.org !== of.org) return false
  if (of.kinds !== undefined && !of.kinds.includes(owner.kind)) return false
  if (of.pool !== undefined && (owner.kind !== 'agent' || owner.pool !== of.pool)) return false
  return of.team === undefined || (owner.kind === 'team' && owner.team === of.team)
}

function stored({ actions, units }: TokenScope) {
  return {
    ...(actions === undefined ? {} : { actions: [...actions] }),
    ...(units === undefined ? {} : { units: [...units] }),
  }
}
