import { authorOfCreator, creatorOf } from '../documents/authors.ts'
import { authorOf } from '../../access/index.ts'
import { TacoError, isTacoError } from '../../base/errors.ts'
import { type Fields, answeredBefore, noteRequest } from '../../bucket/index.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Claims, NewClaim } from './claims.ts'
import { alreadyTaken } from './claims.ts'
import type { StateDeps } from '../settings.ts'
import type { EventDraft } from '../journal/events.ts'
import { nameGivenUp } from './given-up.ts'
import { defaultStateKey, otherStateKey } from '../documents/layout.ts'
import type { UnitDocument } from '../documents/model.ts'
import type { KeyOwners } from './key-owner.ts'
import {
  isNewUnitName,
  isUnitId,
  parseLabels,
  parseNewUnitName,
  parseOrgName,
  parseStateKey,
  parseUnitName,
} from '../documents/names.ts'
import type { OrgStore } from './orgs.ts'
import { again, untilDone } from '../../base/attempts.ts'
import { refuseLost } from './lost-units.ts'
import { refuseNested } from './key-nesting.ts'
import { type Target, namedTarget } from '../protocol/context.ts'
import { unitGone } from '../protocol/refusals.ts'
import type { Caller, SectionChange, UnitChange, UnitRef } from '../state-control.ts'
import type { UnitChanges } from '../documents/transitions.ts'
import { movedUnit } from '../documents/transitions.ts'
import type { Unit, UnitStore } from '../documents/unit-store.ts'

export interface NewUnit extends UnitChange {
  readonly org: string
  readonly name: string
  readonly key?: string
  /** False: a name that another unit gave up is refused (NAME_GIVEN_UP). */
  readonly takeOver?: boolean
}

type Settings = UnitChange & Pick<UnitDocument, 'answered'>

interface Place {
  readonly name: string
  readonly key: string
}

type Also = (
  doc: UnitDocument,
) => Promise<{ readonly changes: UnitChanges; readonly events: readonly EventDraft[] }>

export interface UnitMaker {
  /** ALREADY_EXISTS if the name, or a key that was asked for, is taken. A name that was given up is taken over. */
  create(input: NewUnit, caller: Caller, event?: EventDraft): Promise<Unit>
  /**
   * The unit that an id or a name means. A new name gets a unit, created by the first request; NAME_GIVEN_UP if another
   * unit had the name.
   */
  target(ref: UnitRef, caller: Caller): Promise<Target>
  /**
   * Gives a unit another name or key, or its old ones back: claims first, then the document, then old claims go.
   * `also` says what else changes in the same step, given the document as it will be.
   */
  move(unit: Unit, to: Place, events: readonly EventDraft[], also?: Also): Promise<Unit>
}

