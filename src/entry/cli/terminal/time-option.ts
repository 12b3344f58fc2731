import { usageError } from './exit-codes.ts'
import { parseDuration } from './format.ts'

/** A date, a time, or a duration before now, as the API wants it. */
export function timeOf(name: string, given: string | undefined, now: number): string | undefined {
  if (given === undefined) return undefined
  const ago = parseDuration(given)
  const at = ago === undefined ? Date.parse(given) : now - ago
  if (!Number.isNaN(at)) return new Date(at).toISOString()
  throw usageError(
    `--${name} is not a time: ${given}.`,
    'Write it as 2026-03-04, 2026-03-04T05:06Z, 90m, 12h or 7d.',
  )
}
