import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import type { KeyRing } from '../../../../access/index.ts'
import type { Clock } from '../../../../base/clock.ts'
import { TacoError } from '../../../../base/errors.ts'

/** Signs texts, on every server of the bucket alike. */
export interface UrlSigner {
  sign(text: string): string
  isSigned(text: string, signature: string): boolean
}

const PURPOSE = 'signed address'

export function ringSigner(keys: KeyRing): UrlSigner {
  return {
    sign(text) {
      const { keyId, mac } = keys.mac(PURPOSE, text)
      return `${keyId}.${mac.toString('base64url')}`
    },
    isSigned(text, signature) {
      const dot = signature.indexOf('.')
      try {
        const { mac } = keys.mac(PURPOSE, text, signature.slice(0, dot))
        return isEqual(mac, signature.slice(dot + 1))
      } catch {
        return false
      }
    },
  }
}

/**
 * For servers without a key ring: from the root tokens, of which the first signs. A server that asks for no credential
 * has none, and nothing to protect.
 */
export function secretSigner(secrets: readonly string[]): UrlSigner {
  const keys = (secrets.length === 0 ? [''] : secrets).map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', `opentaco ${PURPOSE}`, 32)),
  )
  const mac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest()
  return {
    sign: (text) => mac(keys[0] ?? Buffer.alloc(0), text).toString('base64url'),
    isSigned: (text, signature) => keys.some((key) => isEqual(mac(key, text), signature)),
  }
}

function isEqual(mac: Buffer, given: string): boolean {
  const bytes = Buffer.from(given, 'base64url')
  return bytes.length === mac.length && timingSafeEqual(bytes, mac)
}

/**
 * An address that carries its own permission: what may be done, until when. Engines and go-getter follow it without a
 * token. `use` is a constant per kind of address, so that one is never taken for another.
 */
export function signedPart(signer: UrlSigner, use: string, content: unknown, expiresAt: number): string {
  const text = Buffer.from(JSON.stringify([expiresAt, content])).toString('base64url')
  return `${text}.${signer.sign(`${use}.${text}`)}`
}

/** The content of a part that `signedPart` made. Throws if it was changed, made for something else, or has expired. */
export function openSignedPart(
  { signer, clock }: { readonly signer: UrlSigner; readonly clock: Clock },
  use: string,
  part: string,
): unknown {
  const dot = part.indexOf('.')
  const text = part.slice(0, dot)
  if (dot === -1 || !signer.isSigned(`${use}.${text}`, part.slice(dot + 1))) throw refused('is not valid')
  const [expiresAt, content] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [number, unknown]
  if (expiresAt < clock.now()) throw refused('has expired')
  return content
}

function refused(why: string): TacoError {
  return new TacoError('FORBIDDEN', `This address ${why}.`, {
    hint: 'Ask for the resource again to get a new one.',
  })
}
