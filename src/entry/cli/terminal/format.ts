export { bytes, parseBytes } from '../../../base/text/bytes.ts'

/** Sizes, ages and times as people say them. */
export function age(at: string, now: number): string {
  const seconds = Math.round((now - Date.parse(at)) / 1000)
  if (Number.isNaN(seconds)) return '?'
  if (seconds < 0) return 'just now'
  return seconds < 5 ? 'just now' : `${duration(seconds)} ago`
}

export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h`
  return `${Math.round(seconds / 86_400)} d`
}

export function count(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString('en-US')} ${number === 1 ? one : many}`
}

/** `90s`, `15m`, `2h`, `1d` in milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+)(ms|s|m|h|d)$/.exec(text)
  if (match === null) return undefined
  const factor = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] ?? '']
  return factor === undefined ? undefined : Number(match[1]) * factor
}
