import { TacoError } from '../../../base/errors.ts'
import type { SigningKeys } from '../auth/signing-keys.ts'
import type { Face } from '../kit/routes/dispatch.ts'
import { bucketRoutes } from './buckets.ts'
import { type S3Services, s3Style } from './define.ts'
import { identifyBySignature } from './identify.ts'
import { objectRoutes } from './objects.ts'

/** Every request of S3 that is understood. */
export const s3Routes = [...bucketRoutes, ...objectRoutes]

/**
 * Enough of S3 that the backend "s3" of the engines works with units: a bucket is an organization, a key is that of a
 * state in the folder of the organization, and `<key>.tflock` is its lock.
 */
export function createS3Face(deps: Omit<S3Services, 'keys'>, keys: SigningKeys): Face {
  const services: S3Services = { ...deps, keys }
  return {
    prefix: '/s3/',
    style: s3Style,
    routes: s3Routes,
    services,
    identify: identifyBySignature(services),
    missing: () => new TacoError('BAD_REQUEST', 'The path names no organization or no key.'),
  }
}
