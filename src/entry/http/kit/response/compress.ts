import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** Off the event loop, in libuv's threads. */
const gzipped = promisify(gzip)

/** Below this a smaller answer saves no packet worth the work. */
const LEAST_BYTES = 4_096

/** Undefined where the client does not take gzip, or it is not worth it. */
export async function compressed(body: Uint8Array, accepts: string | undefined): Promise<Buffer | undefined> {
  if (body.byteLength < LEAST_BYTES || !takesGzip(accepts)) return undefined
  return gzipped(body, { level: 5 })
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
