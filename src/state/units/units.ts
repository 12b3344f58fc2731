import { factsOf } from '../catalog/catalog-entry.ts'
import { authorOfCreator } from '../documents/authors.ts'
import { authorOf, viewAuthor } from '../../access/index.ts'
import { sayAuthor } from '../../base/text/author.ts'
import { answeredBefore, noteRequest, withoutRequest } from '../../bucket/index.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Claims } from './claims.ts'
import { isoTime } from '../../base/clock.ts'
import { TacoError, isTacoError } from '../../base/errors.ts'
import {
  checkLabelCount,
  isUnitId,
  parseLabels,
  parseNewUnitName,
  parseUnitName,
} from '../documents/names.ts'
import type { OrgStore } from './orgs.ts'
import { type Expected, changedMeanwhile, isExpected } from '../expected.ts'
import type { LocksSeen } from '../locks/outside-locks.ts'
import type { KeyOwners } from './key-owner.ts'
import { otherStateKey } from '../documents/layout.ts'
import type { Locator } from './locate.ts'
import type { UnitDocument } from '../documents/model.ts'
import { ensureLock, letGo } from '../locks/with-lock.ts'
import { again, untilDone } from '../../base/attempts.ts'
import { lookAt } from '../protocol/reconcile.ts'
import type { Parts, Target } from '../protocol/context.ts'
import { idOf, loadUnit } from '../protocol/context.ts'
import { unitGone } from '../protocol/refusals.ts'
import { seeUnit } from '../protocol/read-reconciled.ts'
import { removeState } from '../protocol/remove.ts'
import type { Caller, UnitChange, UnitRef, Units } from '../state-control.ts'
import type { UnitChanges } from '../documents/transitions.ts'
import { movedUnit } from '../documents/transitions.ts'
import { type UnitMaker, sectionsWith } from './unit-making.ts'
import type { Unit } from '../documents/unit-store.ts'
import { unitEtag, viewOutsideLock, viewUnit } from '../views/to-views.ts'
import { bringStateBack } from '../versions/restore.ts'

