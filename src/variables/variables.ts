import { type Caller, type Sealing, openText, principalText, sealAgain } from '../access/index.ts'
import type { Clock } from '../base/clock.ts'
import { TacoError, badRequest } from '../base/errors.ts'
import type { Ids } from '../base/ids.ts'
import { sha256Hex } from '../base/sha256-hex.ts'
import { type Place, type RecordDeps, createRecords } from '../records/index.ts'
import { changedMeanwhile } from '../state/index.ts'
import {
  type Category,
  MAX_BYTES,
  type StoredVariable,
  type VariableChange,
  type VariableInput,
  type VariableView,
  checkVariable,
  variableKind,
  viewVariable,
} from './variable.ts'

/** Whose variables: those of a unit, or those of a variable set. */
export interface Owner {
  readonly org: string
  readonly unit?: { readonly id: string; readonly name: string }
  readonly set?: { readonly id: string; readonly name: string }
}

/** By what people call a variable, instead of its id. */
export interface VariableName {
  readonly key: string
  readonly category: Category
}

/** The variables of units and sets. Whoever calls it has checked what the caller may do, and that the owner exists. */
export interface Variables {
  /** Oldest first. */
  list(owner: Owner): Promise<readonly VariableView[]>
  get(owner: Owner, id: string): Promise<VariableView>
  /** ALREADY_EXISTS with `facts.field` if the owner has one of that key and category. */
  create(owner: Owner, input: VariableInput, caller: Caller): Promise<VariableView>
  /** `expected`: the versionId that the change is meant for; else PRECONDITION_FAILED, and nothing is written. */
  update(
    owner: Owner,
    id: string,
    change: VariableChange,
    caller: Caller,
    expected?: string,
  ): Promise<VariableView>
  remove(owner: Owner, id: string, caller: Caller, expected?: string): Promise<void>
  /** Creates or changes some and removes others, all in one write. Gives those that were set. */
  change(
    owner: Owner,
    changes: { readonly set?: readonly VariableInput[]; readonly remove?: readonly VariableName[] },
    caller: Caller,
  ): Promise<readonly VariableView[]>
  /** When the owner is gone for good. */
  clear(owner: Owner): Promise<void>
}

/** For this layer alone: with what is sealed. */
export interface VariableStore extends Variables {
  stored(owner: Owner): Promise<readonly StoredVariable[]>
  /** The value of a variable, opened if it is sensitive. */
  valueOf(owner: Owner, variable: StoredVariable): string
}

export interface VariableDeps extends RecordDeps {
  readonly clock: Clock
  readonly ids: Ids
  readonly sealing: Sealing
}

interface Edit {
  readonly records: readonly StoredVariable[]
  readonly events: readonly { readonly type: string; readonly data: Readonly<Record<string, unknown>> }[]
}

