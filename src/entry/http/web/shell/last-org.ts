import type { Cookies } from '../../kit/cookies.ts'
import type { Exchange } from '../../kit/exchange.ts'

const COOKIE = 'taco-org'

/** The start page leads to the organization that was looked at last. */
export function rememberOrg(x: Exchange, cookies: Cookies, name: string): void {
  if (lastOrg(x, cookies) === name) return
  cookies.set(x, COOKIE, encodeURIComponent(name), { maxAgeSeconds: 365 * 86_400 })
}

export function lastOrg(x: Exchange, cookies: Cookies): string | undefined {
  const text = cookies.read(x.req.headers, COOKIE)
  try {
    return text === undefined ? undefined : decodeURIComponent(text)
  } catch {
    return undefined
  }
}
