import type { GetOptions } from '../../bucket.ts'

/** The bytes of an object that are in an answer. */
export interface Part {
  readonly start: number
  readonly length: number
  /** Of the whole object. */
  readonly size: number
}

/** From the head of the answer; undefined if it does not say. `size` is the object's, if given separately. */
export function partIn(
  headers: {
    readonly 'content-range'?: string | undefined
    readonly 'content-length'?: string | undefined
  },
  size: string | undefined = headers['content-length'],
): Part | undefined {
  const length = headers['content-length'] ?? size
  if (headers['content-range'] === undefined) {
    if (length === undefined || size === undefined) return undefined
    return { start: 0, length: Number(length), size: Number(size) }
  }
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers['content-range'])
  if (match === null) return undefined
  const start = Number(match[1])
  const announced = Number(match[2]) - start + 1
  return { start, length: Number(headers['content-length'] ?? announced), size: Number(match[3]) }
}

/** A whole object that fits in the range is as good as the range. */
export function isAskedFor({ start, length, size }: Part, range: GetOptions['range']): boolean {
  const { start: first, end } = range ?? { start: 0, end: size - 1 }
  return start === first && length === Math.min(end, size - 1) - first + 1
}
