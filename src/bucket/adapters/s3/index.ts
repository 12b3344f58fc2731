/** The S3 adapter: own signer and transport, the SDK's credentials. */
export { openS3Bucket } from './bucket.ts'
export type { S3Options } from './bucket.ts'
export type { Credentials } from './signer.ts'
