import { createHash } from 'node:crypto'
import { TacoError } from '../base/errors.ts'
import type { Spool, SpoolFile } from '../base/spool.ts'
import { Turns } from '../base/turns.ts'
import { bodyOf } from './body.ts'
import type { Body } from './bucket.ts'

/** Larger uploads go through the spool, so that memory does not grow with them. */
const IN_MEMORY_BYTES = 8 * 1024 * 1024
/** Smaller ones take too little time for others to wait. */
const PAUSE_FROM = 256 * 1024

export interface TakeInOptions {
  readonly maxBytes: number
  /** Thrown for more bytes than that. */
  tooLarge(maxBytes: number): Error
  /** Content-Length as declared: fewer bytes are STATE_TRUNCATED. */
  readonly declaredBytes?: number | undefined
  /** Content-MD5 as declared (base64): another is STATE_DIGEST. */
  readonly contentMd5?: string | undefined
}

/** An upload that was received whole. Dispose it in any case. */
export interface Taken {
  readonly body: Body
  readonly hash: string
  dispose(): Promise<void>
}

/** One pass: hashes, checks length and digest, keeps the bytes in memory or in the spool. */
export async function takeIn(
  stream: AsyncIterable<Uint8Array>,
  spool: Spool,
  options: TakeInOptions,
  look: (chunk: Uint8Array) => Promise<void> | undefined,
): Promise<Taken> {
  if (options.declaredBytes !== undefined && options.declaredBytes > options.maxBytes)
    throw options.tooLarge(options.maxBytes)
  const sha256 = createHash('sha256')
  const md5 = options.contentMd5 === undefined ? undefined : createHash('md5')
  const store = createStore(spool, options.declaredBytes)
  const turns = new Turns()
  try {
    for await (const chunk of stream) {
      if (store.size + chunk.byteLength > options.maxBytes) throw options.tooLarge(options.maxBytes)
      for (const some of turns.slices(chunk)) {
        sha256.update(some)
        md5?.update(some)
        const looking = look(some)
        if (looking !== undefined) await looking
        await store.add(some)
        if (store.size >= PAUSE_FROM) await turns.pause()
      }
    }
    checkLength(store.size, options.declaredBytes)
    checkDigest(md5?.digest('base64'), options.contentMd5)
    const hash = sha256.digest('hex')
    return { body: { ...store.body(), sha256: hash }, hash, dispose: () => store.dispose() }
  } catch (error) {
    await store.dispose()
    throw error
  }
}

interface ByteStore {
  readonly size: number
  add(chunk: Uint8Array): Promise<void> | void
  body(): Body
  dispose(): Promise<void>
}

function createStore(spool: Spool, declaredBytes: number | undefined): ByteStore {
  let file: SpoolFile | undefined
  let memory = Buffer.allocUnsafeSlow(Math.min(declaredBytes ?? 65_536, IN_MEMORY_BYTES))
  let size = 0

  async function spill(chunk: Uint8Array): Promise<void> {
    if (file === undefined) {
      file = await spool.create()
      if (size > 0) await file.write(memory.subarray(0, size))
      memory = Buffer.alloc(0)
    }
    await file.write(chunk)
    size += chunk.byteLength
  }

  return {
    get size() {
      return size
    },
    add(chunk) {
      const needed = size + chunk.byteLength
      if (file !== undefined || needed > IN_MEMORY_BYTES) return spill(chunk)
      if (needed > memory.byteLength) {
        const larger = Buffer.allocUnsafeSlow(
          Math.min(IN_MEMORY_BYTES, Math.max(needed, memory.byteLength * 2)),
        )
        memory.copy(larger, 0, 0, size)
        memory = larger
      }
      // Copied: a chunk belongs to its producer again once the next one is requested.
      memory.set(chunk, size)
      size = needed
      return undefined
    },
    body() {
      const spooled = file
      if (spooled === undefined) return bodyOf(memory.subarray(0, size))
      return { size, bytes: undefined, stream: () => spooled.stream() }
    },
    async dispose() {
      await file?.dispose()
    },
  }
}

function checkLength(size: number, declared: number | undefined): void {
  if (declared === undefined || declared === size) return
  throw new TacoError('STATE_TRUNCATED', `Only ${size} of ${declared} bytes arrived.`, {
    facts: { field: 'Content-Length', declared, received: size },
    hint: 'Send it again. The connection was cut, or the announced length is wrong.',
  })
}

function checkDigest(actual: string | undefined, declared: string | undefined): void {
  if (declared === undefined || actual === declared) return
  throw new TacoError('STATE_DIGEST', 'The state does not match its Content-MD5.', {
    facts: { field: 'Content-MD5' },
    hint: 'Send it again. Something changed the bytes on the way.',
  })
}
