import type { IncomingHttpHeaders } from 'node:http'
import type { Exchange } from './exchange.ts'

export interface CookieOptions {
  /** Undefined: until the browser is closed. */
  readonly maxAgeSeconds?: number
  /** `None` is for the answer of an identity provider that comes as a form from its own site. */
  readonly sameSite?: 'Lax' | 'None'
}

/** The cookies of one server. They are never visible to scripts, nor to other hosts. */
export interface Cookies {
  read(headers: IncomingHttpHeaders, name: string): string | undefined
  set(x: Exchange, name: string, value: string, options?: CookieOptions): void
  clear(x: Exchange, name: string): void
}

/**
 * `isSecure`: browsers reach the server over https. Then names begin with `__Host-`, which makes a browser refuse a
 * cookie of that name from a sibling domain or from plain http.
 */
export function createCookies({ isSecure }: { readonly isSecure: boolean }): Cookies {
  const fullName = (name: string) => (isSecure ? `__Host-${name}` : name)

  function add(x: Exchange, name: string, value: string, { maxAgeSeconds, sameSite = 'Lax' }: CookieOptions) {
    const parts = [`${fullName(name)}=${value}`, 'Path=/']
    if (maxAgeSeconds !== undefined) parts.push(`Max-Age=${maxAgeSeconds}`)
    // Browsers take SameSite=None only together with Secure, which they also allow on http://localhost.
    if (isSecure || sameSite === 'None') parts.push('Secure')
    parts.push('HttpOnly', `SameSite=${sameSite}`)
    x.addCookie(parts.join('; '))
  }

  return {
    read: (headers, name) => cookieIn(headers.cookie, fullName(name)),
    set: (x, name, value, options = {}) => add(x, name, value, options),
    clear: (x, name) => add(x, name, '', { maxAgeSeconds: 0 }),
  }
}

/** The first of that name: browsers send the most specific one first. */
function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=')
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim()
  }
  return undefined
}
