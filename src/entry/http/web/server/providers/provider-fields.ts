import { type ProviderKind, type ProviderSettings, SECRET_SETTINGS } from '../../../../../access/index.ts'
import { badRequest, isTacoError } from '../../../../../base/errors.ts'
import type { Faults } from '../../shell/faults.ts'

/** How a setting is typed. `lines`: one on each line. `pairs`: `name=value` on each line. `pem`: several in a row. */
type Kind =
  | 'text'
  | 'secret'
  | 'long-secret'
  | 'long'
  | 'lines'
  | 'pairs'
  | 'lists'
  | 'pem'
  | 'number'
  | 'boolean'

export interface ProviderField {
  readonly name: string
  readonly label: string
  readonly hint: string
  readonly kind: Kind
  /** Needed by few: behind "More". */
  readonly isMore?: true
  readonly choices?: readonly string[]
}

const ADMITTED: readonly ProviderField[] = [
  {
    name: 'allowedGroups',
    label: 'Only people in one of these groups',
    hint: 'One on each line. Empty: everyone whom the provider signs in.',
    kind: 'lines',
  },
  {
    name: 'allowedEmailDomains',
    label: 'Only people with an e-mail address of these domains',
    hint: 'One on each line, such as example.com. The provider must have verified the address.',
    kind: 'lines',
    isMore: true,
  },
]

const CLOCK: ProviderField = {
  name: 'clockSkewSeconds',
  label: 'Tolerated difference of clocks',
  hint: 'In seconds. Usually 60.',
  kind: 'number',
  isMore: true,
}

const claim = (name: string, label: string, usual: string): ProviderField => ({
  name,
  label,
  hint: `Usually ${usual}.`,
  kind: 'text',
  isMore: true,
})

const attribute = (name: string, label: string, hint: string, isMore?: true): ProviderField => ({
  name,
  label,
  hint,
  kind: 'text',
  ...(isMore && { isMore }),
})

/** What the forms of each kind ask for. */
export const PROVIDER_FIELDS: Readonly<Record<ProviderKind, readonly ProviderField[]>> = {
  oidc: [
    {
      name: 'issuer',
      label: 'Issuer',
      hint: 'Such as https://example.okta.com or https://login.microsoftonline.com/<tenant id>/v2.0.',
      kind: 'text',
    },
    { name: 'clientId', label: 'Client id', hint: 'As the provider shows it.', kind: 'text' },
    {
      name: 'clientSecret',
      label: 'Client secret',
      hint: 'Empty for a public client.',
      kind: 'secret',
    },
    claim('groupsClaim', 'Claim with the groups', 'groups; a path such as realm_access.roles works, too'),
    ...ADMITTED,
    {
      name: 'scopes',
      label: 'Scopes',
      hint: 'Usually openid, profile and email.',
      kind: 'lines',
      isMore: true,
    },
    {
      name: 'authorizationParameters',
      label: 'Parameters of the sign-in',
      hint: 'One on each line: prompt=select_account.',
      kind: 'pairs',
      isMore: true,
    },
    {
      name: 'requiredClaims',
      label: 'Claims that people must have',
      hint: 'One on each line: hd=example.com.',
      kind: 'lists',
      isMore: true,
    },
    claim('loginClaim', 'Claim with the login name', 'preferred_username'),
    claim('nameClaim', 'Claim with the name', 'name'),
    claim('emailClaim', 'Claim with the e-mail address', 'email'),
    claim('emailVerifiedClaim', 'Claim that says that it is verified', 'email_verified'),
    {
      name: 'clientAuthentication',
      label: 'How the client secret is sent',
      hint: 'Empty: as the provider prefers.',
      kind: 'text',
      choices: ['', 'client_secret_basic', 'client_secret_post'],
      isMore: true,
    },
    CLOCK,
  ],
  github: [
    { name: 'clientId', label: 'Client id', hint: 'Of the OAuth app.', kind: 'text' },
    { name: 'clientSecret', label: 'Client secret', hint: 'Of the OAuth app.', kind: 'secret' },
    {
      name: 'allowedOrganizations',
      label: 'Only members of these organizations',
      hint: 'One on each line. Only their teams become groups. Empty: everyone on GitHub can sign in.',
      kind: 'lines',
    },
    ...ADMITTED,
    attribute('url', 'Address', 'Of GitHub Enterprise. Usually https://github.com.', true),
    attribute('apiUrl', 'Address of the API', 'Empty: found from the address.', true),
  ],
  saml: [
    attribute(
      'metadataUrl',
      'Address of the metadata',
      'Where the provider publishes it. Or give the metadata.',
    ),
    { name: 'metadataXml', label: 'Metadata', hint: 'The XML itself.', kind: 'long', isMore: true },
    attribute('loginAttribute', 'Attribute with the login name', 'Empty: not read.'),
    attribute('emailAttribute', 'Attribute with the e-mail address', 'Empty: not read.'),
    {
      name: 'isEmailVerified',
      label: 'The provider does not let people set their own address',
      hint: 'Then roles and invitations by e-mail address count.',
      kind: 'boolean',
    },
    attribute('groupsAttribute', 'Attribute with the groups', 'Empty: not read.'),
    ...ADMITTED,
    attribute('nameAttribute', 'Attribute with the name', 'Empty: not read.', true),
    attribute('subjectAttribute', 'Attribute that identifies people', 'Empty: the NameID.', true),
    attribute('nameIdFormat', 'NameID format', 'Empty: whatever the provider sends.', true),
    attribute(
      'signInUrl',
      'Address of the sign-in',
      'Instead of metadata. It takes the HTTP-Redirect binding.',
      true,
    ),
    attribute('issuer', 'Entity id of the provider', 'Instead of metadata.', true),
    {
      name: 'certificates',
      label: 'Certificates of the provider',
      hint: 'Instead of metadata, in PEM form, one after another.',
      kind: 'pem',
      isMore: true,
    },
    attribute('entityId', 'Entity id of OpenTaco', 'Empty: the address of its metadata.', true),
    {
      name: 'wantResponseSigned',
      label: 'The whole response must be signed',
      hint: 'Beside the assertion. Not every provider can.',
      kind: 'boolean',
      isMore: true,
    },
    {
      name: 'signingKey',
      label: 'Key that signs requests',
      hint: 'An unencrypted private key in PEM form.',
      kind: 'long-secret',
      isMore: true,
    },
    {
      name: 'signingCertificate',
      label: 'Its certificate',
      hint: 'In PEM form.',
      kind: 'long',
      isMore: true,
    },
    {
      name: 'decryptionKey',
      label: 'Key that decrypts assertions',
      hint: 'An unencrypted private key in PEM form.',
      kind: 'long-secret',
      isMore: true,
    },
    {
      name: 'decryptionCertificate',
      label: 'Its certificate',
      hint: 'In PEM form.',
      kind: 'long',
      isMore: true,
    },
    CLOCK,
  ],
}

