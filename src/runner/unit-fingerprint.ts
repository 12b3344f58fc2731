import type { ProjectUnit } from '../project/index.ts'
import { configurationPrint } from './index.ts'
import { variablesIn } from './step-env.ts'
import type { UnitFiles } from './host/unit-files.ts'
import type { World } from '../entry/cli/world.ts'

type Uses = Parameters<typeof configurationPrint>[0]['uses']

/** What a unit is made from, for its fingerprint. Null: not all of it can be read, so nothing can be proven. */
export function printOf(
  { hashes, hidden }: UnitFiles,
  unit: ProjectUnit,
  { env, uses, key }: { readonly env: World['env']; readonly uses: Uses; readonly key: string },
): string | null {
  if (hidden.length > 0) return null
  const variables = { ...variablesIn(env), ...unit.variables }
  return configurationPrint({ files: hashes, variables, varFiles: unit.varFiles, uses }, key)
}
