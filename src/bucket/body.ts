import type { Body } from './bucket.ts'

/** A body that is wholly in memory. */
export function bodyOf(content: Uint8Array | string): Body {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  return {
    size: bytes.byteLength,
    bytes,
    // eslint-disable-next-line @typescript-eslint/require-await -- an async generator is the interface
    async *stream() {
      yield bytes
    },
  }
}

export async function bytesOf(body: Body): Promise<Uint8Array> {
  if (body.bytes !== undefined) return body.bytes
  const parts: Uint8Array[] = []
  // Copied at once: a stream may reuse its buffer for the next chunk.
  for await (const part of body.stream()) parts.push(new Uint8Array(part))
  return Buffer.concat(parts)
}
