/** What the command line checks before it asks anybody. Apart, because it brings the schema library along. */
export { parseBucketUrl } from '../bucket/index.ts'
export { isUnitId, parseOrgName, parseUnitName } from '../state/index.ts'
