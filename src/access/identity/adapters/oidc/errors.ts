import * as client from 'openid-client'
import { type TacoError, isTacoError } from '../../../../base/errors.ts'
import { type Refuse, quoted } from '../../refusals.ts'
import type { OidcSettings } from '../../settings.ts'

/** From an error of the library to a refusal. Only error codes and short descriptions of the provider are taken over. */
export function translate(error: unknown, { label, issuer }: OidcSettings, refuse: Refuse): TacoError {
  const cause = error instanceof Error ? error.cause : undefined
  if (isTacoError(error)) return error
  if (isTacoError(cause)) return cause
  if (error instanceof client.AuthorizationResponseError) return ofAuthorization(error)
  if (isClientRefused(error))
    return refuse(
      'misconfigured',
      `${label} does not accept the client id or the client secret of OpenTaco.`,
      'Check clientId, clientSecret and clientAuthentication in the settings of the provider.',
    )
  if (error instanceof client.ResponseBodyError) return ofToken(error)
  if (error instanceof client.WWWAuthenticateChallengeError)
    return refuse('misconfigured', `${label} does not let OpenTaco read the profile of the person.`)
  const code = error instanceof client.ClientError ? (error.code ?? '') : ''
  if (
    code.startsWith('OAUTH_JWT_') ||
    code === 'OAUTH_KEY_SELECTION_FAILED' ||
    code === 'OAUTH_UNSUPPORTED_OPERATION'
  )
    return refuse('invalid', `The ID token of ${label} is not valid: ${whyOf(error)}.`)
  if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED')
    return refuse(
      'misconfigured',
      `${label} names another issuer than ${issuer}.`,
      'Set the issuer exactly as /.well-known/openid-configuration of the provider has it.',
    )
  if (code === 'OAUTH_INVALID_RESPONSE')
    return refuse('invalid', `The answer of ${label} is not valid: ${whyOf(error)}.`)
  return refuse('misconfigured', `${label} does not answer as an OpenID Connect provider: ${whyOf(error)}.`)

  function ofAuthorization({ error: word, error_description: text }: client.AuthorizationResponseError) {
    switch (word) {
      case 'access_denied':
      case 'login_required':
      case 'interaction_required':
      case 'consent_required':
      case 'account_selection_required':
        return refuse('denied', `The sign-in with ${label} was cancelled or denied${said(text)}.`)
      case 'temporarily_unavailable':
      case 'server_error':
        return refuse('unavailable', `${label} cannot sign you in now${said(text)}.`)
      default:
        return refuse('misconfigured', `${label} refuses the sign-in: ${quoted(word)}${said(text)}.`)
    }
  }

  function ofToken({ error: word, error_description: text }: client.ResponseBodyError) {
    return word === 'invalid_grant'
      ? refuse('replayed', `${label} does not accept the sign-in code: it was used before or has expired.`)
      : refuse('misconfigured', `${label} refuses the request for tokens: ${quoted(word)}${said(text)}.`)
  }
}

/** The provider does not accept who OpenTaco says to be. Some say it in the body, some ask for other credentials. */
export function isClientRefused(error: unknown): boolean {
  if (error instanceof client.WWWAuthenticateChallengeError)
    return error.cause.some(({ scheme }) => scheme === 'basic')
  return (
    error instanceof client.ResponseBodyError &&
    ['invalid_client', 'unauthorized_client'].includes(error.error)
  )
}

function said(text: string | undefined): string {
  return text === undefined ? '' : ` (${quoted(text)})`
}

/** Messages of the library name what is wrong and hold no values. */
function whyOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  return cause instanceof Error ? cause.message : 'unknown'
}
