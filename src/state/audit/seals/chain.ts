import { forEachLimit } from '../../../base/for-each-limit.ts'
import { sha256Hex } from '../../../base/sha256-hex.ts'
import type { Bucket, Entry } from '../../../bucket/index.ts'
import { journalPrefix, parseJournalKey } from '../../documents/journal-layout.ts'
import { headKey, sealKey, sealsPrefix, seqOfKey } from './layout.ts'
import { type Head, type ReadSeal, readHead, readSeal } from './seal.ts'

/** The seals of one journal, as they are in the bucket. */
export async function listSeals(bucket: Bucket, org: string, after = 0): Promise<number[]> {
  const found: number[] = []
  const options = after === 0 ? {} : { after: sealKey(org, after) }
  for await (const page of bucket.list(sealsPrefix(org), options))
    for (const { key } of page) {
      const seq = seqOfKey(key)
      if (seq !== undefined) found.push(seq)
    }
  return found
}

/** Undefined: there is none. `damaged`: it cannot be read, or its content does not have its hash. */
export async function loadSeal(
  bucket: Bucket,
  org: string,
  seq: number,
): Promise<ReadSeal | 'damaged' | undefined> {
  const text = await textOf(bucket, sealKey(org, seq))
  return text === undefined ? undefined : (readSeal(text) ?? 'damaged')
}

export async function loadHead(bucket: Bucket, org: string): Promise<Head | 'damaged' | undefined> {
  const text = await textOf(bucket, headKey(org))
  return text === undefined ? undefined : (readHead(text) ?? 'damaged')
}

/** Journal objects from a place on and before another, a page at a time. */
export async function* listJournal(
  bucket: Bucket,
  org: string,
  { from, to }: { readonly from: string; readonly to: string },
): AsyncGenerator<Entry> {
  const root = journalPrefix(org)
  // A listing begins after a key, and nothing has the key of a time alone.
  for await (const page of bucket.list(root, from === '' ? {} : { after: root + from }))
    for (const entry of page) {
      if (entry.key >= root + to) return
      if (parseJournalKey(entry.key) !== undefined) yield entry
    }
}

export function placeOf(org: string, key: string): string {
  return key.slice(journalPrefix(org).length)
}

/** Hashes of the bytes, by place. Without those that are gone. */
export async function hashJournal(
  bucket: Bucket,
  org: string,
  places: readonly string[],
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>()
  await forEachLimit(places, 32, async (place) => {
    const found = await bucket.get(journalPrefix(org) + place)
    if (found !== undefined) hashes.set(place, sha256Hex(await found.bytes()))
  })
  return hashes
}

async function textOf(bucket: Bucket, key: string): Promise<string | undefined> {
  return (await bucket.get(key))?.bytes().then(String)
}
