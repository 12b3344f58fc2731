import { type ErrorCode, TacoError } from '../../base/errors.ts'
import type { RefusalReason } from './provider.ts'

const CODES: { readonly [R in RefusalReason]: ErrorCode } = {
  'not-started': 'UNAUTHENTICATED',
  denied: 'UNAUTHENTICATED',
  replayed: 'UNAUTHENTICATED',
  invalid: 'UNAUTHENTICATED',
  'not-admitted': 'FORBIDDEN',
  unavailable: 'PROVIDER_UNAVAILABLE',
  misconfigured: 'PROVIDER_REFUSED',
}

const HINTS: { readonly [R in RefusalReason]: string } = {
  'not-started': 'Start again from the sign-in page, in the same browser and within ten minutes.',
  denied: 'Start again from the sign-in page if you did not mean to cancel.',
  replayed: 'Start again from the sign-in page. Do not use the Back button or reload during the sign-in.',
  invalid: 'Start again from the sign-in page. If it happens again, tell your administrator.',
  'not-admitted': 'Sign in with another account, or ask your administrator for access.',
  unavailable: 'Try again in a minute. If it lasts, your administrator can run `taco provider check`.',
  misconfigured: 'Your administrator can correct the settings: `taco provider check` shows what is wrong.',
}

export type Refuse = (reason: RefusalReason, message: string, hint?: string) => TacoError

/**
 * No cause is attached: errors of the libraries carry tokens and whole responses, which must not reach a log. A message
 * may quote the provider through `quoted`.
 */
export function refusalsOf(provider: { readonly id: string }): Refuse {
  return (reason, message, hint = HINTS[reason]) =>
    new TacoError(CODES[reason], message, { hint, facts: { provider: provider.id, reason } })
}

/** Foreign text within a message: on one line, and short. */
export function quoted(text: string): string {
  const line = text.replaceAll(/[^\x20-\x7e\u00a0-\ud7ff]+/g, ' ').trim()
  return `"${line.length > 200 ? `${line.slice(0, 200)}…` : line}"`
}
