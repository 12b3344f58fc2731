import { layerPrefix, orgPrefix } from '../bucket/index.ts'

/** Where rollouts are stored in the bucket. */
export const rolloutsPrefix = (org: string) => layerPrefix(org, 'rollouts')
export const rolloutKey = (org: string, id: string) => `${rolloutsPrefix(org)}${id}.json`
export const rolloutsEndedKey = (org: string) => `${orgPrefix(org)}rollouts-ended`
export const rolloutIdOf = (key: string) => key.slice(key.lastIndexOf('/') + 1).replace(/\.json$/, '')
