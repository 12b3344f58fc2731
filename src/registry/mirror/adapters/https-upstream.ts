import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { TacoError, messageOf } from '../../../base/errors.ts'
import {
  DeniedAddress,
  allowedAddresses,
  deniedAddresses,
} from '../../../notifications/adapters/denied-addresses.ts'
import type { Upstream } from '../upstream.ts'

/** A registry may send us anywhere for its archives; inside our own network, nothing is fetched. */
const PRIVATE = [
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '240.0.0.0/4',
  '::1/128',
  '64:ff9b::/96',
  'fc00::/7',
]
const MOST_REDIRECTS = 5
const IDLE_MS = 30_000

/**
 * `hosts`: the registries that are mirrored, as `name` or `name=address`. They may be in a private network. `ca`: an authority to trust, if not
 * those that Node trusts.
 */
export function createHttpsUpstream(
  hosts: readonly string[],
  { ca }: { readonly ca?: string } = {},
): Upstream {
  const own = new Set(hosts.map((host) => host.split('=').at(-1)))
  const anywhere = deniedAddresses([])
  const onlyPublic = deniedAddresses(PRIVATE)

  async function get(url: URL, redirects = 0): Promise<IncomingMessage> {
    if (url.protocol !== 'https:') throw failed(url, 'It is not an https address')
    const denied = own.has(url.host) ? anywhere : onlyPublic
    const [first, ...others] = await allowedAddresses(url.hostname, denied)
    if (first === undefined) throw failed(url, 'The host has no address')
    const reply = await new Promise<IncomingMessage>((resolve, reject) => {
      const call = request(
        url,
        {
          agent: false,
          ...(ca === undefined ? {} : { ca }),
          timeout: IDLE_MS,
          headers: { 'user-agent': 'OpenTaco', accept: '*/*' },
          // The addresses that were checked, and no others.
          lookup: (_, options, done) =>
            options.all === true ? done(null, [first, ...others]) : done(null, first.address, first.family),
        },
        resolve,
      )
      call.on('timeout', () => call.destroy(new Error('nothing came for 30 s')))
      call.on('error', reject)
      call.end()
    })
    const { statusCode: status = 0, headers } = reply
    if (status === 200) return reply
    reply.destroy()
    if (status === 404) throw new TacoError('NOT_FOUND', `${url.host} does not have it.`)
    if (status < 300 || status > 399 || headers.location === undefined)
      throw failed(url, `It answered with status ${status}`)
    if (redirects >= MOST_REDIRECTS) throw failed(url, 'It redirects too often')
    return get(new URL(headers.location, url), redirects + 1)
  }

  async function opened(url: URL): Promise<IncomingMessage> {
    try {
      return await get(url)
    } catch (error) {
      if (error instanceof DeniedAddress) throw failed(url, 'It leads to a private address')
      throw error instanceof TacoError ? error : failed(url, messageOf(error))
    }
  }

  /** Chunks until the end that was announced: a shorter file is a failure. */
  async function* chunksOf(url: URL, reply: IncomingMessage): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of reply as AsyncIterable<Uint8Array>) yield chunk
    } catch (error) {
      throw failed(url, messageOf(error))
    }
    if (!reply.complete) throw failed(url, 'The connection broke')
  }

  return {
    async text(url, maxBytes) {
      const parts: Uint8Array[] = []
      let size = 0
      for await (const chunk of chunksOf(url, await opened(url))) {
        size += chunk.byteLength
        if (size > maxBytes) throw failed(url, `The answer has more than ${maxBytes} bytes`)
        parts.push(chunk)
      }
      return Buffer.concat(parts).toString('utf8')
    },
    stream: async (url) => chunksOf(url, await opened(url)),
  }
}

function failed(url: URL, why: string): TacoError {
  return new TacoError('UPSTREAM_FAILED', `${url.origin} cannot be used: ${why}.`, {
    hint: 'Try again later. If it stays, ask the registry that the provider comes from.',
    facts: { host: url.host },
  })
}