/** By the name of the setting. A box that is not ticked is missing. */
export type ProviderInput = Readonly<Record<string, string>>

/** Settings that are null if the field is empty: then nothing is read, or the provider decides. */
const NULLABLE = new Set(['groupsClaim', 'nameIdFormat'])

/** The settings of a provider as its form shows them, without secrets. Pure. */
export function inputOf(settings: ProviderSettings): ProviderInput {
  const values = settings as Readonly<Record<string, unknown>>
  const secret = new Set(SECRET_SETTINGS[settings.kind])
  const shown = PROVIDER_FIELDS[settings.kind]
    .filter(({ name }) => !secret.has(name))
    .map(({ name, kind }) => [name, textOf(values[name], kind)] as const)
  return { id: settings.id, label: settings.label, ...Object.fromEntries(shown) }
}

function textOf(value: unknown, kind: Kind): string {
  if (value === undefined || value === null) return ''
  if (kind === 'boolean') return value === true ? 'yes' : ''
  if (kind === 'pem') return (value as readonly string[]).join('\n')
  if (Array.isArray(value)) return value.join('\n')
  if (typeof value === 'object')
    return Object.entries(value as Record<string, string | readonly string[]>)
      .flatMap(([name, one]) => (typeof one === 'string' ? [one] : one).map((text) => `${name}=${text}`))
      .join('\n')
  return typeof value === 'number' ? String(value) : (value as string)
}

/**
 * What was typed, as the service takes it. `secrets`: those that are stored; a field that was left empty keeps its own.
 * The service says what is wrong, but for lines that are no pairs. Pure.
 */
export function settingsFrom(
  kind: ProviderKind,
  input: ProviderInput,
  secrets: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  const settings: Record<string, unknown> = { kind, id: input['id'] ?? '', label: input['label'] ?? '' }
  for (const { name, kind: of } of PROVIDER_FIELDS[kind]) {
    const typed = (input[name] ?? '').replaceAll('\r\n', '\n').trim()
    if (of === 'boolean') settings[name] = typed === 'yes'
    else if (typed !== '') settings[name] = valueOf(name, typed, of)
    else if (NULLABLE.has(name)) settings[name] = null
    else if (secrets[name] !== undefined) settings[name] = secrets[name]
  }
  return settings
}

function valueOf(field: string, typed: string, kind: Kind): unknown {
  const pairOf = (line: string) => pairIn(field, line)
  const lines = typed
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  if (kind === 'number') return Number(typed)
  if (kind === 'lines') return lines
  if (kind === 'pem') return typed.match(/-----BEGIN [^-]+-----[^-]*-----END [^-]+-----/g) ?? [typed]
  if (kind === 'pairs') return Object.fromEntries(lines.map(pairOf))
  if (kind !== 'lists') return typed
  const lists = new Map<string, string[]>()
  for (const [name, value] of lines.map(pairOf)) lists.set(name, [...(lists.get(name) ?? []), value])
  return Object.fromEntries(lists)
}

function pairIn(field: string, line: string): readonly [string, string] {
  const at = line.indexOf('=')
  if (at < 1) throw badRequest(field, `"${line}" does not have the form name=value.`)
  return [line.slice(0, at).trim(), line.slice(at + 1).trim()]
}

/** Each fault that the service found, at its field. Throws what is none of them. */
export function providerFaults(error: unknown, fields: readonly ProviderField[]): Faults {
  if (!isTacoError(error, 'BAD_REQUEST', 'CONFLICT')) throw error
  const { faults, field: one = '' } = error.facts as {
    readonly faults?: readonly { readonly field: string; readonly message: string }[]
    readonly field?: string
  }
  const known = new Set(['id', 'label', ...fields.map(({ name }) => name)])
  const found = (faults ?? []).map(({ field, message }) => {
    const [name = ''] = field.split('.')
    return known.has(name) ? [name, `This ${message}.`] : ['id', `${field} ${message}.`]
  })
  return found.length === 0
    ? { [known.has(one) ? one : 'id']: error.message }
    : (Object.fromEntries(found) as Faults)
}
