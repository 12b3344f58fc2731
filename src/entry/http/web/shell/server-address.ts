import type { Exchange } from '../../kit/exchange.ts'

/** As this browser reaches the server. What a request says of itself is shown to no one else. */
export function addressOf({ req }: Pick<Exchange, 'req'>, publicUrl: string | undefined): string {
  const { host = '' } = req.headers
  const scheme = 'encrypted' in req.socket ? 'https' : 'http'
  return publicUrl ?? (/^[\w.:[\]-]+$/.test(host) ? `${scheme}://${host}` : 'http://127.0.0.1:8226')
}
