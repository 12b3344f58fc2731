import { TacoError } from '../../base/errors.ts'
import type { Dependency } from '../../state/index.ts'

/** What a unit takes from another one. */
export interface Wanted {
  /** Id of that unit. */
  readonly on: string
  readonly name: string
  readonly variables: readonly { readonly variable: string; readonly output: string }[]
}

/**
 * Which variables take which outputs: as `inputs` says, and for outputs named without that, variables of the same name.
 * A dependency on all outputs gives nothing by itself, because the variables are unknown. Pure.
 */
export function variablesOf({
  outputs,
  inputs,
}: Pick<Dependency, 'outputs' | 'inputs'>): readonly (readonly [variable: string, output: string])[] {
  const mapped = new Set(Object.values(inputs))
  const sameName = (outputs ?? []).filter((output) => !mapped.has(output))
  return [...Object.entries(inputs), ...sameName.map((name) => [name, name] as const)]
}

/** A variable that takes two outputs is refused. Pure. */
export function wantedOf(unit: string, dependencies: readonly Dependency[]): readonly Wanted[] {
  const takenFrom = new Map<string, { readonly on: string; readonly name: string; readonly output: string }>()
  for (const dependency of dependencies) {
    const { on, name } = dependency
    for (const [variable, output] of variablesOf(dependency)) {
      const other = takenFrom.get(variable)
      if (other !== undefined && (other.on !== on || other.output !== output)) {
        throw new TacoError(
          'CONFLICT',
          `The variable ${variable} of ${unit} would get two values: ${other.output} of ${other.name} and ${output} of ${name}.`,
          {
            hint: 'Map one of them to another variable with `inputs`.',
            facts: { field: 'inputs', variable },
          },
        )
      }
      takenFrom.set(variable, { on, name, output })
    }
  }
  const byUnit = new Map<string, { name: string; variables: { variable: string; output: string }[] }>()
  for (const [variable, { on, name, output }] of takenFrom) {
    const wanted = byUnit.get(on) ?? { name, variables: [] }
    wanted.variables.push({ variable, output })
    byUnit.set(on, wanted)
  }
  return [...byUnit].map(([on, wanted]) => ({ on, ...wanted }))
}
