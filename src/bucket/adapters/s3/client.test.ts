import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../../base/clock.ts'
import { s3Address } from './address.ts'
import { openS3Client } from './client.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function clientOf(listener: RequestListener, isRenewable = true) {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  let renewals = 0
  const client = openS3Client({
    address: s3Address({ bucket: 'states', region: 'us-east-1', endpoint: `http://127.0.0.1:${port}` }),
    region: 'us-east-1',
    label: 's3://states',
    credentials: {
      current: () =>
        Promise.resolve({ accessKeyId: `key${renewals}`, secretAccessKey: 's', sessionToken: 't' }),
      forget() {
        renewals++
        return isRenewable
      },
    },
    clock: { ...systemClock, sleep: () => Promise.resolve() },
    idleTimeoutMs: 5000,
    signsBodies: true,
  })
  closers.push(async () => {
    client.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return client
}

const expired: RequestListener = (request, response) => {
  if (request.headers.authorization?.includes('Credential=key0/') === true) {
    response.writeHead(400).end('<Error><Code>ExpiredToken</Code></Error>')
  } else response.end('fine')
}

test('keys that the store calls expired are renewed and the call repeated', async () => {
  const client = await clientOf(expired)

  expect(await client.text({ method: 'GET', key: 'a', expects: [200], what: 'reading' })).toBe('fine')
})

test('expired keys that cannot be renewed are an error with a hint', async () => {
  const client = await clientOf(expired, false)

  const error: unknown = await client
    .text({ method: 'GET', key: 'a', expects: [200], what: 'reading' })
    .catch((thrown: unknown) => thrown)

  expect(error).toMatchObject({
    code: 'BUCKET_REFUSED',
    hint: expect.stringContaining('Sign in again') as unknown,
  })
})

test('a text that breaks off is requested again', async () => {
  let count = 0
  const client = await clientOf((request, response) => {
    if (++count < 3)
      response.writeHead(200, { 'content-length': '10' }).write('half', () => request.socket.destroy())
    else response.end('the whole')
  })

  expect(
    await client.text({ method: 'GET', query: { 'list-type': '2' }, expects: [200], what: 'listing' }),
  ).toBe('the whole')
})