export function createUnits(
  parts: Parts,
  catalog: Catalog,
  locator: Locator,
  maker: UnitMaker,
  claims: Claims,
  orgs: OrgStore,
  locksSeen: LocksSeen,
  owners: KeyOwners,
): Units {
  const { store, deps } = parts

  /** The unit; or the one that had the name before this very request took it away. */
  async function find(ref: UnitRef, caller: Caller): Promise<Unit> {
    try {
      return await locator.find(ref)
    } catch (error) {
      const id =
        isTacoError(error, 'NOT_FOUND') && caller.request !== undefined ? error.facts['id'] : undefined
      const former = typeof id === 'string' ? await store.load(ref.org, id) : undefined
      if (former === undefined || !isRepeated(former, caller)) throw error
      return former
    }
  }

  async function change(
    ref: UnitRef,
    expected: Expected | undefined,
    caller: Caller,
    step: (unit: Unit) => Promise<Unit | undefined>,
  ): Promise<Unit> {
    return untilDone(deps.clock, 'changing the unit', async () => {
      const unit = await find(ref, caller)
      if (isRepeated(unit, caller)) return unit
      checkExpected(unit.value, expected)
      if (unit.value.deleted !== undefined) throw unitGone(unit.value)
      return (await step(unit)) ?? again
    })
  }

  async function remove(
    target: Target,
    { force, expected }: { readonly force: boolean; readonly expected: Expected | undefined },
    caller: Caller,
  ): Promise<Unit> {
    // Taking the lock changes the document, so what is expected of it is checked in that very step.
    const check = (doc: UnitDocument) => checkExpected(doc, expected)
    const lock = await ensureLock(parts, target, { operation: 'delete', check }, caller)
    try {
      await removeState(parts, target, { lockId: lock.id, force }, withoutRequest(caller))
      await untilDone(deps.clock, 'deleting the unit', async () => {
        const unit = await loadUnit(parts, target)
        if (unit.value.deleted !== undefined) return undefined
        const deleted = { at: deps.clock.now(), ...authorOf(caller) }
        const changes = {
          ...movedUnit(unit.value, { deleted }, deleted.at),
          ...noteRequest(unit.value.answered, caller, deleted.at),
        }
        const gone = await store.swap(unit, changes, [{ type: 'unit.deleted', caller, data: { force } }])
        return gone === undefined ? again : undefined
      })
    } finally {
      await lock.release()
    }
    const unit = await loadUnit(parts, { org: target.org, id: target.id })
    // The name stays claimed: it is given up, and not free. The key's claim is invalid even if this does not happen.
    await claims.release('key', unit.value)
    return unit
  }

  async function restore(ref: UnitRef, options: { name?: string }, caller: Caller): Promise<Unit> {
    const unit = isUnitId(ref.unit) ? await locator.find(ref) : await toRestore(ref, caller)
    if (unit.value.deleted === undefined) return unit
    const name = options.name === undefined ? unit.value.name : parseNewUnitName(options.name)
    const key = await freeKey(unit, name)
    // A deletion that crashed may have left its lock.
    if (unit.value.lock !== null) await lookAt(parts, idOf(unit), caller)
    const restored = { type: 'unit.restored' as const, caller, data: { name } }
    const moved = await maker.move(unit, { name, key }, [restored], async (doc) => {
      const { changes, events } = await bringStateBack(parts, doc, caller)
      return { changes: { ...changes, ...noteRequest(doc.answered, caller, deps.clock.now()) }, events }
    })
    if (moved.value.lock?.info.Operation === 'restore')
      await letGo(parts, idOf(moved), moved.value.lock.id, caller)
    return loadUnit(parts, idOf(moved))
  }

  async function toRestore(ref: UnitRef, caller: Caller): Promise<Unit> {
    const living = caller.request === undefined ? undefined : await locator.tryFind(ref)
    return living !== undefined && isRepeated(living, caller) ? living : onlyDeleted(ref)
  }

  /** Which of several is meant, only a person can tell. */
  async function onlyDeleted(ref: UnitRef): Promise<Unit> {
    const name = parseUnitName(ref.unit)
    const ids = await catalog.deletedByName(ref.org, name)
    const found = (await Promise.all(ids.map((id) => store.load(ref.org, id)))).filter(
      (unit) => unit?.value.deleted !== undefined && unit.value.name === name,
    )
    const [unit] = found
    if (found.length > 1)
      throw severalDeleted(
        name,
        found.flatMap((one) => one?.value ?? []),
      )
    if (unit !== undefined) return unit
    throw new TacoError('NOT_FOUND', `There is no deleted unit ${name}.`, {
      facts: { field: 'unit', unit: name },
      hint: 'See `taco unit ls --deleted`.',
    })
  }

  /** The unit that this very request deleted: another one may have its name by now. */
  async function deletedBy({ org, unit: name }: UnitRef, caller: Caller): Promise<Unit | undefined> {
    if (caller.request === undefined || isUnitId(name)) return undefined
    const ids = await catalog.deletedByName(org, parseUnitName(name))
    const found = await Promise.all(ids.map((id) => store.load(org, id)))
    return found.find((unit) => unit !== undefined && isRepeated(unit, caller))
  }

  /** Its old key, or a new one if the old key is in use now. */
  async function freeKey(unit: Unit, name: string): Promise<string> {
    const { key, id, org } = unit.value
    const elsewhere = otherStateKey(await orgs.folderOf(org), name, id)
    // What is there now belongs to that organization, even if it is not registered.
    const owner = await owners.ownerOf(key)
    const isForeign = owner !== undefined && owner !== org
    if (isForeign && (await deps.bucket.head(key)) !== undefined) return elsewhere
    const probe = { id, org, name, key, at: deps.clock.now(), ...authorOfCreator(unit.value) }
    const taken = await claims.take('key', probe)
    return taken.kind === 'mine' ? key : elsewhere
  }

  return {
    async list(query, { sight }) {
      await orgs.require(query.org)
      const page = await catalog.list(query, sight)
      return { ...page, items: await locksSeen.asOfNow(page.items) }
    },
    async select({ org, matches, compare, skip, limit }, { sight }) {
      await orgs.require(org)
      const { items } = await catalog.list({ org, limit: Infinity }, sight)
      const found = items.filter(matches)
      const sorted = compare === undefined ? found : found.toSorted(compare)
      return { items: await locksSeen.asOfNow(sorted.slice(skip, skip + limit)), total: found.length }
    },
    async visible(org, { sight }) {
      if (sight === undefined || sight.seesAll) return undefined
      const { entries } = await catalog.current(org)
      return new Map(
        entries.map(factsOf).flatMap((unit) => (sight.may('unit:read', unit) ? [[unit.id, unit]] : [])),
      )
    },
    async get(ref) {
      const unit = await seeUnit(parts, await locator.find(ref))
      const view = viewUnit(unit.value)
      if (view.lock !== null || view.deleted !== null) return view
      const mirror = await parts.mirrors.read(unit.value)
      return mirror.kind === 'foreign'
        ? { ...view, lock: viewOutsideLock(mirror.info, deps.clock.now()) }
        : view
    },
    async create(input, caller) {
      return viewUnit((await maker.create(input, caller)).value)
    },
    async update(ref, wanted, caller, expected) {
      parseLabels(wanted.labels ?? {})
      const unit = await change(ref, expected, caller, ({ value, ...rest }) => {
        const changes = {
          ...settingsOf(value, wanted),
          ...noteRequest(value.answered, caller, deps.clock.now()),
        }
        const { section, ...said } = wanted
        const data = section === undefined ? said : { ...said, section: section.name }
        return store.swap({ value, ...rest }, changes, [{ type: 'unit.changed', caller, data }])
      })
      return viewUnit(unit.value)
    },
    async rename(ref, name, caller, expected) {
      const to = parseNewUnitName(name)
      const unit = await change(ref, expected, caller, async (current) => {
        if (current.value.name === to) return current
        const event = { type: 'unit.renamed' as const, caller, data: { from: current.value.name, to } }
        return maker.move(current, { name: to, key: current.value.key }, [event], ({ answered }) =>
          Promise.resolve({ changes: noteRequest(answered, caller, deps.clock.now()), events: [] }),
        )
      })
      return viewUnit(unit.value)
    },
    async remove(ref, { force }, caller, expected) {
      const unit = (await deletedBy(ref, caller)) ?? (await find(ref, caller))
      if (isRepeated(unit, caller)) return viewUnit(unit.value)
      if (unit.value.deleted !== undefined) {
        checkExpected(unit.value, expected)
        return viewUnit(unit.value)
      }
      const target = { ...idOf(unit), name: unit.value.name }
      return viewUnit((await remove(target, { force, expected }, caller)).value)
    },
    async isRepeated(ref, caller) {
      return caller.request !== undefined && isRepeated(await locator.find(ref), caller)
    },
    async restore(ref, options, caller) {
      return viewUnit((await restore(ref, options, caller)).value)
    },
  }
}

