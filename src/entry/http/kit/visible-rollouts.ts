import type { Action, Caller, UnitFacts } from '../../../access/index.ts'
import { TacoError } from '../../../base/errors.ts'
import { type RolloutView, type StepView, noSuchRollout } from '../../../rollouts/index.ts'
import { noSuchUnit } from '../../../state/index.ts'
import type { HttpDeps } from '../deps.ts'

type Visible = Awaited<ReturnType<HttpDeps['control']['units']['visible']>>

/** A rollout names its units everywhere, so it is shown to those who may see all of them. */
export function isVisibleRollout({ steps }: Pick<RolloutView, 'steps'>, visible: Visible): boolean {
  return visible === undefined || steps.every(({ unit }) => visible.has(unit.id))
}

/** Refuses a rollout that the caller may not see, and with an action, one that reaches units on which that is denied. */
export async function checkVisibleRollout(
  { rollouts, control }: Pick<HttpDeps, 'rollouts' | 'control'>,
  ref: { readonly org: string; readonly id: string },
  caller: Caller,
  action?: Action,
): Promise<void> {
  const { sight } = caller
  const isPartly = action !== undefined && sight?.needsUnit(action) === true
  if (sight === undefined || (sight.seesAll && !isPartly)) return
  const rollout = await rollouts.get(ref, caller)
  if (!isVisibleRollout(rollout, await control.units.visible(ref.org, caller))) throw noSuchRollout(ref.id)
  if (isPartly) await checkWalk({ control }, { ...ref, steps: rollout.steps }, action, caller)
}

/**
 * Refuses a walk that reaches units on which the caller may not do this, or which it may not even see. A right on the
 * organization is not enough: a rule may deny it for some of the units.
 */
export async function checkWalk(
  { control }: Pick<HttpDeps, 'control'>,
  { org, steps }: { readonly org: string; readonly steps: readonly Pick<StepView, 'unit'>[] },
  action: Action,
  caller: Caller,
): Promise<void> {
  const { sight } = caller
  if (sight === undefined) return
  const known = await factsFor({ control }, org, action, caller)
  for (const { unit } of steps) {
    const facts = known === undefined ? { ...unit, labels: {} } : known.get(unit.id)
    if (facts !== undefined && sight.may(action, facts)) continue
    const named = facts === undefined ? 'a unit that you cannot see' : unit.name
    throw new TacoError('FORBIDDEN', `The rollout reaches ${named}, and you have no permission for that.`, {
      facts: { action },
      hint: 'Start from units whose dependents are yours, or ask an administrator of the organization.',
    })
  }
}

/** Undefined: the caller sees every unit, and may do this on all of them or on none. */
async function factsFor(
  { control }: Pick<HttpDeps, 'control'>,
  org: string,
  action: Action,
  caller: Caller,
): Promise<Visible> {
  const { sight } = caller
  if (sight === undefined || !sight.needsUnit(action)) return control.units.visible(org, caller)
  return control.units.visible(org, { ...caller, sight: { ...sight, seesAll: false } })
}

/** The names of the units whose steps the caller may work on, of those that it asks for. Undefined: all. */
export async function workableUnits(
  { control }: Pick<HttpDeps, 'control'>,
  org: string,
  asked: readonly string[] | undefined,
  caller: Caller,
): Promise<readonly string[] | undefined> {
  const { sight } = caller
  if (sight?.needsUnit('rollout:work') !== true) return asked
  const known = (await factsFor({ control }, org, 'rollout:work', caller)) ?? new Map<string, UnitFacts>()
  const wanted = asked && new Set(asked)
  return [...known.values()]
    .filter((unit) => wanted?.has(unit.name) !== false && sight.may('rollout:work', unit))
    .map(({ name }) => name)
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
  const { sight } = caller
  if (sight === undefined || (sight.may('rollout:start', undefined) && !sight.needsUnit('rollout:start')))
    return
  await checkNames({ control }, { org, from }, caller)
  const plan = await rollouts.plan(org, { from, downstream: true }, caller)
  await checkWalk({ control }, { org, ...plan }, 'rollout:start', caller)
}
