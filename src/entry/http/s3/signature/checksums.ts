import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

/** A checksum that a client sent with its bytes, in a header or behind them. */
export interface Checksum {
  update(bytes: Uint8Array): void
  /** In base64, as S3 writes it. */
  digest(): string
}

/** https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html */
const MAKERS: Readonly<Record<string, () => Checksum>> = {
  'x-amz-checksum-crc32': () => running(crc32, 4),
  'x-amz-checksum-crc32c': () => running(crc32c, 4),
  'x-amz-checksum-crc64nvme': crc64nvme,
  'x-amz-checksum-sha1': () => hashed('sha1'),
  'x-amz-checksum-sha256': () => hashed('sha256'),
}

/** By the name of its header. Undefined: not one that we know. */
export function createChecksum(header: string): Checksum | undefined {
  return MAKERS[header.toLowerCase()]?.()
}

export const CHECKSUM_HEADERS: readonly string[] = Object.keys(MAKERS)

function hashed(algorithm: 'sha1' | 'sha256'): Checksum {
  const hash = createHash(algorithm)
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest('base64') }
}

function running(next: (bytes: Uint8Array, before: number) => number, size: number): Checksum {
  let value = 0
  return {
    update: (bytes) => (value = next(bytes, value)),
    digest() {
      const bytes = Buffer.alloc(size)
      bytes.writeUInt32BE(value >>> 0)
      return bytes.toString('base64')
    },
  }
}

let crc32cTable: Uint32Array | undefined

function crc32c(bytes: Uint8Array, before: number): number {
  const table = (crc32cTable ??= tableOf((value) => (value >>> 1) ^ (value & 1 ? 0x82f63b78 : 0)))
  let crc = ~before
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 0xff] ?? 0)
  return ~crc >>> 0
}

function tableOf(step: (value: number) => number): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, byte) => {
    let value = byte
    for (let bit = 0; bit < 8; bit++) value = step(value)
    return value
  })
}

const CRC64_POLYNOMIAL = 0x9a6c9329ac4bc9b5n
let crc64Tables: { readonly high: Uint32Array; readonly low: Uint32Array } | undefined

/** In two halves: arithmetic with large integers is a hundred times slower. */
function crc64nvme(): Checksum {
  const { high, low } = (crc64Tables ??= makeCrc64Tables())
  let top = 0xffffffff
  let bottom = 0xffffffff
  return {
    update(bytes) {
      for (const byte of bytes) {
        const at = (bottom ^ byte) & 0xff
        bottom = ((bottom >>> 8) | (top << 24)) ^ (low[at] ?? 0)
        top = (top >>> 8) ^ (high[at] ?? 0)
      }
    },
    digest() {
      const bytes = Buffer.alloc(8)
      bytes.writeUInt32BE(~top >>> 0)
      bytes.writeUInt32BE(~bottom >>> 0, 4)
      return bytes.toString('base64')
    },
  }
}

function makeCrc64Tables() {
  const values = Array.from({ length: 256 }, (_, byte) => {
    let value = BigInt(byte)
    for (let bit = 0; bit < 8; bit++) value = (value >> 1n) ^ (value & 1n ? CRC64_POLYNOMIAL : 0n)
    return value
  })
  return {
    high: Uint32Array.from(values, (value) => Number(value >> 32n)),
    low: Uint32Array.from(values, (value) => Number(value & 0xffffffffn)),
  }
}
