import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { systemClock } from '../../../base/clock.ts'
import { openGcsClient } from './client.ts'
import type { GcsCall } from './client.ts'

const closers: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** A store that gives these answers in turn, repeating the last one, and a client for it. */
async function scripted(answers: readonly RequestListener[]) {
  const targets: string[] = []
  const pauses: number[] = []
  const server = createServer((request, response) => {
    const answer = answers[Math.min(targets.length, answers.length - 1)]
    targets.push(request.url ?? '')
    answer?.(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const client = openGcsClient({
    bucket: 'states',
    endpoint: `http://127.0.0.1:${port}/base/`,
    label: 'gs://states',
    token: undefined,
    clock: { ...systemClock, sleep: (ms) => Promise.resolve(void pauses.push(ms)) },
    idleTimeoutMs: 5_000,
  })
  closers.push(async () => {
    client.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { client, targets, pauses }
}

const look: GcsCall = { method: 'GET', path: '/o/a', query: {}, expects: [200], what: 'looking at "a"' }
const fine: RequestListener = (_, response) => response.end('{"name":"a"}')
const busy: RequestListener = (_, response) => response.writeHead(503, { 'retry-after': '2' }).end()
const half: RequestListener = (request, response) =>
  void response.writeHead(200, { 'content-length': '10' }).write('half', () => request.socket.destroy())

test('a pause that Google requests is kept', async () => {
  const { client, targets, pauses } = await scripted([busy, fine])

  expect(await client.json(look, z.object({ name: z.string() }))).toEqual({ found: { name: 'a' } })

  expect(targets).toEqual(Array(2).fill('/base/storage/v1/b/states/o/a'))
  expect(pauses[0]).toBeGreaterThanOrEqual(2000)
})

test('an answer that breaks off is requested again', async () => {
  const { client, targets } = await scripted([half, half, fine])

  expect(await client.json(look, z.object({ name: z.string() }))).toEqual({ found: { name: 'a' } })
  expect(targets).toHaveLength(3)
})

test('a call without retry is sent once', async () => {
  const { client, targets, pauses } = await scripted([busy])

  await expect(client.call({ ...look, retry: false })).rejects.toMatchObject({ code: 'BUCKET_UNAVAILABLE' })

  expect(targets).toHaveLength(1)
  expect(pauses).toEqual([])
})

test('the time of the store is that of its answers', async () => {
  const date = 'Mon, 02 Mar 2026 10:00:00 GMT'
  const dated: RequestListener = (_, response) => response.writeHead(200, { date }).end('{}')
  const { client } = await scripted([dated])
  expect(client.storeTime()).toBeUndefined()

  await client.json(look, z.object({}))

  expect(Math.abs((client.storeTime() ?? 0) - Date.parse(date))).toBeLessThan(10_000)
})
