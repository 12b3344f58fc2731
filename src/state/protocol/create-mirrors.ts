import type { Bucket } from '../../bucket/index.ts'
import type { Clock } from '../../base/clock.ts'
import { createLeaseMirrors } from './lease-mirror.ts'
import type { Mirrors } from './mirror.ts'
import { createObjectMirrors } from './object-mirror.ts'

/** The mirrors that programs know which go to this bucket directly. */
export function createMirrors(bucket: Bucket, clock: Clock): Mirrors {
  const leases = bucket.locks?.leases
  return leases === undefined ? createObjectMirrors(bucket, clock) : createLeaseMirrors(bucket, leases, clock)
}
