import { createHmac } from 'node:crypto'
import { TacoError } from '../base/errors.ts'
import { answeredBefore, noteRequest } from './answered.ts'
import type { Catalog, DamagedUnit } from './catalog.ts'
import type { CatalogEntry } from './catalog-entry.ts'
import { readEntryText } from './catalog-entry.ts'
import type { HistoryEntry } from './history-entry.ts'
import type { Place } from './history.ts'
import { newest, readHistory } from './history.ts'
import { presenceAt } from './absences.ts'
import { inBatches } from './in-batches.ts'
import type { Locator } from './locate.ts'
import type { Receipt, UnitDocument } from './model.ts'
import type { OrgStore } from './orgs.ts'
import { again, untilDone } from './protocol/attempts.ts'
import type { Parts } from './protocol/parts.ts'
import { doubtReceipt, takeReadsOfRun } from './reads.ts'
import type { GraphStore } from './services.ts'
import { fingerprintOfHead, graphFacts, viewUnit } from './view-unit.ts'
import type { GraphFacts } from './views.ts'

const MEND_DOCUMENT =
  'restore the object from a backup of the bucket, or delete it and let `taco doctor --deep --repair` make it anew'

/** Its name stands in its document; those who use it know one. */
function damagedFacts({ id, error }: DamagedUnit): GraphFacts {
  const made = { dependencies: [], reads: null, locked: false, fingerprint: null }
  const head = { commit: 0, version: '', at: 0, by: '', outputs: null }
  return { ...made, id, name: id, head, damaged: error.message }
}