export function createUnitMaker(
  deps: StateDeps,
  store: UnitStore,
  claims: Claims,
  orgs: OrgStore,
  catalog: Catalog,
  owners: KeyOwners,
): UnitMaker {
  const { clock, ids, bucket } = deps

  async function make(
    input: NewUnit,
    caller: Caller,
    event: EventDraft,
  ): Promise<{ unit: Unit; made: boolean }> {
    const name = parseUnitName(input.name)
    const wantedKey = input.key === undefined ? undefined : parseStateKey(input.key)
    parseLabels(input.labels ?? {})
    await orgs.require(input.org)
    if (wantedKey !== undefined) await owners.refuseForeign(input.org, wantedKey)
    const folder = await orgs.folderOf(input.org)
    if (!isNewUnitName(name)) {
      const key = wantedKey ?? defaultStateKey(folder, name)
      const unit = await catalog.liveUnit('name', { org: input.org, name, key })
      if (unit !== undefined) return { unit, made: false }
      parseNewUnitName(name)
    }
    return untilDone(clock, 'creating the unit', async () => {
      const claim: NewClaim = {
        id: ids.id('ws'),
        org: input.org,
        name,
        key: wantedKey ?? defaultStateKey(folder, name),
        at: clock.now(),
        ...authorOf(caller),
        ...(caller.request === undefined ? {} : { request: caller.request.key }),
      }
      const named = await claims.take('name', claim, { takeOver: input.takeOver ?? true })
      if (named.kind === 'taken') {
        refuseOtherCase(name, named.by.value)
        return { unit: named.by, made: false }
      }
      if (named.kind === 'given-up') throw nameGivenUp(name, named.by.value)
      if (named.kind === 'half-made') {
        // Its creator crashed or is just behind us: the unit is created as the claim says, by either. A claim whose
        // unit has versions is different: that unit existed, and its document is lost.
        await refuseLost(bucket, store, named.claim)
        if (named.claim.request !== undefined && named.claim.request === caller.request?.key)
          await finishMaking(named.claim, withNote(input, caller), event, wantedKey !== undefined)
        else await finishMaking(named.claim, {}, { type: 'unit.created', caller, author: named.claim })
        return again
      }
      const unit = await finishMaking(claim, withNote(input, caller), event, wantedKey !== undefined)
      return unit === undefined ? again : { unit, made: unit.value.id === claim.id }
    })
  }

  function withNote(input: NewUnit, caller: Caller): Settings {
    return { ...input, ...noteRequest(undefined, caller, clock.now()) }
  }

  async function finishMaking(
    claim: NewClaim,
    input: Settings,
    event: EventDraft,
    insistOnKey = false,
  ): Promise<Unit | undefined> {
    // A copy of the bucket may lack claims: then documents alone know that a name is taken.
    const existing = await catalog.liveUnit('name', claim)
    if (existing !== undefined) {
      await claims.handOver('name', claim, existing)
      return existing
    }
    let { key } = claim
    await owners.refuseForeign(claim.org, key).catch(async (error: unknown) => {
      await letGo(claim, ['name'])
      throw error
    })
    const rival = await takeKey(claim).catch(async (error: unknown) => {
      if (isTacoError(error, 'BUCKET_CORRUPT')) await letGo(claim, ['name'])
      throw error
    })
    if (rival !== undefined) {
      if (insistOnKey) {
        await letGo(claim, ['name'])
        throw alreadyTaken('key', key, nameFor(claim, rival))
      }
      // A renamed unit keeps its state where it was, so the place may be taken: this one gets one of its own.
      key = otherStateKey(await orgs.folderOf(claim.org), claim.name, claim.id)
      await claims.take('key', { ...claim, key })
    }
    await refuseNested(bucket, key).catch(async (error: unknown) => {
      await letGo({ ...claim, key }, ['name', 'key'])
      throw error
    })
    const made = await store.create(newDocument(claim, key, input), [event])
    return made ?? store.load(claim.org, claim.id)
  }

  /** Releases the claims for a unit that cannot be created here, unless another process has created it. */
  async function letGo(claim: NewClaim, claimed: readonly ('name' | 'key')[]): Promise<void> {
    const isMade = async () => (await store.read(claim.org, claim.id)) !== undefined
    if (await isMade()) return
    for (const what of claimed) await claims.release(what, claim)
    // Another process created the unit between our check and our release: take the claims back. A later creator claims
    // them itself.
    if (await isMade()) for (const what of claimed) await claims.take(what, claim)
  }

  /** The unit that has the key, if it is not to be had. */
  async function takeKey(claim: NewClaim): Promise<Named | undefined> {
    const keyed = await claims.take('key', claim)
    if (keyed.kind === 'taken' || keyed.kind === 'given-up') return keyed.by.value
    if (keyed.kind === 'half-made') {
      await refuseLost(bucket, store, keyed.claim)
      if (keyed.claim.org !== claim.org || keyed.claim.name !== claim.name) return keyed.claim
      // Of a unit that had this very name, and is gone but for this claim. Its state, if any, is taken up.
      await claims.handOver('key', keyed.claim, {
        value: { ...claim, createdAt: claim.at, ...creatorOf(claim) },
      })
      return takeKey(claim)
    }
    // Keys are claimed over the whole bucket, so the unit that has it may be in any organization.
    for (const org of await owners.orgNames()) {
      const existing = await catalog.liveUnit('key', { ...claim, org })
      // Another process may have created this very unit, as its claim says.
      if (existing === undefined || existing.value.id === claim.id) continue
      await claims.handOver('key', claim, existing)
      return existing.value
    }
    return undefined
  }

  function move(first: Unit, to: Place, events: readonly EventDraft[], also?: Also): Promise<Unit> {
    let from = first
    let place = to
    return untilDone(clock, 'moving the unit', async () => {
      const moved = await moveOnce(from, place, events, also)
      if (moved !== undefined) return moved
      const fresh = await store.load(first.value.org, first.value.id)
      const isRestore = from.value.deleted !== undefined
      // A rename must not bring back what was deleted meanwhile, nor move a state that was restored elsewhere.
      if (fresh === undefined || (!isRestore && fresh.value.deleted !== undefined)) throw unitGone(from.value)
      if (isRestore && fresh.value.deleted === undefined) return fresh
      from = fresh
      if (!isRestore) place = { ...place, key: fresh.value.key }
      return again
    })
  }

  /** Undefined: another change of the unit came first. */
  async function moveOnce(
    first: Unit,
    to: Place,
    events: readonly EventDraft[],
    also: Also | undefined,
  ): Promise<Unit | undefined> {
    const { org, id, name, key } = first.value
    const announced = await store.swap(first, { claiming: to })
    if (announced === undefined) return undefined
    const claim: NewClaim = { id, org, ...to, at: clock.now(), ...authorOfCreator(first.value) }
    for (const what of ['name', 'key'] as const) {
      const taken = await claims.take(what, claim)
      if (taken.kind === 'mine') continue
      await store.swap(announced, { claiming: undefined })
      throw alreadyTaken(
        what,
        to[what],
        nameFor(claim, taken.kind === 'half-made' ? taken.claim : taken.by.value),
      )
    }
    const more = (await also?.({ ...announced.value, ...to }).catch(async (error: unknown) => {
      await store.swap(announced, { claiming: undefined })
      throw error
    })) ?? { changes: {}, events: [] }
    const changes = {
      ...movedUnit(announced.value, { ...to, deleted: undefined }, clock.now()),
      ...more.changes,
    }
    const moved = await store.swap(announced, changes, [...events, ...more.events])
    if (moved === undefined) return undefined
    // The claim of a name that it gave up stays with it: see given-up.ts.
    if (key !== to.key) await claims.release('key', { id, org, name, key })
    return moved
  }

  return {
    async create(input, caller, event = { type: 'unit.created', caller }) {
      const { unit, made } = await make(input, caller, event)
      if (made || answeredBefore(unit.value.answered, caller) !== undefined) return unit
      throw alreadyTaken('name', unit.value.name, unit.value.name)
    },
    async target({ org, unit }, caller) {
      if (isUnitId(unit)) return { org: parseOrgName(org), id: unit }
      const input = { org, name: parseUnitName(unit), takeOver: false }
      return namedTarget((await make(input, caller, { type: 'unit.created', caller })).unit)
    },
    move,
  }
}

