import type { IncomingHttpHeaders } from 'node:http'
import { systemClock } from '../../../base/clock.ts'
import type { Clock } from '../../../base/clock.ts'
import { TacoError } from '../../../base/errors.ts'
import { conflict } from '../../bucket.ts'
import type { Adjustable } from '../../abilities.ts'
import type { Bucket, BucketAbilities, Entry, Found, GetOptions, StoreClock, Tag } from '../../bucket.ts'
import { checkKey } from '../../keys.ts'
import { prefixed } from '../../prefix.ts'
import { type RetryRules, storePatience } from '../../../base/retry.ts'
import { notTheStore, otherBytes, unavailable, unsized, untagged } from '../rest-client/failures.ts'
import { foundObject, pastTheEnd } from '../rest-client/found.ts'
import { listedEntries } from '../rest-client/listing.ts'
import { isAskedFor, partIn } from '../rest-client/part.ts'
import type { Part } from '../rest-client/part.ts'
import { shortened } from '../rest-client/text.ts'
import type { ShortAnswer } from '../rest-client/text.ts'
import { s3Address } from './address.ts'
import { openS3Client, UndecidedConflict } from './client.ts'
import { credentialSource } from './credentials.ts'
import { regionOf } from './region.ts'
import type { Credentials } from './signer.ts'
import { readError, readListing } from './xml.ts'

export interface S3Options {
  readonly bucket: string
  readonly prefix?: string | undefined
  /** Default: AWS_REGION, AWS_DEFAULT_REGION, the profile's, us-east-1. */
  readonly region?: string | undefined
  /** Default: AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, AWS itself. */
  readonly endpoint?: string | undefined
  /** Default: true with a custom endpoint, false at AWS. */
  readonly pathStyle?: boolean | undefined
  readonly sse?: 'AES256' | 'aws:kms' | 'aws:kms:dsse' | undefined
  readonly kmsKeyId?: string | undefined
  readonly credentials?: Credentials | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly clock?: Clock | undefined
  readonly retry?: RetryRules | undefined
  /** An attempt fails if nothing was sent or received for this long. */
  readonly idleTimeoutMs?: number | undefined
}

