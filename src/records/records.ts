import type { z } from 'zod'
import { type Caller, principalText } from '../access/index.ts'
import type { Clock } from '../base/clock.ts'
import { TacoError } from '../base/errors.ts'
import { createFresh } from '../base/fresh.ts'
import { type Ids, idOfRequest } from '../base/ids.ts'
import { type Bucket, createDocumentStore } from '../bucket/index.ts'
import type { Event, Outbox } from '../state/index.ts'
import type { OrgIds } from './org-ids.ts'
import { hasTag, taggedId } from './org-tag.ts'
import {
  type Place,
  type RecordBase,
  type RecordKind,
  type RecordOf,
  type RecordsDocument,
  below,
  documentKind,
} from './record.ts'

export interface RecordDeps {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly ids: Ids
  readonly outbox: Outbox
  readonly orgIds: OrgIds
}

/** Own fields of a record, without those that every record has. */
export type FieldsOf<R extends RecordBase> = Omit<R, keyof RecordBase>

/** What a change makes of all records of a place. */
export interface Rewritten<R, Answer> {
  /** The same list: there is nothing to write. */
  readonly records: readonly R[]
  readonly answer: Answer
  readonly events?: readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[]
}

/** Records of one kind. The caller's rights were checked before. */
export interface Records<R extends RecordBase> {
  /** As they are now, oldest first. */
  list(place: Place): Promise<readonly R[]>
  /**
   * Those of everything in an organization, by what they belong to: one listing, and a read of each list that changed.
   * Lists that cannot be read are left out.
   */
  listAll(org: string): Promise<ReadonlyMap<string, readonly R[]>>
  /** At most two seconds old. */
  fresh(place: Place): readonly R[] | Promise<readonly R[]>
  /** NOT_FOUND if there is none. */
  get(place: Place, id: string): Promise<R>
  find(place: Place, id: string): Promise<R | undefined>
  /** A taken name is ALREADY_EXISTS with `facts.field`. `id`: one that was made with `newId`. */
  create(place: Place, fields: FieldsOf<R>, caller: Caller, id?: string): Promise<R>
  /** The same record as given: there is nothing to write. */
  update(place: Place, id: string, change: (record: R) => R, caller: Caller): Promise<R>
  remove(place: Place, id: string, caller: Caller): Promise<R>
  /** Several at once, in one write. */
  rewrite<Answer>(
    place: Place,
    change: (records: readonly R[]) => Rewritten<R, Answer>,
    caller: Caller,
  ): Promise<Answer>
  /** Removes the whole list of a place, for what it belonged to is gone. */
  clear(place: Place): Promise<void>
  /** `asking`: a request that is repeated gets the same one. */
  newId(org: string, asking?: Pick<Caller, 'request'>): string
  /** The organization of a record by its id alone. Only for lists of whole organizations. */
  locate(id: string): Promise<{ readonly org: string; readonly record: R } | undefined>
}

const FRESH_MS = 2_000

