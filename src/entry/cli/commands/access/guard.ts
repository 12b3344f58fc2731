import { check, fields, list as listOf, maybe, text } from '../../api/check-answer.ts'
import { ofWholeServer, unitPath } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { age, parseDuration } from '../../terminal/format.ts'
import { pathIn, required } from './shared.ts'

const guard = fields({ id: text, units: maybe(listOf(text)), reason: maybe(text), at: text, by: text })
const broken = fields({ unit: text, by: text, reason: text, until: text })
const guards = fields({ items: listOf(guard), broken: listOf(broken) })

export async function list(session: Session): Promise<void> {
  const { output, world } = session
  const client = await session.client()
  const answer = await client.json('GET', pathIn(session, 'guards'), { query: ofWholeServer })
  if (output.asJson) return output.json(answer)
  const found = check(guards, answer)
  output.table(
    ['ID', 'UNITS', 'REASON', 'SET', 'BY'],
    found.items.map(({ id, units, reason, at, by }) => [
      id,
      units?.join(', ') ?? 'all',
      reason ?? '',
      age(at, world.now()),
      by,
    ]),
  )
  for (const { unit, by, reason, until } of found.broken)
    output.say(`${unit}: ${by} may write until ${until} (${reason})`)
}

export async function set(
  session: Session,
  patterns: readonly string[],
  { all, reason }: { readonly all?: boolean; readonly reason?: string },
): Promise<void> {
  if ((all === true) === patterns.length > 0)
    throw usageError(
      all === true ? '--all and patterns exclude each other.' : 'There is nothing to guard.',
      "Name units or patterns, such as 'prod/**', or give --all for the whole organization.",
    )
  const json = { ...(all === true ? {} : { units: patterns }), ...(reason === undefined ? {} : { reason }) }
  const client = await session.client()
  const answer = await client.json('POST', pathIn(session, 'guards'), { query: ofWholeServer, json })
  if (session.output.asJson) return session.output.json(answer)
  const { id, units } = check(guard, answer)
  session.output.say(`guarded ${units?.join(', ') ?? 'the whole organization'} (${id})`)
  session.output.note('only runs can change these states now')
}

export async function end(session: Session, [id = '']: readonly string[]): Promise<void> {
  const client = await session.client()
  await client.json('DELETE', pathIn(session, 'guards', id), { query: ofWholeServer })
  if (session.output.asJson) return session.output.json({ id, status: 'ended' })
  session.output.say(`ended ${id}`)
}

export async function breakGlass(
  session: Session,
  [unit = '']: readonly string[],
  flags: { readonly reason?: string; readonly for?: string },
): Promise<void> {
  const reason = required(flags.reason, 'reason', 'Say why. It is recorded.')
  const json = { reason, ...durationOf(flags.for) }
  const answer = await (await session.client()).json('POST', unitPath(unit, '/break-glass'), { json })
  if (session.output.asJson) return session.output.json(answer)
  const made = check(broken, answer)
  session.output.say(`${made.by} may write ${made.unit} until ${made.until}`)
  session.output.note('this was recorded; what is written meanwhile is recorded too')
}

function durationOf(given: string | undefined): { readonly forMs?: number } {
  if (given === undefined) return {}
  const forMs = parseDuration(given)
  if (forMs !== undefined && forMs >= 60_000 && forMs <= 8 * 3_600_000) return { forMs }
  throw usageError(`--for ${given} is not a time between 1m and 8h.`, 'Write it as 30m or 2h.')
}
