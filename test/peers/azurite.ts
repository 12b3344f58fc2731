import { createRequire } from 'node:module'
import path from 'node:path'
import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  BlobServiceClient,
  generateAccountSASQueryParameters,
  StorageSharedKeyCredential,
} from '@azure/storage-blob'
import { freePort } from './free-port.ts'
import { startProgram, temporaryFolder } from './program.ts'

export interface AzurePeer {
  readonly name: string
  readonly container: string
  readonly account: string
  /** A token for everything in the account, for programs that sign requests in a way that Azurite does not know. */
  readonly sas: string
  readonly port: number
  /** For `--bucket`. */
  readonly url: string
  /** Credentials, for the environment of the url's users. */
  readonly env: Readonly<Record<string, string>>
  dispose(): Promise<void>
}

/** Its built-in account, which is public knowledge. */
const ACCOUNT = 'devstoreaccount1'
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='

/** Azure Blob Storage on this machine. */
export async function startAzurite(): Promise<AzurePeer> {
  const folder = await temporaryFolder('azurite')
  const port = await freePort()
  const program = path.join(
    path.dirname(createRequire(import.meta.url).resolve('azurite/package.json')),
    'dist/src/blob/main.js',
  )
  const flags = ['--silent', '--skipApiVersionCheck', '--disableTelemetry']
  const running = await startProgram({
    command: process.execPath,
    args: [
      program,
      '--blobHost',
      '127.0.0.1',
      '--blobPort',
      String(port),
      '--location',
      folder.path,
      ...flags,
    ],
    cwd: folder.path,
    port,
  })
  const endpoint = `http://127.0.0.1:${port}/${ACCOUNT}`
  const connection = `DefaultEndpointsProtocol=http;AccountName=${ACCOUNT};AccountKey=${KEY};BlobEndpoint=${endpoint};`
  const container = 'states'
  await BlobServiceClient.fromConnectionString(connection).createContainer(container)
  return {
    name: 'azurite',
    container,
    account: ACCOUNT,
    sas: signedForAll(),
    port,
    url: `azblob://${container}?account=${ACCOUNT}&endpoint=${encodeURIComponent(endpoint)}`,
    env: { AZURE_STORAGE_CONNECTION_STRING: connection },
    async dispose() {
      await running.stop()
      await folder.remove()
    },
  }
}

function signedForAll(): string {
  const about = {
    permissions: AccountSASPermissions.parse('rwdlacup'),
    services: AccountSASServices.parse('b').toString(),
    resourceTypes: AccountSASResourceTypes.parse('sco').toString(),
    expiresOn: new Date(Date.now() + 3600_000),
  }
  return generateAccountSASQueryParameters(about, new StorageSharedKeyCredential(ACCOUNT, KEY)).toString()
}
