import { TacoError, isTacoError } from '../../base/errors.ts'
import { sha256Hex } from '../../base/sha256-hex.ts'
import { compareKeys } from '../../bucket/index.ts'
import { type CatalogEntry, type EntryText, entryOf, readEntryText } from '../catalog/catalog-entry.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { defaultStateKey, objectOf, stateClaimKey } from '../documents/layout.ts'
import { parseStateKey } from '../documents/names.ts'
import type { Unit } from '../documents/unit-store.ts'
import type { Parts } from '../protocol/context.ts'
import type { Caller, KeyRef, KeyedUnit, Locks, StateKeys, UnitRef, Units } from '../state-control.ts'
import { readStateKey, unitNameFor } from '../upkeep/adopt-names.ts'
import type { Claims } from './claims.ts'
import type { Locator } from './locate.ts'
import { refuseLost } from './lost-units.ts'
import type { OrgStore } from './orgs.ts'

/** `faces`: what faces see, so that limits hold for units that are created here. `locks`: of any organization. */
export function createStateKeys(
  { deps: { bucket }, store }: Parts,
  catalog: Catalog,
  locator: Locator,
  claims: Claims,
  orgs: OrgStore,
  locks: Pick<Locks, 'get'>,
  faces: () => { readonly units: Pick<Units, 'create'> },
): StateKeys {
  const isSameKey = (a: string, b: string) => objectOf(a, bucket.can) === objectOf(b, bucket.can)

  async function wholeKey({ org, key }: KeyRef): Promise<string> {
    await orgs.require(org)
    return parseStateKey(`${await orgs.folderOf(org)}${key}`)
  }

  async function ownerOf(org: string, key: string): Promise<Unit | undefined> {
    const claim = await claims.read(stateClaimKey(key, bucket.can))
    if (claim !== undefined && claim.value.org !== org) return undefined
    const unit = claim && (await store.load(org, claim.value.id))
    if (unit !== undefined && unit.value.deleted === undefined && isSameKey(unit.value.key, key)) return unit
    if (claim !== undefined && unit === undefined) await refuseLost(bucket, store, claim.value)
    // A copy of the bucket may lack claims: then documents alone know that a key is taken.
    return catalog.liveUnit('key', { org, name: '', key })
  }

  /** As `adopt` would name it. Where another unit has that name already, the key makes the difference. */
  async function newName({ org, key }: KeyRef): Promise<string> {
    const name = unitNameFor(readStateKey(key, false), undefined, '')
    const other = await locator.tryFind({ org, unit: name })
    return other === undefined ? name : `${name}-${sha256Hex(key).slice(0, 8)}`
  }

  async function find(ref: KeyRef): Promise<KeyedUnit> {
    const found = await ownerOf(ref.org, await wholeKey(ref))
    if (found !== undefined) {
      const { id, name } = found.value
      return { ...ref, unit: id, name, isNew: false }
    }
    const name = await newName(ref)
    return { ...ref, unit: name, name, isNew: true }
  }

  /** Who may use a name may not read or replace just any object of the bucket. */
  async function refuseUnregistered(key: string): Promise<void> {
    const entry = await bucket.head(key)
    if (entry === undefined || entry.size === 0) return
    throw new TacoError('ALREADY_EXISTS', `The object ${key} in the bucket is not registered as a unit.`, {
      facts: { field: 'key', key },
      hint: 'Register it with `taco adopt`.',
    })
  }

  async function create(ref: KeyRef, name: string, caller: Caller): Promise<UnitRef> {
    const { org } = ref
    try {
      const key = await wholeKey(ref)
      if (key !== defaultStateKey(await orgs.folderOf(org), name)) await refuseUnregistered(key)
      const { id } = await faces().units.create({ org, name, key, takeOver: false }, caller)
      return { org, unit: id }
    } catch (error) {
      // Another client may have created it at the same time.
      const now = isTacoError(error, 'ALREADY_EXISTS') ? await find(ref) : undefined
      if (now === undefined || now.isNew || now.name !== name) throw error
      return { org, unit: now.unit }
    }
  }

  /** A write of this process that has landed is in the list at once, also while its unit is still locked. */
  function asWritten(org: string, entry: CatalogEntry): Pick<EntryText, 'view' | 'look'> {
    const listed = readEntryText(entry)
    const unit = listed.look.unfinished ? store.cached(org, entry.id) : undefined
    return unit === undefined ? listed : readEntryText(entryOf(store.folded(unit), unit.tag, entry.seenAt))
  }

  return {
    find,
    create,
    checkAbsent: async (ref) => refuseUnregistered(await wholeKey(ref)),
    async list(org, prefix, { sight }) {
      await orgs.require(org)
      const folder = await orgs.folderOf(org)
      const found = (await catalog.underKey(org, `${folder}${prefix}`)).flatMap((entry) => {
        const { view, look } = asWritten(org, entry)
        if (view.state === null || (sight !== undefined && !sight.may('unit:read', view))) return []
        const { size, at } = view.state
        return [{ key: view.key.slice(folder.length), size, at: Date.parse(at), tag: look.stateTag }]
      })
      return found.sort((a, b) => compareKeys(a.key, b.key))
    },
    lockOf: locks.get,
    async tagOf(ref, version) {
      const head = store.folded(await locator.find(ref)).value.head
      return head?.version.id === version ? (head.tag ?? undefined) : undefined
    },
  }
}
