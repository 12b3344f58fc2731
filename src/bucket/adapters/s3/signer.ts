import { createHmac, hash } from 'node:crypto'

export interface Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string | undefined
  /** Milliseconds since the epoch; undefined for keys that do not expire. */
  readonly expiresAt?: number | undefined
}

export interface Signable {
  readonly method: string
  /** As sent: each segment escaped once by `escapePath`. */
  readonly path: string
  /** As sent: made by `queryString`. */
  readonly query: string
  /** Lower-case names, `host` among them. All of them are signed. */
  readonly headers: Readonly<Record<string, string>>
  readonly payloadHash: string
}

export const UNSIGNED_PAYLOAD = 'UNSIGNED-PAYLOAD'
export const EMPTY_HASH = sha256('')

export type Signer = (request: Signable, credentials: Credentials, now: number) => Record<string, string>

/**
 * Signature version 4 for S3, which escapes the path once and does not normalise it:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function createSigner(region: string): Signer {
  let cached: { day: string; secret: string; key: Buffer } | undefined
  let clock = { second: Number.NaN, time: '' }

  /** The same all day. */
  function signingKey(day: string, secret: string): Buffer {
    if (cached?.day !== day || cached.secret !== secret) {
      const key = hmac(hmac(hmac(hmac(`AWS4${secret}`, day), region), 's3'), 'aws4_request')
      cached = { day, secret, key }
    }
    return cached.key
  }

  function timeAt(now: number): string {
    const second = Math.floor(now / 1000)
    if (clock.second !== second)
      clock = { second, time: new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '') }
    return clock.time
  }

  return function sign(request, credentials, now) {
    const time = timeAt(now)
    const day = time.slice(0, 8)
    const headers: Record<string, string> = {
      ...request.headers,
      'x-amz-content-sha256': request.payloadHash,
      'x-amz-date': time,
    }
    if (credentials.sessionToken !== undefined) headers['x-amz-security-token'] = credentials.sessionToken

    const names = Object.keys(headers).toSorted()
    const signed = names.join(';')
    const canonicalHeaders = names.map((name) => `${name}:${canonicalValue(headers[name] ?? '')}\n`).join('')
    const canonical = [
      request.method,
      request.path,
      request.query,
      canonicalHeaders,
      signed,
      request.payloadHash,
    ].join('\n')
    const scope = `${day}/${region}/s3/aws4_request`
    const toSign = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`
    const signature = hmac(signingKey(day, credentials.secretAccessKey), toSign).toString('hex')
    headers['authorization'] =
      `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${signed}, Signature=${signature}`
    return headers
  }
}

/** Everything but unreserved characters and slashes. */
export function escapePath(path: string): string {
  if (/^[A-Za-z0-9_.~/-]*$/.test(path)) return path
  return path.split('/').map(escapeText).join('/')
}

/** Sorted as signatures want it. */
export function queryString(query: Readonly<Record<string, string | undefined>>): string {
  const parts: string[] = []
  for (const name of Object.keys(query).toSorted()) {
    const value = query[name]
    if (value !== undefined) parts.push(`${escapeText(name)}=${escapeText(value)}`)
  }
  return parts.join('&')
}

export function sha256(content: string | Uint8Array): string {
  return hash('sha256', content, 'hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function escapeText(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

function canonicalValue(value: string): string {
  return value.trim().replace(/\s+/g, ' ')
}
