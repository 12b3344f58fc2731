import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** Off the event loop, in libuv's threads. */
const gzipped = promisify(gzip)

/** Below this a smaller answer saves no packet worth the work. */
const LEAST_BYTES = 4_096

/**
 * Answers that hold secrets, or keys to them. How far they shrink would tell about what is in them, to whoever can put
 * text of their own beside it; so they are never compressed. States do not pass here at all.
 */
const SECRET: ReadonlySet<string> = new Set([
  '/v1/units/{unit}/outputs',
  '/v1/units/{unit}/inputs',
  '/v1/units/{unit}/diff',
  '/v1/rollouts/plan',
])

export function mayCompress(method: string, route: string, answer: Response): boolean {
  if (method !== 'GET' || SECRET.has(route)) return false
  // An ETag is of the very bytes; a compressed answer would need another.
  return answer.headers.get('content-type') === 'application/json' && !answer.headers.has('etag')
}

/** The answer, smaller where the client takes gzip and it is worth it. */
export async function compressed(answer: Response, accepts: string | undefined): Promise<Response> {
  const { status, headers } = answer
  headers.append('vary', 'Accept-Encoding')
  if (!takesGzip(accepts) || answer.body === null) return answer
  const body = Buffer.from(await answer.arrayBuffer())
  if (body.byteLength < LEAST_BYTES) return new Response(body, { status, headers })
  headers.set('content-encoding', 'gzip')
  return new Response(new Uint8Array(await gzipped(body, { level: 5 })), { status, headers })
}

/** https://www.rfc-editor.org/rfc/rfc9110#field.accept-encoding */
export function takesGzip(accepts = ''): boolean {
  const weights = new Map<string, number>()
  for (const part of accepts.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim())
    const weight = parameters.find((text) => text.startsWith('q='))?.slice(2)
    weights.set(coding, weight === undefined ? 1 : Number(weight))
  }
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0
}
