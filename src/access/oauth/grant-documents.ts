import { z } from 'zod'
import { type DocumentKind, documentFields, openObject } from '../../bucket/index.ts'
import { accessPrefix } from '../layout.ts'
import { refusedGrant } from './oauth-error.ts'

export const GRANTS_PREFIX = `${accessPrefix}grants/`

/** The person that a token acts for, and the session in which they agreed. */
const GrantPerson = openObject({ id: z.string(), name: z.string(), session: z.string() })
export type GrantPerson = z.infer<typeof GrantPerson>

/** What a code and a device have in common. */
const grantFields = {
  ...documentFields(1),
  id: z.string(),
  client: z.string(),
  /** What the program calls the machine it runs on: a claim. */
  machine: z.string().optional(),
  /** Keyed hash of the secret half. The other half is the id. */
  secret: openObject({ keyId: z.string(), mac: z.string() }),
  expiresAt: z.number(),
  /** Set by the compare-and-swap that makes the grant unusable; a token is issued only after it. */
  redeemedAt: z.number().optional(),
  /** The token that was issued for it. */
  tokenId: z.string().optional(),
  /** True: it was presented again after it had been redeemed, so its token must not be used. */
  isReplayed: z.boolean().optional(),
}

export const CodeDocument = openObject({
  ...grantFields,
  redirectUri: z.string(),
  challenge: z.string(),
  person: GrantPerson,
})
export type CodeDocument = z.infer<typeof CodeDocument>

export const DeviceDocument = openObject({
  ...grantFields,
  /** Where the device asked from. */
  address: z.string(),
  requestedAt: z.number(),
  /** How far apart its questions must be. Grows when it asks too often. */
  intervalMs: z.number(),
  polledAt: z.number().optional(),
  decision: openObject({ isAllowed: z.boolean(), person: GrantPerson }).optional(),
})
export type DeviceDocument = z.infer<typeof DeviceDocument>

export type Grant = CodeDocument | DeviceDocument

export const codeKind: DocumentKind<CodeDocument, string> = {
  name: 'authorization code',
  format: { schema: CodeDocument, major: 1, minor: 0 },
  keyOf: (id) => `${GRANTS_PREFIX}code-${id}.json`,
  refOf: ({ id }) => id,
  missing: refusedGrant,
}

/** Its id is a keyed hash of the user code, so that the one document is found by either code. */
export const deviceKind: DocumentKind<DeviceDocument, string> = {
  name: 'device code',
  format: { schema: DeviceDocument, major: 1, minor: 0 },
  keyOf: (id) => `${GRANTS_PREFIX}device-${id}.json`,
  refOf: ({ id }) => id,
  missing: refusedGrant,
}
