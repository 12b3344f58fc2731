import { ROOT, layerPrefix } from '../../../bucket/index.ts'

/** Of the journal of an organization; the empty one is the server. */
export const sealsPrefix = (org: string) => (org === '' ? `${ROOT}audit/` : layerPrefix(org, 'audit'))
export const sealKey = (org: string, seq: number) => `${sealsPrefix(org)}${String(seq).padStart(8, '0')}.json`
export const headKey = (org: string) => `${sealsPrefix(org)}head.json`

/** Undefined: it is no key of a seal. */
export function seqOfKey(key: string): number | undefined {
  const match = /\/(\d{8,})\.json$/.exec(key)
  return match === null ? undefined : Number(match[1])
}
