import type { Bucket, Tag } from '../../src/bucket/index.ts'
import { bodyOf } from '../../src/bucket/index.ts'
import { openBucket } from '../../src/wire/buckets.ts'
import { answerRequests } from '../answering.ts'
import { type ListingFigures, measureListings, seedUnits } from './driver-listing.ts'
import { type Serving, type Work, type WorkSlice, startServing } from './driver-servers.ts'
import { type WriteSteps, measureSteps } from './driver-steps.ts'
import { type PatchedState, patchedState } from '../patched-state.ts'
import type { Slice } from '../slices.ts'

/** A bucket's driver called directly: what the server's figures are held against. */
export interface Direct {
  readonly keys: readonly string[]
  readonly concurrency: number
  readonly ms: number
}

/** Like the server: small objects at once, large ones piece by piece. */
const WHOLE_UP_TO = 256 * 1024
let opened: Bucket | undefined
let serving: Serving | undefined
const states = new Map<string, PatchedState>()
const tags = new Map<string, Tag>()

function bucket(): Bucket {
  if (opened === undefined) throw new Error('no bucket is open')
  return opened
}

async function during(
  { keys, concurrency, ms }: Direct,
  once: (key: string) => Promise<void>,
): Promise<Slice> {
  const started = performance.now()
  const done = await Promise.all(
    Array.from({ length: concurrency }, async (_, n) => {
      const own = keys.filter((_key, i) => i % concurrency === n)
      let i = 0
      for (; own.length > 0 && performance.now() - started < ms; i++) await once(own[i % own.length] ?? '')
      return i
    }),
  )
  return { count: done.reduce((sum, n) => sum + n, 0), ms: performance.now() - started }
}

async function readOnce(key: string): Promise<void> {
  const found = await bucket().get(key)
  if (found === undefined) throw new Error(`there is no ${key}`)
  let size = 0
  if (found.size <= WHOLE_UP_TO) size = (await found.bytes()).length
  else for await (const part of found.stream()) size += part.length
  if (size !== found.size) throw new Error(`${key} is not whole`)
}

async function putOnce(key: string): Promise<void> {
  const state = states.get(key)
  if (state === undefined) throw new Error(`no state was prepared for ${key}`)
  const options = { contentType: 'application/json' }
  const answer = await bucket().put(key, bodyOf(state.next()), tags.get(key) ?? 'absent', options)
  if (answer.kind !== 'written') throw new Error(`somebody else wrote ${key}`)
  tags.set(key, answer.tag)
}

/** About what a version with one changed resource and a unit's document take. */
const VERSION_BYTES = 500
const DOCUMENT_BYTES = 2_000
let writes = 0

/**
 * The requests that a POST makes before it answers, in their order, and nothing else: what no server can beat. The
 * state is not looked at, because the write before it was made under the same lock.
 */
async function postRequestsOnce(key: string): Promise<void> {
  const document = `.taco/bench/${key}`
  const write = ++writes
  await Promise.all([
    bucket().head(`${key}.tflock`),
    bucket().put(`${document}/${write}`, bodyOf(numbered(VERSION_BYTES, write)), 'absent'),
  ])
  const body = bodyOf(numbered(DOCUMENT_BYTES, write))
  const swapped = await bucket().put(`${document}.json`, body, tags.get(document) ?? 'absent')
  if (swapped.kind !== 'written') throw new Error(`somebody else wrote ${document}`)
  tags.set(document, swapped.tag)
  await putOnce(key)
}

function numbered(bytes: number, number: number): Buffer {
  const text = Buffer.alloc(bytes, 'x')
  text.write(String(number))
  return text
}

const handlers = {
  open: async ({ url }: { readonly url: string }): Promise<void> => {
    opened = (await openBucket(url)).bucket
  },
  get: (direct: Direct): Promise<Slice> => during(direct, readOnce),
  /** Makes the states now, which takes longer than putting them. */
  prepare: async ({
    keys,
    bytes,
  }: {
    readonly keys: readonly string[]
    readonly bytes: number
  }): Promise<void> => {
    for (const [i, key] of keys.entries()) states.set(key, patchedState(bytes, i + 1))
  },
  put: (direct: Direct): Promise<Slice> => during(direct, putOnce),
  postRequests: (direct: Direct): Promise<Slice> => during(direct, postRequestsOnce),
  seed: ({ count }: { readonly count: number }): Promise<void> => seedUnits(bucket(), count),
  listings: ({ rounds }: { readonly rounds: number }): Promise<ListingFigures[]> =>
    measureListings(bucket(), rounds),
  serve: async (names: { readonly own: string; readonly other: string }): Promise<void> => {
    serving = await startServing(bucket(), names)
  },
  work: (work: Work): Promise<WorkSlice> => {
    if (serving === undefined) throw new Error('nothing is served')
    return serving.work(work)
  },
  steps: ({ bytes, count }: { readonly bytes: number; readonly count: number }): Promise<WriteSteps> =>
    measureSteps(bucket(), bytes, count),
}
export type DriverHandlers = typeof handlers
answerRequests(handlers)
