import { TacoError } from '../../base/errors.ts'
import type { Bucket, Entry } from '../../bucket/index.ts'
import type { HistoryEntry } from './history-entry.ts'
import { readableEntry } from './history-entry.ts'
import { forEachLimit } from '../../base/for-each-limit.ts'
import { padSeq, parseVersionObject, versionsPrefix } from '../documents/layout.ts'
import type { UnitDocument, VersionFacts } from '../documents/model.ts'

/**
 * The history of a unit, read from its version objects. Every sequence number has exactly one committed version; an
 * attempt that lost its race leaves an object with the same number. The next version says which one counts (`prev`);
 * for the newest, the document does (`tail`).
 */

/** Where to continue: the version to show next, by number and id. */
export interface Place {
  readonly seq: number
  readonly id: string
  readonly superseded: boolean
}

export function newest(doc: UnitDocument): Place | undefined {
  if (doc.tail === null) return undefined
  const pending = doc.write?.kind === 'write' && doc.write.head.version.seq === doc.seq ? 1 : 0
  return { seq: doc.seq - pending, id: doc.tail.id, superseded: doc.tail.superseded }
}

/** A number of the history that has no version to show: its object is missing, or cannot be read. */
export interface Gap {
  readonly seq: number
  /** The damaged object; undefined if there is none. */
  readonly object: string | undefined
}

export interface HistoryPage {
  readonly entries: readonly HistoryEntry[]
  readonly gaps: readonly Gap[]
  readonly next: Place | undefined
}

/**
 * What to do about a missing or damaged version. Skip it only to show what is left: which of several attempts counts
 * below it is then a guess. Callers that decide something by the answer stop.
 */
export type AtGap = 'skip' | 'stop'

/** Up to `limit` versions from `place` downwards, newest first, and where the rest begins. */
export async function readHistory(
  bucket: Bucket,
  doc: UnitDocument,
  place: Place,
  limit: number,
  atGap: AtGap = 'skip',
): Promise<HistoryPage> {
  const lowest = Math.max(place.seq - limit + 1, 1)
  const candidates = await listRange(bucket, doc, lowest, place.seq)
  const headers = new Map<string, HistoryEntry>()
  await forEachLimit(candidates, 16, async (entry) => {
    const read = await readableEntry(bucket, doc, entry)
    if (read !== undefined) headers.set(read.facts.id, read)
  })
  const { entries, next } = await walkDown(bucket, doc, place, lowest, headers, atGap)
  const readable = new Set(
    [...headers.values()].map(({ object }) => versionsPrefix(doc.org, doc.id) + object),
  )
  const damaged = candidates.filter(({ key }) => !readable.has(key))
  return { entries, gaps: gapsIn(doc, place.seq, next, entries, damaged), next }
}

async function walkDown(
  bucket: Bucket,
  doc: UnitDocument,
  place: Place,
  lowest: number,
  headers: ReadonlyMap<string, HistoryEntry>,
  atGap: AtGap,
): Promise<Omit<HistoryPage, 'gaps'>> {
  const entries: HistoryEntry[] = []
  let at: Place | undefined = place
  while (at !== undefined && at.seq >= lowest) {
    const entry: HistoryEntry | undefined = headers.get(at.id)
    if (entry === undefined) {
      const below: Place | undefined = atGap === 'stop' ? undefined : await presentBelow(bucket, doc, at.seq)
      if (below === undefined) return { entries, next: nextKept(doc, at) }
      at = below
      continue
    }
    if (isInHistory(doc, at.seq)) entries.push({ ...entry, superseded: at.superseded })
    at = before(entry.facts)
  }
  return { entries, next: at === undefined || at.seq >= doc.historyFrom ? at : nextKept(doc, at) }
}

function gapsIn(
  doc: UnitDocument,
  highest: number,
  next: Place | undefined,
  entries: readonly HistoryEntry[],
  damaged: readonly Entry[],
): Gap[] {
  const shown = new Set(entries.map(({ facts }) => facts.seq))
  const gaps: Gap[] = []
  for (let seq = highest; seq > (next?.seq ?? 0); seq--) {
    if (shown.has(seq) || !isInHistory(doc, seq)) continue
    // One that can be read is an attempt that lost its race.
    const object = damaged.find(({ key }) => parseVersionObject(key)?.seq === seq)?.key
    gaps.push({ seq, object: object?.slice(versionsPrefix(doc.org, doc.id).length) })
  }
  return gaps
}

/**
 * A version is missing, as in a copy of the bucket whose documents are younger than its versions: what is below it
 * must not go with it. Where several have a number, the document may know which one counts.
 */
async function presentBelow(bucket: Bucket, doc: UnitDocument, seq: number): Promise<Place | undefined> {
  const present = (await listRange(bucket, doc, doc.historyFrom, seq - 1)).flatMap(
    ({ key }) => parseVersionObject(key) ?? [],
  )
  const highest = present.filter((version) => version.seq === present.at(-1)?.seq)
  const known = highest.find(({ id }) => doc.recent.some((write) => write.id === id && write.landed))
  const found = known ?? highest.at(-1)
  return found === undefined ? undefined : { seq: found.seq, id: found.id, superseded: false }
}

function before(facts: VersionFacts): Place | undefined {
  return facts.prev === null
    ? undefined
    : { seq: facts.seq - 1, id: facts.prev, superseded: facts.supersedes === true }
}

