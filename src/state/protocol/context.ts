import type { Author } from '../../access/index.ts'
import { TacoError } from '../../base/errors.ts'
import type { Body } from '../../bucket/index.ts'
import type { StateDeps } from '../settings.ts'
import type { Head, How, Receipt, UnitDocument, VersionFacts } from '../documents/model.ts'
import type { ReceivedState } from '../state-control.ts'
import type { Unit, UnitStore } from '../documents/unit-store.ts'
import type { Mirrors } from './mirror.ts'

/** What the steps of the protocol work with. */
export interface Parts {
  readonly deps: StateDeps
  readonly store: UnitStore
  readonly mirrors: Mirrors
  readonly versions: VersionStore
  readonly intake: OutsideIntake
}

export interface OutsideIntake {
  /** Takes in whatever is in the bucket, even if it is not a state. */
  receiveOutside(stream: AsyncIterable<Uint8Array>, org: string): Promise<ReceivedState>
}

export interface VersionAbout extends Author {
  readonly at: number
  readonly how: How
  readonly message?: string | undefined
  readonly requestId?: string | undefined
  /** What the id begins with. Undefined: nobody was told. */
  readonly versionStart?: string | undefined
  readonly source?: string | undefined
  /** What the state was made from, as far as it is known. */
  readonly receipt?: Receipt | null | undefined
}

export interface VersionStore {
  /** Stores the next version of the history, not yet committed, and returns the head that would be current with it. */
  put(doc: UnitDocument, state: ReceivedState, about: VersionAbout): Promise<Head>
  /** Stores the current version again, self-contained: its object is missing or unreadable, and these are its bytes. */
  putBack(doc: UnitDocument, head: Head, state: ReceivedState): Promise<void>
  /** What the history says about a committed version; undefined if there is none. */
  find(
    doc: UnitDocument,
    versionId: string,
  ): Promise<{ readonly facts: VersionFacts; readonly superseded: boolean } | undefined>
  /** The bytes of a stored version, verified. */
  read(
    doc: UnitDocument,
    version: { readonly object: string; readonly version: { readonly hash: string } },
  ): Promise<StoredBytes>
}

export interface StoredBytes {
  readonly body: Body
  dispose(): Promise<void>
}

/** Which unit; with `name`, only while it still has that name. */
export interface Target {
  readonly org: string
  readonly id: string
  readonly name?: string
}

export async function loadUnit(parts: Parts, target: Target): Promise<Unit> {
  const unit = await parts.store.load(target.org, target.id)
  if (unit === undefined)
    throw new TacoError('NOT_FOUND', `There is no unit ${target.name ?? target.id}.`, {
      facts: { unit: target.id },
    })
  if (target.name !== undefined && unit.value.name !== target.name) throw renamedMeanwhile(target.name)
  return parts.store.folded(unit)
}

/** The unit, for as long as it has the name that it has now. */
export function namedTarget({ value }: Unit): Target {
  return { org: value.org, id: value.id, name: value.name }
}

export function idOf(unit: Unit): Target {
  return { org: unit.value.org, id: unit.value.id }
}

/** The name led to a unit that is called otherwise now: look the name up again. */
export function renamedMeanwhile(name: string): TacoError {
  return new TacoError('NOT_FOUND', `The unit ${name} was renamed.`, {
    facts: { unit: name, renamed: true },
  })
}
