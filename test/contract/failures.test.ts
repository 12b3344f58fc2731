/** What Azure and Google answer when something is wrong, as errors of ours. */
import { BlobServiceClient } from '@azure/storage-blob'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openAzureBucket } from '../../src/bucket/adapters/azure/bucket.ts'
import { openGcsBucket } from '../../src/bucket/adapters/gcs/bucket.ts'
import { bodyOf } from '../../src/bucket/body.ts'
import type { Bucket, Tag } from '../../src/bucket/bucket.ts'
import { startAzurite } from '../peers/azurite.ts'
import type { AzurePeer } from '../peers/azurite.ts'
import { freePort } from '../peers/free-port.ts'
import { startGcs } from '../peers/gcs.ts'
import { findOrBuild } from '../peers/toolchain.ts'

const rules = { attempts: 2, baseMs: 1, maxMs: 1 }
let azurite: AzurePeer | undefined

beforeAll(async () => {
  azurite = await startAzurite()
})

afterAll(async () => {
  await azurite?.dispose()
})

function azureAt(container: string, env: Readonly<Record<string, string>> = azurite?.env ?? {}) {
  return openAzureBucket({ container, env, retry: rules })
}

async function failures(bucket: Bucket): Promise<readonly unknown[]> {
  const list = async () => {
    for await (const page of bucket.list('')) return page
    return undefined
  }
  const outcomes = await Promise.allSettled([
    bucket.get('a'),
    bucket.put('a', bodyOf('x'), 'absent'),
    bucket.put('a', bodyOf('x'), '1' as Tag),
    list(),
  ])
  return outcomes.map((outcome) =>
    outcome.status === 'rejected' ? (outcome.reason as unknown) : outcome.value,
  )
}

function errors(code: string, hint: string): readonly unknown[] {
  const error = expect.objectContaining({ code, hint: expect.stringContaining(hint) as unknown }) as unknown
  return [error, error, error, error]
}

test('an Azure container that does not exist is refused', async () => {
  expect(await failures(await azureAt('nowhere'))).toEqual(errors('BUCKET_REFUSED', 'Create the container'))
})

test('a wrong key for Azure is refused, and not repeated', async () => {
  const env = Object.fromEntries(
    Object.entries(azurite?.env ?? {}).map(([name, value]) => [
      name,
      value.replace(/AccountKey=..../, 'AccountKey=AAAA'),
    ]),
  )

  const found = await failures(await azureAt('states', env))

  expect(found).toEqual(errors('BUCKET_REFUSED', 'Check the key'))
  expect(
    found.map((error) => JSON.stringify(error, Object.getOwnPropertyNames(error))).join(''),
  ).not.toContain('AAAA')
})

test('a blob that another program has leased is refused, because retrying would not help', async () => {
  const bucket = await azureAt('states')
  const written = await bucket.put('leased', bodyOf('x'), 'absent')
  const connection = azurite?.env['AZURE_STORAGE_CONNECTION_STRING'] ?? ''
  const container = BlobServiceClient.fromConnectionString(connection).getContainerClient('states')
  await container.getBlobClient('leased').getBlobLeaseClient().acquireLease(15)

  const tag = written.kind === 'written' ? written.tag : ('' as Tag)
  const outcomes = await Promise.allSettled([
    bucket.put('leased', bodyOf('y'), tag),
    bucket.delete('leased', tag),
  ])

  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'BUCKET_REFUSED' } })
  }
})

test('an Azure account that does not answer is unavailable', async () => {
  const port = await freePort()
  const connection = `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=AAAA;BlobEndpoint=http://127.0.0.1:${port}/a;`
  const bucket = await azureAt('states', { AZURE_STORAGE_CONNECTION_STRING: connection })

  expect(await failures(bucket)).toEqual(errors('BUCKET_UNAVAILABLE', 'Try again'))
})

test('a Google bucket that does not answer is unavailable', async () => {
  const endpoint = `http://127.0.0.1:${await freePort()}`
  const bucket = await openGcsBucket({
    bucket: 'states',
    endpoint,
    token: 'anonymous',
    env: {},
    retry: rules,
  })

  expect(await failures(bucket)).toEqual(errors('BUCKET_UNAVAILABLE', 'Try again'))
})

test('without an account, the Azure bucket says what is missing', async () => {
  await expect(openAzureBucket({ container: 'states', env: {} })).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    facts: { field: 'bucket' },
  })
})

test.skipIf((await findOrBuild('fake-gcs-server')) === undefined)(
  'a Google bucket that does not exist is refused',
  async () => {
    const peer = await startGcs()
    onTestFinished(() => peer?.dispose())

    const bucket = await openGcsBucket({ bucket: 'nowhere', env: peer?.env ?? {}, retry: rules })

    expect(await failures(bucket)).toEqual(errors('BUCKET_REFUSED', 'Create the bucket'))
  },
)
