import type { Caller } from '../../../access/index.ts'
import { isTacoError } from '../../../base/errors.ts'
import { forEachLimit } from '../../../base/for-each-limit.ts'
import type { StateControl } from '../../../state/index.ts'
import { invalidRelation } from './kit/errors.ts'

/** Refuses relations to workspaces that are not in the organization, or that the caller may not see. */
export async function checkWorkspaces(
  { control }: { readonly control: Pick<StateControl, 'units'> },
  org: string,
  relations: Readonly<Record<string, readonly string[] | undefined>>,
  caller: Caller,
): Promise<void> {
  const visible = await control.units.visible(org, caller)
  for (const [relation, ids = []] of Object.entries(relations))
    await forEachLimit([...new Set(ids)], 16, async (id) => {
      const isThere = visible === undefined ? await isUnitIn(control, org, id, caller) : visible.has(id)
      if (!isThere)
        throw invalidRelation(
          relation,
          `There is no workspace ${id} in this organization, or you may not see it.`,
        )
    })
}

async function isUnitIn(
  { units }: Pick<StateControl, 'units'>,
  org: string,
  unit: string,
  caller: Caller,
): Promise<boolean> {
  try {
    return (await units.get({ org, unit }, caller)).id === unit
  } catch (error) {
    if (isTacoError(error, 'NOT_FOUND', 'BAD_REQUEST')) return false
    throw error
  }
}
