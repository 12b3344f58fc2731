import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { systemClock } from '../../../base/clock.ts'
import type { Clock } from '../../../base/clock.ts'
import type { Adjustable } from '../../abilities.ts'
import { conflict, lockBeside } from '../../bucket.ts'
import type {
  Bucket,
  BucketAbilities,
  Entry,
  Found,
  GetOptions,
  StoreClock,
  StoreLocks,
  Tag,
} from '../../bucket.ts'
import { checkKey } from '../../keys.ts'
import { prefixed } from '../../prefix.ts'
import { type RetryRules, storePatience } from '../../../base/retry.ts'
import { isOwn, noSuchBucket, openGcsClient } from './client.ts'
import type { GcsCall } from './client.ts'
import { tokenSource } from './credentials.ts'
import type { GivenToken } from './credentials.ts'
import { notTheStore, otherBytes, unavailable, unsized, untagged } from '../rest-client/failures.ts'
import { foundObject, pastTheEnd } from '../rest-client/found.ts'
import { listedEntries } from '../rest-client/listing.ts'
import { isAskedFor, partIn } from '../rest-client/part.ts'
import type { Part } from '../rest-client/part.ts'
import { shortened } from '../rest-client/text.ts'
import type { ShortAnswer } from '../rest-client/text.ts'

export interface GcsOptions {
  readonly bucket: string
  readonly prefix?: string | undefined
  /** Default: STORAGE_EMULATOR_HOST (then without credentials), else Google itself. */
  readonly endpoint?: string | undefined
  readonly token?: GivenToken | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly clock?: Clock | undefined
  readonly retry?: RetryRules | undefined
  readonly idleTimeoutMs?: number | undefined
}

/** `backend "gcs"` puts its lock at the state's key with another ending: `<prefix>/<workspace>.tflock`. */
export const gcsLocks: StoreLocks = {
  ...lockBeside,
  placeOf: (key) => lockBeside.placeOf(key.replace(/\.tfstate$/, '')),
}

const GOOGLE = 'https://storage.googleapis.com'

const Resource = z.object({
  name: z.string(),
  generation: z.string(),
  size: z.string().default('0'),
  updated: z.string().optional(),
})
/** Without its kind, any document would be an empty listing. */
const Listing = z.object({
  kind: z.literal('storage#objects'),
  items: z.array(Resource).default([]),
  nextPageToken: z.string().optional(),
})

