import type { Effective, Source, VariableView } from '../../../../../variables/index.ts'

/** A variable that is there for a unit: the one that applies, or one that another overrides. */
export interface VariableRow {
  readonly variable: VariableView
  readonly source: Source
  /** Undefined: it applies. */
  readonly overriddenBy: Source | undefined
}

/** Each that applies, followed by what it overrides. Pure. */
export function rowsOf(effective: readonly Effective<VariableView>[]): readonly VariableRow[] {
  return effective.flatMap(({ variable, source, overrides }) => [
    { variable, source, overriddenBy: undefined },
    ...overrides.map((one) => ({ ...one, overriddenBy: source })),
  ])
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
