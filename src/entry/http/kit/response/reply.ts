import type { OutgoingHttpHeaders } from 'node:http'
import type { Exchange } from '../exchange.ts'
import type { Limits } from '../limits.ts'
import { compressed } from './compress.ts'
import { send, writeHead } from './respond.ts'
import { sendChunks } from './send-bytes.ts'

export type ReplyHeaders = Readonly<Record<string, string>>

/** A body that is not a value to turn into JSON: text with its type, or chunks as they come. */
export type ReplyBody =
  | { readonly type: string; readonly text: string | Uint8Array }
  | { readonly type: string; readonly chunks: AsyncIterable<Uint8Array> }

/** What a handler answers. */
export type Reply = { readonly status: number; readonly headers?: ReplyHeaders } & (
  | { readonly json: unknown }
  | ReplyBody
  | object
)

const JSON_TYPE = 'application/json'
export const JSON_API_TYPE = 'application/vnd.api+json'
export const HTML_TYPE = 'text/html; charset=utf-8'
/** Other bodies go as they are, or were compressed before. */
const COMPRESSED: ReadonlySet<string> = new Set([JSON_TYPE, JSON_API_TYPE, HTML_TYPE])

/** `isSecret`: how far an answer shrinks would tell about what is in it, so it is never compressed. */
export async function sendReply(
  x: Exchange,
  reply: Reply,
  options: { readonly isSecret: boolean; readonly limits: Limits },
): Promise<void> {
  // The parser gave up on what came behind the headers, and that has been answered.
  if (x.res.headersSent) return
  const { status, headers = {} } = reply
  if ('chunks' in reply) {
    const head = () => writeHead(x, status, { 'content-type': reply.type, ...headers })
    if (x.method === 'HEAD') head()
    else await sendChunks(x, reply.chunks, head)
    x.res.end()
    return
  }
  const typed = 'json' in reply ? { type: JSON_TYPE, text: JSON.stringify(reply.json) } : reply
  if (!('text' in typed)) return send(x, status, undefined, { ...headers }, options.limits)
  const all: OutgoingHttpHeaders = { 'content-type': typed.type, ...headers }
  let body: Uint8Array = typeof typed.text === 'string' ? Buffer.from(typed.text) : typed.text
  // An ETag is of the very bytes; a compressed answer would need another.
  if (
    x.method === 'GET' &&
    COMPRESSED.has(typed.type) &&
    !options.isSecret &&
    headers['etag'] === undefined
  ) {
    all['vary'] = 'Accept-Encoding'
    const smaller = await compressed(body, x.req.headers['accept-encoding']?.toString())
    if (smaller !== undefined) {
      body = smaller
      all['content-encoding'] = 'gzip'
    }
  }
  send(x, status, body, all, options.limits)
}
