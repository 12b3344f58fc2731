import { z } from 'zod'
import type { Identity } from '../../provider.ts'
import type { Refuse } from '../../refusals.ts'
import type { SamlSettings } from '../../settings.ts'

/**
 * What the library leaves unchecked: the issuer and the recipient, and that the confirmation has `InResponseTo` and an
 * end at all. Only the signed assertion is looked at; what surrounds it can be anyone's.
 */
const Assertion = z.object({
  Assertion: z.object({
    $: z.object({ ID: z.string().min(1) }),
    Issuer: z.tuple([z.object({ _: z.string() })]),
    Subject: z.tuple([
      z.object({
        SubjectConfirmation: z.array(
          z.object({
            $: z.object({ Method: z.string() }),
            SubjectConfirmationData: z.tuple([z.object({ $: z.record(z.string(), z.string()) })]).optional(),
          }),
        ),
      }),
    ]),
  }),
})

/** Entra ID sends a link in place of a long list. */
const GROUPS_ELSEWHERE = 'http://schemas.microsoft.com/claims/groups.link'

const BEARER = 'urn:oasis:names:tc:SAML:2.0:cm:bearer'

export interface AssertionExpected {
  readonly issuer: string
  readonly recipient: string
  readonly inResponseTo: string
  readonly now: number
  readonly skewMs: number
}

export type Checked =
  | { readonly isValid: true; readonly id: string; readonly until: number }
  | { readonly isValid: false; readonly why: string }

export function checkAssertion(parsed: unknown, expected: AssertionExpected): Checked {
  const read = Assertion.safeParse(parsed)
  if (!read.success) return invalid('its assertion is incomplete')
  const { $, Issuer, Subject } = read.data.Assertion
  if (Issuer[0]._.trim() !== expected.issuer) return invalid('it is from another issuer')
  const confirmed = Subject[0].SubjectConfirmation.filter(({ $: { Method } }) => Method === BEARER)
    .flatMap(({ SubjectConfirmationData: data }) => data ?? [])
    .map(({ $: data }) => ({ ...data, until: Date.parse(data['NotOnOrAfter'] ?? '') }) as Confirmation)
  const forUs = confirmed.filter(({ Recipient }) => Recipient === expected.recipient)
  if (forUs.length === 0) return invalid('it is meant for another address (recipient)')
  const answers = forUs.filter(({ InResponseTo }) => InResponseTo === expected.inResponseTo)
  if (answers.length === 0) return invalid('it does not answer this sign-in')
  const current = answers.find(({ until }) => until > expected.now - expected.skewMs)
  if (current === undefined) return invalid('it has expired, or does not say when it does')
  return { isValid: true, id: $.ID, until: current.until + expected.skewMs }
}

interface Confirmation {
  readonly Recipient?: string
  readonly InResponseTo?: string
  readonly until: number
}

function invalid(why: string): Checked {
  return { isValid: false, why }
}

export interface SamlSubject {
  readonly nameId: string | undefined
  readonly nameIdFormat: string | undefined
  readonly attributes: Readonly<Record<string, unknown>>
}

export function identityOf(settings: SamlSettings, subject: SamlSubject, refuse: Refuse): Identity {
  const { label, isEmailVerified } = settings
  const one = (name: string | undefined) =>
    name === undefined ? undefined : textsOf(subject.attributes, name)[0]
  const login = one(settings.loginAttribute)
  const displayName = one(settings.nameAttribute)
  const address = one(settings.emailAttribute)
  return {
    subject: subjectOf(),
    ...(login === undefined ? {} : { login }),
    ...(displayName === undefined ? {} : { displayName }),
    ...(address === undefined ? {} : { email: { address, isVerified: isEmailVerified } }),
    groups: groupsOf(),
  }

  function subjectOf(): string {
    const { subjectAttribute } = settings
    if (subjectAttribute === undefined && subject.nameIdFormat?.endsWith(':transient') === true)
      throw refuse(
        'misconfigured',
        `${label} identifies people by a name that changes with every sign-in (a transient NameID).`,
        'Let the provider send a persistent NameID, or set subjectAttribute to an attribute that never changes.',
      )
    const found = subjectAttribute === undefined ? subject.nameId : one(subjectAttribute)
    if (found !== undefined && found !== '') return found
    const what = subjectAttribute === undefined ? 'NameID' : `attribute "${subjectAttribute}"`
    throw refuse(
      'misconfigured',
      `${label} sends no ${what}, which identifies the person.`,
      'Add it to the assertion at the provider, or set subjectAttribute.',
    )
  }

  function groupsOf(): readonly string[] {
    const { groupsAttribute } = settings
    if (groupsAttribute === undefined) return []
    if (Object.hasOwn(subject.attributes, GROUPS_ELSEWHERE))
      throw refuse(
        'misconfigured',
        `${label} left out your groups, because you are in more of them than fit into an assertion.`,
        'In Entra ID, let the groups claim contain only the groups assigned to the application.',
      )
    return textsOf(subject.attributes, groupsAttribute)
  }
}

function textsOf(attributes: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list
    .filter((text) => typeof text === 'string')
    .map((text) => text.trim())
    .filter((text) => text !== '')
}
