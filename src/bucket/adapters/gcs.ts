import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { systemClock } from '../../base/clock.ts'
import type { Clock } from '../../base/clock.ts'
import { TacoError } from '../../base/errors.ts'
import type { Adjustable } from '../abilities.ts'
import { conflict } from '../bucket.ts'
import type { Bucket, BucketAbilities, Entry, Found, GetOptions, StoreClock, Tag } from '../bucket.ts'
import { checkKey } from '../keys.ts'
import { prefixed } from '../prefix.ts'
import type { RetryRules } from '../retry.ts'
import { messageIn, noSuchBucket, openGcsClient } from './gcs-client.ts'
import type { AccessToken, GcsCall } from './gcs-client.ts'
import { unavailable, unsized, untagged } from './http/failures.ts'
import { foundObject, pastTheEnd } from './http/found.ts'
import { listedEntries } from './http/listing.ts'
import { shortText } from './http/text.ts'

export interface GcsOptions {
  readonly bucket: string
  readonly prefix?: string | undefined
  /** Default: STORAGE_EMULATOR_HOST (then without credentials), else Google itself. */
  readonly endpoint?: string | undefined
  /** Stands in for the application default credentials; `anonymous` for emulators. */
  readonly token?: (() => Promise<string>) | 'anonymous' | undefined
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  readonly clock?: Clock | undefined
  readonly retry?: RetryRules | undefined
  readonly idleTimeoutMs?: number | undefined
}

const GOOGLE = 'https://storage.googleapis.com'

const Resource = z.object({
  name: z.string(),
  generation: z.string(),
  size: z.string().default('0'),
  updated: z.string().optional(),
})
const Listing = z.object({ items: z.array(Resource).default([]), nextPageToken: z.string().optional() })

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
    idleTimeoutMs: options.idleTimeoutMs ?? 30_000,
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
    return 'found' in answer ? entryOf(key, answer.found) : absent(answer)
  }

  async function absent(answer: IncomingMessage): Promise<undefined> {
    if (/bucket does not exist/i.test(messageIn(await shortText(answer)) ?? '')) throw noSuchBucket(label)
    return undefined
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
    const headers: Record<string, string> =
      range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` }
    const answer = await client.call({ ...call, query, headers, expects: [200, 206, 304, 404, 416] })
    if (answer.statusCode === 404) return absent(answer)
    if (answer.statusCode === 304) {
      answer.resume()
      return 'unchanged'
    }
    if (answer.statusCode === 416) {
      answer.resume()
      return pastTheEnd(await head(key, signal), ifNoneMatch)
    }
    const entry = answeredEntry(key, answer)
    if (entry === undefined) {
      answer.destroy()
      throw answer.headers['x-goog-generation'] === undefined ? untagged(label, key) : unsized(label, key)
    }
    if (entry.tag === ifNoneMatch) {
      answer.destroy()
      return 'unchanged'
    }
    const length = Number(answer.headers['content-length'] ?? entry.size)
    const start = range?.start ?? 0
    const resume = async (from: number) => {
      const rest = { range: `bytes=${start + from}-${start + length - 1}` }
      const same = { alt: 'media', ifGenerationMatch: entry.tag }
      const more = await client.call({ ...call, query: same, headers: rest, expects: [206, 404, 412] })
      if (more.statusCode === 206) return more
      more.resume()
      throw unavailable(label, `"${key}" was replaced while it was read`)
    }
    return foundObject({ entry, label, answer, length, resume, signal })
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
    if (answer.statusCode === 404) await absent(answer)
    else answer.resume()
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
          fields: 'nextPageToken,items(name,generation,size,updated)',
        }
        const call = { method: 'GET', path: '/o', query, what: `listing "${prefix}"`, signal } as const
        const answer = await client.json({ ...call, expects: [200] }, Listing)
        if (!('found' in answer)) throw noSuchBucket(label)
        return { items: answer.found.items, next: answer.found.nextPageToken || undefined }
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
      const answer = await client.call({ ...call, expects: [200, 204, 404, 412] })
      if (answer.statusCode === 404) {
        await absent(answer)
        return 'absent'
      }
      answer.resume()
      if (answer.statusCode !== 412) return 'deleted'
      return (await head(key, signal)) === undefined ? 'absent' : conflict
    }
    return {
      kind: 'gs',
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

  // Google honours the condition on a delete; of emulators only the probe knows.
  return withAbilities({ conditionalDelete: endpoint === GOOGLE, listsInOneRequest: false })
}

async function tokenSource(given: GcsOptions['token'], emulated: boolean): Promise<AccessToken> {
  if (given === 'anonymous' || (given === undefined && emulated)) return undefined
  if (given !== undefined) return given
  const { Storage } = await import('@google-cloud/storage')
  const { authClient } = new Storage()
  return async () => {
    try {
      const token = await authClient.getAccessToken()
      if (token) return token
    } catch (error) {
      throw noCredentials(error)
    }
    throw noCredentials(undefined)
  }
}

function noCredentials(cause: unknown): TacoError {
  return new TacoError('BUCKET_REFUSED', 'no Google Cloud credentials could be found', {
    hint: 'Run gcloud auth application-default login, set GOOGLE_APPLICATION_CREDENTIALS, or run where a service account is attached.',
    cause,
  })
}

/** Only numbers are generations; no object has the generation 1, so it stands for a tag that is none. */
function generationOf(tag: Tag): string
function generationOf(tag: Tag | undefined): string | undefined
function generationOf(tag: Tag | undefined): string | undefined {
  if (tag === undefined) return undefined
  return /^\d+$/.test(tag) && tag !== '0' ? tag : '1'
}

function entryOf(key: string, { generation, size, updated }: z.infer<typeof Resource>): Entry {
  return { key, tag: generation as Tag, size: Number(size), modifiedAt: Date.parse(updated ?? '') || 0 }
}

/** Undefined: it does not say which generation of the object it is, or how long. */
function answeredEntry(key: string, { headers }: IncomingMessage): Entry | undefined {
  const whole = /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1]
  const size = whole ?? headers['x-goog-stored-content-length'] ?? headers['content-length']
  const generation = headers['x-goog-generation']
  if (generation === undefined || size === undefined) return undefined
  const modifiedAt = Date.parse(headers['last-modified'] ?? '') || 0
  return { key, tag: String(generation) as Tag, size: Number(size), modifiedAt }
}
