import type { Identity } from '../../provider.ts'
import type { Refuse } from '../../refusals.ts'
import type { OidcSettings } from '../../settings.ts'

export type Claims = Readonly<Record<string, unknown>>

/** A claim by its name, which may contain dots (`https://example.com/groups`), or by a path (`realm_access.roles`). */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name]
  let found: unknown = claims
  for (const step of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined
    found = (found as Claims)[step]
  }
  return found
}

/** Whether the ID token lacks something that userinfo may have. */
export function needsUserinfo(settings: OidcSettings, claims: Claims): boolean {
  const wanted = [
    settings.loginClaim,
    settings.nameClaim,
    settings.emailClaim,
    settings.emailVerifiedClaim,
    ...(settings.groupsClaim === null ? [] : [settings.groupsClaim]),
    ...Object.keys(settings.requiredClaims),
  ]
  return wanted.some((name) => claimAt(claims, name) === undefined)
}

export function identityOf(settings: OidcSettings, claims: Claims, refuse: Refuse): Identity {
  checkRequired(settings, claims, refuse)
  const subject = claims['sub']
  const login = textOf(claimAt(claims, settings.loginClaim))
  const displayName = textOf(claimAt(claims, settings.nameClaim))
  const address = textOf(claimAt(claims, settings.emailClaim))
  const isVerified = isTrue(claimAt(claims, settings.emailVerifiedClaim))
  return {
    subject: typeof subject === 'string' ? subject : '',
    ...(login === undefined ? {} : { login }),
    ...(displayName === undefined ? {} : { displayName }),
    ...(address === undefined ? {} : { email: { address, isVerified } }),
    groups: groupsOf(settings, claims, refuse),
  }
}

function checkRequired({ label, requiredClaims }: OidcSettings, claims: Claims, refuse: Refuse): void {
  for (const [name, allowed] of Object.entries(requiredClaims)) {
    const found = claimAt(claims, name)
    const values: readonly unknown[] = Array.isArray(found) ? found : [found]
    if (!values.some((value) => typeof value === 'string' && allowed.includes(value)))
      throw refuse(
        'not-admitted',
        `Your account at ${label} may not sign in here: its claim "${name}" does not have a required value.`,
        'Sign in with an account of your organization, or ask your administrator for access.',
      )
  }
}

function groupsOf(settings: OidcSettings, claims: Claims, refuse: Refuse): readonly string[] {
  const { label, groupsClaim } = settings
  if (groupsClaim === null) return []
  const found = claimAt(claims, groupsClaim)
  if (found === undefined || found === null) {
    if (isOverage(claims, groupsClaim))
      throw refuse(
        'misconfigured',
        `${label} left out your groups, because you are in more of them than fit into a token.`,
        'In Entra ID, let the groups claim contain only the groups assigned to the application, or use app roles ' +
          'and set groupsClaim to "roles".',
      )
    return []
  }
  const list: readonly unknown[] = Array.isArray(found) ? found : [found]
  const groups = list.filter((group) => typeof group === 'string')
  if (groups.length !== list.length)
    throw refuse(
      'misconfigured',
      `The claim "${groupsClaim}" of ${label} is not a list of texts.`,
      'Set groupsClaim to a claim that lists the names or ids of groups.',
    )
  return groups
}

/** Entra ID sends a pointer in place of a long list: `_claim_names`, or `hasgroups` in an implicit flow. */
function isOverage(claims: Claims, groupsClaim: string): boolean {
  const elsewhere = claims['_claim_names']
  const isElsewhere =
    typeof elsewhere === 'object' && elsewhere !== null && Object.hasOwn(elsewhere, groupsClaim)
  return isElsewhere || isTrue(claims['hasgroups'])
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

/** Some providers send text, and Entra ID's `xms_edov` is a number. */
function isTrue(value: unknown): boolean {
  return value === true || value === 'true' || value === 1 || value === '1'
}
