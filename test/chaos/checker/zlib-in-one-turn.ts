import { brotliCompressSync, brotliDecompressSync, type BrotliOptions } from 'node:zlib'

/** Replaces node:zlib: the same results, in the same turn. */
export * from 'node:zlib'

type Answer = (error: unknown, bytes?: Buffer) => void

export function brotliCompress(bytes: Uint8Array, options: BrotliOptions, answer: Answer): void {
  answerWith(answer, () => brotliCompressSync(bytes, options))
}

export function brotliDecompress(bytes: Uint8Array, options: BrotliOptions, answer: Answer): void {
  answerWith(answer, () => brotliDecompressSync(bytes, options))
}

function answerWith(answer: Answer, work: () => Buffer): void {
  try {
    answer(null, work())
  } catch (error) {
    answer(error)
  }
}
