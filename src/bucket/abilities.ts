import { conflict } from './bucket.ts'
import type { Bucket, BucketAbilities } from './bucket.ts'

/** An adapter that adapts to what its server can do. */
export interface Adjustable {
  withAbilities(can: BucketAbilities): Bucket
}

/** The same bucket with the abilities that the probe found. Close either, not both. */
export function withAbilities<B extends Bucket>(
  bucket: B & Partial<Adjustable>,
  can: BucketAbilities,
): Bucket {
  if (bucket.withAbilities !== undefined) return bucket.withAbilities(can)
  if (bucket.can.conditionalDelete === can.conditionalDelete) return overlaid(bucket, { can })
  return overlaid(bucket, {
    can,
    async delete(key, when, options = {}) {
      if (!can.conditionalDelete) {
        const entry = await bucket.head(key, options)
        if (entry === undefined) return 'absent'
        if (entry.tag !== when) return conflict
      }
      return bucket.delete(key, when, options)
    },
  })
}

/** By prototype, so that whatever else an adapter offers stays within reach. */
function overlaid(bucket: Bucket, changes: Partial<Bucket>): Bucket {
  return Object.assign(Object.create(bucket) as Bucket, changes)
}
