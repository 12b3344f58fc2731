import { TacoError } from '../../base/errors.ts'
import type { Lock, LockInfo, UnitDocument } from '../documents/model.ts'

/** The refusals of the lock protocol, in one place, so that every face words them the same. */

export function lockedBy(doc: UnitDocument, info: LockInfo, outside: boolean): TacoError {
  const who = info.Who === '' ? 'somebody' : info.Who
  return new TacoError(
    'LOCKED',
    `${doc.name} is locked by ${who}${info.Operation === '' ? '' : ` (${info.Operation})`}.`,
    {
      facts: { holder: info, outside },
      hint: outside
        ? `Wait for the program that locked it in the bucket, or break the lock with \`taco unlock ${doc.name} --force\`.`
        : `Wait until the lock is released. If its holder is gone, break it with \`taco unlock ${doc.name} --force\`.`,
    },
  )
}

export function lockedByHolder(doc: UnitDocument, lock: Lock): TacoError {
  return lockedBy(doc, lock.info, false)
}

export function lockNotHeld(doc: UnitDocument, lockId: string): TacoError {
  if (doc.lock !== null) {
    const who = doc.lock.info.Who === '' ? 'another holder' : doc.lock.info.Who
    return new TacoError('LOCK_MISMATCH', `The lock of ${doc.name} is held by ${who} under another id.`, {
      facts: { holder: doc.lock.info, given: lockId },
      hint: 'Lock the unit again, and check its history before you repeat the work.',
    })
  }
  return new TacoError('NOT_LOCKED', `${doc.name} is not locked under the id ${lockId}.`, {
    facts: { given: lockId },
    hint: 'The lock was released or broken. Lock the unit again, and check its history before you repeat the work.',
  })
}

/** So many locks have passed that we no longer know whether this one was among them. */
export function overtaken(doc: UnitDocument): TacoError {
  return new TacoError('BUCKET_UNAVAILABLE', `Other locks on ${doc.name} kept coming first.`, {
    facts: { unit: doc.name },
    hint: 'Try again in a moment.',
  })
}

export function lockLostOutside(doc: UnitDocument): TacoError {
  return new TacoError(
    'LOCK_MISMATCH',
    `The lock of ${doc.name} was broken around OpenTaco and taken by another program.`,
    {
      facts: doc.lock === null ? {} : { holder: doc.lock.info },
      hint: 'Run `taco lock` and `taco state versions` to see which one, then repeat the work under a new lock.',
    },
  )
}

/** "No state" would make an engine create everything a second time, so a person has to decide first. */
export function stateMissing({ name, key, head }: UnitDocument): TacoError {
  const last = head?.version
  const held =
    last?.resources == null
      ? 'an unknown number of resources'
      : `${last.resources} resource${last.resources === 1 ? '' : 's'}`
  return new TacoError(
    'STATE_MISSING',
    `The state of ${name} is missing: the object ${key} was emptied or deleted around OpenTaco. It had ${held}.`,
    {
      facts: { unit: name, key, version: last?.seq ?? null, resources: last?.resources ?? null },
      hint: `Restore it with \`taco state rollback ${name} ${last?.seq ?? 'current'}\`, or accept the loss with \`taco state rm ${name} --force\`.`,
    },
  )
}

export function unitGone(doc: UnitDocument): TacoError {
  return new TacoError('NOT_FOUND', `The unit ${doc.name} was deleted.`, {
    facts: { unit: doc.name, id: doc.id },
    hint: `Restore it with \`taco unit restore ${doc.id}\`.`,
  })
}
