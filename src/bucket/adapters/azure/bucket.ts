import type { Readable } from 'node:stream'
import type { BlobDownloadOptions, BlobItem, BlockBlobClient } from '@azure/storage-blob'
import { systemClock } from '../../../base/clock.ts'
import type { Clock } from '../../../base/clock.ts'
import { badRequest } from '../../../base/errors.ts'
import { conflict } from '../../bucket.ts'
import type { Bucket, Entry, Found, GetOptions, StoreClock, Tag } from '../../bucket.ts'
import { checkKey } from '../../keys.ts'
import { prefixed } from '../../prefix.ts'
import { Again, retry, storePatience, throwIfAborted } from '../../../base/retry.ts'
import type { RetryRules } from '../../../base/retry.ts'
import { azureError, azureFailure, openContainer } from './client.ts'
import { azureLeases, underLease } from './leases.ts'
import { upload } from './upload.ts'
import { notTheStore, otherBytes, unavailable, unsized, untagged } from '../rest-client/failures.ts'
import { foundObject, pastTheEnd } from '../rest-client/found.ts'
import { listedEntries } from '../rest-client/listing.ts'
import { isAskedFor, partIn } from '../rest-client/part.ts'
import { storeTime } from '../rest-client/store-time.ts'

export interface AzureOptions {
  readonly container: string
  readonly prefix?: string | undefined
  /** Default: AZURE_STORAGE_ACCOUNT. */
  readonly account?: string | undefined
  readonly endpoint?: string | undefined
  /** Default: AZURE_STORAGE_CONNECTION_STRING. */
  readonly connectionString?: string | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly clock?: Clock | undefined
  readonly retry?: RetryRules | undefined
  /** An attempt fails if the store does not answer for this long. */
  readonly idleTimeoutMs?: number | undefined
}

