import type { ReplyHeaders } from './reply.ts'

interface Redirect {
  readonly status: 303
  readonly headers: ReplyHeaders
}

/** Sends a browser to a page of this server. */
export function seeOther(path: string): Redirect {
  return { status: 303, headers: { location: ownPath(path) ?? '/' } }
}

/** Sends a browser to another server. Only for addresses that come from configuration, never from a request. */
export function seeOtherSite(url: string): Redirect {
  return { status: 303, headers: { location: url } }
}

const OWN = 'http://own.invalid'

/**
 * The path and query of a page of this server, as a browser would understand it. Undefined for everything else: other
 * hosts (`//evil.example`, `/\evil.example`), other schemes, control characters.
 */
export function ownPath(text: string | undefined): string | undefined {
  // A browser drops tabs and line breaks, and reads a backslash as a slash.
  if (text === undefined || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return undefined
  if (!URL.canParse(text, OWN)) return undefined
  const url = new URL(text, OWN)
  if (url.origin !== OWN || url.pathname.startsWith('//')) return undefined
  return url.pathname + url.search + url.hash
}
