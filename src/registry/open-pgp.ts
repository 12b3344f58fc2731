import { createHash } from 'node:crypto'
import { badRequest } from '../base/errors.ts'

/** As much of OpenPGP (RFC 9580) as it takes to know a key and who made a signature. Engines verify signatures. */

const PUBLIC_KEY = 6
const PUBLIC_SUBKEY = 14
const SECRET_KEY = 5
const SIGNATURE = 2
const ISSUER = 16
const ISSUER_FINGERPRINT = 33

interface Packet {
  readonly tag: number
  readonly body: Buffer
}

/**
 * The ids of an armored public key and of its subkeys, as 16 digits in upper case: its own is the first. Throws
 * BAD_REQUEST for anything else.
 */
export function keyIdsOf(armor: string): readonly [string, ...string[]] {
  const [first, ...rest] = packetsIn(unarmored(armor))
  if (first?.tag === SECRET_KEY)
    throw wrongKey('It is a private key.', 'Send the public key: gpg --armor --export.')
  if (first?.tag !== PUBLIC_KEY) throw wrongKey('It does not begin with a public key.')
  if (first.body[0] !== 4) throw wrongKey(`It is a key of version ${first.body[0]}.`, 'Use a version 4 key.')
  return [keyId(first), ...rest.filter(({ tag }) => tag === PUBLIC_SUBKEY).map(keyId)]
}

function keyId({ body }: Packet): string {
  const length = Buffer.alloc(3)
  length[0] = 0x99
  length.writeUInt16BE(body.length, 1)
  return idText(createHash('sha1').update(length).update(body).digest().subarray(-8))
}

/** The id of the key that made a detached signature. Undefined: the signature does not say. */
export function signerOf(signature: Buffer): string | undefined {
  if (signature.subarray(0, 11).toString('latin1') === '-----BEGIN ')
    throw wrongSignature('It is text.', 'Make it without --armor: gpg --detach-sign.')
  const [first] = packetsIn(signature, wrongSignature)
  if (first?.tag !== SIGNATURE) throw wrongSignature('It is no OpenPGP signature.')
  const { body } = first
  if (body[0] === 3) return idText(body.subarray(7, 15))
  if (body[0] !== 4) return undefined
  const hashed = body.readUInt16BE(4)
  const unhashed = body.readUInt16BE(6 + hashed)
  return issuerIn(body.subarray(6, 6 + hashed)) ?? issuerIn(body.subarray(8 + hashed, 8 + hashed + unhashed))
}

function issuerIn(subpackets: Buffer): string | undefined {
  for (let at = 0; at < subpackets.length;) {
    const { size, next } = newLength(subpackets, at)
    const content = subpackets.subarray(next, next + size)
    const type = (content[0] ?? 0) & 0x7f
    if (type === ISSUER && content.length === 9) return idText(content.subarray(1))
    if (type === ISSUER_FINGERPRINT && content.length === 22) return idText(content.subarray(-8))
    at = next + size
  }
  return undefined
}

const idText = (bytes: Buffer) => bytes.toString('hex').toUpperCase()

function unarmored(armor: string): Buffer {
  const block = /-----BEGIN PGP ([A-Z ]+)-----\r?\n([\s\S]*?)-----END PGP \1-----/.exec(armor)
  if (block === null) throw wrongKey('It is not an armored key.')
  if (block[1]?.includes('PRIVATE') === true)
    throw wrongKey('It is a private key.', 'Send the public key: gpg --armor --export.')
  const lines = (block[2] ?? '').split(/\r?\n/)
  const blank = lines.findIndex((line) => line.trim() === '')
  // Headers end with an empty line; a line that begins with = is a checksum.
  const data = lines.slice(blank + 1).filter((line) => !line.startsWith('='))
  return Buffer.from(data.join(''), 'base64')
}

function* packetsIn(bytes: Buffer, refusal = wrongKey): Generator<Packet> {
  for (let at = 0; at < bytes.length;) {
    const head = bytes[at] ?? 0
    if ((head & 0x80) === 0) throw refusal('It is no OpenPGP data.')
    const isNew = (head & 0x40) !== 0
    const tag = isNew ? head & 0x3f : (head & 0x3c) >> 2
    const { size, next } = isNew ? newLength(bytes, at + 1) : oldLength(bytes, at + 1, head & 3)
    const body = bytes.subarray(next, next + size)
    if (body.length !== size || size === 0) throw refusal('It is cut off.')
    yield { tag, body }
    at = next + size
  }
}

interface Length {
  readonly size: number
  readonly next: number
}

function newLength(bytes: Buffer, at: number): Length {
  const first = bytes[at] ?? 0
  if (first < 192) return { size: first, next: at + 1 }
  if (first < 224) return { size: (first - 192) * 256 + (bytes[at + 1] ?? 0) + 192, next: at + 2 }
  return { size: first === 255 && at + 5 <= bytes.length ? bytes.readUInt32BE(at + 1) : 0, next: at + 5 }
}

function oldLength(bytes: Buffer, at: number, kind: number): Length {
  const width = [1, 2, 4][kind] ?? 0
  if (width === 0 || at + width > bytes.length) return { size: 0, next: at }
  return { size: bytes.readUIntBE(at, width), next: at + width }
}

function wrongKey(why: string, hint = 'Send what `gpg --armor --export` prints.'): Error {
  return badRequest('ascii-armor', `This is not a usable public key: ${why}`, hint)
}

function wrongSignature(why: string, hint = 'Send what `gpg --detach-sign SHA256SUMS` writes.'): Error {
  return badRequest('body', `This is not a usable signature: ${why}`, hint)
}
