import { type KeyObject, X509Certificate, createPrivateKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import { TacoError, badRequest, reasonOf } from '../../base/errors.ts'

export interface CertificateFiles {
  readonly cert: string
  readonly key: string
}

/** A certificate with its key, checked to fit each other. */
export interface ServerCertificate {
  /** PEM: the server's certificate first, then those between it and its issuer. */
  readonly cert: string
  readonly key: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  readonly names: string
}

export async function readCertificate(files: CertificateFiles): Promise<ServerCertificate> {
  const cert = await textOf(files.cert, '--tls-cert')
  const key = await textOf(files.key, '--tls-key')
  const [leaf] = chainOf(cert, files.cert)
  if (leaf === undefined)
    throw refused('tlsCert', `There is no certificate in ${files.cert}.`, 'Give --tls-cert a PEM file.')
  if (!leaf.checkPrivateKey(privateKeyOf(key, files.key)))
    throw refused(
      'tlsKey',
      `The key in ${files.key} does not belong to the first certificate in ${files.cert}.`,
      "Put the server's own certificate first, then the certificates of its issuers, and name its key with --tls-key.",
    )
  try {
    createSecureContext({ cert, key })
  } catch (cause) {
    throw refused(
      'tlsCert',
      `The certificate in ${files.cert} cannot be used: ${reasonOf(cause)}.`,
      'Create a certificate with an RSA key of at least 2048 bits or a P-256 key.',
      cause,
    )
  }
  const names = (leaf.subjectAltName ?? leaf.subject).replaceAll(/(?:DNS|IP Address):/g, '')
  return { cert, key, expiresAt: Date.parse(leaf.validTo), names }
}

async function textOf(path: string, option: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const field = option === '--tls-key' ? 'tlsKey' : 'tlsCert'
    const hint = `Give ${option} a file that the user of the server can read.`
    throw refused(field, `Cannot read ${path}: ${reasonOf(cause)}.`, hint, cause)
  }
}

function chainOf(text: string, path: string): readonly X509Certificate[] {
  const begun = text.match(/-----BEGIN CERTIFICATE-----/g) ?? []
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  try {
    if (begun.length !== blocks.length) throw new Error('it ends in the middle of a certificate')
    return blocks.map((block) => new X509Certificate(block))
  } catch (cause) {
    const message = `The certificate in ${path} is damaged: ${reasonOf(cause)}.`
    throw refused('tlsCert', message, 'Give --tls-cert a PEM file.', cause)
  }
}

function privateKeyOf(text: string, path: string): KeyObject {
  try {
    return createPrivateKey(text)
  } catch (cause) {
    // OpenSSL's words for it depend on its version; those of the file do not.
    const isLocked = /ENCRYPTED/.test(text)
    throw refused(
      'tlsKey',
      isLocked ? `The key in ${path} is protected by a passphrase.` : `There is no private key in ${path}.`,
      isLocked
        ? 'Remove it with `openssl pkey -in locked.pem -out key.pem`, and let only the user of the server read the file.'
        : 'Give --tls-key a PEM file with an unencrypted private key.',
      cause,
    )
  }
}

function refused(field: string, message: string, hint: string, cause?: unknown): TacoError {
  if (cause === undefined) return badRequest(field, message, hint)
  return new TacoError('BAD_REQUEST', message, { facts: { field }, hint, cause })
}
