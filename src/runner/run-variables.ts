import { expressionFile, variableFile } from '../engines/index.ts'
import type { RunVariable } from '../variables/index.ts'

/** Texts of variable files, which are given last: they are stronger than any other file and than the environment. */
export interface VariableFiles {
  /** Undefined: there is nothing to say. */
  readonly json: string | undefined
  readonly hcl: string | undefined
}

/**
 * What the code of a unit gets. Weakest first: variables of taco.yaml, the variables that apply to the unit, inputs
 * from its dependencies (JSON text), variables of priority sets. Each variable is in one of the files, so their order
 * does not matter. Pure.
 */
export function variableFiles(
  ofProject: Readonly<Record<string, unknown>>,
  ofUnit: readonly RunVariable[],
  inputs: Readonly<Record<string, string>>,
): VariableFiles {
  const terraform = ofUnit.filter(({ category }) => category === 'terraform')
  const used = terraform.filter(({ key, priority }) => priority || !Object.hasOwn(inputs, key))
  const taken = new Set(used.map(({ key }) => key))
  const own = Object.entries(ofProject).map(([name, value]) => [name, JSON.stringify(value)] as const)
  const rest = [...own, ...Object.entries(inputs)].filter(([name]) => !taken.has(name))
  return {
    json: rest.length === 0 ? undefined : variableFile(Object.fromEntries(rest)),
    hcl: used.length === 0 ? undefined : expressionFile(used),
  }
}

/** Of the engine's environment. */
export function variablesOfEnv(ofUnit: readonly RunVariable[]): Record<string, string> {
  return Object.fromEntries(
    ofUnit.filter(({ category }) => category === 'env').map(({ key, value }) => [key, value]),
  )
}
