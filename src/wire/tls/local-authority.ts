// oxlint-disable-next-line no-unassigned-import -- what @peculiar/x509 needs to find in the global scope
import 'reflect-metadata'
import {
  type KeyObject,
  X509Certificate,
  createHash,
  createPrivateKey,
  randomBytes,
  webcrypto,
} from 'node:crypto'
import { isIP } from 'node:net'
import * as x509 from '@peculiar/x509'

/** A certificate and its key, both as PEM text, one after the other. */
export interface Issued {
  readonly pem: string
  readonly certificate: X509Certificate
  readonly key: KeyObject
}

const DAY_MS = 86_400_000
const AUTHORITY_DAYS = 3650
/** Apple refuses more than 825 days. Short is fine: renewal needs nobody. */
const SERVER_DAYS = 90
/** Clocks of other machines may be behind. */
const EARLIER_MS = 3_600_000
const KEY = { name: 'ECDSA', namedCurve: 'P-256' } as const
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const

x509.cryptoProvider.set(webcrypto)

/** A certificate authority of its own for each installation: no other machine has its key. */
export async function createAuthority(name: string, now: number): Promise<Issued> {
  const keys = await newKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [name] }, { O: ['OpenTaco'] }],
    notBefore: new Date(now - EARLIER_MS),
    notAfter: new Date(now + AUTHORITY_DAYS * DAY_MS),
    signingAlgorithm: SIGNING,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return issued(certificate, keys.privateKey)
}

export async function issueServerCertificate(
  authority: Issued,
  names: readonly string[],
  now: number,
): Promise<Issued> {
  const issuer = new x509.X509Certificate(authority.certificate.raw)
  const keys = await newKeys()
  const signingKey = await webcrypto.subtle.importKey(
    'pkcs8',
    authority.key.export({ type: 'pkcs8', format: 'der' }),
    KEY,
    false,
    ['sign'],
  )
  const until = Math.min(now + SERVER_DAYS * DAY_MS, issuer.notAfter.getTime())
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [{ CN: ['OpenTaco server'] }],
    issuer: issuer.subjectName,
    notBefore: new Date(now - EARLIER_MS),
    notAfter: new Date(until),
    signingAlgorithm: SIGNING,
    publicKey: keys.publicKey,
    signingKey,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((name) => ({ type: isIP(name) === 0 ? 'dns' : 'ip', value: name })),
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  })
  return issued(certificate, keys.privateKey)
}

/** Throws if it is not a certificate with its key. */
export function readIssued(pem: string): Issued {
  const certificate = new X509Certificate(pem)
  const key = createPrivateKey(pem)
  if (!certificate.checkPrivateKey(key)) throw new Error('its key belongs to another certificate')
  return { pem, certificate, key }
}

/** One file per list of names, so that two servers with different names do not replace each other's certificate. */
export function hashOfNames(names: readonly string[]): string {
  return createHash('sha256').update(names.toSorted().join('\n')).digest('hex').slice(0, 12)
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify'])
}

/** Random, positive and of a fixed length. */
function serialNumber(): string {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes.toString('hex')
}

async function issued(certificate: x509.X509Certificate, key: webcrypto.CryptoKey): Promise<Issued> {
  const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key))
  const keyText = createPrivateKey({ key: pkcs8, type: 'pkcs8', format: 'der' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString()
  return readIssued(`${certificate.toString('pem')}\n${keyText}`)
}
