import { type Caller, systemCaller } from '../access/index.ts'
import type { Clock } from '../base/clock.ts'
import { isTacoError } from '../base/errors.ts'
import type { Dependencies } from '../graph/index.ts'
import type { NotedEvent } from './event.ts'

/** The graph may lag the journal by as much. */
const LAG_MS = 3_000
const WRITES = new Set(['state.written', 'state.deleted'])

/**
 * That a unit became stale is no event: it follows from a change of what it uses. The id names the unit and the outputs
 * it follows from, so that later writes that leave those outputs alone do not tell it again.
 */
export function createStaleUnits(
  { usersOf }: Pick<Dependencies, 'usersOf'>,
  clock: Clock,
): (org: string, event: NotedEvent, signal?: AbortSignal) => Promise<readonly NotedEvent[]> {
  const caller: Caller = systemCaller('opentaco')
  return async (org, event, signal) => {
    const { unit, type, data } = event
    if (unit === null || !WRITES.has(type)) return []
    const wait = Date.parse(event.at) + LAG_MS - clock.now()
    if (wait > 0) await clock.sleep(Math.min(wait, LAG_MS), signal)
    const users = await usersOf({ org, unit: unit.id }, caller).catch((error: unknown) => {
      if (isTacoError(error, 'NOT_FOUND')) return []
      throw error
    })
    const stale = new Map(users.filter(({ state }) => state === 'changed').map((user) => [user.id, user]))
    const cause = typeof data['commit'] === 'number' ? `${unit.id}.${data['commit']}` : event.id
    return [...stale.values()].map(({ id, name }) => ({
      id: `${id}.${cause}`,
      at: event.at,
      type: 'unit.stale',
      unit: { id, name },
      by: event.by,
      data: { because: unit.name },
    }))
  }
}
