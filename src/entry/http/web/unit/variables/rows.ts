import { type DependencyView, variablesOf } from '../../../../../graph/index.ts'
import type { Effective, Source, VariableView } from '../../../../../variables/index.ts'

/** A variable that gets an output of another unit. */
export interface OutputInput {
  readonly kind: 'dependency'
  readonly variable: string
  readonly unit: string
  readonly output: string
}

/** What a unit gets by its dependencies. What it only read before is not among it. Pure. */
export function inputsIn(uses: readonly DependencyView[]): readonly OutputInput[] {
  return uses
    .filter(({ source }) => source !== 'reads')
    .flatMap((edge) =>
      variablesOf(edge).map(([variable, output]) => ({
        kind: 'dependency' as const,
        variable,
        output,
        unit: edge.on.name,
      })),
    )
}

/** A variable that is there for a unit: the one that applies, or one that another overrides. */
export interface VariableRow {
  readonly variable: VariableView
  readonly source: Source
  /** Undefined: it applies. */
  readonly overriddenBy: Source | OutputInput | undefined
}

export const isPriority = (source: Source) => source.kind === 'set' && source.priority

/** Each that applies, followed by what it overrides. Outputs of dependencies are weaker than priority sets alone. Pure. */
export function rowsOf(
  effective: readonly Effective<VariableView>[],
  inputs: readonly OutputInput[],
): readonly VariableRow[] {
  return effective.flatMap(({ variable, source, overrides }) => {
    const input = inputs.find((one) => one.variable === variable.key)
    const isWeaker = variable.category !== 'env' && !isPriority(source)
    return [
      { variable, source, overriddenBy: isWeaker ? input : undefined },
      ...overrides.map((one) => ({ ...one, overriddenBy: source })),
    ]
  })
}

export interface VariableFilter {
  readonly search: string
  readonly kind?: 'terraform' | 'env' | undefined
  readonly from?: 'unit' | 'sets' | undefined
}

/** Values are not searched: a match would tell about them. Pure. */
export function isShown({ variable, source }: VariableRow, { search, kind, from }: VariableFilter): boolean {
  const text = `${variable.key}\n${variable.description}`.toLowerCase()
  return (
    text.includes(search.toLowerCase()) &&
    (kind === undefined || (variable.category === 'env') === (kind === 'env')) &&
    (from === undefined || (source.kind === 'unit') === (from === 'unit'))
  )
}
