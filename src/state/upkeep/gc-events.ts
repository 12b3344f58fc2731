import { forEachLimit } from '../../base/for-each-limit.ts'
import type { Entry } from '../../bucket/index.ts'
import { journalPrefix, parseJournalKey, placeAt, sharedJournalPrefix } from '../documents/journal-layout.ts'
import type { ServerRetentionStore } from '../audit/server-retention.ts'
import type { StateDeps } from '../settings.ts'
import type { Caller, GcOptions } from '../state-control.ts'
import type { OrgStore } from '../units/orgs.ts'
import type { GcReport } from '../views/views.ts'

const DAY_MS = 86_400_000
/** Noted in the organization's document and then deleted, so many at a time. */
const BATCH = 10_000

export type Removed = Pick<GcReport, 'eventsPruned' | 'objectsDeleted' | 'bytesDeleted'>

/**
 * Removes the events that are older than their organization keeps. How far is recorded in its document first, so that a
 * reader that missed them learns it. Several servers may do this at once: deleting twice is the same as once.
 */
export function createEventGc(
  { bucket, clock }: Pick<StateDeps, 'bucket' | 'clock'>,
  orgs: Pick<OrgStore, 'current' | 'prunedEvents'>,
  server: Pick<ServerRetentionStore, 'note'>,
) {
  async function removeBatch(
    org: string,
    batch: readonly Entry[],
    root: string,
    caller: Caller,
  ): Promise<void> {
    const upTo = batch.at(-1)?.key.slice(root.length)
    if (upTo === undefined) return
    const events = batch.reduce((sum, { key }) => sum + eventsIn(key), 0)
    if (org === '') await server.note(upTo, events, caller)
    else if (!(await orgs.prunedEvents(org, { upTo, events }, caller))) return
    await forEachLimit(batch, 16, async ({ key, tag }) => void (await bucket.delete(key, tag)))
  }

  async function collect(
    org: string,
    days: number,
    dryRun: boolean,
    caller: Caller,
    roots: readonly string[],
  ): Promise<Removed> {
    const removed = { eventsPruned: 0, objectsDeleted: 0, bytesDeleted: 0 }
    const end = placeAt(clock.now() - days * DAY_MS)
    for (const root of roots) {
      let batch: Entry[] = []
      scan: for await (const page of bucket.list(root)) {
        for (const entry of page) {
          if (entry.key >= root + end) break scan
          if (parseJournalKey(entry.key)?.org !== org) continue
          batch.push(entry)
          removed.eventsPruned += eventsIn(entry.key)
          removed.objectsDeleted++
          removed.bytesDeleted += entry.size
        }
        caller.signal?.throwIfAborted()
        if (dryRun) batch = []
        if (batch.length < BATCH) continue
        await removeBatch(org, batch, root, caller)
        batch = []
      }
      if (!dryRun) await removeBatch(org, batch, root, caller)
    }
    return removed
  }

  return {
    async ofOrg(org: string, { dryRun, asIf }: GcOptions, caller: Caller): Promise<Removed> {
      const { eventRetention } = asIf ?? (await orgs.current(org))
      if (eventRetention == null) return NOTHING
      return collect(org, eventRetention.days, dryRun, caller, [journalPrefix(org), sharedJournalPrefix])
    },
    /** What belongs to no organization is kept as long as the one that keeps its events longest does. */
    async ofServer(names: readonly string[], dryRun: boolean, caller: Caller): Promise<Removed> {
      const kept = await Promise.all(names.map(async (name) => (await orgs.current(name)).eventRetention))
      const days = Math.max(...kept.map((one) => one?.days ?? Infinity))
      return Number.isFinite(days) ? collect('', days, dryRun, caller, [sharedJournalPrefix]) : NOTHING
    },
  }
}

const NOTHING: Removed = { eventsPruned: 0, objectsDeleted: 0, bytesDeleted: 0 }

function eventsIn(key: string): number {
  return parseJournalKey(key)?.units.length ?? 0
}
