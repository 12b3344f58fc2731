import { z } from 'zod'
import { badRequest } from '../../../../../base/errors.ts'
import type {
  Configuration,
  ConfigurationChange,
  DestinationKind,
} from '../../../../../notifications/index.ts'
import type { NamedScope } from '../../../kit/notification-input.ts'
import { Repeated } from '../../../openapi/api.ts'

const text = z.string().trim().default('')
const checked = z
  .string()
  .optional()
  .transform((value) => value === 'on')

/** What a form of a notification sends. Texts, so that what is wrong can be shown at its field. */
export const CHANGED_FIELDS = {
  name: text,
  enabled: checked,
  triggers: Repeated.transform((given) => given ?? []),
  url: text,
  token: z.string().default(''),
  forgetToken: checked,
  emails: text,
  users: text,
}

export const NEW_FIELDS = {
  ...CHANGED_FIELDS,
  destination: text,
  scope: text,
  of: text,
}

/** Everything but the token, which is never shown again. */
export interface NotificationInput {
  readonly name: string
  readonly enabled: boolean
  readonly triggers: readonly string[]
  readonly url: string
  readonly emails: string
  readonly users: string
}

export interface NewInput extends NotificationInput {
  readonly destination: string
  readonly scope: string
  readonly of: string
}

/** What is wrong goes to one of these. */
export const NOTIFICATION_FIELDS = [
  'name',
  'triggers',
  'url',
  'token',
  'emails',
  'users',
  'destination',
  'of',
] as const

export const EMPTY_INPUT: NewInput = {
  name: '',
  enabled: true,
  triggers: [],
  url: '',
  emails: '',
  users: '',
  destination: 'generic',
  scope: 'organization',
  of: '',
}

export function inputOf(
  { name, isEnabled, triggers, url, emails }: Configuration,
  logins: readonly string[],
): NotificationInput {
  return {
    name,
    enabled: isEnabled,
    triggers,
    url: url ?? '',
    emails: emails.join('\n'),
    users: logins.join('\n'),
  }
}

type Given = NotificationInput & { readonly token?: string; readonly forgetToken?: boolean }

/** Throws for the first field that is wrong. What another kind of destination takes is left out. Pure. */
export function changeOf(
  given: Given,
  destination: string,
): Omit<ConfigurationChange, 'users'> & { readonly users?: readonly string[] } {
  const { name, enabled, triggers, url, token = '', forgetToken = false } = given
  if (name === '') throw badRequest('name', 'The name is empty.', 'Say what it is for.')
  if (name.length > 255) throw badRequest('name', 'The name is longer than 255 characters.', 'Shorten it.')
  if (triggers.length === 0) throw badRequest('triggers', 'No event is selected.', 'Select at least one.')
  if (token.length > 1_000) throw badRequest('token', 'The token is longer than 1,000 characters.')
  const common = { name, isEnabled: enabled, triggers }
  if (destination === 'email')
    return { ...common, emails: wordsIn(given.emails), users: wordsIn(given.users) }
  const signed = destination === 'generic' ? tokenOf(token, forgetToken) : {}
  return { ...common, ...signed, ...(url === '' ? {} : { url }) }
}

/** Left empty, it stays as it is. */
function tokenOf(token: string, isForgotten: boolean): { readonly token?: string } {
  if (token !== '') return { token }
  return isForgotten ? { token: '' } : {}
}

function wordsIn(lines: string): readonly string[] {
  return lines.split(/[\s,;]+/).filter(Boolean)
}

/** The thing that a new notification is about, as it was named. Pure. */
export function namedScope({ scope, of }: Pick<NewInput, 'scope' | 'of'>): NamedScope {
  if (scope === 'organization') return {}
  if (scope !== 'unit' && scope !== 'project' && scope !== 'team')
    throw badRequest('of', 'This cannot have notifications.', 'Select what it is about.')
  if (of === '') throw badRequest('of', `Which ${scope}?`, `Give the name of the ${scope}.`)
  return { [scope]: of }
}

export const DESTINATION_WORDS: Readonly<Record<DestinationKind, string>> = {
  generic: 'Webhook',
  slack: 'Slack',
  'microsoft-teams': 'Microsoft Teams',
  email: 'E-mail',
}

/** A newer server may know more of them. */
export function destinationWord(kind: string): string {
  return Object.hasOwn(DESTINATION_WORDS, kind) ? DESTINATION_WORDS[kind as DestinationKind] : kind
}
