import { TacoError } from '../../../../base/errors.ts'
import { lockAnswer } from '../../api/answers.ts'
import { unitPath } from '../../api/client.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import type { Session } from '../../session.ts'
import { check, fields, maybe } from '../../api/check-answer.ts'
import { withUnit } from '../../config/unit-name.ts'
import { age, parseDuration } from '../../terminal/format.ts'

/** Marks the locks that a person took by hand, so that `unlock` can tell them from those of a running engine. */
const operation = 'taco lock'

interface LockOptions {
  readonly reason?: string
  readonly id?: string
  readonly lease?: string
}

export async function lock(
  session: Session,
  [unit = '']: readonly string[],
  options: LockOptions,
): Promise<void> {
  const leaseMs = options.lease === undefined ? undefined : parseDuration(options.lease)
  if (options.lease !== undefined && leaseMs === undefined) {
    throw usageError(
      `${JSON.stringify(options.lease)} is not a duration.`,
      'Write --lease as 90s, 30m, 2h or 1d.',
    )
  }
  if (leaseMs !== undefined && leaseMs < 1000)
    throw usageError(`--lease ${options.lease} is too short.`, 'Use at least 1s.')
  const client = await session.client()
  const json = {
    who: session.world.who,
    operation,
    ...(options.id === undefined ? {} : { id: options.id }),
    ...(options.reason === undefined ? {} : { reason: options.reason }),
    ...(leaseMs === undefined ? {} : { leaseMs }),
  }
  const answer = await withUnit(session, unit, () => client.json('POST', unitPath(unit, '/lock'), { json }))
  if (session.output.asJson) return session.output.json(answer)
  session.output.say(`locked ${unit}: ${check(lockAnswer, answer).id}`)
  session.output.note(`release it with \`taco unlock ${unit}\``)
}

interface UnlockOptions {
  readonly id?: string
  readonly force?: boolean
}

export async function unlock(
  session: Session,
  [unit = '']: readonly string[],
  options: UnlockOptions,
): Promise<void> {
  const client = await session.client()
  const query =
    options.force === true
      ? { force: true, id: options.id }
      : { id: options.id ?? (await ownLock(session, unit)) }
  const answer = await withUnit(session, unit, () =>
    client.json('DELETE', unitPath(unit, '/lock'), { query }),
  )
  // Only a lock broken by force is reported; releasing a lock twice by its id is the same as once.
  const unlocked = options.force !== true || answer !== undefined
  if (session.output.asJson) return session.output.json(answer ?? { unit, unlocked })
  session.output.say(unlocked ? `unlocked ${unit}` : `${unit} was not locked`)
}

/** Without an id, only a lock that this person took by hand is released: any other may be an apply under way. */
async function ownLock(session: Session, unit: string): Promise<string> {
  const client = await session.client()
  const answer = await withUnit(session, unit, () => client.json('GET', unitPath(unit, '/lock')))
  const held = check(fields({ lock: maybe(lockAnswer) }), answer).lock
  if (held === null)
    throw new TacoError('NOT_LOCKED', `${unit} is not locked.`, { hint: 'There is nothing to unlock.' })
  const who = held.info.Who || held.by
  if (held.info.Operation === operation && who === session.world.who) return held.id
  throw new TacoError(
    'LOCK_MISMATCH',
    `${unit} is locked by ${who} (since ${age(held.at, session.world.now())}), not by you.`,
    {
      hint: `If that work has certainly ended, run \`taco unlock ${unit} --force\`. If you have the lock's id, give it with --id.`,
      facts: { holder: { ID: held.id, ...held.info } },
    },
  )
}
