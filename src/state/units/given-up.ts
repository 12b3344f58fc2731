import { TacoError } from '../../base/errors.ts'
import type { UnitDocument } from '../documents/model.ts'

/**
 * A name that a unit was renamed away from, or deleted under, is not free: engines that still use it would start over
 * beside what exists. The name's claim stays with that unit, and counts as given up while the unit's document says that
 * it had the name. Only an explicit request for the name replaces the claim.
 */
export function gaveUp(doc: UnitDocument, name: string): boolean {
  if (doc.name === name) return doc.deleted !== undefined
  return doc.formerNames?.includes(name) === true
}

/** For those who would make a unit, or take it for one without a state, by a name that is given up. */
export function nameGivenUp(name: string, doc: UnitDocument): TacoError {
  return new TacoError('NAME_GIVEN_UP', whatBecame(name, doc), {
    facts: { unit: name, id: doc.id, ...(doc.name === name ? {} : { renamedTo: doc.name }) },
    hint: `${remedy(doc)} Or use the name for a new unit with \`taco unit create ${name}\`.`,
  })
}

export function whatBecame(name: string, doc: UnitDocument): string {
  if (doc.name === name) return `The unit ${name} was deleted.`
  return `The unit ${name} was renamed to ${doc.name}${doc.deleted === undefined ? '' : ', which was deleted'}.`
}

export function remedy(doc: UnitDocument): string {
  return doc.deleted === undefined
    ? `Point the code at the unit with \`taco backend ${doc.name}\`.`
    : `Restore it with \`taco unit restore ${doc.id}\`.`
}
