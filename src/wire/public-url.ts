import { badRequest } from '../base/errors.ts'
import { isLoopback } from '../entry/http/index.ts'
import type { ServeOptions } from './serve-options.ts'

/**
 * As browsers and command lines reach the server, without a slash at the end. It comes from the configuration alone: a
 * request could name any host. Undefined: it was not given, and nothing needs it.
 */
export function publicUrlOf(
  { auth, publicUrl, tls }: Pick<ServeOptions, 'auth' | 'publicUrl' | 'tls'>,
  listen: { readonly host: string; readonly port: number },
): string | undefined {
  if (publicUrl === undefined) {
    if (auth !== 'sso') return undefined
    // For a trial on one machine, the address that it listens on is the one that its browser uses.
    if (isLoopback(listen.host) && listen.port !== 0)
      return `${tls === undefined ? 'http' : 'https'}://localhost:${listen.port}`
    throw badRequest(
      'publicUrl',
      'The public URL of the server is missing.',
      'Set --public-url or TACO_PUBLIC_URL to the address that people use, such as https://taco.example.com.',
    )
  }
  const url = URL.canParse(publicUrl) ? new URL(publicUrl) : undefined
  const isPlainAllowed = url !== undefined && (auth !== 'sso' || isLoopback(url.hostname))
  if (url === undefined || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isPlainAllowed)))
    throw badRequest(
      'publicUrl',
      `"${publicUrl}" cannot be the public URL.`,
      'Use a URL that starts with https://, or with http:// only for localhost.',
    )
  if (
    url.pathname !== '/' ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== '' ||
    url.password !== ''
  )
    throw badRequest(
      'publicUrl',
      `"${publicUrl}" has more than a host and a port.`,
      'Use a URL with nothing behind the host, such as https://taco.example.com.',
    )
  return url.origin
}
