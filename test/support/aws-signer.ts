import { createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'

/** The oracle takes its hash as a class. */
class Sha256 {
  readonly #hash
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret))
  }
  update(data: string | ArrayBuffer | ArrayBufferView) {
    this.#hash.update(bytesOf(data))
  }
  digest() {
    return Promise.resolve(new Uint8Array(this.#hash.digest()))
  }
  reset() {}
}

function bytesOf(data: string | ArrayBuffer | ArrayBufferView): Buffer {
  if (typeof data === 'string') return Buffer.from(data)
  return ArrayBuffer.isView(data)
    ? Buffer.from(data.buffer, data.byteOffset, data.byteLength)
    : Buffer.from(data)
}

export interface AwsCredentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** Signs as the AWS SDK does for S3. */
export function awsSigner(credentials: AwsCredentials, region = 'eu-west-1'): SignatureV4 {
  return new SignatureV4({ credentials, region, service: 's3', sha256: Sha256, uriEscapePath: false })
}

export interface ToSign {
  readonly method: string
  /** Escaped, without a query. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly host?: string
  /** Instead of that of the body. */
  readonly payloadHash?: string
  readonly at?: Date
}

/** The headers of a signed request. */
export async function signedHeaders(
  credentials: AwsCredentials,
  { method, path, query = {}, headers = {}, body = '', host = 'taco', payloadHash, at = new Date() }: ToSign,
): Promise<Record<string, string>> {
  const hash = payloadHash ?? createHash('sha256').update(body).digest('hex')
  const signed = await awsSigner(credentials).sign(
    {
      method,
      protocol: 'https:',
      hostname: host,
      path,
      query: { ...query },
      headers: { ...headers, host, 'x-amz-content-sha256': hash },
    },
    { signingDate: at },
  )
  return signed.headers
}
