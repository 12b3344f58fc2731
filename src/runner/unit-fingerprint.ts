import type { ProjectUnit } from '../project/index.ts'
import type { UsedOutputs } from '../rollouts/index.ts'
import { configurationPrint } from './fingerprint.ts'
import type { Machine } from './host/machine.ts'
import type { UnitFiles } from './host/unit-files.ts'

/** What a unit is made from, for its fingerprint. Null: not all of it can be read, so nothing can be proven. */
export function printOf(
  { hashes, hidden }: UnitFiles,
  unit: ProjectUnit,
  {
    env,
    uses,
    given,
    key,
  }: {
    readonly env: Machine['env']
    readonly uses: readonly UsedOutputs[]
    /** Stands for the variables that apply to the unit. Null: there are none. */
    readonly given: string | null
    readonly key: string
  },
): string | null {
  if (hidden.length > 0) return null
  const variables = { ...variablesIn(env), ...unit.variables }
  return configurationPrint({ files: hashes, variables, varFiles: unit.varFiles, uses, given }, key)
}

/** Variables that come with the environment count as much as those in files. */
function variablesIn(env: Machine['env']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => /^TF_(VAR_|CLI_ARGS|WORKSPACE$)/.test(name)),
  )
}
