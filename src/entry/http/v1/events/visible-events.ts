import type { EventView } from '../../../../state/index.ts'
import type { Exchange } from '../../kit/exchange.ts'
import type { V1Services } from '../define.ts'

/** Events about people, teams, roles and tokens. Everyone else's work is in the others. */
const OF_ACCESS = /^(access|guard|member|person|provider|role|server|session|team|token|workload)\./

/**
 * The events that the caller may see: of units that it may see, and of access only with the right to read about that.
 * Asked anew for each page of a stream: rights change while it is open.
 */
export async function visibleEvents(
  items: readonly EventView[],
  x: Pick<Exchange, 'sight' | 'caller'>,
  { control }: Pick<V1Services, 'control'>,
): Promise<readonly EventView[]> {
  const { sight } = x
  if (sight === undefined || items.length === 0) return items
  const mayReadAccess = sight.may('access:read', undefined)
  const known = new Map<string, ReturnType<typeof control.units.visible>>()
  const visibleIn = (org: string) => {
    const found = known.get(org) ?? control.units.visible(org, x.caller)
    known.set(org, found)
    return found
  }
  const isVisible = async ({ type, org, unit }: EventView): Promise<boolean> => {
    if (OF_ACCESS.test(type)) return mayReadAccess
    const units = await visibleIn(org)
    if (units === undefined) return true
    // What is about several units, or about none, could name some that are hidden.
    return unit === null ? type.startsWith('org.') : units.has(unit.id)
  }
  const shown = await Promise.all(items.map(isVisible))
  return items.filter((_, i) => shown[i])
}
