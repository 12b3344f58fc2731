import { type RunTokens, systemCaller } from '../../access/index.ts'
import { isTacoError } from '../../base/errors.ts'
import { forEachLimit } from '../../base/for-each-limit.ts'
import type { Bucket } from '../../bucket/index.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { ServerRetentionStore } from '../audit/server-retention.ts'
import { type Removed, createEventGc } from './gc-events.ts'
import { findVersion, newest } from '../history/history.ts'
import { parseVersionObject, versionsPrefix } from '../documents/layout.ts'
import type { OrgDocument, UnitDocument } from '../documents/model.ts'
import { refuseOlderDocument } from '../documents/older-document.ts'
import type { OrgStore } from '../units/orgs.ts'
import { again, untilDone } from '../../base/attempts.ts'
import type { Parts, Target } from '../protocol/context.ts'
import { loadUnit } from '../protocol/context.ts'
import type { StoredVersion } from '../versions/retention.ts'
import { planRetention } from '../versions/retention.ts'
import { knowsAllSerials } from '../intake/serials.ts'
import type { Caller, GcOptions, Upkeep, Uploads } from '../state-control.ts'
import type { GcReport } from '../views/views.ts'
import { withAllSerials } from '../intake/write-above.ts'

/** A dry run only reads, so it looks at so many units at once. */
const LOOKS_AT_ONCE = 16

