import { Readable } from 'node:stream'
import type { BlobDownloadResponseParsed, BlobItem } from '@azure/storage-blob'
import { systemClock } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import { badRequest } from '../../base/errors.ts'
import { conflict } from '../bucket.ts'
import type { Body, Bucket, Entry, Found, GetOptions, StoreClock, Tag } from '../bucket.ts'
import { checkKey } from '../keys.ts'
import { prefixed } from '../prefix.ts'
import { Again, retry, storeRetry, throwIfAborted } from '../retry.ts'
import type { RetryRules } from '../retry.ts'
import { azureError, azureFailure, openContainer } from './azure-client.ts'
import { notTheStore, unavailable, unsized, untagged } from './http/failures.ts'
import { pastTheEnd } from './http/found.ts'
import { listedEntries } from './http/listing.ts'
import { storeTime } from './http/store-time.ts'
import { measured } from './measured.ts'

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
}

/** Azure Blob Storage: https://learn.microsoft.com/rest/api/storageservices/blob-service-rest-api */
export async function openAzureBucket(options: AzureOptions): Promise<Bucket & StoreClock> {
  const clock = options.clock ?? systemClock
  const names = prefixed(options.prefix ?? '')
  const label = `azblob://${options.container}${names.prefix === '' ? '' : `/${names.prefix.slice(0, -1)}`}`
  const { container: name, account, endpoint, connectionString } = options
  const env = options.env ?? process.env
  const container = await openContainer({ container: name, account, endpoint, connectionString, env })
  const rules = options.retry ?? storeRetry
  const time = storeTime(clock)

  function blobAt(key: string) {
    checkKey(key)
    if (key.includes('\\')) {
      const fault = `the key ${JSON.stringify(key)} cannot be used: Azure takes a backslash for a slash`
      throw badRequest('key', fault, 'Use keys without backslashes.')
    }
    return container.getBlockBlobClient(names.whole(key))
  }

  /** Calls the store with retries; `otherwise` turns refusals that are answers into a value. */
  function ask<T extends { readonly date?: Date }, O>(
    call: { readonly what: string; readonly signal: AbortSignal | undefined; readonly attempts?: number },
    request: () => Promise<T>,
    otherwise: (status: number, code: string) => O | undefined,
  ): Promise<T | O> {
    return retry(
      { ...rules, attempts: call.attempts ?? rules.attempts, clock, signal: call.signal },
      async () => {
        try {
          const answer = await request()
          time.note(answer.date?.toUTCString())
          return answer
        } catch (error) {
          throwIfAborted(call.signal)
          const failure = azureFailure(error)
          if (failure?.status === 404 && !failure.isOwn) throw notTheStore(label, call.what, 404)
          const value = failure === undefined ? undefined : otherwise(failure.status, failure.code)
          if (value !== undefined) return value
          throw azureError(error, label, call.what)
        }
      },
    )
  }

  async function head(key: string, signal: AbortSignal | undefined): Promise<Entry | undefined> {
    const blob = blobAt(key)
    const call = { what: `looking at "${key}"`, signal }
    const answer = await ask(call, () => blob.getProperties(waiting(signal)), absentIf404)
    if (answer === 'absent') return undefined
    if (answer.etag === undefined) throw untagged(label, key)
    if (answer.contentLength === undefined) throw unsized(label, key)
    return entryOf(key, answer, answer.contentLength)
  }

  function get(
    key: string,
    options: GetOptions & { readonly ifNoneMatch: Tag },
  ): Promise<Found | 'unchanged' | undefined>
  function get(key: string, options?: GetOptions): Promise<Found | undefined>
  async function get(key: string, options: GetOptions = {}): Promise<Found | 'unchanged' | undefined> {
    const { range, ifNoneMatch, signal } = options
    const blob = blobAt(key)
    const conditions = ifNoneMatch === undefined ? {} : { conditions: { ifNoneMatch: etagOf(ifNoneMatch) } }
    const count = range === undefined ? undefined : range.end - range.start + 1
    const answer = await ask(
      { what: `reading "${key}"`, signal },
      () =>
        blob.download(range?.start ?? 0, count, { ...waiting(signal), ...conditions, maxRetryRequests: 4 }),
      (status, code) => {
        if (status === 304) return 'unchanged'
        if (status === 416) return 'past the end'
        return absentIf404(status, code)
      },
    )
    if (answer === 'unchanged') return 'unchanged'
    if (answer === 'absent') return undefined
    if (answer === 'past the end') return pastTheEnd(await head(key, signal), ifNoneMatch)
    const whole = /\/(\d+)$/.exec(answer.contentRange ?? '')?.[1] ?? answer.contentLength ?? 0
    return foundIn(answer, entryOf(key, answer, Number(whole)), label)
  }

  const put: Bucket['put'] = async (key, body, when, options = {}) => {
    const blob = blobAt(key)
    const conditions = when === 'absent' ? { ifNoneMatch: '*' } : { ifMatch: etagOf(when) }
    const blobHTTPHeaders = { blobContentType: options.contentType ?? 'application/octet-stream' }
    const answer = await upload(body, options.signal, (source, signal) =>
      ask(
        { what: `writing "${key}"`, signal: options.signal },
        () => blob.upload(source, body.size, { ...waiting(signal), conditions, blobHTTPHeaders }),
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

  /** The service cannot begin a listing in the middle, so `after` leaves out what comes before it here. */
  const list: Bucket['list'] = (prefix, { after, pageSize = 5000, signal } = {}) =>
    listedEntries<BlobItem>({
      names,
      prefix,
      after,
      async page(token) {
        const maxPageSize = Math.min(pageSize, 5000)
        const settings = token === undefined ? { maxPageSize } : { maxPageSize, continuationToken: token }
        const answer = await ask(
          { what: `listing "${prefix}"`, signal },
          async () => {
            const pages = container
              .listBlobsFlat({ prefix: names.prefix + prefix, ...waiting(signal) })
              .byPage(settings)
            const { value } = await pages.next()
            return value ?? { segment: { blobItems: [] }, continuationToken: '' }
          },
          () => undefined,
        )
        return { items: answer?.segment.blobItems ?? [], next: answer?.continuationToken || undefined }
      },
      entryOf: (key, { properties }) => entryOf(key, properties, properties.contentLength ?? 0),
    })

  return {
    kind: 'azblob',
    label,
    can: { conditionalDelete: true, listsInOneRequest: false },
    get,
    head: (key, options) => head(key, options?.signal),
    put,
    delete: remove,
    list,
    close: () => Promise.resolve(),
    storeTime: () => Promise.resolve(time.now()),
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

interface Properties {
  readonly etag?: string
  readonly lastModified?: Date
}

function entryOf(key: string, { etag, lastModified }: Properties, size: number): Entry {
  return { key, tag: tagOf(etag), size, modifiedAt: lastModified?.getTime() ?? 0 }
}

type Source = Buffer | (() => Readable)

/**
 * An error of a stream that the SDK sends ends the process, so a body that throws aborts the request instead,
 * and what it threw is thrown here.
 */
async function upload<T>(
  body: Body,
  outer: AbortSignal | undefined,
  send: (source: Source, signal: AbortSignal | undefined) => Promise<T>,
): Promise<T> {
  const { bytes } = body
  if (bytes !== undefined) return send(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), outer)
  const failed = new AbortController()
  async function* watched() {
    try {
      yield* measured(body)
    } catch (error) {
      failed.abort(error)
      // Ending would let the store take what came for the whole.
      await new Promise<never>(() => undefined)
    }
  }
  const signal = outer === undefined ? failed.signal : AbortSignal.any([outer, failed.signal])
  try {
    return await send(() => Readable.from(watched(), { objectMode: false }), signal)
  } catch (error) {
    if (outer?.aborted !== true && failed.signal.aborted) throw failed.signal.reason
    throw error
  }
}

function foundIn(answer: BlobDownloadResponseParsed, entry: Entry, label: string): Found {
  const source = answer.readableStreamBody
  async function* stream(): AsyncGenerator<Uint8Array> {
    try {
      for await (const part of source ?? []) yield part as Buffer
    } catch (error) {
      const failure = azureError(error, label, `reading "${entry.key}"`)
      if (failure instanceof Again) throw failure.error
      throw unavailable(label, `the answer broke off while reading "${entry.key}"`, {}, failure)
    }
  }
  return {
    ...entry,
    stream,
    async bytes() {
      const parts: Uint8Array[] = []
      for await (const part of stream()) parts.push(part)
      return Buffer.concat(parts)
    },
    discard() {
      if (source !== undefined && 'destroy' in source && typeof source.destroy === 'function')
        source.destroy()
    },
  }
}
