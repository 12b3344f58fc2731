import { type KeyPlace, placesOfJsonKey, placesOfKey } from './hcl/lines.ts'

/** The setting of `backend "s3"` that names the table. */
export const DYNAMODB_TABLE = 'dynamodb_table'

/** False: there is no need to parse the text. */
export function mentionsDynamodb(text: string): boolean {
  return text.includes(DYNAMODB_TABLE)
}

/** Undefined: the text does not mention a table. */
export function dynamodbPlaces(path: string, text: string): readonly KeyPlace[] | undefined {
  if (!mentionsDynamodb(text)) return undefined
  return path.endsWith('.json') ? placesOfJsonKey(text, DYNAMODB_TABLE) : placesOfKey(text, DYNAMODB_TABLE)
}
