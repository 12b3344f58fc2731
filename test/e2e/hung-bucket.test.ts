import { expect, onTestFinished, test } from 'vitest'
import { startS3 } from '../peers/s3.ts'
import { openLine } from '../rig/line.ts'
import { startServer } from '../rig/server.ts'
import { runTaco } from '../rig/taco.ts'

const state = JSON.stringify({
  version: 4,
  terraform_version: '1.11.4',
  serial: 1,
  lineage: 'L',
  outputs: {},
  resources: [],
})
const lock = JSON.stringify({
  ID: 'i',
  Operation: 'o',
  Info: '',
  Who: 'w',
  Version: '',
  Created: '2026-01-01T00:00:00Z',
  Path: '',
})

test('a server whose bucket hangs reports it within the deadline, and still stops', async () => {
  const peer = await startS3()
  onTestFinished(() => peer.dispose())
  const endpoint = new URL(peer.endpoint)
  const line = await openLine(Number(endpoint.port))
  const near = new URL(peer.endpoint)
  near.port = String(line.port)
  const bucket = peer.url.replace(
    encodeURIComponent(peer.endpoint),
    encodeURIComponent(near.href.replace(/\/$/, '')),
  )
  expect(bucket).not.toBe(peer.url)
  const server = await startServer({
    bucket,
    args: ['--auth', 'none', '--bucket-timeout', '6s', '--grace', '1s'],
    env: { ...peer.env },
  })
  const address = `${server.url}/v1/backend/default/a`
  expect((await fetch(address, { method: 'POST', body: state })).status).toBe(200)

  line.freeze()

  const asked = [fetch(address), fetch(`${server.url}/v1/backend/default/b`, { method: 'LOCK', body: lock })]
  for (const reply of await Promise.all(asked)) {
    expect(reply.status).toBe(503)
    const problem = (await reply.json()) as Record<string, unknown>
    expect(problem['code']).toBe('BUCKET_UNAVAILABLE')
    expect(problem['detail']).toMatch(/no data arrived for/)
  }
  await expect.poll(async () => (await fetch(`${server.url}/readyz`)).status).toBe(503)
  const listed = await runTaco(['unit', 'ls', '--server', server.url])
  expect(listed.code).not.toBe(0)
  expect(listed.stderr).toMatch(/no data arrived for/)
  // A request that hangs does not hold up the end: it would take another bucket timeout.
  const cut = fetch(address).catch((error: unknown) => error)
  await expect.poll(() => server.output().match(/"path":"\/v1\/units"/g)?.length).toBeGreaterThan(0)
  expect(await server.stop()).toBe(0)
  expect(await cut).toBeInstanceOf(Error)
})
