import { TacoError, isTacoError } from '../../base/errors.ts'
import { answeredBefore } from '../../bucket/index.ts'
import type { VersionFacts } from '../documents/model.ts'
import { type Expected, changedMeanwhile } from '../expected.ts'
import { ensureLock } from '../locks/with-lock.ts'
import type { Parts, Target } from '../protocol/context.ts'
import { removeState } from '../protocol/remove.ts'
import { repeatedWrite, writeState } from '../protocol/write.ts'
import type { Caller, ReceivedState, States, UnitRef, WriteOptions } from '../state-control.ts'
import { type Locator, ifMoved } from '../units/locate.ts'
import type { UnitMaker } from '../units/unit-making.ts'
import { viewVersion } from '../views/to-views.ts'
import type { Intake } from './intake.ts'
import { createStateReads } from './read-state.ts'
import { writeAbove } from './write-above.ts'

export function createStates(parts: Parts, intake: Intake, locator: Locator, maker: UnitMaker): States {
  const { store } = parts

  /** Another client may hold the lock by now, so check this before taking it. */
  async function writtenBefore(ref: UnitRef, caller: Caller): Promise<VersionFacts | undefined> {
    const unit = caller.request === undefined ? undefined : await locator.tryFind(ref)
    const before = unit && (await repeatedWrite(parts, store.folded(unit).value, caller))
    if (before instanceof TacoError) throw before
    return before
  }

  async function isRepeated(ref: UnitRef, caller: Caller): Promise<boolean> {
    const unit = caller.request === undefined ? undefined : await locator.tryFind(ref)
    return unit?.value.write === null && answeredBefore(unit.value.answered, caller) !== undefined
  }

  /** The unit that a write goes to, created if the write may create it. */
  async function locate(ref: UnitRef, options: WriteOptions, caller: Caller): Promise<Target> {
    const { createUnit, expected } = options
    if (createUnit === true && (expected === undefined || expected === 'none'))
      return maker.target(ref, caller)
    return locator.target(ref)
  }

  async function writeTo(
    target: Target,
    state: ReceivedState,
    options: WriteOptions,
    caller: Caller,
  ): Promise<VersionFacts> {
    const lock = await ensureLock(parts, target, { lockId: options.lockId, operation: options.how }, caller)
    try {
      const { how, message, keepSerial, expected, versionStart } = options
      const write = { state, lockId: lock.id, how, message, keepSerial, expected, versionStart }
      return options.force === true
        ? await writeAbove(parts, target, write, caller)
        : await writeState(parts, target, { ...write, force: false }, caller)
    } finally {
      await lock.release()
    }
  }

  return {
    ...createStateReads(parts, locator),
    async current(ref) {
      const { head, deleted } = store.folded(await locator.find(ref)).value
      if (head === null || head.tag === null || deleted !== undefined) return undefined
      return { version: viewVersion(head.version, 'current'), tag: head.tag }
    },
    receive: (stream, options) => intake.receive(stream, options),
    async write(ref, state, options, caller) {
      const before = await writtenBefore(ref, caller)
      if (before !== undefined) return viewVersion(before, 'current')
      const known = locator.remembered(ref)
      const written = known && (await writeTo(known, state, options, caller).catch(ifMoved))
      if (written !== undefined) return viewVersion(written, 'current')
      try {
        const target = await locate(ref, options, caller)
        return viewVersion(await writeTo(target, state, options, caller), 'current')
      } catch (error) {
        throw nothingToReplace(ref, options.expected, error)
      }
    },
    async remove(ref, options, caller) {
      if (await isRepeated(ref, caller)) return
      await locator.withTarget(ref, async (target) => {
        const lock = await ensureLock(parts, target, { lockId: options.lockId, operation: 'delete' }, caller)
        try {
          const { force, expected } = options
          await removeState(parts, target, { lockId: lock.id, force, expected }, caller)
        } finally {
          await lock.release()
        }
      })
    },
  }
}

/** A write that expects to replace something must not create the unit for it. */
function nothingToReplace({ unit }: UnitRef, expected: Expected | undefined, error: unknown): unknown {
  if (expected === undefined || expected === 'none' || !isTacoError(error, 'NOT_FOUND')) return error
  return changedMeanwhile(`The state of ${unit}`)
}
