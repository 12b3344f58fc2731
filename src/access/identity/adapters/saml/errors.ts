import type { SamlStatusError } from '@node-saml/node-saml'
import { messageOf, type TacoError } from '../../../../base/errors.ts'
import type { Refuse } from '../../refusals.ts'

/** The provider says in place of an assertion why there is none. */
export function refusalOfStatus({ xmlStatus }: SamlStatusError, label: string, refuse: Refuse): TacoError {
  if (/:(RequestDenied|AuthnFailed|NoPassive)"/.test(xmlStatus))
    return refuse('denied', `The sign-in with ${label} was cancelled or denied.`)
  if (/:InvalidNameIDPolicy"/.test(xmlStatus))
    return refuse(
      'misconfigured',
      `${label} cannot send the kind of NameID that OpenTaco asks for.`,
      'Set nameIdFormat to one that the provider has, or to null to take what it sends.',
    )
  const word = /status:(\w+)"/g
  const words = [...xmlStatus.matchAll(word)].map(([, name]) => name)
  return refuse('misconfigured', `${label} refuses the sign-in request (${words.join(', ') || 'no reason'}).`)
}

/** The library has messages, not codes, and some hold parts of the document: so ours are said in their place. */
const FAULTS: readonly [pattern: RegExp, why: string, hint?: string][] = [
  [
    /signature|multiple assertions|signed data|ID cannot refer|Referenced node/i,
    'its assertion is not signed by a key of the provider',
    'Start again from the sign-in page. If it happens again, let the provider sign assertions (not only the response), ' +
      'and check that OpenTaco has its current certificate.',
  ],
  [
    /audience/i,
    'it is meant for another service',
    'At the provider, set the audience (entity id) to the one that `taco provider check` shows.',
  ],
  [/expired/i, 'it has expired', 'Start again. If it happens again, check the clocks of both servers.'],
  [/not yet valid/i, 'it is not valid yet', 'Check the clocks of both servers.'],
  [
    /decrypt/i,
    'its assertion is encrypted, and OpenTaco cannot decrypt it',
    'Set decryptionKey and decryptionCertificate, or let the provider send assertions that are signed only.',
  ],
  [/InResponseTo|subject confirmation/i, 'it has expired, or does not answer this sign-in'],
  [/Missing SAML assertion/, 'it has no assertion'],
]

export function refusalOfLibrary(error: unknown, label: string, refuse: Refuse): TacoError {
  const message = messageOf(error)
  const [, why, hint] = FAULTS.find(([pattern]) => pattern.test(message)) ?? [/./, 'it cannot be read']
  return refuse('invalid', `The answer of ${label} is not valid: ${why}.`, hint)
}
