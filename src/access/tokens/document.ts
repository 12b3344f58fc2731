import { z } from 'zod'
import { TacoError } from '../../base/errors.ts'
import { type DocumentKind, documentFields, openObject } from '../../bucket/index.ts'
import { JournalEvent } from '../journal-port.ts'
import { accessPrefix } from '../layout.ts'
import { TokenScope } from './scope.ts'

/** In whose name a token acts. Ids, because names change. */
const Owner = z.discriminatedUnion('kind', [
  openObject({ kind: z.literal('personal'), user: z.string() }),
  openObject({ kind: z.literal('team'), org: z.string(), team: z.string() }),
  openObject({
    kind: z.enum(['organization', 'agent', 'workload']),
    org: z.string(),
    roles: z.array(z.string()),
    /** The agent pool that an agent belongs to. */
    pool: z.string().optional(),
  }),
])
export type TokenOwner = z.infer<typeof Owner>

export const TokenDocument = openObject({
  ...documentFields(1),
  id: z.string(),
  name: z.string(),
  owner: Owner,
  scope: TokenScope.optional(),
  /** Of those with the same owner and slot, only the newest is valid: it replaces the ones before. */
  slot: z.string().optional(),
  /** Of the whole text of the token. */
  hash: openObject({ keyId: z.string(), mac: z.string() }),
  by: z.string(),
  who: z.string().optional(),
  createdAt: z.number(),
  /** Null: never. */
  expiresAt: z.number().nullable(),
  /** At most an hour behind. */
  lastUsedAt: z.number().optional(),
  revoked: openObject({ at: z.number(), by: z.string(), who: z.string().optional() }).optional(),
  outbox: z.array(JournalEvent),
})
export type TokenDocument = z.infer<typeof TokenDocument>

export const TOKENS_PREFIX = `${accessPrefix}tokens/`
/** Apart from the others: there may be thousands, each for minutes, and no one lists them. */
export const WORKLOAD_TOKENS_PREFIX = `${accessPrefix}workload-tokens/`

export const tokenKind: DocumentKind<TokenDocument, string> = {
  name: 'token',
  format: { schema: TokenDocument, major: 1, minor: 0 },
  keyOf: (id) => `${id.startsWith('wl-') ? WORKLOAD_TOKENS_PREFIX : TOKENS_PREFIX}${id}.json`,
  refOf: ({ id }) => id,
  missing: noSuchToken,
  cache: { most: 10_000 },
}

export function noSuchToken(id: string): TacoError {
  return new TacoError('NOT_FOUND', `There is no token ${id}.`, {
    facts: { field: 'id', id },
    hint: 'See `taco token ls`. A revoked or expired token is removed after a while.',
  })
}
