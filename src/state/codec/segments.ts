import type { Segment } from './chunks.ts'
import { corrupt } from './corrupt.ts'

/**
 * Segments as bytes: per pair of runs, the length of a literal run, the length of a copied run, and how far
 * the copy starts from the end of the last one (zigzag). All as varints; an edit costs some ten bytes.
 */
export function encodeSegments(segments: readonly Segment[]): Buffer {
  const bytes: number[] = []
  let literal = 0
  let expected = 0
  for (const { base, length } of segments) {
    if (base < 0) {
      literal += length
      continue
    }
    const jump = base - expected
    putVarint(bytes, literal)
    putVarint(bytes, length)
    putVarint(bytes, jump < 0 ? -jump * 2 - 1 : jump * 2)
    literal = 0
    expected = base + length
  }
  if (literal > 0) {
    putVarint(bytes, literal)
    putVarint(bytes, 0)
    putVarint(bytes, 0)
  }
  return Buffer.from(bytes)
}

/** Total: for any bytes, the segments are within base and size, or BUCKET_CORRUPT is thrown. */
export function decodeSegments(bytes: Uint8Array, baseSize: number, size: number): Segment[] {
  const segments: Segment[] = []
  let at = 0
  let expected = 0
  let total = 0

  function varint(): number {
    let value = 0
    let scale = 1
    for (;;) {
      const byte = bytes[at++]
      if (byte === undefined || scale > 2 ** 45) throw corrupt('its difference is malformed')
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 128
    }
  }

  while (at < bytes.length) {
    const literal = varint()
    const length = varint()
    const jump = varint()
    const base = expected + (jump % 2 === 1 ? -(jump + 1) / 2 : jump / 2)
    total += literal + length
    if (base < 0 || base + length > baseSize || total > size) throw corrupt('its difference leaves its base')
    if (literal > 0) segments.push({ base: -1, length: literal })
    if (length > 0) segments.push({ base, length })
    expected = base + length
  }
  if (total !== size) throw corrupt('its difference has another size')
  return segments
}

function putVarint(bytes: number[], value: number): void {
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 128) | 0x80)
    rest = Math.floor(rest / 128)
  }
  bytes.push(rest)
}
