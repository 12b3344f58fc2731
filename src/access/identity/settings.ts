import { createPrivateKey, X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { TacoError } from '../../base/errors.ts'
import { faultsIn, sayFaults } from '../../base/text/validation-messages.ts'

const text = (max = 1024) =>
  z
    .string()
    .max(max)
    .refine((value) => value.trim() !== '', { message: 'must not be empty' })

/** Plain http is for tests and trials on one machine. */
function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname))
}

export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

const address = z
  .string()
  .max(2048)
  .refine((value) => URL.canParse(value) && isSafe(new URL(value)), {
    message: 'must be a URL that starts with https:// (http:// only for localhost)',
  })
  .refine((value) => !URL.canParse(value) || new URL(value).username === '', {
    message: 'must not contain a user name or password',
  })

const common = {
  /** Part of addresses (`/sign-in/<id>`) and of stored identities: never give the id of one provider to another. */
  id: z.string().refine((value) => /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(value), {
    message: 'must be 1 to 40 lower-case letters, digits and inner hyphens',
  }),
  label: text(60),
  /** Only people in one of these groups are admitted. */
  allowedGroups: z.array(text(256)).min(1).max(100).optional(),
  /** Only people with a verified e-mail address in one of these domains are admitted. */
  allowedEmailDomains: z.array(text(253)).min(1).max(100).optional(),
}

const clockSkewSeconds = z.number().int().min(0).max(300).default(60)

/** Entra ID accepts the accounts of every customer under these, not only of yours. */
const SHARED_TENANTS =
  /^https:\/\/login\.microsoftonline\.com\/(common|organizations|consumers|9188040d-6c67-4c5b-b112-36a304b66dad)(\/|$)/

/** Parameters that carry the security of the sign-in, or that OpenTaco sets itself. */
const RESERVED_PARAMETERS = new Set([
  'client_id',
  'client_secret',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'redirect_uri',
  'request',
  'request_uri',
  'response_mode',
  'response_type',
  'scope',
  'state',
])

export const OidcSettings = z.strictObject({
  ...common,
  kind: z.literal('oidc'),
  /** Its `/.well-known/openid-configuration` is read. */
  issuer: address.refine((value) => !SHARED_TENANTS.test(value), {
    message: 'must name your own tenant: https://login.microsoftonline.com/<tenant id>/v2.0',
  }),
  clientId: text(),
  /** Absent for a public client, which PKCE alone protects. */
  clientSecret: text(4096).optional(),
  clientAuthentication: z.enum(['client_secret_basic', 'client_secret_post']).optional(),
  scopes: z.array(text(256)).max(50).default(['openid', 'profile', 'email']),
  /** Added to the authorization request: `{ "hd": "example.com", "prompt": "select_account" }`. */
  authorizationParameters: z
    .record(z.string(), z.string().max(1024))
    .default({})
    .superRefine((parameters, context) => {
      for (const name of Object.keys(parameters))
        if (RESERVED_PARAMETERS.has(name))
          context.addIssue({ code: 'custom', path: [name], message: 'is set by OpenTaco' })
    }),
  /** A claim, or a path such as `realm_access.roles`. */
  loginClaim: text(256).default('preferred_username'),
  nameClaim: text(256).default('name'),
  emailClaim: text(256).default('email'),
  emailVerifiedClaim: text(256).default('email_verified'),
  /** Null: the provider sends no groups, and none are looked for. */
  groupsClaim: text(256).nullable().default('groups'),
  /** Refuse people whose claim has none of the values: `{ "hd": ["example.com"] }`. */
  requiredClaims: z.record(z.string(), z.array(text()).min(1).max(100)).default({}),
  clockSkewSeconds,
})
export type OidcSettings = z.infer<typeof OidcSettings>

/** GitHub does not distinguish case in names. */
const githubNames = (max: number) =>
  z
    .array(text(max).transform((name) => name.toLowerCase()))
    .min(1)
    .max(100)
    .optional()

export const GithubSettings = z.strictObject({
  ...common,
  allowedGroups: githubNames(256),
  kind: z.literal('github'),
  clientId: text(),
  clientSecret: text(4096),
  /** Of GitHub Enterprise, or github.com. */
  url: address.default('https://github.com'),
  /** Found from `url` if absent. */
  apiUrl: address.optional(),
  /** Only members of one of these are admitted, and only their teams become groups. */
  allowedOrganizations: githubNames(100),
})
export type GithubSettings = z.infer<typeof GithubSettings>

