/** What the command line checks before it makes a request. Separate, because it loads the schema library. */
export { parseBucketUrl } from '../bucket/index.ts'
export { isUnitId, parseOrgName, parseUnitName } from '../state/index.ts'
