import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { badRequest } from '../../../../base/errors.ts'

/** What is asked for, before anything looks at it. */
type Target = Pick<IncomingMessage, 'url' | 'rawHeaders'>

const PLAIN_HOST = /^(?:\[([0-9a-f:.]+)\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_.])?)(?::\d{1,5})?$/i

/**
 * Refuses what could make two readers of one request see two addresses: a target that is not a plain path, and a Host
 * that is not one plain name. Runs before the guard and the router, so both see the same path.
 */
export function checkTarget({ url, rawHeaders }: Target): void {
  if (url === undefined || !url.startsWith('/') || url.includes('#')) {
    throw badRequest(
      'target',
      'The request target is not a plain path.',
      'Send a path that begins with "/" and has no fragment. Name the server in the Host header.',
    )
  }
  let host: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length !== 4 || name.toLowerCase() !== 'host') continue
    if (host !== undefined) throw badHost('The request has two Host headers.')
    host = rawHeaders[i + 1] ?? ''
  }
  // HTTP/1.0 clients may leave it out; node refuses newer ones that do.
  if (host !== undefined && !isPlainHost(host)) throw badHost('The Host header is not a plain host name.')
}

/** A header that we do not see may be the one that matters: a condition, or the page that a request came from. */
export function checkHeaderCount({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, most: number): void {
  if (rawHeaders.length > 2 * most)
    throw badRequest('headers', `The request has more than ${most} headers.`, 'Send fewer headers.')
}

function isPlainHost(host: string): boolean {
  const match = PLAIN_HOST.exec(host)
  return match !== null && (match[1] === undefined || isIPv6(match[1]))
}

function badHost(message: string): Error {
  return badRequest(
    'Host',
    message,
    'Send one Host header: a host name or an IP address, with or without a port.',
  )
}
