import {
  type Caller,
  type NewToken,
  type OrgPolicy,
  type TokenView,
  type Tokens,
  ownerIn,
  withinLimit,
} from '../../../../access/index.ts'
import type { Clock } from '../../../../base/clock.ts'

type Owner =
  | { readonly kind: 'team'; readonly team: string }
  | { readonly kind: 'organization' | 'agent'; readonly roles: readonly string[] }

/** A token of a team, of the organization or of an agent, valid as long as the organization allows. */
export function createOrgToken(
  { tokens, clock }: { readonly tokens: Pick<Tokens, 'create'>; readonly clock: Clock },
  policy: OrgPolicy,
  { owner, ...wanted }: Omit<NewToken, 'owner'> & { readonly owner: Owner },
  caller: Caller,
): Promise<{ readonly token: TokenView; readonly text: string }> {
  const limit = owner.kind === 'agent' ? undefined : policy.tokenLimits?.[owner.kind]
  const expiresAt = withinLimit(wanted.expiresAt, limit, clock.now())
  return tokens.create({ ...wanted, expiresAt, owner: ownerIn(policy, owner) }, caller)
}