export function isInHistory(doc: UnitDocument, seq: number): boolean {
  return seq >= doc.historyFrom || doc.kept.some((link) => link.seq === seq)
}

/** Below what retention removed, only the versions that are kept on purpose are left. */
function nextKept(doc: UnitDocument, at: Place): Place | undefined {
  const link = doc.kept
    .filter(({ seq }) => seq < Math.min(at.seq + 1, doc.historyFrom))
    .sort((a, b) => b.seq - a.seq)[0]
  const id = link === undefined ? undefined : parseVersionObject(link.id)?.id
  return link === undefined || id === undefined ? undefined : { seq: link.seq, id, superseded: false }
}

/** A version of the history by its id, the beginning of its id, or its number. Throws GONE when retention removed it. */
export async function findVersion(
  bucket: Bucket,
  doc: UnitDocument,
  wanted: string | number,
  atGap: AtGap = 'skip',
): Promise<HistoryEntry | undefined> {
  if (typeof wanted === 'number') return findExactly(bucket, doc, wanted, atGap)
  // Attempts that lost their race may have the same beginning.
  for (const id of await idsBeginningWith(bucket, doc, wanted)) {
    const found = await findExactly(bucket, doc, id, atGap)
    if (found !== undefined) return found
  }
  return undefined
}

async function findExactly(
  bucket: Bucket,
  doc: UnitDocument,
  wanted: { readonly id: string; readonly seq: number } | number,
  atGap: AtGap,
): Promise<HistoryEntry | undefined> {
  const top = newest(doc)
  if (top === undefined) return undefined
  const seq = typeof wanted === 'number' ? wanted : wanted.seq
  if (seq < 1 || seq > top.seq) return undefined
  const name = typeof wanted === 'number' ? wanted : wanted.id
  if (!isInHistory(doc, seq)) {
    throw new TacoError('GONE', `Version ${name} of ${doc.name} was removed by retention.`, {
      facts: { unit: doc.name, version: name, historyFrom: doc.historyFrom },
      hint: 'A backup of the bucket may still have it.',
    })
  }
  // The next version says which of several attempts with this number counts.
  const start = seq === top.seq ? top : await placeAbove(bucket, doc, seq, top, atGap)
  const { entries } =
    start === undefined ? { entries: [] } : await readHistory(bucket, doc, start, start.seq - seq + 1, atGap)
  const entry = entries.find(({ facts }) => facts.seq === seq)
  return entry !== undefined && (typeof wanted === 'number' || entry.facts.id === wanted.id)
    ? entry
    : undefined
}

async function placeAbove(
  bucket: Bucket,
  doc: UnitDocument,
  seq: number,
  top: Place,
  atGap: AtGap,
): Promise<Place | undefined> {
  const kept = doc.kept.find((link) => link.seq === seq && seq < doc.historyFrom)
  if (kept !== undefined) return { seq, id: parseVersionObject(kept.id)?.id ?? '', superseded: false }
  // Walk up until a number has one object only: that one is committed for certain.
  for (let above = seq; above < top.seq; above += 16) {
    const range = await listRange(bucket, doc, above, Math.min(above + 15, top.seq))
    for (let n = above; n < Math.min(above + 16, top.seq); n++) {
      const same = range.filter((entry) => parseVersionObject(entry.key)?.seq === n)
      const only = same.length === 1 && same[0] !== undefined ? parseVersionObject(same[0].key) : undefined
      if (only !== undefined)
        return n === seq ? placeOf(bucket, doc, only, range, atGap) : { ...only, superseded: false }
    }
  }
  return top
}

/**
 * The version after it records whether it was superseded. If that one names another, this is an attempt that lost its
 * race against a version that is missing.
 */
async function placeOf(
  bucket: Bucket,
  doc: UnitDocument,
  only: { seq: number; id: string },
  near: readonly Entry[],
  atGap: AtGap,
): Promise<Place | undefined> {
  let isDenied = false
  for (const entry of near.filter(({ key }) => parseVersionObject(key)?.seq === only.seq + 1)) {
    const next = await readableEntry(bucket, doc, entry)
    if (next?.facts.prev === only.id) return { ...only, superseded: next.facts.supersedes === true }
    isDenied ||= next !== undefined
  }
  return atGap === 'stop' || isDenied ? undefined : { ...only, superseded: false }
}

async function idsBeginningWith(
  bucket: Bucket,
  doc: UnitDocument,
  start: string,
): Promise<readonly { readonly id: string; readonly seq: number }[]> {
  const { head } = doc
  if (head?.version.id.startsWith(start) === true) return [head.version]
  const found: { readonly id: string; readonly seq: number }[] = []
  for await (const page of bucket.list(versionsPrefix(doc.org, doc.id))) {
    for (const { key } of page) {
      const parts = parseVersionObject(key)
      if (parts?.id.startsWith(start) === true) found.push(parts)
    }
  }
  return found
}

async function listRange(
  bucket: Bucket,
  doc: UnitDocument,
  lowest: number,
  highest: number,
): Promise<readonly Entry[]> {
  const prefix = versionsPrefix(doc.org, doc.id)
  const found: Entry[] = []
  for await (const page of bucket.list(prefix, { after: prefix + padSeq(lowest) })) {
    for (const entry of page) {
      const seq = parseVersionObject(entry.key)?.seq
      if (seq !== undefined && seq > highest) return found
      if (seq !== undefined) found.push(entry)
    }
  }
  return found
}
