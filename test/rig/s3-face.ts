import { S3Client } from '@aws-sdk/client-s3'
import { type SigningKey, rootSigningKey } from '../../src/access/index.ts'
import { createFailedAttempts, createS3Face } from '../../src/entry/http/index.ts'
import { signingKeysOf } from '../../src/wire/guard.ts'
import { type FaceOptions, type TestFace, startFace } from './http-face.ts'

const silent = { refused() {}, limited() {} }
export const s3RootToken = 'the-root-token-of-this-test-0123456789'

export interface S3TestFace extends TestFace {
  readonly endpoint: string
  client(key?: SigningKey): S3Client
}

/** A server with the S3 face, in one of the modes. */
export async function startS3Face(
  auth: 'none' | 'token' | 'sso' = 'none',
  options: Omit<FaceOptions, 'complete'> = {},
): Promise<S3TestFace> {
  const face = await startFace({
    ...options,
    ...(auth === 'sso' ? { ssoRootToken: s3RootToken } : {}),
    complete(deps) {
      const attempts = createFailedAttempts(deps.clock)
      const rootToken = auth === 'none' ? undefined : s3RootToken
      const signingKeys = signingKeysOf({ auth, rootToken }, deps.guard, deps, { attempts, watch: silent })
      return Promise.resolve({ signingKeys, moreFaces: (all) => [createS3Face(all, signingKeys)] })
    },
  })
  const endpoint = `http://127.0.0.1:${face.port}/s3`
  return {
    ...face,
    endpoint,
    client: (key = rootSigningKey(s3RootToken)) => s3Client(endpoint, key),
  }
}

export function s3Client(endpoint: string, credentials: SigningKey): S3Client {
  return new S3Client({ endpoint, region: 'eu-west-1', forcePathStyle: true, credentials, maxAttempts: 1 })
}