/** Google Cloud Storage; the tag is the generation, which never returns. */
export async function openGcsBucket(options: GcsOptions): Promise<Bucket & StoreClock & Adjustable> {
  const env = options.env ?? process.env
  const emulator = env['STORAGE_EMULATOR_HOST'] || undefined
  const endpoint = options.endpoint ?? emulator ?? GOOGLE
  const names = prefixed(options.prefix ?? '')
  const label = `gs://${options.bucket}${names.prefix === '' ? '' : `/${names.prefix.slice(0, -1)}`}`
  const client = openGcsClient({
    bucket: options.bucket,
    endpoint: endpoint.includes('://') ? endpoint : `http://${endpoint}`,
    label,
    token: await tokenSource(options.token, endpoint === emulator),
    clock: options.clock ?? systemClock,
    retry: options.retry,
    idleTimeoutMs: options.idleTimeoutMs ?? storePatience().idleTimeoutMs,
  })

  function pathOf(key: string): string {
    checkKey(key)
    return `/o/${encodeURIComponent(names.whole(key))}`
  }

  async function head(key: string, signal: AbortSignal | undefined): Promise<Entry | undefined> {
    const path = pathOf(key)
    const query = { fields: 'name,generation,size,updated' }
    const what = `looking at "${key}"`
    const answer = await client.json(
      { method: 'GET', path, query, what, signal, expects: [200, 404] },
      Resource,
    )
    if ('found' in answer) return entryOf(key, answer.found)
    await checkAbsence(await shortened(answer), what, signal)
    return undefined
  }

  let bucketIsKnown = false

  async function checkAbsence(
    answer: ShortAnswer,
    what: string,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    if (!isOwn(answer)) throw notTheStore(label, what, answer.status)
    if (/specified bucket does not exist/i.test(answer.text)) throw noSuchBucket(label)
    // Google also answers "no such object" if the bucket does not exist.
    if (!bucketIsKnown)
      await listed({ prefix: names.prefix || undefined, maxResults: '1', fields: 'kind' }, what, signal)
  }

  async function listed(query: GcsCall['query'], what: string, signal: AbortSignal | undefined) {
    const answer = await client.json(
      { method: 'GET', path: '/o', query, what, signal, expects: [200] },
      Listing,
    )
    if (!('found' in answer)) throw noSuchBucket(label)
    bucketIsKnown = true
    return answer.found
  }

  function get(
    key: string,
    options: GetOptions & { readonly ifNoneMatch: Tag },
  ): Promise<Found | 'unchanged' | undefined>
  function get(key: string, options?: GetOptions): Promise<Found | undefined>
  async function get(key: string, options: GetOptions = {}): Promise<Found | 'unchanged' | undefined> {
    const { range, ifNoneMatch, signal } = options
    const call = { method: 'GET', path: pathOf(key), what: `reading "${key}"`, signal } as const
    const query = { alt: 'media', ifGenerationNotMatch: generationOf(ifNoneMatch) }
    const headers = range === undefined ? AS_STORED : rangeOf(range)
    const answer = await client.call({ ...call, query, headers, expects: [200, 206, 304, 404, 416] })
    if (answer.statusCode === 404) {
      const refusal = await shortened(answer)
      if (isOwn(refusal)) {
        await checkAbsence(refusal, call.what, signal)
        return undefined
      }
      // Emulators use their own words for requests for media. Elsewhere they answer with a document.
      if ((await head(key, signal)) === undefined) return undefined
      throw notTheStore(label, call.what, 404)
    }
    if (answer.statusCode === 304) {
      const isGoogles = isOwn(await shortened(answer))
      if (ifNoneMatch !== undefined && (isGoogles || (await head(key, signal))?.tag === ifNoneMatch))
        return 'unchanged'
      throw notTheStore(label, call.what, 304)
    }
    if (answer.statusCode === 416) {
      answer.resume()
      return pastTheEnd(await head(key, signal), options, label)
    }
    const tag = tagIn(answer)
    const part = partOf(answer)
    if (tag === undefined || part === undefined || !isAskedFor(part, range)) {
      answer.destroy()
      if (tag === undefined) throw untagged(label, key)
      throw part === undefined ? unsized(label, key) : otherBytes(label, key)
    }
    if (tag === ifNoneMatch) {
      answer.destroy()
      return 'unchanged'
    }
    bucketIsKnown = true
    const modifiedAt = Date.parse(answer.headers['last-modified'] ?? '') || 0
    const entry = { key, tag, size: part.size, modifiedAt }
    const resume = async (rest: Range) => {
      const same = { ...call, query: { alt: 'media', ifGenerationMatch: tag }, headers: rangeOf(rest) }
      const more = await client.call({ ...same, expects: [206, 404, 412, 416] })
      if (more.statusCode === 206) return { answer: more, part: partOf(more), tag: tagIn(more) }
      more.resume()
      throw unavailable(label, `"${key}" was replaced while it was read`)
    }
    return foundObject({ entry, label, answer, part, resume, signal })
  }

  const put: Bucket['put'] = async (key, body, when, options = {}) => {
    checkKey(key)
    const generation = when === 'absent' ? '0' : generationOf(when)
    const query = {
      uploadType: 'media',
      name: names.whole(key),
      ifGenerationMatch: generation,
      fields: 'name,generation,size,updated',
    }
    const call: GcsCall = {
      method: 'POST',
      path: '/o',
      query,
      upload: true,
      headers: { 'content-type': options.contentType ?? 'application/octet-stream' },
      body,
      what: `writing "${key}"`,
      signal: options.signal,
      expects: [200, 404, 409, 412],
    }
    const answer = await client.json(call, Resource)
    if ('found' in answer) return { kind: 'written', tag: answer.found.generation as Tag }
    const refusal = await shortened(answer)
    if (!isOwn(refusal)) throw notTheStore(label, call.what, refusal.status)
    if (refusal.status === 404) {
      // It is the bucket that there is not, whatever it was before: a condition that does not hold is a 412.
      bucketIsKnown = false
      await checkAbsence(refusal, call.what, call.signal)
    }
    return conflict
  }

  const list: Bucket['list'] = (prefix, { after, pageSize, signal } = {}) =>
    listedEntries({
      names,
      prefix,
      after,
      async page(token) {
        const query = {
          prefix: names.prefix + prefix || undefined,
          // Includes the key itself.
          startOffset: after === undefined ? undefined : names.prefix + after,
          maxResults: pageSize === undefined ? undefined : String(Math.min(pageSize, 1000)),
          pageToken: token,
          fields: 'kind,nextPageToken,items(name,generation,size,updated)',
        }
        const { items, nextPageToken } = await listed(query, `listing "${prefix}"`, signal)
        return { items, next: nextPageToken || undefined }
      },
      entryOf,
    })

  function withAbilities(can: BucketAbilities): Bucket & StoreClock & Adjustable {
    const remove: Bucket['delete'] = async (key, when, options = {}) => {
      const path = pathOf(key)
      const { signal } = options
      if (!can.conditionalDelete) {
        const entry = await head(key, signal)
        if (entry === undefined) return 'absent'
        if (entry.tag !== when) return conflict
      }
      const query = { ifGenerationMatch: generationOf(when) }
      const call = {
        method: 'DELETE',
        path,
        query,
        what: `deleting "${key}"`,
        signal,
        retry: options.retry,
      } as const
      const answer = await client.json({ ...call, expects: [200, 204, 404, 412] }, z.unknown())
      // Google answers 204 and nothing else. Emulators answer with a document, even if empty.
      if ('found' in answer) return 'deleted'
      const refusal = await shortened(answer)
      if (refusal.status === 404) {
        await checkAbsence(refusal, call.what, signal)
        return 'absent'
      }
      if (refusal.status === 204) return 'deleted'
      return (await head(key, signal)) === undefined ? 'absent' : conflict
    }
    return {
      kind: 'gs',
      label,
      can,
      locks: gcsLocks,
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

  // Google honours the condition on a delete; of emulators only the probe knows.
  return withAbilities({ conditionalDelete: endpoint === GOOGLE, listsInOneRequest: false })
}

/** Only numbers are generations. No object has generation 1, so it represents a tag that is not a generation. */
function generationOf(tag: Tag): string
function generationOf(tag: Tag | undefined): string | undefined
function generationOf(tag: Tag | undefined): string | undefined {
  if (tag === undefined) return undefined
  return /^\d+$/.test(tag) && tag !== '0' ? tag : '1'
}

function entryOf(key: string, { generation, size, updated }: z.infer<typeof Resource>): Entry {
  return { key, tag: generation as Tag, size: Number(size), modifiedAt: Date.parse(updated ?? '') || 0 }
}

function tagIn({ headers }: IncomingMessage): Tag | undefined {
  return headers['x-goog-generation'] as Tag | undefined
}

type Range = NonNullable<GetOptions['range']>

/** Else Google unpacks what is stored as gzip on the way, and heeds no range. */
const AS_STORED = { 'accept-encoding': 'gzip' }

function rangeOf({ start, end }: Range): Record<string, string> {
  return { ...AS_STORED, range: `bytes=${start}-${end}` }
}

/** Undefined, too, for what was packed only on the way. */
function partOf({ headers }: IncomingMessage): Part | undefined {
  const { 'content-encoding': encoding, 'x-goog-stored-content-encoding': stored } = headers
  if (encoding !== undefined && encoding !== stored) return undefined
  const size = headers['x-goog-stored-content-length'] as string | undefined
  return partIn(headers, size ?? headers['content-length'])
}
