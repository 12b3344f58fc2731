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

export function rawJson(text: string): unknown {
  return new RawJson(text)
}

export function jsonText(value: unknown): string {
  if (value instanceof RawJson) return value.text
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${jsonText(field)}`).join(',')}}`
}