const certificate = z
  .string()
  .max(20_000)
  .refine((value) => isReadable(() => new X509Certificate(value)), {
    message: 'must be a certificate in PEM form (-----BEGIN CERTIFICATE-----)',
  })

const privateKey = z
  .string()
  .max(20_000)
  .refine((value) => isReadable(() => createPrivateKey(value)), {
    message: 'must be an unencrypted private key in PEM form (-----BEGIN PRIVATE KEY-----)',
  })

export const SamlSettings = z
  .strictObject({
    ...common,
    kind: z.literal('saml'),
    /** Where the provider publishes its metadata, or the metadata itself, or the three values from it. */
    metadataUrl: address.optional(),
    metadataXml: text(1_000_000).optional(),
    /** Takes the HTTP-Redirect binding. */
    signInUrl: address.optional(),
    /** The entity id of the provider. */
    issuer: text(2048).optional(),
    /** Sign the assertions. Several during a change of keys. */
    certificates: z.array(certificate).min(1).max(10).optional(),
    /** The entity id of OpenTaco; otherwise the address of its metadata. */
    entityId: text(2048).optional(),
    /** The whole response must be signed too. Not every provider can. */
    wantResponseSigned: z.boolean().default(false),
    /** Signs the requests of OpenTaco. */
    signingKey: privateKey.optional(),
    signingCertificate: certificate.optional(),
    /** Decrypts assertions. */
    decryptionKey: privateKey.optional(),
    decryptionCertificate: certificate.optional(),
    /** Null: whatever the provider sends. */
    nameIdFormat: text(256).nullable().default('urn:oasis:names:tc:SAML:2.0:nameid-format:persistent'),
    /** Attributes; absent: not read. The subject is the NameID unless `subjectAttribute` names another. */
    subjectAttribute: text(256).optional(),
    loginAttribute: text(256).optional(),
    nameAttribute: text(256).optional(),
    emailAttribute: text(256).optional(),
    /** SAML does not say whether an address is verified. True: the provider lets nobody set their own. */
    isEmailVerified: z.boolean().default(false),
    groupsAttribute: text(256).optional(),
    clockSkewSeconds,
  })
  .superRefine((settings, context) => {
    const fault = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message })
    const { metadataUrl, metadataXml, signInUrl, issuer, certificates } = settings
    const byHand = { signInUrl, issuer, certificates }
    if (metadataUrl !== undefined && metadataXml !== undefined)
      fault('metadataXml', 'must not be given together with metadataUrl')
    const hasMetadata = metadataUrl !== undefined || metadataXml !== undefined
    for (const [field, value] of Object.entries(byHand)) {
      if (hasMetadata && value !== undefined)
        fault(field, 'must not be given together with the metadata, which says it')
      if (!hasMetadata && value === undefined) fault(field, 'is missing (or give metadataUrl or metadataXml)')
    }
    const pairs = [
      ['signingKey', 'signingCertificate'],
      ['decryptionKey', 'decryptionCertificate'],
    ] as const
    for (const [key, other] of pairs) {
      if (settings[key] !== undefined && settings[other] === undefined)
        fault(other, `is missing (it goes with ${key})`)
      if (settings[key] === undefined && settings[other] !== undefined)
        fault(key, `is missing (it goes with ${other})`)
    }
  })
export type SamlSettings = z.infer<typeof SamlSettings>

export const ProviderSettings = z.discriminatedUnion('kind', [OidcSettings, GithubSettings, SamlSettings])
export type ProviderSettings = z.infer<typeof ProviderSettings>
export type ProviderKind = ProviderSettings['kind']

/** Stored sealed, and never shown. */
export const SECRET_SETTINGS: { readonly [K in ProviderKind]: readonly string[] } = {
  oidc: ['clientSecret'],
  github: ['clientSecret'],
  saml: ['signingKey', 'decryptionKey'],
}

/** BAD_REQUEST names every field that is wrong, and no value. */
export function parseProviderSettings(input: unknown): ProviderSettings {
  const parsed = ProviderSettings.safeParse(input)
  if (parsed.success) return parsed.data
  const faults = faultsIn(parsed.error)
  throw new TacoError(
    'BAD_REQUEST',
    `The settings of the sign-in provider are wrong: ${sayFaults(faults)}.`,
    {
      facts: { field: faults[0]?.field ?? '', faults },
      hint: 'See docs/access.md, "Sign-in providers", for an example of each kind.',
    },
  )
}

function isReadable(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch {
    return false
  }
}
