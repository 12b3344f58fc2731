import { type HclBody, textsIn } from './hcl/hcl.ts'
import { IDENTIFIER } from '../base/text/hcl-identifier.ts'

/** Which outputs of which source a folder's code uses; null: all of them, as far as we can tell. */
export type References = ReadonlyMap<string, readonly string[] | null>

const NAME = `(${IDENTIFIER})`
const INDEX = String.raw`(?:\[[^\]]*\])?`
const FIELD = String.raw`(?:\.${NAME}|\["([^"$]+)"\])?`

const PATTERNS = {
  terraform_remote_state: new RegExp(
    String.raw`\bdata\.terraform_remote_state\.${NAME}${INDEX}(?:\.outputs${FIELD})?`,
    'gu',
  ),
  tfe_outputs: new RegExp(
    String.raw`\bdata\.tfe_outputs\.${NAME}${INDEX}(?:\.(?:nonsensitive_)?values${FIELD})?`,
    'gu',
  ),
  dependency: new RegExp(String.raw`\bdependency\.${NAME}(?:\.outputs${FIELD})?`, 'gu'),
} as const

export type SourceKind = keyof typeof PATTERNS

export function referencesIn(bodies: readonly HclBody[], kind: SourceKind): References {
  const found = new Map<string, Set<string> | null>()
  for (const text of bodies.flatMap((body) => [...textsIn(body)])) {
    if (!/[$%]\{/.test(text)) continue
    for (const [, source = '', dotted, quoted] of text.matchAll(PATTERNS[kind])) {
      const output = dotted ?? quoted
      const known = found.get(source)
      if (output === undefined) found.set(source, null)
      else if (known === undefined) found.set(source, new Set([output]))
      else known?.add(output)
    }
  }
  return new Map([...found].map(([source, names]) => [source, names === null ? null : [...names].sort()]))
}
