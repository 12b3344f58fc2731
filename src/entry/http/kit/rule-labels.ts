import { labelsInRules } from '../../../access/index.ts'
import { TacoError, isTacoError } from '../../../base/errors.ts'
import type { Caller, UnitRef } from '../../../state/index.ts'
import type { HttpDeps } from '../deps.ts'

/** Null: to be removed. */
type Labels = Readonly<Record<string, string | null>>

/** Refuses to change labels that rules go by, unless the caller administers the unit: it changes who may do what. */
export async function checkRuleLabels(
  { control, orgAccess }: Pick<HttpDeps, 'control' | 'orgAccess'>,
  changes: readonly (UnitRef & { readonly labels?: Labels | undefined })[],
  caller: Caller,
): Promise<void> {
  const { sight } = caller
  if (sight === undefined) return
  for (const { labels = {}, ...ref } of changes) {
    const inRules = labelsInRules((await orgAccess.fresh(ref.org)).roles)
    const wanted = Object.entries(labels).filter(([name]) => inRules.has(name))
    if (wanted.length === 0) continue
    const unit = await factsOf(control, ref, caller)
    const [changed] = wanted.find(([name, value]) => (value ?? undefined) !== unit.labels[name]) ?? []
    if (changed !== undefined && !sight.may('unit:admin', unit))
      throw new TacoError(
        'FORBIDDEN',
        `You have no permission to change the label ${changed} of ${unit.name}.`,
        {
          facts: { action: 'unit:admin', field: `labels.${changed}` },
          hint: 'Rules of a role go by this label, so changing it takes unit:admin. Ask an administrator.',
        },
      )
  }
}

/** A unit that is still to be made has no labels yet. */
async function factsOf({ units }: HttpDeps['control'], ref: UnitRef, caller: Caller) {
  try {
    return await units.get(ref, caller)
  } catch (error) {
    if (!isTacoError(error, 'NOT_FOUND')) throw error
    return { id: null, name: ref.unit, labels: {} as Readonly<Record<string, string>> }
  }
}
