import { TacoError } from '../../base/errors.ts'
import type { StateFacts } from '../content/scan.ts'
import type { UnitDocument } from '../documents/model.ts'
import { highestSerial } from '../intake/serials.ts'
import { stateMissing } from './refusals.ts'

export interface WriteRequest {
  readonly facts: StateFacts
  readonly hash: string
  readonly force: boolean
  readonly keepSerial: boolean
}

/** May these bytes follow the unit's head? `same`: they are the head already. Pure. */
export function decideWrite(doc: UnitDocument, request: WriteRequest): 'write' | 'same' | TacoError {
  const { head } = doc
  const { facts, hash, force } = request
  if (head === null) return 'write'
  const current = head.version
  const isDeleted = head.tag === null
  if (current.hash === hash && !isDeleted) return 'same'
  if (!isDeleted && current.encrypted && !facts.encrypted && !doc.allowDecrypt) {
    return new TacoError(
      'STATE_WOULD_DECRYPT',
      `The state of ${doc.name} is encrypted, but the new one is not.`,
      {
        facts: { field: 'encryption_version', unit: doc.name },
        hint: `Check the encryption settings of the configuration. To decrypt on purpose, run \`taco unit set ${doc.name} --allow-decrypt\`.`,
      },
    )
  }
  if (force)
    return request.keepSerial || facts.serial > highestSerial(doc)
      ? 'write'
      : olderSerial(doc, facts.serial, highestSerial(doc))
  if (doc.missing !== undefined && current.lineage !== facts.lineage) return stateMissing(doc)
  // After a deletion anything may follow but an older state of the same lineage: plans made from it may be around.
  if (isDeleted && (current.lineage !== facts.lineage || current.hash === hash)) return 'write'
  if (current.unreadable === true) {
    return new TacoError(
      'STATE_FORMAT',
      `The object ${doc.key} was written around OpenTaco and is not a state.`,
      {
        facts: { field: 'state', unit: doc.name },
        hint: 'Roll back to the last good version with `taco state rollback`, or push with --force.',
      },
    )
  }
  if (current.lineage !== facts.lineage) {
    return new TacoError(
      'STATE_LINEAGE',
      `This state has the lineage ${facts.lineage}, but ${doc.name} has ${current.lineage}.`,
      {
        facts: { field: 'lineage', given: facts.lineage, current: current.lineage },
        hint: 'The state belongs to another unit or was created anew. Push with --force only if you mean to replace the current state.',
      },
    )
  }
  if (facts.serial < current.serial) return olderSerial(doc, facts.serial, current.serial)
  if (facts.serial === current.serial) {
    return new TacoError(
      'STATE_SAME_SERIAL',
      `${doc.name} is already at serial ${facts.serial}, with different content.`,
      {
        facts: { field: 'serial', given: facts.serial, current: current.serial },
        hint: 'Another write came first. Pull the current state and repeat the work on top of it.',
      },
    )
  }
  return 'write'
}

function olderSerial({ name }: UnitDocument, given: number, current: number): TacoError {
  return new TacoError(
    'STATE_SERIAL',
    `This state has serial ${given}, but ${name} is already at ${current}.`,
    {
      facts: { field: 'serial', given, current },
      hint: 'A newer state was written. Pull it and repeat the work on top of it.',
    },
  )
}
