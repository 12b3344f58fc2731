import {
  type BrokenGlass,
  type Caller,
  type OrgPolicy,
  breakGlass,
  principalText,
} from '../../../../access/index.ts'
import { isoTime } from '../../../../base/clock.ts'
import type { UnitRef } from '../../../../state/index.ts'
import type { HttpDeps } from '../../deps.ts'

/** Lets the caller write the state of a guarded unit for a while, with the rights that they have anyway. */
export async function breakGuard(
  { control, orgAccess, clock }: Pick<HttpDeps, 'control' | 'orgAccess' | 'clock'>,
  ref: UnitRef,
  { reason, forMs }: { readonly reason: string; readonly forMs: number },
  caller: Caller,
): Promise<BrokenGlass & { readonly name: string }> {
  const { id, name } = await control.units.get(ref, caller)
  const at = clock.now()
  const broken = { unit: id, by: principalText(caller.principal), reason, at, until: at + forMs }
  const change = {
    type: 'guard.broken' as const,
    unit: { id, name },
    data: { reason, until: isoTime(broken.until) },
    transition: <T extends OrgPolicy>(policy: T) => breakGlass(policy, broken),
  }
  await orgAccess.change(ref.org, change, caller)
  return { ...broken, name }
}
