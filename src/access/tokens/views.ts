import { isoTime } from '../../base/clock.ts'
import { viewAuthor } from '../principal.ts'
import type { TokenDocument, TokenOwner } from './document.ts'

/** A token as it is shown: everything but its secret. */
export interface TokenView {
  readonly id: string
  readonly name: string
  readonly kind: TokenOwner['kind']
  /** Null for personal tokens. */
  readonly org: string | null
  /** The id of the person or of the team. */
  readonly user: string | null
  readonly team: string | null
  /** The id of the agent pool. */
  readonly pool: string | null
  /** Set: a new token with the same owner and slot replaces it. */
  readonly slot: string | null
  readonly roles: string[]
  readonly actions: string[] | null
  readonly units: string[] | null
  readonly status: 'active' | 'expired' | 'revoked'
  readonly createdAt: string
  readonly createdBy: string
  readonly createdWho: string | null
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
  readonly revokedAt: string | null
  readonly revokedBy: string | null
}

export function viewToken(token: TokenDocument, now: number): TokenView {
  const { id, name, owner, scope, createdAt, expiresAt, lastUsedAt, revoked } = token
  const { by, who } = viewAuthor(token)
  return {
    id,
    name,
    kind: owner.kind,
    org: owner.kind === 'personal' ? null : owner.org,
    user: owner.kind === 'personal' ? owner.user : null,
    team: owner.kind === 'team' ? owner.team : null,
    pool: 'pool' in owner && typeof owner.pool === 'string' ? owner.pool : null,
    slot: token.slot ?? null,
    roles: owner.kind === 'personal' || owner.kind === 'team' ? [] : owner.roles,
    actions: scope?.actions ?? null,
    units: scope?.units ?? null,
    status: revoked !== undefined ? 'revoked' : isExpired(token, now) ? 'expired' : 'active',
    createdAt: isoTime(createdAt),
    createdBy: by,
    createdWho: who,
    expiresAt: expiresAt === null ? null : isoTime(expiresAt),
    lastUsedAt: lastUsedAt === undefined ? null : isoTime(lastUsedAt),
    revokedAt: revoked === undefined ? null : isoTime(revoked.at),
    revokedBy: revoked === undefined ? null : viewAuthor(revoked).by,
  }
}

export function isExpired({ expiresAt }: Pick<TokenDocument, 'expiresAt'>, now: number): boolean {
  return expiresAt !== null && now >= expiresAt
}
