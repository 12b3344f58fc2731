import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished, type TestContext } from 'vitest'
import { startAzurite } from '../peers/azurite.ts'
import { startGcs } from '../peers/gcs.ts'
import { certificateFor } from './certificate.ts'
import { tempFolder } from './temp.ts'
import { startTlsProxy } from './tls-proxy.ts'

/** A store for which the engines have their own backend: how to point them at it, and how to point OpenTaco at it. */
export interface DirectStore {
  /** For `--bucket`, and the environment that goes with it. */
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  /** The engine's own backend, for one state, as without OpenTaco. */
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

/**
 * Azure Blob Storage and `backend "azurerm"`, ended with the test. The engines know no other address for it than
 * https://<account>.blob.core.windows.net, so they get there through a proxy that ends TLS for that name.
 */
export async function azureStore(): Promise<DirectStore> {
  const peer = await startAzurite()
  onTestFinished(() => peer.dispose())
  const hour = 3600_000
  const certificate = certificateFor(
    [`${peer.account}.blob.core.windows.net`],
    new Date(Date.now() - hour),
    new Date(Date.now() + hour),
  )
  const trusted = join(await tempFolder(), 'trusted.pem')
  await writeFile(trusted, certificate.cert)
  const proxy = await startTlsProxy(certificate, peer.port)
  onTestFinished(() => proxy.close())
  return {
    url: peer.url,
    env: peer.env,
    engineEnv: { HTTPS_PROXY: proxy.url, SSL_CERT_FILE: trusted, ARM_SAS_TOKEN: peer.sas },
    backend: (folder) => `
terraform {
  backend "azurerm" {
    storage_account_name = "${peer.account}"
    container_name       = "${peer.container}"
    key                  = "${folder}/terraform.tfstate"
  }
}
`,
  }
}
