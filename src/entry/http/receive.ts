import { TacoError, badRequest } from '../../base/errors.ts'
import type { Exchange } from './exchange.ts'

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

export function cutOff(cause: unknown): TacoError {
  return new TacoError('STATE_TRUNCATED', 'the connection broke before the request was whole', {
    facts: { field: 'body' },
    hint: 'Nothing was written; send it again.',
    cause,
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
  return new TacoError('TOO_LARGE', `the body is larger than ${maxBytes} bytes`, {
    hint: 'The limit for states is set by --max-state on the server; the other limits are fixed.',
    facts: { maxBytes },
  })
}

const MOST_LEVELS = 32

/** Writing JSON takes a turn of the stack for every level, and there is no end to them. */
function levelsIn(bytes: Uint8Array): number {
  let level = 0
  let deepest = 0
  let isText = false
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (isText) {
      if (byte === 0x5c) at++
      else if (byte === 0x22) isText = false
    } else if (byte === 0x22) isText = true
    else if (byte === 0x5b || byte === 0x7b) deepest = Math.max(deepest, ++level)
    else if (byte === 0x5d || byte === 0x7d) level--
  }
  return deepest
}

export function parseJson(bytes: Uint8Array): unknown {
  if (levelsIn(bytes) > MOST_LEVELS)
    throw badRequest(
      'body',
      `the body is nested deeper than ${MOST_LEVELS} levels`,
      'Send a flatter document.',
    )
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw badRequest('body', 'the body is not JSON', 'Send one JSON document, encoded as UTF-8.')
  }
}
