import { hash } from 'node:crypto'
import { z } from 'zod'
import { TacoError } from '../../base/errors.ts'
import { corrupt } from './corrupt.ts'

/**
 * How a version is stored in the bucket: 24 bytes, a JSON header, the payload.
 *
 * 0  "TACO"            4  format (1)        5  length of the header, 3 bytes, big-endian
 * 8  first 16 bytes of sha256 over bytes 0–7 and the header
 *
 * The first 24 bytes keep this meaning in every format, so that damage and newer formats can be distinguished.
 */
export const FRAME_PREFIX_BYTES = 24
const MAGIC = 'TACO'
const FORMAT = 1
const MAX_HEADER_BYTES = 2 ** 24 - 1
const size = z.int().min(0)

export const FrameHeader = z.object({
  kind: z.enum(['full', 'delta']),
  /** `br`: brotli. */
  packing: z.enum(['br', 'raw']),
  /** Of the content. */
  size,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Average chunk size of the content's index. */
  average: z
    .int()
    .min(64)
    .max(2 ** 30),
  /** Bytes of the payload as stored, and after unpacking. */
  stored: size,
  unpacked: size,
  /** A difference: what it is against, how long that is, and how many bytes of the payload are segments. */
  base: z.object({ id: z.string(), size, segments: size }).optional(),
  /** The caller's own. */
  meta: z.record(z.string(), z.unknown()),
})
export type FrameHeader = z.infer<typeof FrameHeader>

export function encodeHeader(header: FrameHeader): Buffer {
  const json = JSON.stringify(header)
  const length = Buffer.byteLength(json)
  if (length > MAX_HEADER_BYTES) throw new RangeError('the meta of a version is too large')
  const bytes = Buffer.allocUnsafe(FRAME_PREFIX_BYTES + length)
  bytes.write(MAGIC, 'latin1')
  bytes.writeUInt8(FORMAT, 4)
  bytes.writeUIntBE(length, 5, 3)
  bytes.write(json, FRAME_PREFIX_BYTES)
  checksum(bytes, bytes.subarray(FRAME_PREFIX_BYTES)).copy(bytes, 8)
  return bytes
}

/** How many bytes prefix and header take, once the prefix is there. Throws BUCKET_CORRUPT for anything else than a frame. */
export function headerBytes(start: Uint8Array): number {
  const prefix = Buffer.from(start.buffer, start.byteOffset, start.length)
  if (prefix.length < FRAME_PREFIX_BYTES) throw corrupt('it ends too early')
  if (prefix.toString('latin1', 0, 4) !== MAGIC) throw corrupt('it does not start like one')
  return FRAME_PREFIX_BYTES + prefix.readUIntBE(5, 3)
}

/**
 * Reads the header from the first bytes of a frame. Undefined when there are too few of them: a ranged get of
 * `headerBytes()` brings the rest.
 */
export function decodeHeader(start: Uint8Array): FrameHeader | undefined {
  const length = headerBytes(start)
  if (start.length < length) return undefined
  const bytes = Buffer.from(start.buffer, start.byteOffset, length)
  const json = bytes.subarray(FRAME_PREFIX_BYTES)
  if (!checksum(bytes, json).equals(bytes.subarray(8, FRAME_PREFIX_BYTES)))
    throw corrupt('its header fails the check')
  if (bytes.readUInt8(4) > FORMAT) {
    throw new TacoError('BUCKET_NEWER', 'A state version was written by a newer version of OpenTaco.', {
      hint: 'Upgrade this server.',
    })
  }
  const header = FrameHeader.safeParse(parseJson(json))
  if (!header.success) throw corrupt('its header is malformed', header.error)
  if ((header.data.kind === 'delta') !== (header.data.base !== undefined))
    throw corrupt('its header is malformed')
  return header.data
}

function parseJson(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString())
  } catch (error) {
    throw corrupt('its header is malformed', error)
  }
}

function checksum(prefix: Buffer, json: Buffer): Buffer {
  return hash('sha256', Buffer.concat([prefix.subarray(0, 8), json]), 'buffer').subarray(0, 16)
}
