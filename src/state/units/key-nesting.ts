import { TacoError } from '../../base/errors.ts'
import type { Bucket } from '../../bucket/index.ts'

/**
 * In a folder, an object cannot lie below the key of another: `a` is a file or a folder. Looked at before a state is
 * committed to a place that has none, because a commit that cannot be carried out would hold the unit's lock for ever.
 */
export async function refuseNested(bucket: Bucket, key: string): Promise<void> {
  const other = bucket.can.nestedKeys === false ? await rivalOf(bucket, key) : undefined
  if (other === undefined) return
  const above = key.startsWith(other)
  throw new TacoError(
    'BAD_REQUEST',
    above
      ? `The state cannot be stored at ${key}: ${other} is a file, not a folder.`
      : `The state cannot be stored at ${key}: it is a folder that contains ${other}.`,
    {
      facts: { field: 'key', key, other },
      hint: 'Move the other state away, or use another unit name or --key.',
    },
  )
}

async function rivalOf(bucket: Bucket, key: string): Promise<string | undefined> {
  for (let at = key.indexOf('/'); at > 0; at = key.indexOf('/', at + 1)) {
    const above = key.slice(0, at)
    if ((await bucket.head(above)) !== undefined) return above
  }
  for await (const page of bucket.list(`${key}/`, { pageSize: 1 }))
    if (page[0] !== undefined) return page[0].key
  return undefined
}
