import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { TacoError } from '../../../base/errors.ts'

/**
 * Refuses what a page of another site makes a browser send. A browser adds credentials that it remembers, and reaches
 * loopback ports that nothing else outside the machine can reach, so this holds for every method and every way to
 * authenticate. Engines, `taco` and curl send neither header. `same-site` is refused as well: to a browser, all ports of
 * localhost are one site. `admits`: the person may come from another site to this page.
 */
export function checkSameOrigin(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  admits?: 'links' | 'forms',
): void {
  const { host, origin, 'sec-fetch-site': site } = headers
  if (admits !== undefined && isNavigation(method, headers, admits)) return
  if (site !== undefined && site !== 'same-origin' && site !== 'none') throw refusal('Sec-Fetch-Site')
  if (origin !== undefined && !isSameHost(origin, host)) throw refusal('Origin')
}

/** The person sees where they go: this page takes the place of the one they came from. */
function isNavigation(
  method: string | undefined,
  { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination }: IncomingHttpHeaders,
  admits: 'links' | 'forms',
): boolean {
  if (mode !== undefined && (mode !== 'navigate' || destination !== 'document')) return false
  return method === 'GET' || method === 'HEAD' || (method === 'POST' && admits === 'forms')
}

/**
 * Browsers send Sec-Fetch-Site only to https and loopback addresses, and Origin not with every GET. So a read that
 * leaves a receipt is refused where a browser does not say which page made it ask.
 */
export function checkReceiptWanted(headers: IncomingHttpHeaders): void {
  const isBrowser = /^mozilla\//i.test(headers['user-agent'] ?? '')
  if (isBrowser && headers['sec-fetch-site'] === undefined) throw refusal('User-Agent')
}

function isSameHost(origin: string, host: string | undefined): boolean {
  const match = /^https?:\/\/(.+)$/i.exec(origin)
  return host !== undefined && match?.[1]?.toLowerCase() === host.toLowerCase()
}

function refusal(field: string): TacoError {
  return new TacoError('FORBIDDEN', 'Requests from web pages of other sites are refused.', {
    facts: { field },
    hint: 'Call the API from a program, or open the address in the browser. A proxy must pass on the Host header.',
  })
}
