import { z } from 'zod'
import { SERVER } from '../../../../access/index.ts'
import type { EventView } from '../../../../state/index.ts'
import type { HttpDeps } from '../../deps.ts'
import type { Exchange } from '../exchange.ts'
import { visibleEdges } from '../visible-units.ts'

/** Events about people, teams, roles and tokens. Everyone else's work is in the others. */
const OF_ACCESS = /^(access|member|person|provider|role|server|session|team|token|workload)\./

/**
 * The events that the caller may see: of units that it may see, and of access only with the right to read about that.
 * Asked anew for each page of a stream: rights change while it is open. A request that names no organization is about
 * all of them, and each event is judged by the rights in its own.
 */
export async function visibleEvents(
  items: readonly EventView[],
  { sight: named, caller }: Pick<Exchange, 'sight' | 'caller'>,
  { control, access }: Pick<HttpDeps, 'control' | 'access'>,
): Promise<readonly EventView[]> {
  const known = new Map<string, ReturnType<typeof seenIn>>()

  async function seenIn(org: string) {
    const sight = named ?? (await access.sight(caller.principal, org))
    return { sight, units: sight && (await control.units.visible(org, { ...caller, sight })) }
  }

  /** Undefined: hidden. */
  async function shown(event: EventView): Promise<EventView | undefined> {
    const { type, org, unit } = event
    if (org === SERVER)
      return (await access.decide(caller.principal, 'server:admin', {})).allowed ? event : undefined
    const found = known.get(org) ?? seenIn(org)
    known.set(org, found)
    const { sight, units } = await found
    if (sight === undefined) return event
    if (OF_ACCESS.test(type)) return sight.may('access:read', undefined) ? event : undefined
    // Someone who sees every unit may still read events of some only. Their labels are not known here.
    const facts = unit === null ? undefined : (units?.get(unit.id) ?? { ...unit, id: null, labels: {} })
    if (units === undefined) return sight.may('events:read', facts) ? event : undefined
    // What is about several units, or about none, could name some that are hidden.
    if (unit === null)
      return type.startsWith('org.') && (await access.seesOrg(caller.principal, org)) ? event : undefined
    if (!units.has(unit.id) || !sight.may('events:read', facts)) return undefined
    return type === 'dependencies.changed' ? withoutHidden(event, units) : event
  }

  return (await Promise.all(items.map(shown))).filter((event) => event !== undefined)
}

const Edges = z.looseObject({ dependencies: z.array(z.looseObject({ on: z.string() })) })

function withoutHidden(event: EventView, units: { has(id: string): boolean }): EventView {
  const { data } = Edges.safeParse(event.data)
  if (data === undefined) return { ...event, data: {} }
  return { ...event, data: { ...data, dependencies: visibleEdges(data.dependencies, units) } }
}
