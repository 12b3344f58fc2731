import type { ContainerClient, StoragePipelineOptions } from '@azure/storage-blob'
import { badRequest, TacoError } from '../../../base/errors.ts'
import { Again } from '../../../base/retry.ts'
import { notTheStore, pauseIn, TRANSIENT_STATUSES, unavailable } from '../rest-client/failures.ts'

export interface AzureAccount {
  readonly container: string
  readonly account?: string | undefined
  /** Default: https://<account>.blob.core.windows.net */
  readonly endpoint?: string | undefined
  readonly connectionString?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Our own retries go around every call, so the SDK tries once. */
const pipeline: StoragePipelineOptions = {
  retryOptions: { maxTries: 1 },
  keepAliveOptions: { enable: true },
  userAgentOptions: { userAgentPrefix: 'opentaco' },
}

/** A connection string, a key, a SAS, or else whatever identity the machine or person has. */
export async function openContainer(options: AzureAccount): Promise<ContainerClient> {
  const { env, container } = options
  const sdk = await import('@azure/storage-blob')
  const connection = options.connectionString ?? (env['AZURE_STORAGE_CONNECTION_STRING'] || undefined)
  if (connection !== undefined) {
    return sdk.BlobServiceClient.fromConnectionString(connection, pipeline).getContainerClient(container)
  }
  const account = options.account ?? (env['AZURE_STORAGE_ACCOUNT'] || undefined)
  if (account === undefined && options.endpoint === undefined) {
    throw badRequest(
      'bucket',
      'The storage account of the Azure bucket is missing.',
      'Add account=<name> to its address, or set AZURE_STORAGE_ACCOUNT or AZURE_STORAGE_CONNECTION_STRING.',
    )
  }
  const endpoint = (options.endpoint ?? `https://${account}.blob.core.windows.net`).replace(/\/+$/, '')
  const key = env['AZURE_STORAGE_KEY']
  if (account !== undefined && key) {
    const credential = new sdk.StorageSharedKeyCredential(account, key)
    return new sdk.BlobServiceClient(endpoint, credential, pipeline).getContainerClient(container)
  }
  const sas = env['AZURE_STORAGE_SAS_TOKEN']
  if (sas) {
    const url = `${endpoint}?${sas.replace(/^\?/, '')}`
    return new sdk.BlobServiceClient(url, undefined, pipeline).getContainerClient(container)
  }
  const { DefaultAzureCredential } = await import('@azure/identity')
  return new sdk.BlobServiceClient(endpoint, new DefaultAzureCredential(), pipeline).getContainerClient(
    container,
  )
}

export interface AzureFailure {
  readonly status: number
  readonly code: string
  readonly retryAfterMs: number | undefined
  /** True if the answer is the store's own: the store puts an id on every answer. */
  readonly isOwn: boolean
}

/** The parts of the SDK's RestError that decide; undefined for an error that is not the store's. */
export function azureFailure(error: unknown): AzureFailure | undefined {
  if (!(error instanceof Error) || error.name !== 'RestError') return undefined
  const { statusCode, code, details, response } = error as Error & {
    readonly statusCode?: number
    readonly code?: string
    readonly details?: { readonly errorCode?: string }
    readonly response?: { readonly headers: { get(name: string): string | undefined } }
  }
  const named = details?.errorCode ?? code ?? response?.headers.get('x-ms-error-code') ?? ''
  return {
    status: statusCode ?? 0,
    code: named,
    retryAfterMs: pauseIn(response?.headers.get('retry-after')),
    isOwn: response?.headers.get('x-ms-request-id') !== undefined,
  }
}

/** https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes */
export function azureError(error: unknown, label: string, what: string): unknown {
  const failure = azureFailure(error)
  if (failure === undefined) return identityError(error, label)
  const { status, code } = failure
  const facts = { status, code, bucket: label }
  const said = `${status}${code === '' ? '' : ` ${code}`}`
  if (status === 0 || TRANSIENT_STATUSES.has(status)) {
    const why = status === 0 ? messageOf(error, code) : `it answered ${said} while ${what}`
    return new Again(unavailable(label, why, facts, withoutRequest(error)), failure.retryAfterMs)
  }
  if (status < 400) return notTheStore(label, what, status)
  const hint = hints[code]
  if (hint !== undefined || status === 401 || status === 403) {
    return new TacoError('BUCKET_REFUSED', `The bucket ${label} answered ${said} while ${what}.`, {
      hint: hint ?? hints['AuthorizationPermissionMismatch'] ?? '',
      facts,
    })
  }
  return new TacoError('UNEXPECTED', `The bucket ${label} answered ${said} while ${what}.`, {
    facts,
    cause: withoutRequest(error),
  })
}

function identityError(error: unknown, label: string): unknown {
  const isIdentity = error instanceof Error && /Credential|Authentication/.test(error.name)
  if (!isIdentity) return error
  return new TacoError('BUCKET_REFUSED', `No Azure identity was found for ${label}.`, {
    hint: 'Run az login, attach a managed identity, or set AZURE_STORAGE_CONNECTION_STRING.',
    cause: error,
  })
}

/** The SDK's error carries the request with its headers, so we pass on its message only. */
function withoutRequest(error: unknown): Error {
  return new Error(messageOf(error, ''))
}

function messageOf(error: unknown, otherwise: string): string {
  return error instanceof Error ? (error.message.split('\n')[0]?.replace(/\.$/, '') ?? otherwise) : otherwise
}

const hints: Readonly<Record<string, string>> = {
  ContainerNotFound: 'Create the container first, or correct its name or the account.',
  ContainerBeingDeleted: 'The container is being deleted. Use another one.',
  AuthorizationPermissionMismatch:
    'Give this identity the role Storage Blob Data Contributor on the container.',
  AuthorizationFailure: "Check the key, and check that the account's firewall allows this machine.",
  AuthenticationFailed: 'Check the key or sign in again. A clock that is off by minutes also causes this.',
  LeaseIdMissing:
    'Another program holds a lease on this blob, as backend "azurerm" does while it holds the lock. Wait for it, or break the lease.',
}
