import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import { messageOf } from '../../base/errors.ts'
import type { Tag } from '../../bucket/index.ts'
import { bodyOf, openObject } from '../../bucket/index.ts'
import type { StateDeps } from '../settings.ts'
import type { HistoryEntry } from './history-entry.ts'
import { historyKey } from '../documents/layout.ts'
import { OutputDigest, Receipt } from '../documents/model.ts'

/**
 * What past versions say about themselves, so that `--at` does not read every header again. A version never changes and
 * its id is random, so an entry stays right forever; the units' documents decide which ids count. One object per
 * organization keeps it for servers that start later. It is a cache: losing it costs time.
 */
export interface HistoryCache {
  /** Reads the object, once. */
  load(org: string): Promise<void>
  get(id: string): PastVersion | undefined
  note(org: string, version: PastVersion): void
  /** Saves what is worth saving. `isKept`: not removed from the history since. */
  save(org: string, isKept: (version: PastVersion) => boolean): Promise<void>
}

const PastVersion = openObject({
  id: z.string(),
  unit: z.string(),
  seq: z.number().int(),
  at: z.number(),
  by: z.string(),
  who: z.string().optional(),
  prev: z.string().nullable(),
  supersedes: z.boolean().optional(),
  commit: z.number().int(),
  outputs: z.array(OutputDigest).nullable(),
  receipt: Receipt.nullable(),
})
export type PastVersion = z.infer<typeof PastVersion>

const HistoryObject = openObject({ v: z.literal(1), versions: z.array(PastVersion) })

/** Characters of text, for all organizations: some 30,000 versions with a handful of outputs. */
const MOST_CHARACTERS = 16 * 1024 * 1024
/** Saving costs about as much as reading this many versions again, or this share of all. */
const SAVE_FROM = 32
const SAVE_SHARE = 1 / 100

const pack = promisify(gzip)
const unpack = promisify(gunzip)

export function createHistoryCache({ bucket, log }: StateDeps): HistoryCache {
  /** As text: an object of the same content takes several times the memory. */
  const texts = new LRUCache<string, string>({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (text) => text.length,
    dispose(_text, id) {
      for (const ids of [...saved.values(), ...unsaved.values()]) ids.delete(id)
    },
  })
  const known = new Map<string, Promise<Tag | undefined>>()
  /** Ids of the organization's versions, saved or not. */
  const saved = new Map<string, Set<string>>()
  const unsaved = new Map<string, Set<string>>()
  /** What else the object says: a newer server may have added to it. */
  const others = new Map<string, object>()

  function peek(id: string): PastVersion | undefined {
    const text = texts.peek(id)
    return text === undefined ? undefined : (JSON.parse(text) as PastVersion)
  }

  async function readObject(org: string): Promise<Tag | undefined> {
    const found = await bucket.get(historyKey(org))
    if (found === undefined) return undefined
    const bytes = await found.bytes()
    try {
      const text = (await unpack(bytes)).toString('utf8')
      const ids = idsOf(saved, org)
      const { versions, ...other } = HistoryObject.parse(JSON.parse(text))
      others.set(org, other)
      for (const version of versions) {
        ids.add(version.id)
        if (!texts.has(version.id)) texts.set(version.id, JSON.stringify(version))
      }
    } catch {
      // Damaged, or of another format: it is rebuilt.
    }
    return found.tag
  }

  return {
    async load(org) {
      let loading = known.get(org)
      if (loading === undefined) {
        loading = readObject(org)
        known.set(org, loading)
        loading.catch(() => known.delete(org))
      }
      await loading
    },
    get(id) {
      const text = texts.get(id)
      return text === undefined ? undefined : (JSON.parse(text) as PastVersion)
    },
    note(org, version) {
      if (texts.has(version.id)) return
      texts.set(version.id, JSON.stringify(version))
      idsOf(unsaved, org).add(version.id)
    },
    async save(org, isKept) {
      const fresh = idsOf(unsaved, org)
      if (fresh.size <= Math.max(SAVE_FROM, idsOf(saved, org).size * SAVE_SHARE)) return
      try {
        // Merged with what other servers have saved since.
        const tag = await readObject(org)
        const ids = [...new Set([...idsOf(saved, org), ...fresh])]
        const versions = ids.flatMap((id) => {
          const version = peek(id)
          return version !== undefined && isKept(version) ? [version] : []
        })
        const packed = await pack(JSON.stringify({ v: 1, ...others.get(org), versions }))
        const answer = await bucket.put(historyKey(org), bodyOf(packed), tag ?? 'absent')
        // Another server saved at the same time: the next save includes both.
        if (answer.kind === 'conflict') return
        saved.set(org, new Set(versions.map(({ id }) => id)))
        for (const id of ids) fresh.delete(id)
      } catch (error) {
        log.warn('what is known of past versions could not be saved', { org, error: messageOf(error) })
      }
    },
  }
}

function idsOf(map: Map<string, Set<string>>, org: string): Set<string> {
  let ids = map.get(org)
  if (ids === undefined) {
    ids = new Set()
    map.set(org, ids)
  }
  return ids
}

export function pastVersion(
  unit: string,
  { facts, commit, outputs, receipt }: Pick<HistoryEntry, 'facts' | 'commit' | 'outputs' | 'receipt'>,
): PastVersion {
  const { id, seq, at, by, who, prev, supersedes } = facts
  return {
    id,
    unit,
    seq,
    at,
    by,
    ...(who === undefined ? {} : { who }),
    prev,
    ...(supersedes === true ? { supersedes } : {}),
    commit,
    outputs: outputs === null ? null : [...outputs],
    receipt,
  }
}
