import { z } from 'zod'
import type { Clock } from '../base/clock.ts'
import { isTacoError, messageOf } from '../base/errors.ts'
import type { Ids } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import {
  type Bucket,
  type DocumentKind,
  createDocumentStore,
  documentFields,
  openObject,
} from '../bucket/index.ts'
import { serverKey, serversPrefix } from './layout.ts'

/** A server that runs on the bucket, as it describes itself. It is renewed while the server runs. */
export const ServerDocument = openObject({
  ...documentFields(1),
  id: z.string(),
  version: z.string(),
  /** Of the machine or container. */
  host: z.string(),
  pid: z.number().int(),
  /** Where it listens, or its public address. */
  url: z.string(),
  auth: z.string(),
  startedAt: z.number(),
  /** When it last renewed this, by its own clock. */
  seenAt: z.number(),
  /** How long the bucket took to answer it then. Undefined: it was not measured yet. */
  bucketMs: z.number().optional(),
})
export type ServerDocument = z.infer<typeof ServerDocument>

const kind: DocumentKind<ServerDocument, string> = {
  name: 'server',
  format: { schema: ServerDocument, major: 1, minor: 0 },
  keyOf: serverKey,
  refOf: ({ id }) => id,
  cache: { most: 1_000 },
}

/** What a server says about itself when it starts. */
export type ServerFacts = Pick<ServerDocument, 'id' | 'version' | 'host' | 'pid' | 'url' | 'auth'>

export interface ServerView extends ServerFacts {
  readonly startedAt: number
  readonly seenAt: number
  readonly bucketMs: number | undefined
  /** False: it ended without saying so, or does not reach the bucket. */
  readonly isSeen: boolean
}

export interface ServerList {
  /** The longest running first. */
  readonly items: readonly ServerView[]
  /** How many describe themselves in a way that this version cannot read. */
  readonly unreadable: number
  readonly asOf: number
  /** Why the list is not that of now. Undefined: it is. */
  readonly problem: string | undefined
}

export interface Servers {
  /** If the bucket does not answer: what this server last knew. */
  list(): Promise<ServerList>
  /** Describes this server in the bucket until it stops, and then removes the description. */
  announce(facts: ServerFacts): { stop(): Promise<void> }
}

export const RENEW_MS = 60_000
/** A server that missed two renewals, and a little more for clocks that differ, is not seen. */
export const UNSEEN_MS = 2.5 * RENEW_MS
/** A server that was not seen for this long is removed from the list. */
export const FORGET_MS = 7 * 24 * 3_600_000
const FORGET_EVERY_MS = 3_600_000

export interface ServersDeps {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  readonly random?: () => number
}

export function createServers(deps: ServersDeps): Servers {
  const { bucket, clock, log, random = Math.random } = deps
  const store = createDocumentStore<ServerDocument, string>(deps, kind)
  let last: ServerList = { items: [], unreadable: 0, asOf: 0, problem: undefined }

  function viewOf(server: ServerDocument): ServerView {
    const { id, version, host, pid, url, auth, startedAt, seenAt, bucketMs } = server
    return {
      id,
      version,
      host,
      pid,
      url,
      auth,
      startedAt,
      seenAt,
      bucketMs,
      isSeen: clock.now() - seenAt < UNSEEN_MS,
    }
  }

  async function read(): Promise<ServerList> {
    const asOf = clock.now()
    const { loaded, unreadable } = await store.readAll(await store.entries(serversPrefix))
    const items = loaded.map(({ value }) => viewOf(value))
    return {
      items: items.toSorted((a, b) => a.startedAt - b.startedAt),
      unreadable: unreadable.length,
      asOf,
      problem: undefined,
    }
  }

  /** One attempt. What fails is tried again with the next renewal. */
  async function renew(facts: ServerFacts, startedAt: number): Promise<void> {
    const askedAt = clock.now()
    const found = await store.find(facts.id)
    const now = clock.now()
    const fields = { ...facts, startedAt, seenAt: now, bucketMs: now - askedAt }
    // Another server may have removed it, if this one was paused for days.
    if (found === undefined) await store.create(facts.id, fields)
    else await store.swap(found, { ...found.value, ...fields })
  }

  async function forgetOld(): Promise<void> {
    const entries = await store.entries(serversPrefix)
    const tags = new Map(entries.map(({ key, tag }) => [key, tag]))
    const { loaded } = await store.readAll(entries)
    for (const { key, value } of loaded) {
      const tag = tags.get(key)
      // On condition of its tag: one that has just come back stays.
      if (tag !== undefined && clock.now() - value.seenAt > FORGET_MS) await bucket.delete(key, tag)
    }
  }

  return {
    async list() {
      try {
        last = await read()
        return last
      } catch (error) {
        if (!isTacoError(error, 'BUCKET_UNAVAILABLE', 'BUCKET_REFUSED')) throw error
        const items = last.items.map((one) => ({
          ...one,
          isSeen: clock.now() - one.seenAt < UNSEEN_MS,
        }))
        return { ...last, items, problem: messageOf(error) }
      }
    },
    announce(facts) {
      const stopping = new AbortController()
      const { signal } = stopping
      const startedAt = clock.now()

      async function run(): Promise<void> {
        let forgetAt = 0
        while (!signal.aborted) {
          try {
            await renew(facts, startedAt)
            if (clock.now() >= forgetAt) {
              forgetAt = clock.now() + FORGET_EVERY_MS
              await forgetOld()
            }
          } catch (error) {
            if (!signal.aborted) log.debug('this server could not renew its description', { error })
          }
          await clock.sleep(RENEW_MS * (0.9 + random() / 5), signal).catch(() => {})
        }
      }

      const running = run()
      return {
        async stop() {
          stopping.abort()
          await running
          await store.remove(facts.id).catch((error: unknown) => {
            log.debug('the description of this server stays in the bucket', { error })
          })
        },
      }
    },
  }
}
