import { z } from 'zod'

/**
 * JSON with parts that are JSON text already. Values of outputs go through unparsed: a number of more digits than
 * JavaScript keeps must come out as it went in.
 */
class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

function rawJson(text: string): unknown {
  return new RawJson(text)
}

export function jsonText(value: unknown): string {
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${jsonText(field)}`).join(',')}}`
}

/** How values are given: as what they are, or as JSON text for clients whose numbers have fewer digits. */
export const ValuesAs = z.enum(['json', 'text']).default('json').meta({
  description:
    'text: types and values as JSON text in a string, for clients that would lose digits of numbers.',
})

export function valueAs(form: z.infer<typeof ValuesAs>, json: string): unknown {
  return form === 'text' ? json : rawJson(json)
}
