import { TacoError } from '../base/errors.ts'

/**
 * A value for `TF_VAR_<name>`. Engines take the text as it is for a variable of a simple type and read it as an
 * expression for others: JSON is one, once its templates are defused.
 */
export function variableText(json: string): string {
  const value: unknown = parse(json)
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null
    ? json.replaceAll('${', () => '$${').replaceAll('%{', '%%{')
    : json
}

/** Half of the inputs would make another plan: a name that shells refuse is refused as a whole. */
export function variableEnv(values: Readonly<Record<string, string>>): Record<string, string> {
  checkExported(Object.keys(values))
  return Object.fromEntries(
    Object.entries(values).map(([name, json]) => [`TF_VAR_${name}`, variableText(json)]),
  )
}

/** A shell would run what follows another name. */
export function checkExported(names: readonly string[]): void {
  const odd = names.filter((name) => !/^\w+$/.test(name))
  if (odd.length > 0) {
    throw new TacoError('BAD_REQUEST', `A shell cannot export the variable ${odd.join(', ')}.`, {
      facts: { field: 'variable', variables: odd },
      hint: 'Write the inputs to a file with --write, or map them to other variables with `inputs`.',
    })
  }
}

/** The text of a variable file, from values as JSON text. They go in as they came: every digit is kept. */
export function variableFile(values: Readonly<Record<string, string>>): string {
  const lines = Object.entries(values).map(([name, json]) => `  ${JSON.stringify(name)}: ${json}`)
  return lines.length === 0 ? '{}\n' : `{\n${lines.join(',\n')}\n}\n`
}

/**
 * The text of a variable file in HCL: expressions as they are, texts as quoted ones without templates. Parentheses keep
 * an expression from going on into the next variable.
 */
export function expressionFile(
  values: readonly { readonly key: string; readonly value: string; readonly hcl: boolean }[],
): string {
  return values.map(({ key, value, hcl }) => `${key} = ${hcl ? `(\n${value}\n)` : quoted(value)}\n`).join('')
}

/** HCL has fewer escapes than JSON. */
function quoted(text: string): string {
  return JSON.stringify(text)
    .replaceAll(/\\[bf]|\\./g, (escape) => ESCAPES[escape] ?? escape)
    .replaceAll('${', () => '$${')
    .replaceAll('%{', '%%{')
}

const ESCAPES: Readonly<Record<string, string>> = { '\\b': '\\u0008', '\\f': '\\u000c' }

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new TacoError('UNEXPECTED', 'The value of an input is not JSON.', { cause })
  }
}
