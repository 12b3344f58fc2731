import { TacoError, isTacoError } from '../../../base/errors.ts'
import { wholeList } from '../api/pages.ts'
import type { Session } from '../session.ts'
import { check, fields, text } from '../api/check-answer.ts'
import { didYouMean, nearestUnit } from '../../../base/text/nearest.ts'

const named = fields({ id: text, name: text })

/** Runs a command on units; if a name is unknown, the error suggests a similar one. */
export async function withUnit<T>(
  session: Session,
  units: string | readonly string[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isTacoError(error, 'NOT_FOUND')) throw error
    // Advice is extra: that it cannot be had must not take the place of what was wrong.
    const found = await advice(session, [units].flat()).catch(() => undefined)
    if (found === undefined) throw error
    const { unit, hint } = found
    const message = error.message.startsWith('There is no unit') ? error.message : `There is no unit ${unit}.`
    throw new TacoError('NOT_FOUND', message, { hint, facts: error.facts, cause: error })
  }
}

/** For commands that make no request: a name that no server accepts must not get into code or an environment. */
export async function checkNames(session: Session, unit: string): Promise<void> {
  const { isUnitId, parseOrgName, parseUnitName } = await session.world.parsers()
  parseOrgName(session.org())
  if (!isUnitId(unit)) parseUnitName(unit)
}

/** Undefined: all of them are there. */
async function advice(
  session: Session,
  asked: readonly string[],
): Promise<{ readonly unit: string; readonly hint: string } | undefined> {
  const units = (await wholeList(await session.client(), '/v1/units', {}, 20_000)).map((one) =>
    check(named, one),
  )
  const unit = asked.find((one) => !units.some(({ id, name }) => id === one || name === one))
  if (unit === undefined) return undefined
  const names = units.map(({ name }) => name)
  const hint =
    names.length === 0
      ? `There are no units in "${session.org()}". \`taco unit create ${unit}\` creates one. \`taco adopt\` finds states in the bucket.`
      : '`taco unit ls` lists all units.'
  return { unit, hint: didYouMean(nearestUnit(unit, names), hint) }
}
