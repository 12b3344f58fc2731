import { LRUCache } from 'lru-cache'
import { Turns } from '../../base/turns.ts'
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib'

/**
 * One of several texts that are packed together. Texts about units are much alike: packed in blocks, ten thousand of
 * them take one megabyte instead of eleven, and reading them in order unpacks each block once.
 */
export interface PackedText {
  readonly block: Buffer
  readonly at: number
}

const PER_BLOCK = 64
/** A block comes out in one piece: many small buffers leave holes in memory. */
const CHUNK_BYTES = 256 * 1024
const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 1 }

/** Texts must not contain line breaks; JSON never does. */
export async function packTexts(texts: Iterable<string>): Promise<PackedText[]> {
  const packed: PackedText[] = []
  const turns = new Turns()
  let some: string[] = []
  const close = () => {
    const block = brotliCompressSync(some.join('\n'), { params: QUALITY })
    for (let at = 0; at < some.length; at++) packed.push({ block, at })
    some = []
  }
  for (const text of texts) {
    some.push(text)
    if (some.length < PER_BLOCK) continue
    close()
    await turns.pause()
  }
  if (some.length > 0) close()
  return packed
}

/** Texts packed at different times are in different blocks: reading all in order returns to each. */
const unpacked = new LRUCache<Buffer, readonly string[]>({ max: 32 })

/** Throws if the block is damaged. */
export function unpackText({ block, at }: PackedText): string {
  let texts = unpacked.get(block)
  if (texts === undefined) {
    texts = brotliDecompressSync(block, { chunkSize: CHUNK_BYTES }).toString('utf8').split('\n')
    unpacked.set(block, texts)
  }
  const text = texts[at]
  if (text === undefined) throw new Error('there is no such text in the block')
  return text
}
