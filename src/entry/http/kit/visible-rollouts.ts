import type { Caller } from '../../../access/index.ts'
import { TacoError } from '../../../base/errors.ts'
import { type RolloutPlan, type RolloutView, noSuchRollout } from '../../../rollouts/index.ts'
import { noSuchUnit } from '../../../state/index.ts'
import type { HttpDeps } from '../deps.ts'

type Visible = Awaited<ReturnType<HttpDeps['control']['units']['visible']>>

/** A rollout names its units everywhere, so it is shown to those who may see all of them. */
export function isVisibleRollout({ steps }: Pick<RolloutView, 'steps'>, visible: Visible): boolean {
  return visible === undefined || steps.every(({ unit }) => visible.has(unit.id))
}

/** Refuses a step of a rollout that the caller may not see. */
export async function checkVisibleRollout(
  { rollouts, control }: Pick<HttpDeps, 'rollouts' | 'control'>,
  ref: { readonly org: string; readonly id: string },
  caller: Caller,
): Promise<void> {
  const visible = await control.units.visible(ref.org, caller)
  if (visible === undefined || isVisibleRollout(await rollouts.get(ref, caller), visible)) return
  throw noSuchRollout(ref.id)
}

/** Refuses a walk that reaches units on which the caller may not do this, or which it may not even see. */
export function checkWalk(
  { steps }: RolloutPlan,
  action: 'rollout:read' | 'rollout:start',
  visible: Visible,
  { sight }: Caller,
): void {
  if (sight === undefined || sight.may(action, undefined)) return
  for (const { unit } of steps) {
    const facts = visible === undefined ? { ...unit, labels: {} } : visible.get(unit.id)
    if (facts !== undefined && sight.may(action, facts)) continue
    const named = facts === undefined ? 'a unit that you cannot see' : unit.name
    throw new TacoError(
      'FORBIDDEN',
      `The rollout would reach ${named}, and you have no permission for that.`,
      {
        facts: { action },
        hint: 'Start from units whose dependents are yours, or ask an administrator of the organization.',
      },
    )
  }
}

/** A unit that is hidden is answered like one that does not exist. */
export async function checkNames(
  { control }: Pick<HttpDeps, 'control'>,
  { org, from }: { readonly org: string; readonly from: readonly string[] },
  caller: Caller,
): Promise<void> {
  const visible = await control.units.visible(org, caller)
  if (visible === undefined) return
  const known = new Set([...visible].flatMap(([id, { name }]) => [id, name]))
  const missing = from.find((name) => !known.has(name))
  if (missing !== undefined) throw noSuchUnit({ org, unit: missing })
}

/** Refuses to start a rollout that reaches units on which the caller may not start one. */
export async function checkStart(
  { rollouts, control }: Pick<HttpDeps, 'rollouts' | 'control'>,
  { org, from }: { readonly org: string; readonly from: readonly string[] },
  caller: Caller,
): Promise<void> {
  if (caller.sight?.may('rollout:start', undefined) !== false) return
  await checkNames({ control }, { org, from }, caller)
  const plan = await rollouts.plan(org, { from, downstream: true }, caller)
  checkWalk(plan, 'rollout:start', await control.units.visible(org, caller), caller)
}
