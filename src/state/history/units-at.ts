import { viewAuthor } from '../../access/index.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { CatalogEntry } from '../catalog/catalog-entry.ts'
import { readEntryText } from '../catalog/catalog-entry.ts'
import type { HistoryCache, PastVersion } from './history-cache.ts'
import { pastVersion } from './history-cache.ts'
import type { Place } from './history.ts'
import { newest, readHistory } from './history.ts'
import { forEachLimit } from '../../base/for-each-limit.ts'
import type { Read, UnitDocument } from '../documents/model.ts'
import { type PastFacts, knownCommit, knownVersionAt, pastOf, pastPresence } from './past.ts'
import type { Parts } from '../protocol/context.ts'
import { graphFacts } from '../views/to-views.ts'
import type { GraphFacts } from '../views/views.ts'

/**
 * Units as they were at some time. The catalog holds what the documents say, the history cache what past versions say.
 * Only what neither knows is read from the bucket, once.
 */
export function createUnitsAt(parts: Parts, catalog: Catalog, history: HistoryCache) {
  const { bucket } = parts.deps

  async function unitsAt(org: string, time: number): Promise<readonly GraphFacts[]> {
    const facts: GraphFacts[] = []
    const entries = await catalog.all(org)
    await history.load(org)
    await forEachLimit(entries, 8, async (entry) => {
      const { graph, past } = readEntryText(entry)
      const unit = await unitAt(org, graph, past, time)
      if (unit !== undefined) facts.push(unit)
    })
    await history.save(org, keptIn(entries))
    return facts
  }

  async function unitAt(
    org: string,
    now: GraphFacts,
    past: PastFacts,
    time: number,
  ): Promise<GraphFacts | undefined> {
    const presence = pastPresence(past, time)
    if (past.createdAt > time || presence === 'unit-deleted') return undefined
    const facts = withoutPresent(now)
    if (presence === 'state-deleted') return { ...facts, head: null }
    const isMissing = typeof presence === 'object'
    if (presence === 'present' && isCurrentAt(now, past, time))
      return { ...facts, head: now.head, reads: now.reads }
    const then = presence === 'unknown' ? 'forgotten' : await versionAt(org, now.id, past, time)
    if (then === 'none') return { ...facts, head: null }
    if (then === 'forgotten') {
      const head = { commit: 0, version: '', at: time, by: '', who: null, outputs: null }
      return { ...facts, head, forgotten: true }
    }
    if (then === 'changed') return changedMeanwhile(org, now.id, time)
    const { id: version, at, commit, outputs } = then
    const head = { commit, version, at, ...viewAuthor(then), outputs: isMissing ? null : outputs }
    return { ...facts, ...(isMissing ? presence : {}), head, reads: readsAt(now, past, then, time) }
  }

  async function changedMeanwhile(org: string, id: string, time: number): Promise<GraphFacts | undefined> {
    const unit = await parts.store.read(org, id)
    if (unit === undefined) return undefined
    const doc = parts.store.folded(unit).value
    return unitAt(org, graphFacts(doc), pastOf(doc), time)
  }

  async function versionAt(
    org: string,
    id: string,
    past: PastFacts,
    time: number,
  ): Promise<PastVersion | 'none' | 'forgotten' | 'changed'> {
    const known = knownVersionAt(id, past, time, history.get)
    if (known !== 'unknown') return known
    const unit = await parts.store.read(org, id)
    if (unit === undefined) return 'none'
    const doc = parts.store.folded(unit).value
    // It went on since it was listed; what is decided from one document must not be mixed with another.
    if (newest(doc)?.id !== past.newest?.id || doc.historyFrom !== past.historyFrom) return 'changed'
    return readVersionAt(doc, time)
  }

  /** Forgotten: one of those that retention removed, or that are damaged. */
  async function readVersionAt(doc: UnitDocument, time: number): Promise<PastVersion | 'none' | 'forgotten'> {
    let place: Place | undefined = newest(doc)
    let expected = place?.seq ?? 0
    while (place !== undefined) {
      const page: Awaited<ReturnType<typeof readHistory>> = await readHistory(bucket, doc, place, 50)
      for (const entry of page.entries) history.note(doc.org, pastVersion(doc.id, entry))
      for (const entry of page.entries) {
        const { seq, at: writtenAt } = entry.facts
        if (writtenAt <= time && seq !== expected) return 'forgotten'
        if (writtenAt <= time && !entry.superseded) return pastVersion(doc.id, entry)
        expected = seq - 1
      }
      place = page.next
    }
    return expected === 0 ? 'none' : 'forgotten'
  }

  /** The version that made an outputs commit; undefined: it is not in memory. */
  async function commitOf(org: string, id: string, commit: number): Promise<PastVersion | undefined> {
    const { entries } = await catalog.current(org)
    const entry = entries.find((one) => one.id === id)
    return entry === undefined ? undefined : knownCommit(id, readEntryText(entry).past, commit, history.get)
  }

  return { unitsAt, commitOf }
}

/** Only states, reads and deletions have a history. */
function withoutPresent(now: GraphFacts): GraphFacts {
  const { failed: _failed, leaseUntil: _lease, missing: _missing, warning: _warning, ...facts } = now
  return { ...facts, reads: null, locked: false, fingerprint: null }
}

/** What is current now was already current then, made from the same inputs. */
function isCurrentAt(
  { head, missing }: GraphFacts,
  { newest: top, receiptAt }: PastFacts,
  time: number,
): boolean {
  if (head === null || missing !== undefined || top === null || top.superseded || head.version !== top.id)
    return false
  return head.at <= time && (receiptAt ?? 0) <= time
}

/**
 * An apply that had nothing to write left its receipt in the document alone. A version that was rebuilt carries that
 * one, and what it was before is unknown.
 */
function readsAt(
  now: GraphFacts,
  past: PastFacts,
  { id, receipt }: PastVersion,
  time: number,
): GraphFacts['reads'] {
  const isCurrent = now.head?.version === id
  if (isCurrent && (past.receiptAt ?? Infinity) <= time) return now.reads
  if ((receipt?.at ?? 0) <= time) return receipt?.reads ?? null
  return (receipt?.reads ?? []).map(notReadYet)
}

/** Says that something was read and not what: the values and the commit are of a later read. */
function notReadYet({ from, names }: Read): Read {
  return { from, names, commit: 0, digests: null, at: 0, doubted: null, mixed: true }
}

/** Of versions that the history still has. */
export function keptIn(entries: readonly CatalogEntry[]): (version: PastVersion) => boolean {
  const from = new Map(entries.map((entry) => [entry.id, readEntryText(entry).past.historyFrom]))
  return ({ unit, seq }) => seq >= (from.get(unit) ?? Infinity)
}
