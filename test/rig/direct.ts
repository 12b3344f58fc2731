import { onTestFinished, type TestContext } from 'vitest'
import { startGcs } from '../peers/gcs.ts'

/** A store of which the engines have a backend of their own: how they are pointed at it, and how OpenTaco is. */
export interface DirectStore {
  /** For `--bucket`, and the environment that goes with it. */
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  /** The engine's own backend, for one state, as people have it who never heard of OpenTaco. */
  backend(folder: string): string
  readonly engineEnv: Readonly<Record<string, string>>
}

/** Google Cloud Storage and `backend "gcs"`, ended with the test. Skips where there is no server for it. */
export async function gcsStore(context: TestContext): Promise<DirectStore> {
  const peer = await startGcs()
  if (peer === undefined) return context.skip('fake-gcs-server cannot be had here')
  onTestFinished(() => peer.dispose())
  return {
    url: peer.url,
    env: peer.env,
    engineEnv: {},
    backend: (folder) => `
terraform {
  backend "gcs" {
    bucket                  = "${peer.bucket}"
    prefix                  = "${folder}"
    access_token            = "none"
    storage_custom_endpoint = "${peer.endpoint}/storage/v1/"
  }
}
`,
  }
}
