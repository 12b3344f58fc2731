import {
  type BrokenGlass,
  type Caller,
  type Guard,
  type OrgPolicy,
  addGuard,
  principalText,
  removeGuard,
} from '../../../../access/index.ts'
import { isTacoError } from '../../../../base/errors.ts'
import type { HttpDeps } from '../../deps.ts'

type Services = Pick<HttpDeps, 'orgAccess' | 'ids' | 'clock'>

/** Without `units`: the whole organization. */
export async function setGuard(
  { orgAccess, ids, clock }: Services,
  org: string,
  { units, reason }: { readonly units?: readonly string[] | undefined; readonly reason?: string | undefined },
  caller: Caller,
): Promise<Guard> {
  const guard: Guard = {
    id: ids.id('guard'),
    ...(units === undefined ? {} : { units: [...units] }),
    ...(reason === undefined ? {} : { reason }),
    at: clock.now(),
    by: principalText(caller.principal),
  }
  const change = {
    type: 'guard.set' as const,
    data: { guard: guard.id, units: guard.units ?? null, reason: guard.reason ?? null },
    transition: <T extends OrgPolicy>(policy: T) => addGuard(policy, guard),
  }
  await orgAccess.change(org, change, caller)
  return guard
}

export async function endGuard(
  { orgAccess }: Pick<HttpDeps, 'orgAccess'>,
  org: string,
  guard: string,
  caller: Caller,
): Promise<void> {
  const change = {
    type: 'guard.ended' as const,
    data: { guard },
    transition: <T extends OrgPolicy>(policy: T) => removeGuard(policy, guard),
  }
  await orgAccess.change(org, change, caller)
}

/** Who may write guarded units for a while, with the name of the unit. Units that are gone or hidden are left out. */
export async function brokenGuards(
  { control: { units }, clock }: Pick<HttpDeps, 'control' | 'clock'>,
  { org, brokenGlass }: OrgPolicy,
  caller: Caller,
): Promise<readonly BrokenGlass[]> {
  const now = clock.now()
  const broken = brokenGlass.filter(({ until }) => until > now)
  if (broken.length === 0) return []
  const visible = await units.visible(org, caller)
  const ids = [...new Set(broken.map(({ unit }) => unit))].filter((id) => visible?.has(id) !== false)
  const found = await Promise.all(
    ids.map((unit) =>
      units.get({ org, unit }, caller).catch((error: unknown) => {
        if (isTacoError(error, 'NOT_FOUND')) return undefined
        throw error
      }),
    ),
  )
  const names = new Map(found.flatMap((unit) => (unit === undefined ? [] : [[unit.id, unit.name]])))
  return broken.flatMap((one) => {
    const unit = names.get(one.unit)
    return unit === undefined ? [] : [{ ...one, unit }]
  })
}
