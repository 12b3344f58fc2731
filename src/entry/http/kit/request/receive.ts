import { TacoError, badRequest, isTacoError } from '../../../../base/errors.ts'
import type { Exchange } from '../exchange.ts'
import { HttpError } from '../response/http-error.ts'
import { checkJson } from './strict-json.ts'

/** The body as it comes in. Stopping early leaves the connection alive, so that the refusal can be read. */
export async function* received(x: Exchange): AsyncGenerator<Uint8Array> {
  x.invite()
  x.waitsForClient = true
  const chunks = x.req.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>
  try {
    yield* chunks
  } catch (cause) {
    throw cutOff(cause)
  } finally {
    x.waitsForClient = false
  }
}

export function cutOff(cause: unknown): HttpError {
  return new HttpError(400, 'STATE_TRUNCATED', 'the connection broke before the request was whole', {
    facts: { field: 'body' },
    hint: 'Nothing was written. Send it again.',
    cause,
    headers: { connection: 'close' },
  })
}

/** A body that is small by nature, whole. */
export async function receivedWhole(x: Exchange, maxBytes: number): Promise<Buffer> {
  if ((declaredBytes(x) ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of received(x)) {
    size += part.byteLength
    if (size > maxBytes) throw tooLarge(maxBytes)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

export function declaredBytes(x: Exchange): number | undefined {
  const text = x.req.headers['content-length']
  return text === undefined ? undefined : Number(text)
}

export function tooLarge(maxBytes: number): TacoError {
  return new TacoError('TOO_LARGE', `The body is larger than ${maxBytes} bytes.`, {
    hint: 'Raise --max-state on the server if this is a state. Other limits are fixed.',
    facts: { maxBytes },
  })
}

export function parseJson(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    checkJson(text)
    return JSON.parse(text)
  } catch (error) {
    if (isTacoError(error)) throw error
    throw badRequest('body', 'The body is not JSON.', 'Send one JSON document, encoded as UTF-8.')
  }
}
