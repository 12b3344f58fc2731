import { TacoError } from '../../../base/errors.ts'
import type { AccessToken } from './client.ts'

/** Replaces the application default credentials; `anonymous` for emulators. */
export type GivenToken = (() => Promise<string>) | 'anonymous'

export async function tokenSource(given: GivenToken | undefined, emulated: boolean): Promise<AccessToken> {
  if (given === 'anonymous' || (given === undefined && emulated)) return undefined
  if (given !== undefined) return given
  const { Storage } = await import('@google-cloud/storage')
  const { authClient } = new Storage()
  return async () => {
    try {
      const token = await authClient.getAccessToken()
      if (token) return token
    } catch (error) {
      throw noCredentials(error)
    }
    throw noCredentials(undefined)
  }
}

function noCredentials(cause: unknown): TacoError {
  return new TacoError('BUCKET_REFUSED', 'No Google Cloud credentials were found.', {
    hint: 'Run gcloud auth application-default login, set GOOGLE_APPLICATION_CREDENTIALS, or run where a service account is attached.',
    cause,
  })
}
