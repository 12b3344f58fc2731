import { generateKeyPairSync, sign } from 'node:crypto'

export interface Certificate {
  readonly key: string
  readonly cert: string
}

/** A certificate that is signed by itself, made here so that no program is needed for it, and no key is kept. */
export function certificateFor(
  names: readonly string[],
  from: Date,
  until: Date,
  kind: 'ec' | 'rsa' = 'ec',
): Certificate {
  const { privateKey, publicKey } =
    kind === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  const named = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from('taco test')))))
  const signing =
    kind === 'ec' ? sequence(oid('2a8648ce3d040302')) : sequence(oid('2a864886f70d01010b'), der(0x05))
  const body = sequence(
    der(0xa0, integer(2)),
    integer(1),
    signing,
    named,
    sequence(time(from), time(until)),
    named,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(oid('551d11'), der(0x04, sequence(...names.map(dnsOrAddress)))))),
  )
  const signature = sign('sha256', body, privateKey)
  const whole = sequence(body, signing, der(0x03, Buffer.from([0]), signature))
  const lines = whole.toString('base64').replace(/.{64}(?=.)/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

function dnsOrAddress(name: string): Buffer {
  const isAddress = /^[\d.]+$/.test(name)
  return isAddress ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name))
}

function time(at: Date): Buffer {
  return der(0x18, Buffer.from(at.toISOString().replace(/[-:T]|\.\d+/g, '')))
}

function oid(hex: string): Buffer {
  return der(0x06, Buffer.from(hex, 'hex'))
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.from([value]))
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, ...parts)
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const size = content.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 255]
  return Buffer.concat([Buffer.from([tag, ...length]), content])
}
