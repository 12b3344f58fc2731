import { z } from 'zod'
import { isTacoError, TacoError } from '../../base/errors.ts'
import { type Bucket, type Entry, openObject } from '../../bucket/index.ts'
import { decodeHeader, headerBytes } from '../codec/frame.ts'
import { parseVersionObject, versionsPrefix } from '../documents/layout.ts'
import type { UnitDocument } from '../documents/model.ts'
import { OutputDigest, Receipt, VersionFacts } from '../documents/model.ts'

/** One version, as its object describes it. */
export interface HistoryEntry {
  readonly object: string
  readonly facts: VersionFacts
  readonly commit: number
  readonly outputs: readonly OutputDigest[] | null
  readonly receipt: Receipt | null
  readonly superseded: boolean
  readonly storedBytes: number
}

export const Meta = openObject({
  unit: z.string(),
  version: VersionFacts,
  commit: z.number().int(),
  outputs: z.array(OutputDigest).nullable(),
  receipt: Receipt.nullable(),
})

/** Header only: a ranged get, and a second one for the rare header that is longer. */
const HEADER_GUESS = 4096

async function readEntry(
  bucket: Bucket,
  doc: Pick<UnitDocument, 'org' | 'id' | 'name'>,
  entry: Entry,
): Promise<HistoryEntry | undefined> {
  const start = await rangedBytes(bucket, entry.key, HEADER_GUESS)
  if (start === undefined) return undefined
  const damaged = (cause: unknown) =>
    new TacoError('BUCKET_CORRUPT', `The header of ${entry.key} is damaged.`, {
      facts: { key: entry.key, unit: doc.name },
      hint: 'Restore it from a backup of the bucket. `taco doctor --deep` lists all damage.',
      cause,
    })
  let header
  try {
    header =
      decodeHeader(start) ?? decodeHeader((await rangedBytes(bucket, entry.key, headerBytes(start))) ?? start)
  } catch (error) {
    throw isTacoError(error, 'BUCKET_CORRUPT') ? damaged(error) : error
  }
  const meta = Meta.safeParse(header?.meta)
  if (!meta.success) throw damaged(meta.error)
  const object = entry.key.slice(versionsPrefix(doc.org, doc.id).length)
  const { id, seq } = meta.data.version
  const named = parseVersionObject(object)
  // Another version was put in its place.
  if (named?.id !== id || named.seq !== seq || meta.data.unit !== doc.id) throw damaged(undefined)
  return {
    object,
    facts: meta.data.version,
    commit: meta.data.commit,
    outputs: meta.data.outputs,
    receipt: meta.data.receipt,
    superseded: false,
    storedBytes: entry.size,
  }
}

/** A damaged header counts like a missing object: the others must not go with it. */
export async function readableEntry(
  bucket: Bucket,
  doc: Pick<UnitDocument, 'org' | 'id' | 'name'>,
  entry: Entry,
): Promise<HistoryEntry | undefined> {
  try {
    return await readEntry(bucket, doc, entry)
  } catch (error) {
    if (!isTacoError(error, 'BUCKET_CORRUPT')) throw error
    return undefined
  }
}

async function rangedBytes(bucket: Bucket, key: string, length: number): Promise<Buffer | undefined> {
  const found = await bucket.get(key, { range: { start: 0, end: length - 1 } })
  return found === undefined ? undefined : found.bytes()
}
