import { randomBytes, timingSafeEqual } from 'node:crypto'
import { TacoError } from '../../../base/errors.ts'
import type { Cookies } from '../kit/cookies.ts'
import type { Exchange } from '../kit/exchange.ts'

const COOKIE = 'taco-form'
const BYTES = 32

/**
 * The token that every form carries and a page of another site cannot know. It is made from the secret of the session;
 * where there is none (before sign-in, or on a server that asks for no credential), from a cookie of its own.
 */
export function csrfToken(x: Exchange, cookies: Cookies): string {
  const known = secretOf(x, cookies)
  const secret = known ?? randomBytes(BYTES)
  if (known === undefined) cookies.set(x, COOKIE, secret.toString('base64url'))
  // A new mask for every page: pages are compressed, and equal texts would tell about each other by their size.
  const mask = randomBytes(BYTES)
  return Buffer.concat([mask, xor(secret, mask)]).toString('base64url')
}

export function checkCsrf(x: Exchange, cookies: Cookies, given: string): void {
  const secret = secretOf(x, cookies)
  const bytes = Buffer.from(given, 'base64url')
  const isRight =
    secret !== undefined &&
    bytes.length === 2 * BYTES &&
    timingSafeEqual(xor(bytes.subarray(BYTES), bytes.subarray(0, BYTES)), secret)
  if (isRight) return
  throw new TacoError(
    'FORBIDDEN',
    'This form is out of date, or it was not sent from a page of this server.',
    {
      facts: { field: 'csrf' },
      hint: 'Go back, load the page again, and send the form again.',
    },
  )
}

function secretOf(x: Exchange, cookies: Cookies): Buffer | undefined {
  const text = x.session?.csrf ?? cookies.read(x.req.headers, COOKIE)
  const secret = text === undefined ? undefined : Buffer.from(text, 'base64url')
  return secret?.length === BYTES ? secret : undefined
}

function xor(a: Uint8Array, b: Uint8Array): Buffer {
  return Buffer.from(a.map((byte, at) => byte ^ (b[at] ?? 0)))
}
