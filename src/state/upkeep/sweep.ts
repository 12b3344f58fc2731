import type { Bucket } from '../../bucket/index.ts'
import { ROOT, lockBeside } from '../../bucket/index.ts'
import { messageOf } from '../../base/errors.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { CatalogEntry, EntryText } from '../catalog/catalog-entry.ts'
import { readEntryText } from '../catalog/catalog-entry.ts'
import type { HistoryCache } from '../history/history-cache.ts'
import { forEachLimit } from '../../base/for-each-limit.ts'

import type { createLeftEvents } from '../journal/left-events.ts'
import type { OrgStore } from '../units/orgs.ts'
import { lookAt } from '../protocol/reconcile.ts'
import type { Parts } from '../protocol/context.ts'
import type { Upkeep } from '../state-control.ts'
import { keptIn } from '../history/units-at.ts'

/**
 * One look at every unit that needs it. Two listings find them: a unit whose state, lock object and document agree,
 * with nothing unfinished, costs nothing.
 */
export function createSweep(
  parts: Parts,
  orgs: OrgStore,
  catalog: Catalog,
  history: Pick<HistoryCache, 'save'>,
  onListed: (outside: Outside) => void,
  left: ReturnType<typeof createLeftEvents>,
): Upkeep['sweep'] {
  const { bucket, clock, log } = parts.deps

  return async (caller) => {
    let looked = 0
    let repaired = 0
    let missing = 0
    const outside = await listOutside(bucket)
    onListed(outside)
    for (const org of await orgs.names(caller)) {
      const entries = await catalog.all(org)
      const suspects: CatalogEntry[] = []
      for (const entry of entries) {
        const text = readEntryText(entry)
        if (needsLook(text, outside, clock.now())) suspects.push(entry)
        else if (text.view.missing !== null && text.view.deleted === null) missing++
      }
      await forEachLimit(suspects, 8, async ({ id, name }) => {
        caller.signal?.throwIfAborted()
        try {
          const repairs = await lookAt(parts, { org, id }, caller)
          await parts.store.tidy(org, id)
          looked++
          if (parts.store.cached(org, id)?.value.missing !== undefined) missing++
          if (repairs.length === 0) return
          repaired++
          log.info('a unit was put in order', { unit: name, repairs })
        } catch (error) {
          log.error('a unit could not be put in order', { unit: name, error: messageOf(error) })
        }
      })
      await history.save(org, keptIn(entries))
    }
    await left.send(caller)
    return { looked, repaired, missing }
  }
}

export function needsLook({ view, look }: EntryText, outside: Outside, now: number): boolean {
  if (look.unfinished || (look.leaseUntil !== null && look.leaseUntil < now)) return true
  const isLocked = outside.isLocked(view.key)
  // A LOCK that was under way when the unit was deleted leaves a mirror that blocks the next user of the key.
  if (view.deleted !== null) return isLocked
  if ((outside.tags.get(view.key) ?? null) !== look.stateTag) return true
  return isLocked !== look.locked
}

/** Everything in the bucket that is not under `.taco/`, as one listing showed it. */
export interface Outside {
  /** An object without a byte is no state, and has none. */
  readonly tags: ReadonlyMap<string, string>
  /** Is the state at this key locked, by us or directly? */
  isLocked(stateKey: string): boolean
}

export async function listOutside(bucket: Bucket): Promise<Outside> {
  const { placeOf, isLock } = bucket.locks ?? lockBeside
  const tags = new Map<string, string>()
  const locks = new Set<string>()
  for await (const entry of outsideEntries(bucket)) {
    if (isLock(entry)) locks.add(entry.key)
    if (entry.size > 0) tags.set(entry.key, entry.tag)
  }
  return { tags, isLocked: (stateKey) => locks.has(placeOf(stateKey)) }
}

/** Keys before and after `.taco/`, which holds far more objects than anything else. */
export async function* outsideEntries(bucket: Bucket, under = '') {
  for (const after of [undefined, `${ROOT.slice(0, -1)}0`]) {
    scan: for await (const page of bucket.list(under, after === undefined ? {} : { after })) {
      for (const entry of page) {
        if (after === undefined && entry.key >= ROOT) break scan
        yield entry
      }
    }
  }
}
