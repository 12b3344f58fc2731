import { request as plainRequest, type IncomingMessage } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { Sent } from '../destination.ts'
import { type DeniedAddresses, allowedAddresses } from './denied-addresses.ts'

const TIMEOUT_MS = 10_000
const MOST_READ = 64_000
const MOST_SHOWN = 1_000
/** Cookies are secrets of the other side. */
const NOT_SHOWN = new Set(['set-cookie'])

export type PostJson = (
  url: string | undefined,
  json: unknown,
  options: {
    readonly signal: AbortSignal
    readonly headers?: (body: string) => Readonly<Record<string, string>>
    /** What a 2xx must say, where that is not enough. */
    readonly isAccepted?: (body: string) => boolean
  },
) => Promise<Sent>

/** Sends JSON to a webhook: it ends in time, follows no redirects, and reads a bounded answer. */
export function createPostJson({
  denied,
  timeoutMs = TIMEOUT_MS,
}: {
  readonly denied: DeniedAddresses
  readonly timeoutMs?: number
}): PostJson {
  return async (address, json, { signal, headers, isAccepted = () => true }) => {
    const url = address ?? ''
    const body = JSON.stringify(json)
    try {
      const ending = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const sent = { 'content-type': 'application/json', ...headers?.(body) }
      const { reply, text } = await post(new URL(url), body, sent, denied, ending)
      const status = reply.statusCode ?? 0
      return {
        url,
        code: String(status),
        headers: shownHeaders(reply),
        body: text.slice(0, MOST_SHOWN),
        isSuccessful: status >= 200 && status < 300 && isAccepted(text),
      }
    } catch (error) {
      return { url, ...failure(error), headers: {}, isSuccessful: false }
    }
  }
}

async function post(
  url: URL,
  body: string,
  headers: Readonly<Record<string, string>>,
  denied: DeniedAddresses,
  signal: AbortSignal,
): Promise<{ readonly reply: IncomingMessage; readonly text: string }> {
  const [first, ...others] = await allowedAddresses(url.hostname, denied)
  if (first === undefined) throw new Error(`${url.hostname} has no address`)
  const request = url.protocol === 'https:' ? secureRequest : plainRequest
  return new Promise((resolve, reject) => {
    const call = request(
      url,
      {
        method: 'POST',
        agent: false,
        signal,
        headers: { 'user-agent': 'OpenTaco', 'content-length': Buffer.byteLength(body), ...headers },
        // The addresses that were checked, and no others.
        lookup: (_, options, done) =>
          options.all === true ? done(null, [first, ...others]) : done(null, first.address, first.family),
      },
      (reply) => {
        const parts: Buffer[] = []
        let size = 0
        const finish = () => resolve({ reply, text: Buffer.concat(parts).toString('utf8') })
        reply.on('data', (part: Buffer) => {
          parts.push(part)
          size += part.length
          if (size < MOST_READ) return
          finish()
          reply.destroy()
        })
        reply.on('end', finish)
        reply.on('error', reject)
      },
    )
    call.on('error', reject)
    call.end(body)
  })
}

function shownHeaders({ headers }: IncomingMessage): Record<string, string[]> {
  const shown = Object.entries(headers)
    .filter(([name]) => !NOT_SHOWN.has(name))
    .slice(0, 30)
  return Object.fromEntries(shown.map(([name, value = '']) => [name, [value].flat()]))
}

/** Why there was no answer: a code that can be searched for, and a sentence. */
function failure(error: unknown): { readonly code: string; readonly body: string } {
  const known = error instanceof AggregateError ? (error.errors[0] as unknown) : error
  const isLate = known instanceof Error && ['TimeoutError', 'AbortError'].includes(known.name)
  if (isLate) return { code: 'ETIMEDOUT', body: 'The destination did not answer in time.' }
  const code = known instanceof Error && 'code' in known ? String(known.code) : 'error'
  return { code, body: known instanceof Error ? known.message : String(known) }
}