/** Any S3 server: https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html */
export function openS3Bucket(options: S3Options): Bucket & StoreClock & Adjustable {
  const env = options.env ?? process.env
  const clock = options.clock ?? systemClock
  const region = options.region ?? regionOf(env)
  const endpoint = options.endpoint ?? (env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'] || undefined)
  const names = prefixed(options.prefix ?? '')
  const label = `s3://${options.bucket}${names.prefix === '' ? '' : `/${names.prefix.slice(0, -1)}`}`
  const address = s3Address({ bucket: options.bucket, region, endpoint, pathStyle: options.pathStyle })
  const client = openS3Client({
    address,
    // At AWS, TLS protects the bytes. Some other servers keep the part of an upload that arrived before it broke off,
    // and only a hash mismatch stops them.
    signsBodies: !address.secure || endpoint !== undefined,
    region,
    label,
    credentials: credentialSource({ given: options.credentials, env, clock }),
    clock,
    retry: options.retry,
    idleTimeoutMs: options.idleTimeoutMs ?? storePatience().idleTimeoutMs,
  })
  const encryption = encryptionHeaders(options)

  function whole(key: string): string {
    checkKey(key)
    return names.whole(key)
  }

  function get(
    key: string,
    options: GetOptions & { readonly ifNoneMatch: Tag },
  ): Promise<Found | 'unchanged' | undefined>
  function get(key: string, options?: GetOptions): Promise<Found | undefined>
  async function get(key: string, options: GetOptions = {}): Promise<Found | 'unchanged' | undefined> {
    const { range, ifNoneMatch, signal } = options
    const headers: Record<string, string> = {}
    if (range !== undefined) headers['range'] = `bytes=${range.start}-${range.end}`
    if (ifNoneMatch !== undefined) headers['if-none-match'] = etagOf(ifNoneMatch)
    const call = { method: 'GET', key: whole(key), what: `reading "${key}"`, signal } as const
    const answer = await client.call({ ...call, headers, expects: [200, 206, 304, 404, 416] })
    switch (answer.statusCode) {
      case 304:
        answer.resume()
        if (ifNoneMatch === undefined) throw notTheStore(label, call.what, 304)
        // Some servers, Garage for one, give neither the tag nor an id.
        if (isUnchanged(answer.headers, ifNoneMatch) || (await head(key, signal))?.tag === ifNoneMatch)
          return 'unchanged'
        throw notTheStore(label, call.what, 304)
      case 404:
        checkRefusal(await shortened(answer), call.what)
        return undefined
      case 416:
        answer.resume()
        return pastTheEnd(await head(key, signal), options, label)
      default:
    }
    let described: Described
    try {
      described = describedIn(key, answer.headers, call.what)
      if (!isAskedFor(described.part, range)) throw otherBytes(label, key)
    } catch (error) {
      answer.destroy()
      throw error
    }
    const { entry, part } = described
    const resume = async ({ start, end }: NonNullable<GetOptions['range']>) => {
      const rest = { range: `bytes=${start}-${end}`, 'if-match': etagOf(entry.tag) }
      const more = await client.call({ ...call, headers: rest, expects: [206, 404, 412, 416] })
      const { etag } = more.headers
      if (more.statusCode === 206)
        return { answer: more, part: partIn(more.headers), tag: etag === undefined ? etag : tagOf(etag) }
      more.resume()
      throw unavailable(label, `"${key}" was replaced while it was read`)
    }
    return foundObject({ entry, label, answer, part, resume, signal })
  }

  async function head(key: string, signal: AbortSignal | undefined): Promise<Entry | undefined> {
    const call = { method: 'HEAD', key: whole(key), what: `looking at "${key}"`, signal } as const
    const answer = await client.ask({ ...call, expects: FOUND_OR_NOT })
    if (answer.status === 404) return isOwn(answer.headers) ? undefined : entryInFull(key, signal)
    return describedIn(key, answer.headers, call.what).entry
  }

  /** The 404 to a HEAD has no document that identifies the sender; the 404 to a GET has. */
  async function entryInFull(key: string, signal: AbortSignal | undefined): Promise<Entry | undefined> {
    const found = await get(key, signal === undefined ? {} : { signal })
    if (found === undefined) return undefined
    found.discard()
    const { tag, size, modifiedAt } = found
    return { key, tag, size, modifiedAt }
  }

  /** What the store must report about an object. Throws if it does not, or if someone else answers. */
  function describedIn(key: string, headers: IncomingHttpHeaders, what: string): Described {
    if (isPage(headers)) throw notTheStore(label, what, 200)
    if (headers.etag === undefined) throw untagged(label, key)
    const part = partIn(headers)
    if (part === undefined) throw unsized(label, key)
    const modifiedAt = Date.parse(headers['last-modified'] ?? '') || 0
    return { entry: { key, tag: tagOf(headers.etag), size: part.size, modifiedAt }, part }
  }

  /** Throws if someone else refuses, or if the store has no such bucket. */
  function checkRefusal({ status, headers, text }: ShortAnswer, what: string): void {
    const { code } = readError(text)
    if (code === undefined && !isOwn(headers)) throw notTheStore(label, what, status)
    if (code !== 'NoSuchBucket') return
    throw new TacoError('BUCKET_REFUSED', `The bucket ${label} does not exist.`, {
      hint: 'Create the bucket first, or correct its name, region or endpoint.',
      facts: { bucket: label, code: 'NoSuchBucket' },
    })
  }

  const put: Bucket['put'] = async (key, body, when, options = {}) => {
    const condition = when === 'absent' ? { 'if-none-match': '*' } : { 'if-match': etagOf(when) }
    const contentType = options.contentType ?? 'application/octet-stream'
    const headers = { ...encryption, ...condition, 'content-type': contentType }
    const call = { method: 'PUT', key: whole(key), what: `writing "${key}"`, signal: options.signal } as const
    try {
      const answer = await client.ask({ ...call, headers, body, expects: WRITTEN_OR_NOT })
      if (answer.status !== 200) {
        checkRefusal(answer, call.what)
        return conflict
      }
      if (!isReceipt(answer)) throw notTheStore(label, call.what, 200)
      const { etag } = answer.headers
      if (etag === undefined) throw untagged(label, key)
      return { kind: 'written', tag: tagOf(etag) }
    } catch (error) {
      if (error instanceof UndecidedConflict) return conflict
      throw error
    }
  }

  const list: Bucket['list'] = (prefix, { after, pageSize, signal } = {}) =>
    listedEntries({
      names,
      prefix,
      async page(token) {
        const query = {
          'list-type': '2',
          'encoding-type': 'url',
          prefix: names.prefix + prefix || undefined,
          'max-keys': pageSize === undefined ? undefined : String(Math.min(pageSize, 1000)),
          'continuation-token': token,
          'start-after': token === undefined && after !== undefined ? names.prefix + after : undefined,
        }
        const what = `listing "${prefix}"`
        const page = readListing(await client.text({ method: 'GET', query, what, signal, expects: [200] }))
        if (page === undefined) throw unavailable(label, `it sent an unexpected answer while ${what}`)
        return page
      },
      entryOf: (key, { etag, size, modifiedAt }) => ({ key, tag: tagOf(etag), size, modifiedAt }),
    })

  function withAbilities(can: BucketAbilities): Bucket & StoreClock & Adjustable {
    const remove: Bucket['delete'] = async (key, when, options = {}) => {
      const call = {
        method: 'DELETE',
        key: whole(key),
        what: `deleting "${key}"`,
        signal: options.signal,
      } as const
      if (!can.conditionalDelete) {
        const entry = await head(key, options.signal)
        if (entry === undefined) return 'absent'
        if (entry.tag !== when) return conflict
      }
      try {
        const headers = { 'if-match': etagOf(when) }
        const answer = await client.ask({
          ...call,
          headers,
          retry: options.retry,
          expects: [200, 204, 404, 412],
        })
        if (answer.status === 404) {
          checkRefusal(answer, call.what)
          return 'absent'
        }
        if (!isReceipt(answer)) throw notTheStore(label, call.what, answer.status)
        if (answer.status !== 412) return 'deleted'
        // Of some servers, a condition on nothing does not hold.
        return (await head(key, options.signal)) === undefined ? 'absent' : conflict
      } catch (error) {
        if (error instanceof UndecidedConflict) return conflict
        throw error
      }
    }
    return {
      kind: 's3',
      label,
      can,
      get,
      head: (key, options) => head(key, options?.signal),
      put,
      delete: remove,
      list,
      close: () => Promise.resolve(client.close()),
      storeTime: () => Promise.resolve(client.storeTime()),
      withAbilities,
    }
  }

  // AWS honours the condition on a delete; of other servers only the probe knows.
  return withAbilities({ conditionalDelete: endpoint === undefined, listsInOneRequest: false })
}

const FOUND_OR_NOT = [200, 404]
const WRITTEN_OR_NOT = [200, 404, 412]

interface Described {
  readonly entry: Entry
  readonly part: Part
}

/** True if the answer is the store's own. Without this id it may still be, because some servers send none. */
function isOwn(headers: IncomingHttpHeaders): boolean {
  return headers['x-amz-request-id'] !== undefined
}

/** The kind of page that web servers send for any request, even with a tag. No state looks like it. */
function isPage(headers: IncomingHttpHeaders): boolean {
  return !isOwn(headers) && (headers['content-type'] ?? '').startsWith('text/html')
}

/** One without a text is no page, though some frameworks call that text/html, too. */
function isReceipt({ status, headers }: ShortAnswer): boolean {
  return status === 204 || headers['content-length'] === '0' || !isPage(headers)
}

/** Some stores give a 304 the tag, as is the rule, others only an id. */
function isUnchanged(headers: IncomingHttpHeaders, tag: Tag): boolean {
  return headers.etag === undefined ? isOwn(headers) : tagOf(headers.etag) === tagOf(tag)
}

function encryptionHeaders({ sse, kmsKeyId }: S3Options): Record<string, string> {
  if (sse === undefined) return {}
  const key = kmsKeyId === undefined ? {} : { 'x-amz-server-side-encryption-aws-kms-key-id': kmsKeyId }
  return { 'x-amz-server-side-encryption': sse, ...key }
}

/** Servers differ in whether listings quote the ETag, so tags have no quotes. */
function tagOf(etag: string): Tag {
  return etag.replace(/^W\/|"/g, '') as Tag
}

function etagOf(tag: Tag): string {
  return `"${tag.replaceAll('"', '')}"`
}