type Named = Pick<UnitDocument, 'org' | 'name'>

/** Undefined: it is in another organization. */
function nameFor({ org }: NewClaim, unit: Named): string | undefined {
  return unit.org === org ? unit.name : undefined
}

/** The claim is stored at our name and is for another: this bucket does not distinguish the two. */
function refuseOtherCase(name: string, owner: Pick<UnitDocument, 'name' | 'claiming'>): void {
  if (owner.name === name || owner.claiming?.name === name) return
  throw new TacoError(
    'ALREADY_EXISTS',
    `The name ${name} differs from the unit ${owner.name} only in case, which this folder does not distinguish.`,
    { facts: { field: 'name', unit: owner.name }, hint: `Use ${owner.name}, or choose another name.` },
  )
}

export function sectionsWith(
  sections: UnitDocument['sections'],
  { name, change }: SectionChange,
): UnitDocument['sections'] {
  const changed = change(sections?.[name])
  const { [name]: _, ...others } = sections ?? {}
  if (changed !== undefined) return { ...others, [name]: changed }
  return Object.keys(others).length === 0 ? undefined : others
}

export function newDocument(claim: NewClaim, key: string, input: Settings = {}): Fields<UnitDocument> {
  const labels = Object.entries(input.labels ?? {}).filter(
    (label): label is [string, string] => label[1] !== null,
  )
  return {
    id: claim.id,
    org: claim.org,
    name: claim.name,
    key,
    description: input.description ?? '',
    labels: Object.fromEntries(labels),
    ...(input.section === undefined ? {} : { sections: sectionsWith(undefined, input.section) }),
    createdAt: claim.at,
    ...creatorOf(claim),
    changedAt: claim.at,
    allowDecrypt: input.allowDecrypt ?? false,
    ...(input.retention == null ? {} : { retention: input.retention }),
    ...(input.answered === undefined ? {} : { answered: input.answered }),
    historyFrom: 1,
    kept: [],
    seq: 0,
    epoch: 0,
    lock: null,
    released: [],
    head: null,
    write: null,
    tail: null,
    recent: [],
    dependencies: [],
    receipt: null,
    pendingReads: [],
  }
}
