import { sha256Hex } from '../base/sha256-hex.ts'
import type { RecordBase } from './record.ts'

/** Identifies the content of a record. Every server computes the same one, whatever the order of the fields. */
export function recordTag(record: RecordBase): string {
  return sha256Hex(JSON.stringify(sorted(record))).slice(0, 32)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, one]) => [name, sorted(one)]),
  )
}
