import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { bodyOf } from '../body.ts'
import type { Tag } from '../bucket.ts'
import { openAzureBucket } from './azure.ts'

/** A bucket whose every request is answered so. */
async function answeredBy(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const bucket = await openAzureBucket({
    container: 'states',
    connectionString: `DefaultEndpointsProtocol=http;AccountName=x;AccountKey=eA==;BlobEndpoint=http://127.0.0.1:${port}/x;`,
  })
  onTestFinished(async () => {
    await bucket.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return bucket
}

test("a 404 that is not the store's own does not say that there is no object", async () => {
  const bucket = await answeredBy((_, response) => response.writeHead(404).end('404 page not found\n'))
  const refused = { code: 'BUCKET_UNAVAILABLE', facts: { status: 404 } }

  await expect(bucket.get('a')).rejects.toMatchObject(refused)
  await expect(bucket.head('a')).rejects.toMatchObject(refused)
  await expect(bucket.put('a', bodyOf('x'), 'absent')).rejects.toMatchObject(refused)
  await expect(bucket.delete('a', 'abc' as Tag)).rejects.toMatchObject(refused)
})

test('what comes without a tag is neither an object nor the receipt of one', async () => {
  const bucket = await answeredBy(({ method }, response) =>
    response.writeHead(method === 'PUT' ? 201 : 200, { 'content-length': '0' }).end(),
  )
  const refused = { code: 'BUCKET_UNAVAILABLE', message: expect.stringContaining('no tag of "a"') }

  await expect(bucket.head('a')).rejects.toMatchObject(refused)
  await expect(bucket.put('a', bodyOf('x'), 'absent')).rejects.toMatchObject(refused)
})
