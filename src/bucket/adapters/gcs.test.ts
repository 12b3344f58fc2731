import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openGcsBucket } from './gcs.ts'

test.each([
  ['how long "a" is', { 'x-goog-generation': '7', 'transfer-encoding': 'chunked' }],
  ['no tag of "a"', { 'content-length': '10' }],
])('an answer that does not tell all of an object is none: %s', async (said, headers) => {
  const server = createServer((request, response) => {
    response.writeHead(200, headers).write('half', () => request.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const bucket = await openGcsBucket({
    bucket: 'states',
    endpoint: `http://127.0.0.1:${port}`,
    token: 'anonymous',
  })
  onTestFinished(async () => {
    await bucket.close()
    await new Promise((resolve) => server.close(resolve))
  })

  await expect(bucket.get('a')).rejects.toMatchObject({
    code: 'BUCKET_UNAVAILABLE',
    message: expect.stringContaining(said),
  })
})
