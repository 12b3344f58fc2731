const DAY_MS = 86_400_000
const TIME = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)?Z?$/

/**
 * A time as an address has it, in UTC: a day, or a day and a time. Of a day, its first or its last millisecond.
 * Undefined: none was given. Null: it is wrong. Pure.
 */
export function momentIn(text: string, of: 'first' | 'last'): number | undefined | null {
  if (text === '') return undefined
  if (!TIME.test(text)) return null
  const at = Date.parse(text.includes('T') ? `${text.replace('Z', '')}Z` : text.replace('Z', ''))
  if (Number.isNaN(at)) return null
  return of === 'last' && !text.includes('T') ? at + DAY_MS - 1 : at
}

/** In the form that commands take. Empty: no time was given, or it is not valid. */
export function momentText(text: string, of: 'first' | 'last'): string {
  const at = momentIn(text, of)
  return typeof at === 'number' ? new Date(at).toISOString() : ''
}

/** As a browser fills in a field for a time. Empty: there is none, or it is wrong. */
export function fieldTime(text: string, of: 'first' | 'last'): string {
  const at = momentIn(text, of)
  return typeof at === 'number' ? new Date(at).toISOString().slice(0, 16) : ''
}