/** Azure Blob Storage: https://learn.microsoft.com/rest/api/storageservices/blob-service-rest-api */
export async function openAzureBucket(options: AzureOptions): Promise<Bucket & StoreClock> {
  const clock = options.clock ?? systemClock
  const names = prefixed(options.prefix ?? '')
  const label = `azblob://${options.container}${names.prefix === '' ? '' : `/${names.prefix.slice(0, -1)}`}`
  const { container: name, account, endpoint, connectionString } = options
  const env = options.env ?? process.env
  const container = await openContainer({ container: name, account, endpoint, connectionString, env })
  const rules = options.retry ?? storePatience().retry
  const patienceMs = options.idleTimeoutMs ?? storePatience().idleTimeoutMs
  const time = storeTime(clock)

  function blobAt(key: string) {
    checkKey(key)
    if (key.includes('\\')) {
      const fault = `The key ${JSON.stringify(key)} cannot be used: Azure treats a backslash as a slash.`
      throw badRequest('key', fault, 'Use keys without backslashes.')
    }
    return container.getBlockBlobClient(names.whole(key))
  }

  /** Calls the store with retries; `otherwise` turns refusals that are answers into a value. */
  function ask<T extends Answer, O>(
    call: {
      readonly what: string
      readonly signal: AbortSignal | undefined
      readonly attempts?: number
      readonly bytes?: number
    },
    request: () => Promise<T>,
    otherwise: (status: number, code: string) => O | undefined,
  ): Promise<T | O> {
    return retry(
      { ...rules, attempts: call.attempts ?? rules.attempts, clock, signal: call.signal },
      async () => {
        try {
          const answer = await inTime(request(), patienceMs + (call.bytes ?? 0) / SLOWEST_BYTES_PER_MS)
          const { requestId, _response: response } = answer
          if (requestId === undefined) throw notTheStore(label, call.what, response.status)
          time.note(answer.date?.toUTCString())
          return answer
        } catch (error) {
          throwIfAborted(call.signal)
          if (error instanceof TooLate) throw new Again(unavailable(label, error.message, {}, error))
          const failure = azureFailure(error)
          if (failure === undefined) throw azureError(error, label, call.what)
          const { status, code } = failure
          const value = otherwise(status, code)
          if (!failure.isOwn && (status === 404 || value !== undefined))
            throw notTheStore(label, call.what, status)
          if (value !== undefined) return value
          throw azureError(error, label, call.what)
        }
      },
    )
  }

  async function properties(key: string, signal: AbortSignal | undefined) {
    const blob = blobAt(key)
    const call = { what: `looking at "${key}"`, signal }
    const answer = await ask(call, () => blob.getProperties(waiting(signal)), absentIf404)
    if (answer === 'absent') return undefined
    if (answer.etag === undefined) throw untagged(label, key)
    if (answer.contentLength === undefined) throw unsized(label, key)
    return { ...entryOf(key, answer, answer.contentLength), metadata: answer.metadata ?? {} }
  }

  async function head(key: string, signal: AbortSignal | undefined): Promise<Entry | undefined> {
    const found = await properties(key, signal)
    if (found === undefined) return undefined
    const { metadata: _beside, ...entry } = found
    return entry
  }

  function get(
    key: string,
    options: GetOptions & { readonly ifNoneMatch: Tag },
  ): Promise<Found | 'unchanged' | undefined>
  function get(key: string, options?: GetOptions): Promise<Found | undefined>
  async function get(key: string, options: GetOptions = {}): Promise<Found | 'unchanged' | undefined> {
    const { range, ifNoneMatch, signal } = options
    const blob = blobAt(key)
    const call = { what: `reading "${key}"`, signal }
    const unless = ifNoneMatch === undefined ? {} : { ifNoneMatch: etagOf(ifNoneMatch) }
    const got = await ask(
      call,
      () => download(blob, key, range, { ...waiting(signal), conditions: unless }),
      (status, code) => {
        if (status === 304 && ifNoneMatch !== undefined) return 'unchanged'
        if (status === 416) return 'past the end'
        return absentIf404(status, code)
      },
    )
    if (got === 'unchanged') return 'unchanged'
    if (got === 'absent') return undefined
    if (got === 'past the end') return pastTheEnd(await head(key, signal), options, label)
    const { answer, part } = got
    if (part === undefined || !isAskedFor(part, range)) {
      answer.destroy()
      throw part === undefined ? unsized(label, key) : otherBytes(label, key)
    }
    const same = { ...waiting(signal), conditions: { ifMatch: etagOf(tagOf(got.etag)) } }
    const resume = async (rest: Range) => {
      const more = await ask(
        call,
        () => download(blob, key, rest, same),
        (status) => ([404, 412, 416].includes(status) ? 'replaced' : undefined),
      )
      if (more === 'replaced') throw unavailable(label, `"${key}" was replaced while it was read`)
      return { answer: more.answer, part: more.part, tag: tagOf(more.etag) }
    }
    return foundObject({ entry: entryOf(key, got, part.size), label, answer, part, resume, signal })
  }

  /** The SDK would resume a broken answer with whatever it receives next. */
  async function download(
    blob: BlockBlobClient,
    key: string,
    range: Range | undefined,
    options: BlobDownloadOptions,
  ) {
    const count = range === undefined ? undefined : range.end - range.start + 1
    try {
      const got = await blob.download(range?.start ?? 0, count, { ...options, maxRetryRequests: 0 })
      const { requestId, date, etag, lastModified, contentRange, contentLength, _response } = got
      // It flows at once: one that breaks off before it is read must not end the process.
      const answer = (got.readableStreamBody as Readable).on('error', () => undefined)
      if (requestId === undefined) answer.destroy()
      const part = partIn({ 'content-range': contentRange, 'content-length': String(contentLength) })
      return { requestId, date, etag, lastModified, _response, answer, part }
    } catch (error) {
      // So the SDK words that there is no tag, or no length.
      if (!(error instanceof RangeError)) throw error
      throw error.message.includes('etag') ? untagged(label, key) : unsized(label, key)
    }
  }

  const put: Bucket['put'] = async (key, body, when, options = {}) => {
    const blob = blobAt(key)
    const lease = underLease(options.lease)
    const unless = when === 'absent' ? { ifNoneMatch: '*' } : { ifMatch: etagOf(when) }
    const about = { conditions: { ...unless, ...lease.conditions }, metadata: lease.metadata }
    const blobHTTPHeaders = { blobContentType: options.contentType ?? 'application/octet-stream' }
    const answer = await upload(body, options.signal, (source, signal) =>
      ask(
        { what: `writing "${key}"`, signal: options.signal, bytes: body.size },
        () => blob.upload(source, body.size, { ...waiting(signal), ...about, blobHTTPHeaders }),
        (status, code) => {
          const lost =
            [404, 409, 412].includes(status) && !['ContainerNotFound', 'LeaseIdMissing'].includes(code)
          return lost ? conflict : undefined
        },
      ),
    )
    if ('kind' in answer) return conflict
    if (answer.etag === undefined) throw untagged(label, key)
    return { kind: 'written', tag: tagOf(answer.etag) }
  }

  const remove: Bucket['delete'] = async (key, when, options = {}) => {
    const blob = blobAt(key)
    const { signal } = options
    const call = { what: `deleting "${key}"`, signal, ...(options.retry === false ? { attempts: 1 } : {}) }
    const conditions = { ifMatch: etagOf(when) }
    const answer = await ask(
      call,
      () => blob.delete({ ...waiting(signal), conditions }),
      (status, code) => {
        if (status === 412 && code !== 'LeaseIdMissing') return conflict
        return absentIf404(status, code)
      },
    )
    if (answer === 'absent') return 'absent'
    if (!('kind' in answer)) return 'deleted'
    // A condition on nothing does not hold either.
    return (await head(key, signal)) === undefined ? 'absent' : conflict
  }

  /** The service cannot start a listing in the middle, so we skip everything up to `after` here. */
  const list: Bucket['list'] = (prefix, { after, pageSize = 5000, signal } = {}) =>
    listedEntries<BlobItem>({
      names,
      prefix,
      after,
      async page(token) {
        const maxPageSize = Math.min(pageSize, 5000)
        const settings = token === undefined ? { maxPageSize } : { maxPageSize, continuationToken: token }
        const what = `listing "${prefix}"`
        const answer = await ask(
          { what, signal },
          async () => {
            const pages = container
              .listBlobsFlat({ prefix: names.prefix + prefix, ...waiting(signal) })
              .byPage(settings)
            try {
              return (await pages.next()).value
            } catch (error) {
              // What is no listing, the SDK takes apart as if it were one.
              if (!(error instanceof TypeError)) throw error
              throw unavailable(label, `it sent an unexpected answer while ${what}`)
            }
          },
          () => undefined,
        )
        return { items: answer.segment.blobItems, next: answer.continuationToken || undefined }
      },
      entryOf: (key, { properties }) => entryOf(key, properties, properties.contentLength ?? 0),
    })

  return {
    kind: 'azblob',
    label,
    can: { conditionalDelete: true, listsInOneRequest: false },
    locks: {
      placeOf: (key) => key,
      isLock: ({ leased }) => leased === true,
      leases: azureLeases({
        blobAt,
        properties: (key) => properties(key, undefined),
        ask: (what, request, refused) => ask({ what, signal: undefined }, request, refused),
        etagOf,
        tagOf,
      }),
    },
    get,
    head: (key, options) => head(key, options?.signal),
    put,
    delete: remove,
    list,
    close: () => Promise.resolve(),
    storeTime: () => Promise.resolve(time.now()),
  }
}

