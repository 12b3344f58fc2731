import { ROOT, layerPrefix } from '../bucket/index.ts'

/** Where notifications are stored in the bucket. Configurations are records: see `src/records`. */
const prefix = `${ROOT}notifications/`
/** Which server delivers. */
export const delivererKey = `${prefix}deliverer.json`
/** One object per organization that has configurations: up to where its events were passed on. */
export const followsPrefix = `${prefix}orgs/`
export const followKey = (org: string) => `${followsPrefix}${org}.json`
/** What waits for delivery, and how the last deliveries went. */
export const deliveriesPrefix = (org: string) => layerPrefix(org, 'notifications')
export const deliveriesKey = (org: string, configuration: string) =>
  `${deliveriesPrefix(org)}${configuration}.json`
