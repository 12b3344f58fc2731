import type { Caller } from '../../../state/index.ts'
import {
  type SetSight,
  type SetSights,
  type VariableSet,
  type VariableSets,
  noSuchSet,
} from '../../../variables/index.ts'

interface SetServices {
  readonly variableSets: Pick<VariableSets, 'get'>
  readonly setSights: Pick<SetSights, 'of'>
}

/** A set that the caller may see, by name or id. */
export async function visibleSet(
  { variableSets, setSights }: SetServices,
  { org, set: name }: { readonly org: string; readonly set: string },
  caller: Caller,
): Promise<{ readonly set: VariableSet; readonly sight: SetSight }> {
  const [set, sight] = [await variableSets.get(org, name), await setSights.of(org, caller)]
  if (!sight.sees(set)) throw noSuchSet(name)
  return { set, sight }
}