/** The library has no time-out for silence, so an upload gets time for its size. */
const SLOWEST_BYTES_PER_MS = 50

class TooLate extends Error {}

/** The request is left to itself: what becomes of it is as unknown as after a lost connection. */
async function inTime<T>(work: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TooLate(`no data arrived for ${Math.round(ms / 100) / 10} s`)), ms)
  })
  work.catch(() => undefined)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function absentIf404(status: number, code: string): 'absent' | undefined {
  return status === 404 && code !== 'ContainerNotFound' ? 'absent' : undefined
}

function waiting(signal: AbortSignal | undefined): { abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal }
}

function tagOf(etag: string | undefined): Tag {
  return (etag ?? '').replaceAll('"', '') as Tag
}

function etagOf(tag: Tag): string {
  return `"${tag.replaceAll('"', '')}"`
}

type Range = NonNullable<GetOptions['range']>

interface Answer {
  readonly date?: Date | undefined
  /** The store puts an id on every answer. An answer without one is not from the store. */
  readonly requestId?: string | undefined
  readonly _response: { readonly status: number }
}

interface Properties {
  readonly etag?: string | undefined
  readonly lastModified?: Date | undefined
  readonly leaseStatus?: string | undefined
}

function entryOf(key: string, { etag, lastModified, leaseStatus }: Properties, size: number): Entry {
  const entry = { key, tag: tagOf(etag), size, modifiedAt: lastModified?.getTime() ?? 0 }
  return leaseStatus === 'locked' ? { ...entry, leased: true } : entry
}
