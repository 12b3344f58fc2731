import { viewAuthor } from '../../access/index.ts'
import { createHmac } from 'node:crypto'
import { TacoError, reasonOf } from '../../base/errors.ts'
import { answeredBefore, noteRequest } from '../../bucket/index.ts'
import type { Catalog, DamagedUnit } from '../catalog/catalog.ts'
import type { CatalogEntry } from '../catalog/catalog-entry.ts'
import { readEntryText } from '../catalog/catalog-entry.ts'
import type { Locator } from '../units/locate.ts'
import type { Dependency, UnitDocument } from '../documents/model.ts'
import type { OrgStore } from '../units/orgs.ts'
import { again, untilDone } from '../../base/attempts.ts'
import type { Parts } from '../protocol/context.ts'
import { takeReadsOfRun } from './receipts.ts'
import type { GraphStore } from '../state-control.ts'
import type { createUnitsAt } from '../history/units-at.ts'
import { fingerprintOfHead, graphFacts, viewUnit } from '../views/to-views.ts'
import type { GraphFacts } from '../views/views.ts'

/** A newer server may have noted more about a dependency than whoever declares it again can know. */
function withAdditions(before: readonly Dependency[], after: readonly Dependency[]): Dependency[] {
  return after.map((one) => {
    const same = before.find(({ on, source }) => on === one.on && source === one.source)
    return { ...same, ...one }
  })
}

const MEND_DOCUMENT =
  'Restore the object from a backup of the bucket, or delete it and run `taco doctor --deep --repair` to rebuild it.'

/** Its document has its name; the units that use it know one. */
function damagedFacts({ id, error }: DamagedUnit): GraphFacts {
  const made = { dependencies: [], reads: null, locked: false, fingerprint: null }
  const head = { commit: 0, version: '', at: 0, by: '', who: null, outputs: null }
  return { ...made, id, name: id, head, damaged: error.message }
}

/** What the graph reads and writes of units' documents. */
export function createGraphStore(
  parts: Parts,
  catalog: Catalog,
  locator: Locator,
  orgs: Pick<OrgStore, 'require' | 'digestKey'>,
  past: ReturnType<typeof createUnitsAt>,
): GraphStore {
  const { clock } = parts.deps
  const parsed = new WeakMap<CatalogEntry, GraphFacts>()

  function factsOf(entry: CatalogEntry): GraphFacts {
    let facts = parsed.get(entry)
    if (facts === undefined) {
      facts = readEntryText(entry).graph
      parsed.set(entry, facts)
    }
    return facts
  }

  /** A graph without one of its units would show what uses that one as fine, and lead a rollout past it. */
  function refuseDamaged(org: string): void {
    const [first, ...others] = catalog.damaged(org).map(({ error }) => error)
    if (first === undefined) return
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`
    throw new TacoError(first.code, `The graph is incomplete: ${reasonOf(first)}${more}.`, {
      facts: first.facts,
      hint: first.code === 'BUCKET_CORRUPT' ? MEND_DOCUMENT : (first.hint ?? 'See `taco doctor --deep`.'),
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
      await orgs.require(org)
      const units = await past.unitsAt(org, time)
      return [...units, ...catalog.damaged(org).map(damagedFacts)]
    },
    async commitOf(org, unit, commit) {
      const version = await past.commitOf(org, unit, commit)
      return version && { at: version.at, ...viewAuthor(version) }
    },
    async changeDependencies(ref, change, caller) {
      return untilDone(clock, 'changing dependencies', async () => {
        const unit = await locator.find(ref)
        if (answeredBefore(unit.value.answered, caller) !== undefined) return viewUnit(unit.value)
        const dependencies = change(unit.value.dependencies, unit.value.id)
        if (dependencies === unit.value.dependencies) return viewUnit(unit.value)
        const event = { type: 'dependencies.changed' as const, caller, data: { dependencies } }
        const noted = noteRequest(unit.value.answered, caller, clock.now())
        const changes = { dependencies: withAdditions(unit.value.dependencies, dependencies), ...noted }
        const swapped = await parts.store.swap(unit, changes, [event])
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
