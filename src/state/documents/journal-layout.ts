import { decodeTime, encodeTime } from '../../base/ids.ts'
import { ROOT } from '../../bucket/index.ts'

/**
 * Where the journal is. Each organization has one of its own, so that its readers list no other's keys. Within a journal
 * an object has a *place*, which sorts by time and is comparable between journals:
 * `<day>/<hour>/<minute>/<ulid>-<org>.<unit>[.<unit>…].json`.
 */
export function journalPrefix(org: string): string {
  return org === '' ? sharedJournalPrefix : `${ROOT}orgs/${org}/journal/`
}

/** For what belongs to no organization. Earlier versions write the records of all organizations here. */
export const sharedJournalPrefix = `${ROOT}journal/`

/** What a folder can hold in one name when it has added its own. */
const MAX_NAME_BYTES = 200

export interface JournalSubject {
  readonly org: string
  readonly unit?: { readonly id: string } | undefined
}

/**
 * By day, hour and minute, so that no folder grows without bounds and followers, which list the last seconds again and
 * again, read small ones. The key has the organization and the unit of each record, so that a listing shows what
 * changed.
 */
export function journalKey(at: number, ulid: string, subjects: readonly JournalSubject[]): string {
  const org = subjects[0]?.org ?? ''
  const units = subjects.map(({ unit }) => unit?.id ?? '').join('.')
  return `${journalPrefix(org)}${minuteOf(at)}${ulid}-${org}.${units}.json`
}

/** Split so that each part can be one object: of one organization, with a name that is not too long. */
export function recordsThatFit<T extends JournalSubject & { readonly id: string }>(
  records: readonly T[],
): T[][] {
  const parts: T[][] = []
  const open = new Map<string, { readonly part: T[]; bytes: number }>()
  for (const record of records.toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const bytes = 1 + (record.unit?.id.length ?? 0)
    const last = open.get(record.org)
    if (last !== undefined && last.bytes + bytes <= MAX_NAME_BYTES) {
      last.part.push(record)
      last.bytes += bytes
      continue
    }
    const part = [record]
    parts.push(part)
    open.set(record.org, {
      part,
      bytes: '01234567890123456789012345-.json'.length + record.org.length + bytes,
    })
  }
  return parts
}

/** Sorts just before every place of this time. */
export function placeAt(at: number): string {
  return minuteOf(at) + encodeTime(at)
}

function minuteOf(at: number): string {
  const iso = new Date(at).toISOString()
  return `${iso.slice(0, 10)}/${iso.slice(11, 13)}/${iso.slice(14, 16)}/`
}

/** When the object at a place was written, or the time of a cursor. NaN: it is no place. */
export function timeOfPlace(place: string): number {
  return decodeTime(place.slice(place.lastIndexOf('/') + 1).slice(0, 10))
}

export interface JournalObject {
  readonly ulid: string
  readonly org: string
  /** Of each record, in their order; empty: it is about the organization. */
  readonly units: readonly string[]
}

/** Of a key or a place. */
export function parseJournalKey(key: string): JournalObject | undefined {
  const match = /\/([0-9A-Z]{26})-([a-z0-9_-]*)\.([^/]*)\.json$/.exec(key)
  return match === null
    ? undefined
    : { ulid: String(match[1]), org: String(match[2]), units: String(match[3]).split('.') }
}
