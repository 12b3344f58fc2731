import { LRUCache } from 'lru-cache'
import { isTacoError, TacoError } from '../../base/errors.ts'
import type { Claims } from './claims.ts'
import type { StateDeps } from '../settings.ts'
import { gaveUp, nameGivenUp, remedy, whatBecame } from './given-up.ts'
import { defaultStateKey, nameKey, stateClaimKey } from '../documents/layout.ts'
import { refuseLost } from './lost-units.ts'
import { noSuchUnit } from './missing.ts'
import type { UnitDocument } from '../documents/model.ts'
import { isUnitId, parseOrgName, parseUnitName } from '../documents/names.ts'
import type { OrgStore } from './orgs.ts'
import type { Target } from '../protocol/context.ts'
import type { UnitRef } from '../state-control.ts'
import type { Unit, UnitStore } from '../documents/unit-store.ts'

/** From what a caller says (a name or an id) to the unit. */
export interface Locator {
  /** As it is now; NOT_FOUND if it does not exist. Deleted units are found by id only. */
  find(ref: UnitRef): Promise<Unit>
  /** Undefined instead of NOT_FOUND. */
  tryFind(ref: UnitRef): Promise<Unit | undefined>
  /** Undefined: the name was never used. NAME_GIVEN_UP: it is not free, and must not be treated as new. */
  tryUse(ref: UnitRef): Promise<Unit | undefined>
  /**
   * What the name meant last time, without a request. The protocol checks the name against the document (Target.name)
   * and fails with NOT_FOUND if it has moved: then look it up with `target`.
   */
  remembered(ref: UnitRef): Target | undefined
  /** What the name means now; NOT_FOUND if nothing. */
  target(ref: UnitRef): Promise<Target>
  /** Runs `work` with the remembered target. If that has moved, looks it up and runs `work` again. */
  withTarget<T>(ref: UnitRef, work: (target: Target) => Promise<T>): Promise<T>
  /** Learns names from documents that pass by. */
  note(unit: Unit): void
}

export function createLocator(
  { bucket }: StateDeps,
  store: UnitStore,
  claims: Claims,
  orgs: OrgStore,
): Locator {
  const idsByName = new LRUCache<string, string>({ max: 20_000 })
  const cacheKey = (org: string, name: string) => `${org} ${name}`

  interface Led {
    readonly unit?: Unit | undefined
    /** The unit that gave the name up. */
    readonly former?: Unit
  }

  async function lookUp(ref: UnitRef): Promise<Led> {
    const org = parseOrgName(ref.org)
    if (isUnitId(ref.unit)) return { unit: await store.load(org, ref.unit) }
    const name = parseUnitName(ref.unit)
    const known = idsByName.get(cacheKey(org, name))
    if (known !== undefined) {
      const unit = await store.load(org, known)
      if (unit !== undefined && hasName(unit, name)) return { unit }
    }
    const claim = await claims.read(nameKey(org, name, bucket.can))
    const unit = claim === undefined ? undefined : await store.load(org, claim.value.id)
    if (unit !== undefined && hasName(unit, name)) return { unit }
    idsByName.delete(cacheKey(org, name))
    // "It does not exist" would make an engine plan everything again. A name may be lost together with the document.
    const key = claim === undefined ? defaultStateKey(await orgs.folderOf(org), name) : ''
    const suspect = claim ?? (await claims.read(stateClaimKey(key, bucket.can)))
    if (suspect !== undefined && unit === undefined) await refuseLost(bucket, store, suspect.value)
    await orgs.require(org)
    return unit !== undefined && gaveUp(unit.value, name) ? { former: unit } : {}
  }

  async function tryUse(ref: UnitRef): Promise<Unit | undefined> {
    const { unit, former } = await lookUp(ref)
    if (former !== undefined) throw nameGivenUp(ref.unit, former.value)
    return unit
  }

  async function find(ref: UnitRef): Promise<Unit> {
    const { unit, former } = await lookUp(ref)
    if (unit !== undefined) return unit
    if (former !== undefined) throw noUnitAnyMore(ref.unit, former.value)
    throw noSuchUnit(ref)
  }

  function remembered(ref: UnitRef): Target | undefined {
    const org = parseOrgName(ref.org)
    if (isUnitId(ref.unit)) return undefined
    const name = parseUnitName(ref.unit)
    const id = idsByName.get(cacheKey(org, name))
    return id === undefined ? undefined : { org, id, name }
  }

  async function target(ref: UnitRef): Promise<Target> {
    if (isUnitId(ref.unit)) return { org: parseOrgName(ref.org), id: ref.unit }
    const { org, id, name } = (await find(ref)).value
    return { org, id, name }
  }

  async function withTarget<T>(ref: UnitRef, work: (target: Target) => Promise<T>): Promise<T> {
    const known = remembered(ref)
    if (known !== undefined) {
      try {
        return await work(known)
      } catch (error) {
        ifMoved(error)
      }
    }
    return work(await target(ref))
  }

  return {
    find,
    tryFind: async (ref) => (await lookUp(ref)).unit,
    tryUse,
    remembered,
    target,
    withTarget,
    note(unit) {
      const { org, name, id, deleted } = unit.value
      if (deleted === undefined) idsByName.set(cacheKey(org, name), id)
      else if (idsByName.get(cacheKey(org, name)) === id) idsByName.delete(cacheKey(org, name))
    },
  }
}

/** For work on a remembered target: undefined if the target has moved. Any other error is thrown. */
export function ifMoved(error: unknown): undefined {
  if (!isTacoError(error, 'NOT_FOUND')) throw error
}

function noUnitAnyMore(name: string, doc: UnitDocument): TacoError {
  return new TacoError('NOT_FOUND', whatBecame(name, doc), {
    facts: { field: 'unit', unit: name, id: doc.id, ...(doc.name === name ? {} : { renamedTo: doc.name }) },
    hint: remedy(doc),
  })
}

function hasName(unit: Unit, name: string): boolean {
  return unit.value.deleted === undefined && unit.value.name === name
}