export function createRecords<S extends z.core.$ZodShape>(
  deps: RecordDeps,
  kind: RecordKind<S>,
): Records<RecordOf<S>> {
  type R = RecordOf<S>
  const { clock, ids, outbox } = deps
  const about = documentKind(kind)
  const store = createDocumentStore<RecordsDocument<R>, Place, Event>(deps, about)
  const keyOf = (place: Place) => `${place.org} ${place.of ?? ''}`
  const fresh = createFresh({ clock, forMs: FRESH_MS, most: 5_000, keyOf, read: list })

  async function list(place: Place): Promise<readonly R[]> {
    return (await store.find(place))?.value.records ?? []
  }

  function missing(id: string): TacoError {
    return new TacoError('NOT_FOUND', `There is no ${kind.name} ${id}.`, { facts: { id } })
  }

  function checkUnique(records: readonly R[], record: R): void {
    const name = kind.unique?.of(record)?.toLowerCase()
    if (kind.unique === undefined || name === undefined) return
    const isTaken = records.some(
      (other) => other.id !== record.id && kind.unique?.of(other)?.toLowerCase() === name,
    )
    if (isTaken)
      throw new TacoError('ALREADY_EXISTS', `There is already a ${kind.name} named ${name}.`, {
        facts: { field: kind.unique.field },
        hint: 'Choose another name, or change the existing one.',
      })
  }

  function event(what: string, record: R) {
    return { type: `${kind.word}.${what}`, data: { id: record.id, ...kind.says?.(record) } }
  }

  async function rewrite<Answer>(
    place: Place,
    change: (records: readonly R[]) => Rewritten<R, Answer>,
    caller: Caller,
  ): Promise<Answer> {
    const { org, of, unit } = place
    if ((await store.find(place)) === undefined) {
      if (!(await deps.orgIds.has(org)))
        throw new TacoError('NOT_FOUND', `There is no organization ${org}.`, { facts: { field: 'org' } })
      await store.create(place, { org, ...(of === undefined ? {} : { of }), records: [] })
    }
    const { answer } = await store.change(
      place,
      (document) => {
        const { records, answer: given, events = [] } = change(document.records)
        if (records === document.records) return { value: document, answer: given }
        const made = events.map((one) =>
          outbox.make(unit === undefined ? { org } : { org, unit }, { ...one, caller }),
        )
        return { value: { ...document, records }, events: made, answer: given }
      },
      caller,
    )
    fresh.forget(place)
    return answer
  }

  return {
    list,
    async listAll(org) {
      const { loaded } = await store.readAll(await store.entries(below(kind, org)))
      return new Map(loaded.map(({ value }) => [value.of ?? '', value.records]))
    },
    fresh: (place) => fresh.get(place),
    rewrite,
    find: async (place, id) => (await list(place)).find((record) => record.id === id),
    async get(place, id) {
      const found = (await list(place)).find((record) => record.id === id)
      if (found === undefined) throw missing(id)
      return found
    },
    create(place, fields, caller, id = taggedId(ids.id(kind.prefix), place.org)) {
      const now = clock.now()
      const createdBy = principalText(caller.principal)
      const record = { id, createdAt: now, updatedAt: now, createdBy, ...fields } as R
      return rewrite(
        place,
        (records) => {
          if (records.length >= kind.most)
            throw new TacoError('LIMIT_REACHED', `There are already ${kind.most} ${kind.name}s.`, {
              hint: `Delete one that is not used any more.`,
            })
          if (records.some((other) => other.id === id))
            throw new TacoError('ALREADY_EXISTS', `There is already a ${kind.name} ${id}.`, { facts: { id } })
          checkUnique(records, record)
          return { records: [...records, record], answer: record, events: [event('created', record)] }
        },
        caller,
      )
    },
    update(place, id, change, caller) {
      return rewrite(
        place,
        (records) => {
          const found = records.find((record) => record.id === id)
          if (found === undefined) throw missing(id)
          const changed = change(found)
          if (changed === found) return { records, answer: found }
          const next = { ...changed, updatedAt: clock.now() }
          checkUnique(records, next)
          const all = records.map((record) => (record === found ? next : record))
          return { records: all, answer: next, events: [event('updated', next)] }
        },
        caller,
      )
    },
    remove(place, id, caller) {
      return rewrite(
        place,
        (records) => {
          const found = records.find((record) => record.id === id)
          if (found === undefined) throw missing(id)
          const rest = records.filter((record) => record !== found)
          return { records: rest, answer: found, events: [event('deleted', found)] }
        },
        caller,
      )
    },
    async clear(place) {
      await store.remove(place)
      fresh.forget(place)
    },
    newId: (org, asking) =>
      taggedId(
        asking?.request === undefined ? ids.id(kind.prefix) : idOfRequest(kind.prefix, asking.request.key),
        org,
      ),
    async locate(id) {
      if (!id.startsWith(`${kind.prefix}-`)) return undefined
      return deps.orgIds.search(async (org) => {
        if (!hasTag(id, org)) return undefined
        const record = (await list({ org })).find((one) => one.id === id)
        return record && { org, record }
      })
    },
  }
}