function severalDeleted(name: string, docs: readonly UnitDocument[]): TacoError {
  const listed = docs.map(({ id, deleted = { at: 0, by: '' }, head }) => {
    const last = head === null ? 'no version' : `version ${head.version.seq}, serial ${head.version.serial}`
    return `${id} (${last}, deleted ${isoTime(deleted.at)} by ${sayAuthor(viewAuthor(deleted))})`
  })
  return new TacoError(
    'BAD_REQUEST',
    `${docs.length} deleted units had the name ${name}: ${listed.join(', ')}.`,
    {
      facts: { field: 'unit', unit: name, ids: docs.map(({ id }) => id) },
      hint: `Restore one by its id: \`taco unit restore ${docs[0]?.id ?? ''}\`.`,
    },
  )
}

function isRepeated(unit: Unit, caller: Caller): boolean {
  return answeredBefore(unit.value.answered, caller) !== undefined
}

function checkExpected(doc: UnitDocument, expected: Expected | undefined): void {
  if (!isExpected(expected, unitEtag(doc))) throw changedMeanwhile(`The unit ${doc.name}`)
}

function settingsOf(doc: UnitDocument, wanted: UnitChange): UnitChanges {
  const labels = { ...doc.labels }
  for (const [name, value] of Object.entries(wanted.labels ?? {})) {
    if (value === null) delete labels[name]
    else labels[name] = value
  }
  // One that has more from before can be changed in every other way.
  if (Object.keys(labels).length > Object.keys(doc.labels).length) checkLabelCount(labels)
  return {
    labels,
    ...(wanted.section === undefined ? {} : { sections: sectionsWith(doc.sections, wanted.section) }),
    description: wanted.description ?? doc.description,
    allowDecrypt: wanted.allowDecrypt ?? doc.allowDecrypt,
    retention: wanted.retention === undefined ? doc.retention : (wanted.retention ?? undefined),
  }
}
