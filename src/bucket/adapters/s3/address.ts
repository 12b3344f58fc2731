import { badRequest } from '../../../base/errors.ts'
import { addressOf } from '../rest-client/transport.ts'
import type { HttpAddress } from '../rest-client/transport.ts'
import { escapePath } from './signer.ts'

export interface S3AddressOptions {
  readonly bucket: string
  readonly region: string
  readonly endpoint?: string | undefined
  readonly pathStyle?: boolean | undefined
}

export interface S3Address extends HttpAddress {
  /** The `host` header, which is signed. */
  readonly host: string
  /** What goes before `/<key>` in the path. */
  readonly base: string
}

export function s3Address(options: S3AddressOptions): S3Address {
  const { bucket, region, endpoint } = options
  const url = parsed(
    endpoint ?? `https://s3.${region}.${region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'}`,
  )
  // Other servers seldom have a wildcard name, and a dot in the bucket's name breaks the wildcard certificate.
  const pathStyle = options.pathStyle ?? (endpoint !== undefined || bucket.includes('.'))
  const server = addressOf(url)
  const path = url.pathname.replace(/\/+$/, '')
  return {
    ...server,
    hostname: pathStyle ? server.hostname : `${bucket}.${server.hostname}`,
    host: pathStyle ? url.host : `${bucket}.${url.host}`,
    base: pathStyle ? `${path}/${escapePath(bucket)}` : path,
  }
}

function parsed(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    throw badRequest(
      'bucket',
      'The endpoint of the S3 bucket is not an http or https address.',
      'Write the full address, for example endpoint=https://s3.example.com.',
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw badRequest(
      'bucket',
      'The endpoint of the S3 bucket contains a user name or a password.',
      'Put the keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    )
  }
  return url
}
