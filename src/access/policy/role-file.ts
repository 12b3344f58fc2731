import { z } from 'zod'
import type { Faults } from '../../base/yaml/faults.ts'
import { parseYaml, parsed, valuesOf } from '../../base/yaml/read-yaml.ts'
import { actionFault } from './action-patterns.ts'
import { type Role, Rule } from './rules.ts'
import { patternFault } from './unit-patterns.ts'

const File = z.object({
  name: z.string().optional(),
  description: z.string().max(500).optional(),
  rules: z.array(z.unknown()),
})
const RuleEntry = z.object({
  ...Rule.shape,
  effect: z.enum(['allow', 'deny'], { error: 'This must be allow or deny.' }),
})

/**
 * Reads a role, in YAML or JSON. Its name is given beside the file; if the file has one too, it must be the same. Throws
 * BAD_REQUEST with every fault of the file, each with line and column.
 */
export function readRoleFile(text: string, path: string, name: string): Omit<Role, 'name'> {
  const { document, faults } = parseYaml(text, { path, page: 'docs/access.md' })
  const file = parsed(File, valuesOf(document, faults) ?? {}, [], Object.keys(File.shape), faults)
  if (file?.name !== undefined && file.name !== name)
    faults.add(['name'], `The file is for the role ${file.name}, not for ${name}.`)
  const rules = (file?.rules ?? []).flatMap((value, i) => {
    const at = ['rules', i]
    const rule = parsed(RuleEntry, value, at, Object.keys(RuleEntry.shape), faults)
    if (rule === undefined) return []
    refuseEach(rule.actions, [...at, 'actions'], actionFault, faults)
    refuseEach(rule.units, [...at, 'units'], patternFault, faults)
    if (rule.labels !== undefined && Object.keys(rule.labels).length === 0)
      faults.add([...at, 'labels'], 'This names no label.', 'key')
    return [rule]
  })
  faults.throwIfAny()
  return { rules, ...(file?.description === undefined ? {} : { description: file.description }) }
}

function refuseEach(
  patterns: readonly string[] | undefined,
  at: readonly PropertyKey[],
  faultOf: (pattern: string) => { readonly message: string; readonly hint: string } | undefined,
  faults: Faults,
): void {
  for (const [i, pattern] of (patterns ?? []).entries()) {
    const fault = faultOf(pattern)
    if (fault !== undefined) faults.add([...at, i], `${fault.message} ${fault.hint}`)
  }
}
