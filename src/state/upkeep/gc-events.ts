import { forEachLimit } from '../../base/for-each-limit.ts'
import type { Entry } from '../../bucket/index.ts'
import { journalPrefix, parseJournalKey, placeAt, sharedJournalPrefix } from '../documents/journal-layout.ts'
import type { StateDeps } from '../settings.ts'
import type { Caller } from '../state-control.ts'
import type { OrgStore } from '../units/orgs.ts'
import type { GcReport } from '../views/views.ts'

const DAY_MS = 86_400_000
/** Noted in the organization's document and then deleted, so many at a time. */
const BATCH = 10_000

type Removed = Pick<GcReport, 'eventsPruned' | 'objectsDeleted' | 'bytesDeleted'>

/**
 * Removes the events that are older than their organization keeps. How far is recorded in its document first, so that a
 * reader that missed them learns it. Several servers may do this at once: deleting twice is the same as once.
 */
export function createEventGc(
  { bucket, clock }: Pick<StateDeps, 'bucket' | 'clock'>,
  orgs: Pick<OrgStore, 'current' | 'prunedEvents'>,
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
    if (!(await orgs.prunedEvents(org, { upTo, events }, caller))) return
    await forEachLimit(batch, 16, async ({ key, tag }) => void (await bucket.delete(key, tag)))
  }

  return async (org: string, dryRun: boolean, caller: Caller): Promise<Removed> => {
    const removed = { eventsPruned: 0, objectsDeleted: 0, bytesDeleted: 0 }
    const { eventRetention } = await orgs.current(org)
    if (eventRetention === undefined) return removed
    const end = placeAt(clock.now() - eventRetention.days * DAY_MS)
    for (const root of [journalPrefix(org), sharedJournalPrefix]) {
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
}

function eventsIn(key: string): number {
  return parseJournalKey(key)?.units.length ?? 0
}
