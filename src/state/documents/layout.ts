import { sha256Hex } from '../../base/sha256-hex.ts'
import { type BucketAbilities, ROOT, foldKey, layerPrefix, orgPrefix } from '../../bucket/index.ts'
import { flatName } from './names.ts'

type Folding = Pick<BucketAbilities, 'foldsCase'>

/** Where everything of this layer is stored in the bucket. Nothing else builds these keys. */

export const orgKey = (org: string) => `${orgPrefix(org)}org.json`
export const orgsPrefix = `${ROOT}orgs/`
/** Names, folders and deletions of all organizations. */
export const directoryKey = `${ROOT}orgs.json`
export const unitsPrefix = (org: string) => layerPrefix(org, 'units')
export const unitKey = (org: string, id: string) => `${unitsPrefix(org)}${id}.json`
export const unitIdOfKey = (key: string) => key.slice(key.lastIndexOf('/') + 1, -'.json'.length)
/** Names differ in case and end in anything, so the object name is the flat name with a suffix of its own. */
export const namesPrefix = (org: string) => layerPrefix(org, 'names')
export const nameKey = (org: string, name: string, can: Folding) =>
  `${namesPrefix(org)}${flatName(objectOf(name, can))}.json`
export const catalogKey = (org: string) => `${orgPrefix(org)}catalog`
export const historyKey = (org: string) => `${orgPrefix(org)}history`
export const historiesPrefix = (org: string) => layerPrefix(org, 'versions')
export const versionsPrefix = (org: string, unit: string) => `${historiesPrefix(org)}${unit}/`

/** One small object per outputs commit; the version is in the name because two attempts may have the same number. */
export const outputsKey = (org: string, unit: string, commit: number, version: string) =>
  `${layerPrefix(org, 'outputs')}${unit}/${padSeq(commit)}-${version}.json`

/** States that come in parts, until they are whole. */
export const uploadsPrefix = (org: string) => layerPrefix(org, 'uploads')
export const uploadPrefix = (org: string, id: string) => `${uploadsPrefix(org)}${id}/`
export const uploadKey = (org: string, id: string) => `${uploadPrefix(org, id)}upload.json`
export const uploadPartKey = (org: string, id: string, number: number, hash: string) =>
  `${uploadPrefix(org, id)}${String(number).padStart(5, '0')}-${hash}`

/** State keys are claimed over the whole bucket: two units never share a state object. */
export const stateClaimsPrefix = `${ROOT}keys/`
export const stateClaimKey = (key: string, can: Folding) =>
  `${stateClaimsPrefix}${sha256Hex(objectOf(key, can))}.json`

/** The same text for keys that are one object in this bucket. */
export function objectOf(key: string, { foldsCase = false }: Folding): string {
  return foldsCase ? foldKey(key) : key
}

/** A new unit's state, in the folder of its organization. */
export function defaultStateKey(folder: string, name: string): string {
  return `${folder}${name}/terraform.tfstate`
}

/** A new unit's state where another unit has the key above. */
export function otherStateKey(folder: string, name: string, id: string): string {
  return `${folder}${name}/${id}.tfstate`
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
