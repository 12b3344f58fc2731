import { usageError } from './exit-codes.ts'
import { parseDuration } from './format.ts'

/** `team=network` pairs; an empty value means null, which removes a label. */
export function parseLabels(pairs: readonly string[]): Record<string, string | null> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1)
        throw usageError(`The label ${JSON.stringify(pair)} has no value.`, 'Write labels as key=value.')
      const value = pair.slice(at + 1)
      return [pair.slice(0, at), value === '' ? null : value]
    }),
  )
}

/** `90d`; null for `all`. */
export function eventRetentionOf(text: string | undefined): { days: number } | null | undefined {
  if (text === undefined) return undefined
  if (text === 'all') return null
  const days = (parseDuration(text) ?? 0) / 86_400_000
  if (days >= 1 && Number.isInteger(days)) return { days }
  throw usageError(
    `--keep-events ${text} is not a number of days.`,
    'Write it as 90d, or "all" to keep every event.',
  )
}

export interface KeepFlags {
  readonly keepVersions?: number
  readonly keepDays?: number
}

export function retentionOf({
  keepVersions,
  keepDays,
}: KeepFlags): { count?: number; days?: number } | undefined {
  if (keepVersions === undefined && keepDays === undefined) return undefined
  return {
    ...(keepVersions === undefined ? {} : { count: keepVersions }),
    ...(keepDays === undefined ? {} : { days: keepDays }),
  }
}