export function createVariableStore(deps: VariableDeps): VariableStore {
  const { sealing, clock, ids } = deps
  const records = createRecords(deps, variableKind)

  /** Nothing sealed can be moved to another variable. */
  function contextOf({ org }: Owner, place: Place, id: string): string {
    return `variable ${org} ${place.of ?? ''} ${id}`
  }

  function withValue(owner: Owner, variable: StoredVariable, value: string): StoredVariable {
    const { value: _, sealed: __, ...rest } = variable
    if (!variable.sensitive) return { ...rest, value }
    return { ...rest, sealed: sealing.seal(value, contextOf(owner, placeOf(owner), variable.id)) }
  }

  function made(owner: Owner, input: VariableInput, caller: Caller): StoredVariable {
    checkVariable(input)
    const now = clock.now()
    const { key, category, sensitive = false, hcl = false, description = '', value = '' } = input
    const id = records.newId(owner.org)
    const by = { createdAt: now, updatedAt: now, createdBy: principalText(caller.principal) }
    const fresh = { id, ...by, key, category, sensitive, hcl, description, versionId: newVersion() }
    return withValue(owner, fresh, value)
  }

  function changed(owner: Owner, before: StoredVariable, change: VariableChange): StoredVariable {
    const { value, ...rest } = change
    const given = Object.fromEntries(Object.entries(rest).filter(([, one]) => one !== undefined))
    const next: StoredVariable = { ...before, ...given }
    if (before.sensitive && !next.sensitive)
      throw badRequest(
        'sensitive',
        'A sensitive variable stays sensitive.',
        'Delete the variable, and create it again.',
      )
    checkVariable({ ...next, category: next.category as Category, value })
    const version = { updatedAt: clock.now(), versionId: newVersion() }
    if (value !== undefined) return withValue(owner, { ...next, ...version }, value)
    if (next.sensitive && !before.sensitive)
      return withValue(owner, { ...next, ...version }, before.value ?? '')
    return { ...next, ...version }
  }

  function newVersion(): string {
    return sha256Hex(ids.id('version'))
  }

  function event(owner: Owner, what: 'created' | 'updated' | 'deleted', variable: StoredVariable) {
    const { id, key, category, sensitive } = variable
    const { set } = owner
    return {
      type: `variable.${what}`,
      data: { id, key, category, sensitive, ...(set === undefined ? {} : { set: set.name }) },
    }
  }

  function add(owner: Owner, edit: Edit, variable: StoredVariable): Edit {
    return {
      records: [...edit.records, variable],
      events: [...edit.events, event(owner, 'created', variable)],
    }
  }

  function replace(owner: Owner, edit: Edit, before: StoredVariable, after: StoredVariable): Edit {
    return {
      records: edit.records.map((one) => (one.id === before.id ? after : one)),
      events: [...edit.events, event(owner, 'updated', after)],
    }
  }

  function drop(owner: Owner, edit: Edit, variable: StoredVariable): Edit {
    return {
      records: edit.records.filter(({ id }) => id !== variable.id),
      events: [...edit.events, event(owner, 'deleted', variable)],
    }
  }

  /** One compare-and-swap. `work` may be called again, with what another writer left. */
  function write<Answer>(
    owner: Owner,
    work: (edit: Edit) => { readonly edit: Edit; readonly answer: Answer },
    caller: Caller,
  ): Promise<Answer> {
    const place = placeOf(owner)
    const again = (variable: StoredVariable) =>
      variable.sealed === undefined
        ? variable
        : { ...variable, sealed: sealAgain(sealing, variable.sealed, contextOf(owner, place, variable.id)) }
    return records.rewrite(
      place,
      (before) => {
        const { edit, answer } = work({ records: before, events: [] })
        if (edit.events.length === 0) return { records: before, answer }
        checkAll(edit.records)
        return { records: edit.records.map(again), answer, events: edit.events }
      },
      caller,
    )
  }

  const list = (owner: Owner) => records.list(placeOf(owner))

  return {
    stored: list,
    valueOf: (owner, { id, value = '', sealed }) =>
      sealed === undefined ? value : openText(sealing, sealed, contextOf(owner, placeOf(owner), id)),
    list: async (owner) => (await list(owner)).map(viewVariable),
    get: async (owner, id) => viewVariable(found(await list(owner), id)),
    create: (owner, input, caller) =>
      write(
        owner,
        (edit) => {
          const variable = made(owner, input, caller)
          return { edit: add(owner, edit, variable), answer: viewVariable(variable) }
        },
        caller,
      ),
    update: (owner, id, change, caller, expected) =>
      write(
        owner,
        (edit) => {
          const before = found(edit.records, id, expected)
          const after = changed(owner, before, change)
          return { edit: replace(owner, edit, before, after), answer: viewVariable(after) }
        },
        caller,
      ),
    remove: (owner, id, caller, expected) =>
      write(
        owner,
        (edit) => ({ edit: drop(owner, edit, found(edit.records, id, expected)), answer: undefined }),
        caller,
      ),
    change: (owner, { set = [], remove = [] }, caller) =>
      write(
        owner,
        (start) => {
          let edit = start
          for (const name of remove) edit = drop(owner, edit, named(edit.records, name))
          const answer = set.map((input) => {
            const before = edit.records.find((one) => isNamed(one, input))
            const after = before === undefined ? made(owner, input, caller) : changed(owner, before, input)
            edit = before === undefined ? add(owner, edit, after) : replace(owner, edit, before, after)
            return viewVariable(after)
          })
          return { edit, answer }
        },
        caller,
      ),
    clear: (owner) => records.clear(placeOf(owner)),
  }
}

function placeOf({ org, unit, set }: Owner): Place {
  return { org, of: unit?.id ?? set?.id, ...(unit === undefined ? {} : { unit }) }
}

function isNamed(variable: StoredVariable, { key, category }: VariableName): boolean {
  return variable.key === key && variable.category === category
}

function found(variables: readonly StoredVariable[], id: string, expected?: string): StoredVariable {
  const variable = variables.find((one) => one.id === id)
  if (variable === undefined) throw new TacoError('NOT_FOUND', `There is no variable ${id}.`)
  if (expected !== undefined && expected !== variable.versionId)
    throw changedMeanwhile(`The variable ${variable.key}`)
  return variable
}

function named(variables: readonly StoredVariable[], name: VariableName): StoredVariable {
  const variable = variables.find((one) => isNamed(one, name))
  if (variable === undefined)
    throw new TacoError('NOT_FOUND', `There is no ${sayCategory(name.category)} ${name.key}.`)
  return variable
}

function sayCategory(category: string): string {
  return category === 'env' ? 'environment variable' : 'variable'
}

/** What must hold for all variables of an owner together. Pure. */
function checkAll(variables: readonly StoredVariable[]): void {
  const names = new Set<string>()
  let size = 0
  for (const { key, category, value, sealed } of variables) {
    const name = `${category} ${key}`
    if (names.has(name))
      throw new TacoError('ALREADY_EXISTS', `There is already a ${sayCategory(category)} ${key}.`, {
        facts: { field: 'key' },
        hint: 'Change the existing one.',
      })
    names.add(name)
    size += Buffer.byteLength(value ?? sealed ?? '')
  }
  if (variables.length > variableKind.most || size > MAX_BYTES)
    throw new TacoError(
      'LIMIT_REACHED',
      `There can be at most ${variableKind.most} variables in one place, and ${MAX_BYTES / 2 ** 20} MiB of values.`,
      { hint: 'Delete those that are not used any more.' },
    )
}
