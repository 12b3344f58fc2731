import { TacoError } from '../../base/errors.ts'
import type { Spool } from '../../base/spool.ts'
import { corrupt } from './corrupt.ts'

/** Restored content that can be read at any place, any number of times. */
export interface Content {
  readonly size: number
  /** The chunks stay as they are. */
  read(start: number, length: number): AsyncIterable<Uint8Array>
  dispose(): Promise<void>
}

/** Larger content is kept in a spool file. */
const IN_MEMORY_BYTES = 32 * 1024 * 1024

export async function contentOf(
  stream: AsyncIterable<Uint8Array>,
  size: number,
  spool: Spool,
): Promise<Content> {
  return size <= IN_MEMORY_BYTES ? await inMemory(stream, size) : await inSpool(stream, spool)
}

async function inMemory(stream: AsyncIterable<Uint8Array>, size: number): Promise<Content> {
  const bytes = await collect(stream, size)
  return {
    size,
    // eslint-disable-next-line @typescript-eslint/require-await -- an async generator is the interface
    async *read(start, length) {
      yield bytes.subarray(start, start + length)
    },
    dispose: async () => {},
  }
}

/**
 * All of a stream of known size, copied chunk by chunk because a stream may reuse its
 * buffer.
 */
export async function collect(stream: AsyncIterable<Uint8Array>, size: number): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafe(size)
  let at = 0
  for await (const chunk of stream) {
    if (at + chunk.length > size) throw wrongSize(size)
    whole.set(chunk, at)
    at += chunk.length
  }
  if (at !== size) throw wrongSize(size)
  return whole
}

export function wrongSize(size: number): TacoError {
  return new TacoError('STATE_TRUNCATED', `The size of the state is not the announced ${size} bytes.`, {
    hint: 'Send it again.',
  })
}

async function inSpool(stream: AsyncIterable<Uint8Array>, spool: Spool): Promise<Content> {
  const file = await spool.create()
  try {
    for await (const chunk of stream) await file.write(chunk)
  } catch (error) {
    await file.dispose()
    throw error
  }
  return {
    size: file.size,
    async *read(start, length) {
      let left = length
      for await (const chunk of file.stream({ start, end: start + length - 1 })) {
        left -= chunk.length
        yield new Uint8Array(chunk)
      }
      if (left !== 0) throw corrupt('its base could not be read back')
    },
    dispose: () => file.dispose(),
  }
}
