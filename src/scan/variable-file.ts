import { evaluate } from './hcl/evaluate.ts'
import type { HclFault, HclReader } from './hcl/hcl.ts'

/** The values of a `.tfvars` file, which has no names and no functions to compute them from. */
export async function readVariableFile(
  text: string,
  reader: HclReader,
): Promise<
  { readonly values: Readonly<Record<string, unknown>> } | { readonly faults: readonly HclFault[] }
> {
  const read = await reader.read(text)
  if ('faults' in read) return read
  const values: Record<string, unknown> = {}
  for (const [name, given] of Object.entries(read.body)) {
    const value = evaluate(given, { names: {} })
    if (!isKnown(value)) {
      const lines = text.split('\n')
      const line = lines.findIndex((one) => one.trimStart().startsWith(name)) + 1
      return {
        faults: [{ line, column: 1, message: `${name} is not a plain value, or has too many digits` }],
      }
    }
    values[name] = value
  }
  return { values }
}

/** Also false for numbers that JavaScript has rounded. */
function isKnown(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value)
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isKnown)
  return value !== undefined
}
