import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { memoryControl } from '../../test/rig/http-face.ts'
import { silentLog } from '../base/log.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import { build } from './build.ts'

test('a server whose S3 bucket was deleted is not ready', async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'x')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'y')
  const used = openMemoryBucket()
  await (await memoryControl(used)).close()
  const document = await (await used.get('.taco/orgs/default/org.json'))?.bytes()
  let isDeleted = false
  const server = createServer((_request, response) => {
    if (isDeleted) response.writeHead(404).end('<Error><Code>NoSuchBucket</Code></Error>')
    else response.writeHead(200, { etag: '"1"', 'content-length': document?.length }).end(document)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { ready, close } = await build({
    bucket: `s3://states?endpoint=http://127.0.0.1:${port}`,
    log: silentLog,
    probe: 'if-new',
  })
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await close()
    await new Promise((resolve) => server.close(resolve))
  })

  await ready()
  isDeleted = true
  await expect(ready()).rejects.toMatchObject({ code: 'BUCKET_REFUSED' })
})
