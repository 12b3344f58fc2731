import { among } from '../../base/text/among.ts'
import { TacoError } from '../../base/errors.ts'
import type { Dependency } from '../../state/index.ts'
import { unknownOutput } from './unknown-name.ts'
import type { DependencyInput } from '../services.ts'

/** Changes of a unit's declared dependencies. Pure. */

type Named = { readonly id: string; readonly name: string }

/** Adding is a union: what was declared before stays. */
export function addedTo(
  declared: readonly Dependency[],
  on: Named,
  { outputs, inputs = {} }: DependencyInput,
): { readonly dependencies: readonly Dependency[]; readonly warnings: readonly string[] } {
  const known = declared.find((dependency) => dependency.on === on.id && dependency.source === 'declared')
  const named = outputs === undefined ? null : [...outputs, ...Object.values(inputs)]
  const isAll = named === null || known?.outputs === null
  const all = isAll ? null : [...new Set([...(known?.outputs ?? []), ...named])]
  const warnings =
    known?.outputs === null && named !== null
      ? [`all outputs of ${on.name} are declared already; \`taco dep rm\` it first to name only some`]
      : []
  const next: Dependency = {
    on: on.id,
    name: on.name,
    outputs: all,
    source: 'declared',
    inputs: { ...known?.inputs, ...inputs },
  }
  return { dependencies: [...declared.filter((dependency) => dependency !== known), next], warnings }
}

/** Without outputs the whole edge is removed, whoever declared it; also with its last output. */
export function takenFrom(
  declared: readonly Dependency[],
  on: Named,
  outputs: readonly string[] | undefined,
): readonly Dependency[] {
  if (outputs === undefined) return declared.filter((dependency) => dependency.on !== on.id)
  const own = declared.filter((dependency) => dependency.on === on.id)
  if (own.every((dependency) => dependency.outputs === null)) {
    throw new TacoError(
      'BAD_REQUEST',
      `All outputs of ${on.name} are declared, so single outputs cannot be removed.`,
      {
        facts: { field: 'outputs' },
        hint: 'Remove the whole edge, then add it with the outputs that are used.',
      },
    )
  }
  const named = own.flatMap((dependency) => dependency.outputs ?? [])
  const [isNamed, isTaken] = [among(named), among(outputs)]
  const missing = outputs.find((output) => !isNamed(output))
  if (missing !== undefined) throw unknownOutput(`the dependency on ${on.name}`, missing, [...new Set(named)])
  return declared.flatMap((dependency) => {
    if (dependency.on !== on.id || dependency.outputs === null) return [dependency]
    const left = dependency.outputs.filter((output) => !isTaken(output))
    const inputs = Object.entries(dependency.inputs).filter(([, output]) => !isTaken(output))
    return left.length === 0 ? [] : [{ ...dependency, outputs: left, inputs: Object.fromEntries(inputs) }]
  })
}
