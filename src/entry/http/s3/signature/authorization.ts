import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { s3Error } from '../s3-error.ts'

/** How far the clock of a client may be off. */
const SKEW_MS = 15 * 60_000

const HEADER =
  /^AWS4-HMAC-SHA256 +Credential=([^,\s]+?)\/(\d{8})\/([^/,\s]+)\/([^/,\s]+)\/aws4_request *, *SignedHeaders=([^,\s]+) *, *Signature=([0-9a-f]{64}) *$/

/** A signature of a request, before it is known whether it is right. */
export interface RequestSignature {
  readonly accessKeyId: string
  /** `x-amz-date`. */
  readonly time: string
  /** `20260102/eu-west-1/s3/aws4_request`. */
  readonly scope: string
  /** In hex. The signatures of the chunks of a body follow from it. */
  readonly signature: string
  /** `x-amz-content-sha256`. */
  readonly payloadHash: string
  /** In constant time. The key for what else is signed in this request; undefined if the signature is wrong. */
  verified(secret: string): Buffer | undefined
}

export interface Signed {
  readonly method: string
  /** As sent, still encoded. */
  readonly path: string
  /** As sent, without the question mark. */
  readonly query: string
  readonly headers: IncomingMessage['headers']
}

/**
 * Signature version 4 in the header `Authorization`. Undefined: the request is not signed. Throws for what can be seen
 * to be wrong without the secret.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function readSignature(request: Signed, now: number): RequestSignature | undefined {
  const { headers } = request
  const header = headers.authorization
  if (header === undefined) return undefined
  const match = HEADER.exec(header)
  if (match === null) throw malformed('The header Authorization is not a signature of version 4.')
  const [, accessKeyId = '', day = '', region = '', service = '', names = '', signature = ''] = match
  if (service !== 's3') throw malformed(`The signature is for the service ${service}, and not for s3.`)
  const time = headers['x-amz-date']?.toString() ?? ''
  checkTime(time, day, now)
  const payloadHash = headers['x-amz-content-sha256']?.toString()
  if (payloadHash === undefined)
    throw s3Error('InvalidRequest', 'The header x-amz-content-sha256 is missing.')
  const signedNames = names.split(';')
  checkSigned(signedNames, headers)
  const scope = `${day}/${region}/s3/aws4_request`
  // Some clients sign the path as they send it, others with every sign escaped. Both mean the same path.
  const paths = new Set([request.path, canonicalPath(request.path)])
  const toSign = Array.from(paths, (path) => {
    const canonical = canonicalRequest({ ...request, path }, signedNames, payloadHash)
    return `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`
  })
  return {
    accessKeyId,
    time,
    scope,
    signature,
    payloadHash,
    verified(secret) {
      const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), 's3'), 'aws4_request')
      const given = Buffer.from(signature, 'hex')
      return toSign.some((text) => timingSafeEqual(hmac(key, text), given)) ? key : undefined
    },
  }
}

/** In hex, with the key that `verified` gives. */
export function signatureOf(key: Buffer, lines: readonly string[]): string {
  return hmac(key, lines.join('\n')).toString('hex')
}

function checkTime(time: string, day: string, now: number): void {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time)
  if (parts === null || !time.startsWith(day))
    throw malformed('The header x-amz-date is missing, or is not of the day that was signed.')
  const [, year, month, date, hour, minute, second] = parts
  const at = Date.parse(`${year}-${month}-${date}T${hour}:${minute}:${second}Z`)
  // Not a number for a date that does not exist.
  if (!(Math.abs(at - now) <= SKEW_MS))
    throw s3Error(
      'RequestTimeTooSkewed',
      'The request is more than 15 minutes off the clock of the server.',
      {
        code: 'UNAUTHENTICATED',
        hint: 'Set the clock of this machine.',
      },
    )
}

/** What is not signed could have been added on the way. */
function checkSigned(names: readonly string[], headers: Signed['headers']): void {
  const signed = new Set(names)
  const needed = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))]
  const missing = needed.filter((name) => !signed.has(name))
  if (missing.length > 0)
    throw s3Error('AccessDenied', `These headers are not signed: ${missing.join(', ')}.`, {
      code: 'UNAUTHENTICATED',
    })
}

function canonicalRequest(
  { method, path, query, headers }: Signed,
  names: readonly string[],
  payloadHash: string,
): string {
  return [
    method,
    path,
    canonicalQuery(query),
    ...names.map((name) => `${name}:${canonicalValue(headers[name])}`),
    '',
    names.join(';'),
    payloadHash,
  ].join('\n')
}

/** S3 escapes the path once and does not tidy it up. */
function canonicalPath(path: string): string {
  return path
    .split('/')
    .map((part) => escaped(decoded(part)))
    .join('/')
}

function canonicalQuery(query: string): string {
  if (query === '') return ''
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', ...value] = part.split('=')
      return [escaped(decoded(name)), escaped(decoded(value.join('=')))] as const
    })
    .toSorted((a, b) => byBytes(a[0], b[0]) || byBytes(a[1], b[1]))
    .map((pair) => pair.join('='))
    .join('&')
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Node joins headers that came more than once as signatures want them. */
function canonicalValue(value: string | string[] | undefined): string {
  return [value ?? ''].flat().join(',').trim().replaceAll(/\s+/g, ' ')
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw s3Error('InvalidRequest', `"${text}" is not valid percent-encoding.`)
  }
}

function escaped(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function malformed(message: string) {
  return s3Error('AuthorizationHeaderMalformed', message, {
    code: 'UNAUTHENTICATED',
    hint: 'Use the keys that `taco s3-keys` prints.',
  })
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
