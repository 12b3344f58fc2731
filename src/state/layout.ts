import { createHash } from 'node:crypto'
import { encodeTime } from '../base/ids.ts'
import { flatName } from './names.ts'

/** Where everything lies in the bucket. Nothing else builds a key. */

export const ROOT = '.taco/'

export const orgKey = (org: string) => `${ROOT}orgs/${org}/org.json`
export const orgsPrefix = `${ROOT}orgs/`
export const unitsPrefix = (org: string) => `${ROOT}orgs/${org}/units/`
export const unitKey = (org: string, id: string) => `${unitsPrefix(org)}${id}.json`
export const unitIdOfKey = (key: string) => key.slice(key.lastIndexOf('/') + 1, -'.json'.length)
/** Names differ in case and end in anything, so the object name is the flat name with a suffix of its own. */
export const namesPrefix = (org: string) => `${ROOT}orgs/${org}/names/`
export const nameKey = (org: string, name: string) => `${namesPrefix(org)}${flatName(name)}.json`
export const catalogKey = (org: string) => `${ROOT}orgs/${org}/catalog`
export const historiesPrefix = (org: string) => `${ROOT}orgs/${org}/versions/`
export const versionsPrefix = (org: string, unit: string) => `${historiesPrefix(org)}${unit}/`

/** One small object per outputs commit; the version is in the name because two attempts may have the same number. */
export const outputsKey = (org: string, unit: string, commit: number, version: string) =>
  `${ROOT}orgs/${org}/outputs/${unit}/${padSeq(commit)}-${version}.json`
export const rolloutsPrefix = (org: string) => `${ROOT}orgs/${org}/rollouts/`
export const rolloutKey = (org: string, id: string) => `${rolloutsPrefix(org)}${id}.json`

/** State keys are claimed over the whole bucket: two units never share a state object. */
export const stateClaimsPrefix = `${ROOT}keys/`
export const stateClaimKey = (key: string) =>
  `${stateClaimsPrefix}${createHash('sha256').update(key).digest('hex')}.json`

export const lockKey = (stateKey: string) => `${stateKey}.tflock`

/** A new unit's state. Organizations other than the first have a folder of their own. */
export function defaultStateKey(org: string, name: string): string {
  return `${org === 'default' ? '' : `${org}/`}${name}/terraform.tfstate`
}

/**
 * Version objects sort by sequence number and name what they depend on, so that retention needs no reads:
 * `<seq>-<seq of the base, 0 for none>-<id>`. The id is random for each attempt.
 */
export function versionObject(version: VersionKeyParts): string {
  return `${padSeq(version.seq)}-${padSeq(version.baseSeq)}-${version.id}`
}

export interface VersionKeyParts {
  readonly seq: number
  readonly baseSeq: number
  readonly id: string
}

export function parseVersionObject(key: string): VersionKeyParts | undefined {
  const match = /(\d{8})-(\d{8})-(sv-[0-9A-Za-z]{16})$/.exec(key)
  if (match === null) return undefined
  return { seq: Number(match[1]), baseSeq: Number(match[2]), id: String(match[3]) }
}

export const padSeq = (seq: number) => String(seq).padStart(8, '0')

export const journalPrefix = `${ROOT}journal/`

/** By day and hour, so that no folder grows without bounds; organization and unit are in the key, so that a list tells who changed. */
export function journalKey(
  at: number,
  ulid: string,
  about: { readonly org: string; readonly unit?: { readonly id: string } | undefined },
): string {
  const iso = new Date(at).toISOString()
  return `${journalPrefix}${iso.slice(0, 10)}/${iso.slice(11, 13)}/${ulid}-${about.org}.${about.unit?.id ?? ''}.json`
}

/** Sorts just before every record of this time. */
export function journalCursorAt(at: number): string {
  const iso = new Date(at).toISOString()
  return `${journalPrefix}${iso.slice(0, 10)}/${iso.slice(11, 13)}/${encodeTime(at)}`
}

export function parseJournalKey(key: string): { ulid: string; org: string; unit: string } | undefined {
  const match = /\/([0-9A-Z]{26})-([a-z0-9_-]+)\.([^/.]*)\.json$/.exec(key)
  return match === null
    ? undefined
    : { ulid: String(match[1]), org: String(match[2]), unit: String(match[3]) }
}
