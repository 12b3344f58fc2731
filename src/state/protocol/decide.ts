import { TacoError } from '../../base/errors.ts'
import type { StateFacts } from '../content/scan.ts'
import type { UnitDocument } from '../model.ts'

export interface WriteRequest {
  readonly facts: StateFacts
  readonly hash: string
  readonly force: boolean
}

/** May these bytes follow the unit's head? `same`: they are the head already. Pure. */
export function decideWrite(doc: UnitDocument, request: WriteRequest): 'write' | 'same' | TacoError {
  const { head } = doc
  const { facts, hash, force } = request
  if (head === null || head.tag === null) return 'write'
  const current = head.version
  if (current.hash === hash) return 'same'
  if (current.encrypted && !facts.encrypted && !doc.allowDecrypt) {
    return new TacoError('STATE_WOULD_DECRYPT', `the state of ${doc.name} is encrypted and this one is not`, {
      facts: { field: 'encryption_version', unit: doc.name },
      hint: `check the encryption settings of the configuration; to decrypt on purpose: taco unit set ${doc.name} --allow-decrypt`,
    })
  }
  if (force) return 'write'
  if (current.unreadable === true) {
    return new TacoError(
      'STATE_FORMAT',
      `what lies at ${doc.key} now was written around OpenTaco and is no state`,
      {
        facts: { field: 'state', unit: doc.name },
        hint: 'roll back to the last good version with `taco state rollback`, or push with --force',
      },
    )
  }
  if (current.lineage !== facts.lineage) {
    return new TacoError(
      'STATE_LINEAGE',
      `this state has lineage ${facts.lineage}, ${doc.name} has ${current.lineage}`,
      {
        facts: { field: 'lineage', given: facts.lineage, current: current.lineage },
        hint: 'it belongs to another unit, or was made anew; push with --force only if you mean to replace the state',
      },
    )
  }
  if (facts.serial < current.serial) {
    return new TacoError(
      'STATE_SERIAL',
      `this state has serial ${facts.serial}, ${doc.name} is at ${current.serial} already`,
      {
        facts: { field: 'serial', given: facts.serial, current: current.serial },
        hint: 'somebody wrote a newer state: pull it and repeat the work on top of it',
      },
    )
  }
  if (facts.serial === current.serial) {
    return new TacoError(
      'STATE_SAME_SERIAL',
      `${doc.name} is at serial ${facts.serial} already, with other content`,
      {
        facts: { field: 'serial', given: facts.serial, current: current.serial },
        hint: 'somebody wrote at the same time: pull the current state and repeat the work on top of it',
      },
    )
  }
  return 'write'
}
