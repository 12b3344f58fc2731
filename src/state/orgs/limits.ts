import { TacoError } from '../../base/errors.ts'
import { within } from '../../base/within.ts'
import type { LockInfo, OrgLimits } from '../documents/model.ts'
import type { StateDeps } from '../settings.ts'
import type { StateControl } from '../state-control.ts'
import type { Locator } from '../units/locate.ts'
import type { OrgStore } from '../units/orgs.ts'
import type { Usages } from './usage.ts'

/** A refusal rests on a listing that is no older than this. */
export const USAGE_MS = 60_000
/** A lock waits no longer for a listing: it is granted then. */
const PATIENCE_MS = 2_000

/**
 * State control that keeps organizations within their limits. What begins something is refused: a new unit, the lock of
 * an apply. **No write of a state is ever refused**, with or without a lock: an apply that has changed infrastructure
 * must be able to record it.
 */
export function withLimits(
  control: StateControl,
  deps: StateDeps,
  { orgs, usages, locator }: { readonly orgs: OrgStore; readonly usages: Usages; readonly locator: Locator },
): StateControl {
  const { clock } = deps
  const { units, locks, upkeep } = control

  /** Why no unit can be added. */
  async function fullOfUnits(org: string): Promise<TacoError | undefined> {
    const isFull = async ({ units: most }: OrgLimits) =>
      most !== undefined && (await usages.units(org)) >= most
    if (!(await isFull(await orgs.limits(org)))) return undefined
    const now = (await orgs.current(org)).limits ?? {}
    if (!(await isFull(now))) return undefined
    return limitReached(
      'units',
      `The organization ${org} has its limit of ${now.units} units.`,
      `Delete units that are no longer needed, or raise the limit. \`taco org set ${org} --max-units none\` removes it.`,
    )
  }

  /** Why no apply can begin. */
  async function fullOfBytes(org: string): Promise<TacoError | undefined> {
    if ((await orgs.limits(org)).bytes === undefined) return undefined
    const most = (await orgs.current(org)).limits?.bytes
    if (most === undefined) return undefined
    const used = (await within(clock, PATIENCE_MS, usages.get(org, USAGE_MS)))?.bytes ?? 0
    if (used < most) return undefined
    return limitReached(
      'bytes',
      `The organization ${org} stores ${used} bytes, and its limit is ${most}.`,
      `Keep fewer versions with \`taco org set ${org} --max-versions 20\` and \`taco gc\`, or raise the limit. \`taco org set ${org} --max-bytes none\` removes it.`,
    )
  }

  async function refuseNewUnit(org: string, unit: string): Promise<void> {
    const refusal = (await fullOfUnits(org)) ?? (await fullOfBytes(org))
    if (refusal === undefined) return
    const present = await locator.tryFind({ org, unit })
    if (present === undefined || present.value.deleted !== undefined) throw refusal
  }

  async function refuseLock(org: string, unit: string, info: LockInfo): Promise<void> {
    const refusal = info.Operation === APPLY ? await fullOfBytes(org) : undefined
    // The answer to the first try may be lost: then it has the lock.
    if (refusal !== undefined && (await locator.tryFind({ org, unit }))?.value.lock?.id !== info.ID)
      throw refusal
  }

  return {
    ...control,
    units: {
      ...units,
      async create(input, caller) {
        await refuseNewUnit(input.org, input.name)
        return units.create(input, caller)
      },
      async restore(ref, options, caller) {
        await refuseNewUnit(ref.org, ref.unit)
        return units.restore(ref, options, caller)
      },
    },
    locks: {
      ...locks,
      async lock(ref, info, options, caller) {
        if (options.createUnit === true) await refuseNewUnit(ref.org, ref.unit)
        await refuseLock(ref.org, ref.unit, info)
        return locks.lock(ref, info, options, caller)
      },
    },
    upkeep: {
      ...upkeep,
      async *adopt(options, caller) {
        const refusal = options.dryRun ? undefined : await fullOfUnits(options.org)
        if (refusal !== undefined) throw refusal
        yield* upkeep.adopt(options, caller)
      },
    },
  }
}

/** As engines call it in the info of their lock. */
const APPLY = 'OperationTypeApply'

function limitReached(limit: keyof OrgLimits, message: string, hint: string): TacoError {
  return new TacoError('LIMIT_REACHED', message, { facts: { field: `limits.${limit}` }, hint })
}