/** What the graph reads and writes of units' documents. */
export function createGraphStore(
  parts: Parts,
  catalog: Catalog,
  locator: Locator,
  orgs: Pick<OrgStore, 'require' | 'digestKey'>,
): GraphStore {
  const { bucket, clock } = parts.deps
  const parsed = new WeakMap<CatalogEntry, GraphFacts>()

  function factsOf(entry: CatalogEntry): GraphFacts {
    let facts = parsed.get(entry)
    if (facts === undefined) {
      facts = readEntryText(entry).graph
      parsed.set(entry, facts)
    }
    return facts
  }

  async function at(doc: UnitDocument, time: number): Promise<GraphFacts> {
    const {
      failed: _failed,
      leaseUntil: _lease,
      missing: _missing,
      warning: _warning,
      ...now
    } = graphFacts(doc)
    const facts = { ...now, reads: null, locked: false, fingerprint: null }
    const presence = presenceAt(doc, time)
    if (presence === 'state-deleted') return { ...facts, head: null }
    const then = presence === 'unknown' ? 'forgotten' : await entryAt(doc, time)
    if (then === 'none') return { ...facts, head: null }
    if (then === 'forgotten') {
      const head = { commit: 0, version: '', at: time, by: '', outputs: null }
      return { ...facts, head, forgotten: true }
    }
    const { facts: version, commit, outputs } = then
    const missing = typeof presence === 'object' ? presence : {}
    const head = {
      commit,
      version: version.id,
      at: version.at,
      by: version.who ?? version.by,
      outputs: outputs === null || typeof presence === 'object' ? null : [...outputs],
    }
    return { ...facts, ...missing, head, reads: receiptAt(doc, then, time)?.reads ?? null }
  }

  /** The version that stood then. Forgotten: one of those that retention removed, or that are damaged. */
  async function entryAt(doc: UnitDocument, time: number): Promise<HistoryEntry | 'none' | 'forgotten'> {
    let place: Place | undefined = newest(doc)
    let expected = place?.seq ?? 0
    while (place !== undefined) {
      const page: Awaited<ReturnType<typeof readHistory>> = await readHistory(bucket, doc, place, 50)
      for (const entry of page.entries) {
        const { seq, at: writtenAt } = entry.facts
        if (writtenAt <= time && seq !== expected) return 'forgotten'
        if (writtenAt <= time && !entry.superseded) return entry
        expected = seq - 1
      }
      place = page.next
    }
    return expected === 0 ? 'none' : 'forgotten'
  }

  /** A graph without one of its units would show what uses that one as fine, and lead a rollout past it. */
  function refuseDamaged(org: string): void {
    const [first, ...others] = catalog.damaged(org).map(({ error }) => error)
    if (first === undefined) return
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`
    throw new TacoError(first.code, `the graph cannot be told without a unit: ${first.message}${more}`, {
      facts: first.facts,
      hint: first.code === 'BUCKET_CORRUPT' ? MEND_DOCUMENT : (first.hint ?? 'see `taco doctor --deep`'),
      cause: first,
    })
  }

  return {
    async units(org, options) {
      const startedAt = clock.now()
      const { entries, asOf } =
        options?.fresh === true
          ? { entries: await catalog.all(org), asOf: startedAt }
          : await catalog.current(org)
      if (options?.damaged === undefined) refuseDamaged(org)
      if (entries.length === 0) await orgs.require(org)
      const units = entries
        .filter((entry) => entry.deletedAt === 0)
        .map((entry) => ({ id: entry.id, key: entry, facts: () => factsOf(entry) }))
      const damaged = options?.damaged === 'shown' ? catalog.damaged(org) : []
      return {
        asOf,
        units: [
          ...units,
          ...damaged.map((unit) => ({ id: unit.id, key: unit, facts: () => damagedFacts(unit) })),
        ],
      }
    },
    async unitsAt(org, time) {
      const facts: GraphFacts[] = []
      await orgs.require(org)
      await inBatches(await catalog.all(org), 8, async ({ id }) => {
        const unit = await parts.store.read(org, id)
        if (unit === undefined || unit.value.createdAt > time) return
        const doc = parts.store.folded(unit).value
        if (presenceAt(doc, time) !== 'unit-deleted') facts.push(await at(doc, time))
      })
      return [...facts, ...catalog.damaged(org).map(damagedFacts)]
    },
    async changeDependencies(ref, change, caller) {
      return untilDone(clock, 'changing dependencies', async () => {
        const unit = await locator.find(ref)
        if (answeredBefore(unit.value.answered, caller) !== undefined) return viewUnit(unit.value)
        const dependencies = change(unit.value.dependencies, unit.value.id)
        if (dependencies === unit.value.dependencies) return viewUnit(unit.value)
        const event = { type: 'dependencies.changed' as const, caller, data: { dependencies } }
        const noted = noteRequest(unit.value.answered, caller, clock.now())
        const swapped = await parts.store.swap(unit, { dependencies: [...dependencies], ...noted }, [event])
        return swapped === undefined ? again : viewUnit(swapped.value)
      })
    },
    async fingerprintKeys(org) {
      const key = await orgs.digestKey(org)
      return (unit) => createHmac('sha256', key).update(`fingerprint ${unit}`).digest('base64url')
    },
    async facts(ref) {
      const unit = await locator.tryFind(ref)
      if (unit === undefined || unit.value.deleted !== undefined) return undefined
      return graphFacts(parts.store.folded(unit).value)
    },
    async failed(ref, { rollout, run, locks }) {
      await untilDone(clock, 'noting that the apply failed', async () => {
        const unit = await locator.find(ref)
        if (hasEnded(unit.value, run)) return undefined
        const failed = { at: clock.now(), rollout, ...(locks === undefined ? {} : { locks: [...locks] }) }
        const change = { failed, ...(locks === undefined ? withEnded(unit.value, run) : {}) }
        return (await parts.store.swap(unit, change)) === undefined ? again : undefined
      })
    },
    async applied(ref, apply) {
      await untilDone(clock, 'noting what the apply read', async () => {
        const unit = await locator.find(ref)
        if (hasEnded(unit.value, apply.run)) return undefined
        const doc = parts.store.folded(unit).value
        const { isCertain, ...reads } = takeReadsOfRun(doc, { ...apply, now: clock.now() })
        const fingerprint = fingerprintOfHead(doc, isCertain ? apply.fingerprint : null)
        const told = { ...reads, fingerprint, ...withEnded(doc, apply.run) }
        const change = { ...told, ...(isCertain ? { failed: undefined } : {}) }
        return (await parts.store.swap(unit, change)) === undefined ? again : undefined
      })
    },
  }
}

const REMEMBERED_RUNS = 4

function hasEnded({ endedRuns = [] }: UnitDocument, run: string | undefined): boolean {
  return run !== undefined && endedRuns.includes(run)
}

function withEnded({ endedRuns = [] }: UnitDocument, run: string | undefined): Partial<UnitDocument> {
  return run === undefined ? {} : { endedRuns: [...endedRuns, run].slice(-REMEMBERED_RUNS) }
}

/**
 * An apply that had nothing to write left its receipt in the document alone. A version that was made anew has that one,
 * and nobody knows what stood before.
 */
function receiptAt(doc: UnitDocument, entry: HistoryEntry, time: number): Receipt | null {
  const isCurrent = doc.write === null && doc.head?.version.id === entry.facts.id
  if (isCurrent && (doc.receipt?.at ?? Infinity) <= time) return doc.receipt
  return (entry.receipt?.at ?? 0) <= time ? entry.receipt : doubtReceipt(entry.receipt)
}
