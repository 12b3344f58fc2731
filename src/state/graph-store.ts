import type { Catalog } from './catalog.ts'
import type { CatalogEntry } from './catalog-entry.ts'
import { readEntryText } from './catalog-entry.ts'
import type { HistoryEntry, Place } from './history.ts'
import { inBatches, newest, readHistory } from './history.ts'
import type { Locator } from './locate.ts'
import type { UnitDocument } from './model.ts'
import { again, untilDone } from './protocol/attempts.ts'
import type { Parts } from './protocol/parts.ts'
import { takeReadsOfRun } from './reads.ts'
import type { GraphStore } from './services.ts'
import { fingerprintOfHead, graphFacts, viewUnit } from './view-unit.ts'
import type { GraphFacts } from './views.ts'

/** What the graph reads and writes of units' documents. */
export function createGraphStore(parts: Parts, catalog: Catalog, locator: Locator): GraphStore {
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
    const { failed: _, ...facts } = graphFacts(doc)
    const then = await entryAt(doc, time)
    if (then === undefined) return { ...facts, head: null, reads: null, locked: false, fingerprint: null }
    const { facts: version, commit, outputs, receipt } = then
    const head = {
      commit,
      version: version.id,
      at: version.at,
      by: version.who ?? version.by,
      outputs: outputs === null ? null : [...outputs],
    }
    return { ...facts, head, reads: receipt?.reads ?? null, locked: false, fingerprint: null }
  }

  async function entryAt(doc: UnitDocument, time: number): Promise<HistoryEntry | undefined> {
    let place: Place | undefined = newest(doc)
    while (place !== undefined) {
      const page: Awaited<ReturnType<typeof readHistory>> = await readHistory(bucket, doc, place, 50)
      const found = page.entries.find((entry) => entry.facts.at <= time && !entry.superseded)
      if (found !== undefined) return found
      place = page.next
    }
    return undefined
  }

  return {
    async units(org, options) {
      const startedAt = clock.now()
      const { entries, asOf } =
        options?.fresh === true
          ? { entries: await catalog.all(org), asOf: startedAt }
          : await catalog.current(org)
      return {
        asOf,
        units: entries
          .filter((entry) => entry.deletedAt === 0)
          .map((entry) => ({ id: entry.id, key: entry, facts: () => factsOf(entry) })),
      }
    },
    async unitsAt(org, time) {
      const facts: GraphFacts[] = []
      await inBatches(await catalog.all(org), 8, async ({ id }) => {
        const unit = await parts.store.read(org, id)
        if (unit === undefined || unit.value.createdAt > time) return
        if (unit.value.deleted !== undefined && unit.value.deleted.at <= time) return
        facts.push(await at(parts.store.folded(unit).value, time))
      })
      return facts
    },
    async changeDependencies(ref, change, caller) {
      return untilDone(clock, 'changing dependencies', async () => {
        const unit = await locator.find(ref)
        const dependencies = change(unit.value.dependencies, unit.value.id)
        const event = { type: 'dependencies.changed' as const, caller, data: { dependencies } }
        const swapped = await parts.store.swap(unit, { dependencies: [...dependencies] }, [event])
        return swapped === undefined ? again : viewUnit(swapped.value)
      })
    },
    async setFingerprint(ref, fingerprint) {
      await untilDone(clock, 'noting the fingerprint', async () => {
        const unit = await locator.find(ref)
        if ((unit.value.fingerprint ?? null) === fingerprint) return undefined
        const swapped = await parts.store.swap(unit, { fingerprint: fingerprint ?? undefined })
        return swapped === undefined ? again : undefined
      })
    },
    async facts(ref) {
      const unit = await locator.tryFind(ref)
      if (unit === undefined || unit.value.deleted !== undefined) return undefined
      return graphFacts(parts.store.folded(unit).value)
    },
    async failed(ref, { rollout }) {
      await untilDone(clock, 'noting that the apply failed', async () => {
        const unit = await locator.find(ref)
        const { head } = parts.store.folded(unit).value
        const version = head?.tag == null ? null : head.version.id
        const failed = { at: clock.now(), rollout, version }
        return (await parts.store.swap(unit, { failed })) === undefined ? again : undefined
      })
    },
    async applied(ref, apply) {
      await untilDone(clock, 'noting what the apply read', async () => {
        const unit = await locator.find(ref)
        const doc = parts.store.folded(unit).value
        const { isCertain, ...reads } = takeReadsOfRun(doc, { ...apply, now: clock.now() })
        const fingerprint = fingerprintOfHead(doc, isCertain ? apply.fingerprint : null)
        const change = { ...reads, fingerprint, failed: undefined }
        return (await parts.store.swap(unit, change)) === undefined ? again : undefined
      })
    },
  }
}
