import type { Catalog } from './catalog.ts'
import type { Claims } from './claims.ts'
import { isoTime } from '../base/clock.ts'
import { TacoError } from '../base/errors.ts'
import { checkLabelCount, isUnitId, parseLabels, parseNewUnitName, parseUnitName } from './names.ts'
import type { OrgStore } from './orgs.ts'
import { type Expected, changedMeanwhile, isExpected } from './expected.ts'
import type { LocksSeen } from './locks-seen.ts'
import type { Locator } from './locate.ts'
import type { UnitDocument } from './model.ts'
import { letGo, underLock } from './own-lock.ts'
import { again, untilDone } from './protocol/attempts.ts'
import { lookAt } from './protocol/look.ts'
import type { Parts, Target } from './protocol/parts.ts'
import { idOf, loadUnit } from './protocol/parts.ts'
import { unitGone } from './protocol/refusals.ts'
import { seeUnit } from './protocol/see.ts'
import { removeState } from './protocol/remove.ts'
import type { Caller, UnitChange, UnitRef, Units } from './services.ts'
import type { UnitChanges } from './transitions.ts'
import { movedUnit } from './transitions.ts'
import type { UnitMaker } from './unit-making.ts'
import type { Unit } from './unit-store.ts'
import { unitEtag, viewOutsideLock, viewUnit } from './view-unit.ts'
import { bringStateBack } from './restore.ts'

export function createUnits(
  parts: Parts,
  catalog: Catalog,
  locator: Locator,
  maker: UnitMaker,
  claims: Claims,
  orgs: OrgStore,
  locksSeen: LocksSeen,
): Units {
  const { store, deps } = parts

  async function change(
    ref: UnitRef,
    expected: Expected | undefined,
    step: (unit: Unit) => Promise<Unit | undefined>,
  ): Promise<Unit> {
    return untilDone(deps.clock, 'changing the unit', async () => {
      const unit = await locator.find(ref)
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
    await underLock(parts, target, { operation: 'delete', check }, caller, async (lockId) => {
      await removeState(parts, target, { lockId, force }, caller)
      await untilDone(deps.clock, 'deleting the unit', async () => {
        const unit = await loadUnit(parts, target)
        if (unit.value.deleted !== undefined) return undefined
        const deleted = { at: deps.clock.now(), by: caller.by }
        const gone = await store.swap(unit, movedUnit(unit.value, { deleted }, deleted.at), [
          { type: 'unit.deleted', caller, data: { force } },
        ])
        return gone === undefined ? again : undefined
      })
    })
    const unit = await loadUnit(parts, { org: target.org, id: target.id })
    // The name stays claimed: it is given up, and not free. The key's claim is invalid even if this does not happen.
    await claims.release('key', unit.value)
    return unit
  }

  async function restore(ref: UnitRef, options: { name?: string }, caller: Caller): Promise<Unit> {
    const unit = isUnitId(ref.unit) ? await locator.find(ref) : await onlyDeleted(ref)
    if (unit.value.deleted === undefined) return unit
    const name = options.name === undefined ? unit.value.name : parseNewUnitName(options.name)
    const key = await freeKey(unit, name)
    // A deletion that crashed may have left its lock.
    if (unit.value.lock !== null) await lookAt(parts, idOf(unit), caller)
    const restored = { type: 'unit.restored' as const, caller, data: { name } }
    const moved = await maker.move(unit, { name, key }, [restored], (doc) =>
      bringStateBack(parts, doc, caller),
    )
    if (moved.value.lock?.info.Operation === 'restore')
      await letGo(parts, idOf(moved), moved.value.lock.id, caller)
    return loadUnit(parts, idOf(moved))
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
    throw new TacoError('NOT_FOUND', `there is no deleted unit ${name}`, {
      facts: { field: 'unit', unit: name },
      hint: 'see `taco unit ls --deleted`',
    })
  }

  /** Its old place, or one of its own if somebody else lives there now. */
  async function freeKey(unit: Unit, name: string): Promise<string> {
    const { key, id, org } = unit.value
    const probe = { v: 1 as const, id, org, name, key, at: deps.clock.now(), by: unit.value.createdBy }
    const taken = await claims.take('key', probe)
    return taken.kind === 'mine' ? key : `${name}/${id}.tfstate`
  }

  return {
    async list(query) {
      await orgs.require(query.org)
      const page = await catalog.list(query)
      return { ...page, items: await locksSeen.asOfNow(page.items) }
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
      const unit = await change(ref, expected, (current) =>
        store.swap(current, settingsOf(current.value, wanted), [
          { type: 'unit.changed', caller, data: { ...wanted } },
        ]),
      )
      return viewUnit(unit.value)
    },
    async rename(ref, name, caller, expected) {
      const to = parseNewUnitName(name)
      const unit = await change(ref, expected, async (current) => {
        if (current.value.name === to) return current
        const event = { type: 'unit.renamed' as const, caller, data: { from: current.value.name, to } }
        return maker.move(current, { name: to, key: current.value.key }, [event])
      })
      return viewUnit(unit.value)
    },
    async remove(ref, { force }, caller, expected) {
      const unit = await locator.find(ref)
      if (unit.value.deleted !== undefined) {
        checkExpected(unit.value, expected)
        return viewUnit(unit.value)
      }
      const target = { ...idOf(unit), name: unit.value.name }
      return viewUnit((await remove(target, { force, expected }, caller)).value)
    },
    async restore(ref, options, caller) {
      return viewUnit((await restore(ref, options, caller)).value)
    },
  }
}

function severalDeleted(name: string, docs: readonly UnitDocument[]): TacoError {
  const listed = docs.map(({ id, deleted, head }) => {
    const last = head === null ? 'no version' : `version ${head.version.seq}, serial ${head.version.serial}`
    return `${id} (${last}, deleted ${isoTime(deleted?.at ?? 0)} by ${deleted?.by ?? ''})`
  })
  return new TacoError(
    'BAD_REQUEST',
    `${docs.length} deleted units had the name ${name}: ${listed.join(', ')}`,
    {
      facts: { field: 'unit', unit: name, ids: docs.map(({ id }) => id) },
      hint: `name one by its id: \`taco unit restore ${docs[0]?.id ?? ''}\``,
    },
  )
}

function checkExpected(doc: UnitDocument, expected: Expected | undefined): void {
  if (!isExpected(expected, unitEtag(doc))) throw changedMeanwhile(`the unit ${doc.name}`)
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
    description: wanted.description ?? doc.description,
    allowDecrypt: wanted.allowDecrypt ?? doc.allowDecrypt,
    retention: wanted.retention === undefined ? doc.retention : (wanted.retention ?? undefined),
  }
}
