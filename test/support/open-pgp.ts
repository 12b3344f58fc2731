import { type KeyObject, createHash, generateKeyPairSync, sign } from 'node:crypto'

/** A key that signs providers, made here so that no program is needed for it and no key is kept. */
export interface SigningKey {
  readonly keyId: string
  readonly asciiArmor: string
  /** A detached signature, as `gpg --detach-sign` makes it. */
  sign(content: Uint8Array): Buffer
}

const RSA = 1
const SHA256 = 8
const CREATED = 1_600_000_000

export function createSigningKey(name = 'Test <test@example.com>'): SigningKey {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const { n = '', e = '' } = publicKey.export({ format: 'jwk' })
  const body = Buffer.concat([
    Buffer.from([4]),
    uint32(CREATED),
    Buffer.from([RSA]),
    mpi(Buffer.from(n, 'base64url')),
    mpi(Buffer.from(e, 'base64url')),
  ])
  const hashedKey = Buffer.concat([Buffer.from([0x99]), uint16(body.length), body])
  const id = createHash('sha1').update(hashedKey).digest().subarray(-8)
  const user = Buffer.from(name)
  const certified = Buffer.concat([hashedKey, Buffer.from([0xb4]), uint32(user.length), user])
  const certificate = signature({ type: 0x13, content: certified, key: privateKey, id })
  const whole = Buffer.concat([packet(6, body), packet(13, user), certificate])
  const lines = `${whole.toString('base64').replace(/.{64}(?=.)/g, '$&\n')}\n=${checksum(whole)}`
  return {
    keyId: id.toString('hex').toUpperCase(),
    asciiArmor: `-----BEGIN PGP PUBLIC KEY BLOCK-----\n\n${lines}\n-----END PGP PUBLIC KEY BLOCK-----\n`,
    sign: (content) => signature({ type: 0, content, key: privateKey, id }),
  }
}

interface Signing {
  readonly type: number
  readonly content: Uint8Array
  readonly key: KeyObject
  readonly id: Buffer
}

function signature({ type, content, key, id }: Signing): Buffer {
  const made = subpacket(2, uint32(CREATED + 1))
  // What the key may be used for: to certify and to sign.
  const hashed = type === 0 ? made : Buffer.concat([made, subpacket(27, Buffer.from([3]))])
  const head = Buffer.concat([Buffer.from([4, type, RSA, SHA256]), uint16(hashed.length), hashed])
  const trailer = Buffer.concat([Buffer.from([4, 0xff]), uint32(head.length)])
  const signed = Buffer.concat([content, head, trailer])
  const digest = createHash('sha256').update(signed).digest()
  const issuer = subpacket(16, id)
  const body = [head, uint16(issuer.length), issuer, digest.subarray(0, 2), mpi(sign('sha256', signed, key))]
  return packet(2, Buffer.concat(body))
}

function packet(tag: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xc0 | tag, 0xff]), uint32(body.length), body])
}

function subpacket(type: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([body.length + 1, type]), body])
}

function mpi(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0)
  const value = bytes.subarray(start)
  const bits = (value.length - 1) * 8 + (32 - Math.clz32(value[0] ?? 0))
  return Buffer.concat([uint16(bits), value])
}

/** gpg reads no key without it. */
function checksum(bytes: Buffer): string {
  let crc = 0xb704ce
  for (const byte of bytes) {
    crc ^= byte << 16
    for (let i = 0; i < 8; i++) crc = (crc << 1) ^ ((crc & 0x800000) === 0 ? 0 : 0x1864cfb)
  }
  return Buffer.from([(crc >> 16) & 255, (crc >> 8) & 255, crc & 255]).toString('base64')
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
