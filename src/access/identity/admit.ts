import { isTacoError } from '../../base/errors.ts'
import type { Identity, RefusalReason } from './provider.ts'
import type { Refuse } from './refusals.ts'
import type { ProviderSettings } from './settings.ts'

/** More than this is refused and not cut: a deny rule may depend on any of them. */
const MAX_GROUPS = 1000
const MAX_TEXT = 256

/** The last step of every sign-in and refresh. */
export function admit(settings: ProviderSettings, identity: Identity, refuse: Refuse): Identity {
  const { label, allowedGroups, allowedEmailDomains } = settings
  const { subject, login, displayName, email, groups } = identity
  if (subject === '' || subject.length > MAX_TEXT)
    throw refuse('misconfigured', `${label} gave no usable identifier of the person.`)
  if (groups.length > MAX_GROUPS)
    throw refuse(
      'misconfigured',
      `${label} reports ${groups.length} groups for this person; at most ${MAX_GROUPS} are supported.`,
      'Let the provider send only the groups that OpenTaco needs, for example those assigned to the application.',
    )
  if (groups.some((group) => group === '' || group.length > MAX_TEXT))
    throw refuse(
      'misconfigured',
      `${label} reports a group whose name is empty or longer than ${MAX_TEXT} characters.`,
    )
  if (allowedGroups !== undefined && !allowedGroups.some((group) => groups.includes(group)))
    throw refuse(
      'not-admitted',
      `Your account at ${label} is in none of the groups that may sign in here.`,
      'Ask your administrator to add you to one of them, then sign in again.',
    )
  if (allowedEmailDomains !== undefined && !isInDomain(email, allowedEmailDomains))
    throw refuse(
      'not-admitted',
      `Your account at ${label} has no verified e-mail address in a domain that may sign in here.`,
    )
  return {
    ...identity,
    groups: [...new Set(groups)].sort(),
    ...(login === undefined ? {} : { login: login.slice(0, MAX_TEXT) }),
    ...(displayName === undefined ? {} : { displayName: displayName.slice(0, MAX_TEXT) }),
  }
}

function isInDomain(email: Identity['email'], domains: readonly string[]): boolean {
  if (email?.isVerified !== true) return false
  const domain = email.address.slice(email.address.lastIndexOf('@') + 1).toLowerCase()
  return domains.some((allowed) => allowed.toLowerCase() === domain)
}

/** For a refresh: undefined if the provider no longer vouches for the person, or the settings no longer admit them. */
export async function unlessEnded(read: () => Promise<Identity>): Promise<Identity | undefined> {
  try {
    return await read()
  } catch (error) {
    if (isTacoError(error) && ENDED.has(error.facts['reason'])) return undefined
    throw error
  }
}

const ENDED: ReadonlySet<unknown> = new Set<RefusalReason>(['denied', 'replayed', 'not-admitted'])