/** Carries out retention, unit by unit. The document is changed first: a writer that meant to build on what goes fails. */
export function createGc(
  parts: Parts,
  orgs: OrgStore,
  catalog: Catalog,
  {
    runTokens,
    uploads,
  }: {
    readonly runTokens: Pick<RunTokens, 'removeExpired'>
    readonly uploads: Pick<Uploads, 'removeOld'>
  },
  server: Pick<ServerRetentionStore, 'note'>,
): Upkeep['gc'] {
  const { bucket, clock, log } = parts.deps
  const collectEvents = createEventGc(parts.deps, orgs, server)

  async function collect(
    target: Target,
    { dryRun, asIf }: GcOptions,
    caller: Caller,
    /** For a dry run, which goes by one look at the organization. */
    known: OrgDocument | undefined,
  ): Promise<Omit<GcReport, 'dryRun' | 'units' | 'eventsPruned'>> {
    return untilDone(clock, 'removing old versions', async () => {
      const unit = await loadUnit(parts, target)
      const doc = unit.value
      const top = newest(doc)?.seq ?? 0
      const stored = await listStored(bucket, doc)
      await refuseOlderDocument(bucket, doc)
      const org = known ?? (await orgs.current(doc.org))
      const policy = doc.retention ?? (asIf === undefined ? org.retention : (asIf.retention ?? undefined))
      const most = org.limits?.versions
      const plan = planRetention({
        stored,
        newest: top,
        historyFrom: doc.historyFrom,
        kept: doc.kept,
        chain: chainObjects(doc),
        policy,
        most,
        committed: await committedAmong(bucket, doc, stored, top),
        now: clock.now(),
      })
      const counts = {
        // One without a rule keeps everything: only what failed writes left is removed.
        unitsWithRule: policy === undefined && most === undefined ? 0 : 1,
        versionsPruned: plan.pruned,
        objectsDeleted: plan.remove.length,
        bytesDeleted: plan.remove.reduce((sum, { size }) => sum + size, 0),
      }
      if (!dryRun && plan.pruned > 0 && !knowsAllSerials(doc)) {
        await withAllSerials(parts, target)
        return again
      }
      if (dryRun || (plan.pruned === 0 && plan.remove.length === 0)) return counts
      const { unitsWithRule: _ruled, ...removed } = counts
      const event = {
        type: 'gc.pruned' as const,
        caller,
        data: { ...removed, historyFrom: plan.historyFrom },
      }
      const marked = await parts.store.swap(unit, { historyFrom: plan.historyFrom, kept: [...plan.kept] }, [
        event,
      ])
      if (marked === undefined) return again
      for (const { object } of plan.remove)
        await deleteObject(bucket, versionsPrefix(doc.org, doc.id) + object)
      return counts
    })
  }

  /** What is wrong with one organization must not keep the others from being tidied up. */
  async function readableOrgs(): Promise<readonly string[]> {
    const readable: string[] = []
    for (const org of await orgs.names(systemCaller('upkeep'))) {
      // Everything of a deleted organization is kept for its restore.
      if (await orgs.isDeleted(org)) continue
      try {
        await orgs.require(org)
        readable.push(org)
      } catch (error) {
        if (!isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER', 'NOT_FOUND')) throw error
        log.error('nothing was removed of a damaged organization', { org, error: error.message })
      }
    }
    return readable
  }

  return async ({ org, dryRun, asIf: supposed, onUnit }, caller) => {
    // What is really removed goes by what is stored.
    const options = { dryRun, ...(dryRun && supposed !== undefined ? { asIf: supposed } : {}) }
    let units = 0
    const total = { unitsWithRule: 0, versionsPruned: 0, eventsPruned: 0, objectsDeleted: 0, bytesDeleted: 0 }
    if (org !== undefined) await orgs.require(org)
    const addEvents = (events: Removed) => {
      total.eventsPruned += events.eventsPruned
      total.objectsDeleted += events.objectsDeleted
      total.bytesDeleted += events.bytesDeleted
    }
    const names = org === undefined ? await readableOrgs() : [org]
    for (const name of names) {
      const known = dryRun ? await orgs.current(name) : undefined
      await forEachLimit(await catalog.all(name), dryRun ? LOOKS_AT_ONCE : 1, async (entry) => {
        caller.signal?.throwIfAborted()
        const counts = await collect({ org: name, id: entry.id }, options, caller, known).catch(
          (error: unknown) => {
            if (!isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER')) throw error
            log.error('nothing was removed of a damaged unit', { unit: entry.name, error: error.message })
            return undefined
          },
        )
        if (counts === undefined) return
        total.versionsPruned += counts.versionsPruned
        total.objectsDeleted += counts.objectsDeleted
        total.bytesDeleted += counts.bytesDeleted
        total.unitsWithRule += counts.unitsWithRule
        units++
        if (counts.objectsDeleted > 0) onUnit?.({ id: entry.id, ...counts })
      })
      addEvents(await collectEvents.ofOrg(name, options, caller))
      if (!dryRun) await Promise.all([runTokens.removeExpired(name, caller), uploads.removeOld(name)])
    }
    if (org === undefined) addEvents(await collectEvents.ofServer(names, dryRun, caller))
    return { dryRun, units, ...total }
  }
}

export async function listStored(bucket: Bucket, doc: UnitDocument): Promise<StoredVersion[]> {
  const prefix = versionsPrefix(doc.org, doc.id)
  const stored: StoredVersion[] = []
  for await (const page of bucket.list(prefix)) {
    for (const { key, size, modifiedAt } of page) {
      const parts = parseVersionObject(key)
      if (parts !== undefined) stored.push({ ...parts, object: key.slice(prefix.length), size, modifiedAt })
    }
  }
  return stored
}

/** A pending intent's version is committed too. */
function chainObjects(doc: UnitDocument): string[] {
  const pending = doc.write?.kind === 'write' ? doc.write.head : undefined
  return [doc.head, pending].flatMap((head) =>
    head == null
      ? []
      : [head.object, head.chain.full?.id, head.chain.mid?.id].filter((id) => id !== undefined),
  )
}

async function committedAmong(
  bucket: Bucket,
  doc: UnitDocument,
  stored: readonly StoredVersion[],
  top: number,
): Promise<Set<string>> {
  const committed = new Set<string>()
  const counts = new Map<number, number>()
  for (const { seq } of stored) counts.set(seq, (counts.get(seq) ?? 0) + 1)
  for (const [seq, count] of counts) {
    if (count < 2 || seq > top || seq < doc.historyFrom) continue
    const entry = await findVersion(bucket, doc, seq, 'stop')
    // Where damage hides which of them counts, any of them may.
    const mayCount = entry === undefined ? stored.filter((one) => one.seq === seq) : [entry.facts]
    for (const { id } of mayCount) committed.add(id)
  }
  if (doc.write?.kind === 'write') committed.add(doc.write.head.version.id)
  return committed
}

async function deleteObject(bucket: Bucket, key: string): Promise<void> {
  const entry = await bucket.head(key)
  if (entry !== undefined) await bucket.delete(key, entry.tag)
}
