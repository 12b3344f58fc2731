import { systemCaller } from '../../access/index.ts'
import { LRUCache } from 'lru-cache'
import { again, untilDone } from '../../base/attempts.ts'
import { isTacoError } from '../../base/errors.ts'
import type { Found, Held, Tag } from '../../bucket/index.ts'
import { isWorthMissing } from '../documents/transitions.ts'
import type { Unit } from '../documents/unit-store.ts'
import type { Parts } from '../protocol/context.ts'
import { idOf, loadUnit } from '../protocol/context.ts'
import { lookAt } from '../protocol/reconcile.ts'
import { stateMissing } from '../protocol/refusals.ts'
import { recordRead } from '../receipts/record-read.ts'
import type { States, UnitRef } from '../state-control.ts'
import type { Locator } from '../units/locate.ts'

interface ReadOptions {
  readonly ifNoneMatch?: string | undefined
  readonly signal?: AbortSignal | undefined
  readonly range?: { readonly start: number; readonly end: number } | undefined
}

interface Place {
  readonly unit: Unit
  /** Checks without a promise whether the document is unchanged, where the bucket can. */
  readonly isCurrent: (() => boolean | Promise<boolean>) | undefined
}

/** Reading the current state by the name or the id of its unit. */
export function createStateReads(parts: Parts, locator: Locator): Pick<States, 'read' | 'readNow'> {
  const { store } = parts
  const { bucket, clock } = parts.deps
  /** The units that names led to last. Every read checks whether they still do. */
  const places = new LRUCache<string, Place>({ max: 20_000 })

  /** A missing state means "no state" only if the unit's document agrees: see `confirmNone`. */
  async function read(ref: UnitRef, options: ReadOptions = {}): Promise<Found | 'unchanged' | undefined> {
    return untilDone(clock, 'reading the state', async () => {
      const found = await readByName(ref, options)
      return found === undefined && (await confirmNone(ref)) === 'look again' ? again : found
    })
  }

  /** Only reads that find no state pay for this: an engine that is told "none" creates everything. */
  async function confirmNone(ref: UnitRef): Promise<'none' | 'look again'> {
    const unit = await locator.tryFind(ref)
    if (unit === undefined || unit.value.deleted !== undefined) return 'none'
    const doc = store.folded(unit).value
    if (doc.missing !== undefined) throw stateMissing(doc)
    if (doc.write === null && (doc.head === null || doc.head.tag === null)) return 'none'
    // The document was read after the state was not found: the state has appeared since, or was removed from outside.
    const entry = await bucket.head(doc.key)
    if (entry !== undefined && entry.size > 0) return 'look again'
    await lookAt(parts, idOf(unit), systemCaller('opentaco')).catch((error: unknown) => {
      // A read-only server cannot record it.
      if (!isTacoError(error, 'BUCKET_REFUSED')) throw error
    })
    if (doc.write === null && isWorthMissing(doc)) {
      const now = await loadUnit(parts, idOf(unit))
      if (now.value.head?.tag === doc.head?.tag || now.value.missing !== undefined) throw stateMissing(doc)
    }
    return 'look again'
  }

  /** A name that led to a unit before is not looked up again: we read the unit's document beside the state. */
  async function readByName(ref: UnitRef, options: ReadOptions): Promise<Found | 'unchanged' | undefined> {
    const placeKey = `${ref.org} ${ref.unit}`
    const place = places.get(placeKey)
    const known =
      place === undefined ? again : await readAt(placeKey, place.unit, store.revalidate(place.unit), options)
    if (known !== again) return known
    return untilDone(clock, 'reading', async () => {
      const unit = await locator.tryUse(ref)
      if (unit === undefined || unit.value.deleted !== undefined) return undefined
      return readAt(placeKey, unit, unit, options)
    })
  }

  /**
   * `unit`: its document as it was before the state is read. `beside`: as it is during the read, at no certain time.
   * `again`: the unit moved, or is gone.
   *
   * The answer is right if the unit had its name while the state was what is answered. A document with the tag of these
   * bytes proves it. Without one, the document must be seen unmoved after the state: then the name was the unit's from
   * before the read until after it.
   */
  async function readAt(
    placeKey: string,
    unit: Unit,
    beside: Promise<Unit | undefined> | Unit,
    options: ReadOptions,
  ): Promise<Found | 'unchanged' | undefined | typeof again> {
    const reading = getState(unit, options)
    const [found, during] = await Promise.all([reading, beside]).catch((error: unknown) => {
      void reading.then(discard, () => {})
      throw error
    })
    const tag = found === 'unchanged' ? options.ifNoneMatch : found?.tag
    const after =
      during === undefined || hasTag(store.folded(during), tag) ? during : await store.revalidate(during)
    if (after === undefined || !isUnmoved(unit, after)) {
      places.delete(placeKey)
      discard(found)
      return again
    }
    if (places.get(placeKey)?.unit !== after)
      places.set(placeKey, { unit: after, isCurrent: bucket.confirmer?.(after.key, after.tag) })
    return found
  }

  /** The state is confirmed first, then the document: see readAt. */
  function readNow(ref: UnitRef): Held | undefined {
    const place = places.get(`${ref.org} ${ref.unit}`)
    const held = place === undefined ? undefined : bucket.atHand?.(place.unit.value.key)
    if (held === undefined || held.size === 0) return undefined
    return place?.isCurrent?.() === true ? held : undefined
  }

  /** A read on behalf of a unit is recorded before it is answered, with the commit of the very bytes that are given. */
  async function readFor(
    ref: UnitRef,
    consumer: string,
    { signal, range }: ReadOptions,
  ): Promise<Found | undefined> {
    return untilDone(clock, 'reading for a unit', async () => {
      const unit = await locator.tryUse(ref)
      if (unit === undefined || unit.value.deleted !== undefined) return undefined
      const found = await getState(unit, { signal, range })
      if (found === undefined || found === 'unchanged')
        return (await confirmNone(ref)) === 'look again' ? again : undefined
      const { head, id, org } = store.folded(unit).value
      if (head?.tag !== found.tag) {
        // A write under way or around us: once it is in the document, its commit is known.
        found.discard()
        await lookAt(parts, { org, id }, systemCaller('opentaco'))
        return again
      }
      const digests =
        head.outputs === null
          ? null
          : Object.fromEntries(head.outputs.map(({ name, digest }) => [name, digest]))
      const read = { from: id, names: null, commit: head.commit, digests }
      await recordRead(parts, locator, { org: ref.org, unit: consumer }, read, { engine: true })
      return found
    })
  }

  async function getState(
    unit: Unit,
    { ifNoneMatch, signal, range }: ReadOptions,
  ): Promise<Found | 'unchanged' | undefined> {
    const waiting = { ...(signal === undefined ? {} : { signal }), ...(range === undefined ? {} : { range }) }
    const { key } = unit.value
    const found =
      ifNoneMatch === undefined
        ? await bucket.get(key, waiting)
        : await bucket.get(key, { ...waiting, ifNoneMatch: ifNoneMatch as Tag })
    // An emptied state (stores without conditional delete) is no state.
    if (found === undefined || found === 'unchanged' || found.size > 0) return found
    found.discard()
    return undefined
  }

  return {
    read: (ref, options) =>
      options.consumer === undefined ? read(ref, options) : readFor(ref, options.consumer, options),
    readNow,
  }
}

function discard(found: Found | 'unchanged' | undefined): void {
  if (found !== undefined && found !== 'unchanged') found.discard()
}

function hasTag({ value }: Unit, tag: string | undefined): boolean {
  return (value.head?.tag ?? undefined) === tag
}

function isUnmoved(before: Unit, { value }: Unit): boolean {
  return (
    value.deleted === undefined &&
    value.name === before.value.name &&
    value.key === before.value.key &&
    value.moves === before.value.moves
  )
}
