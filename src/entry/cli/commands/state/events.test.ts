import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { sendJson, testServer, testWorld } from '../../../../../test/support/cli.ts'
import { feedOf } from './events.ts'

function event(id: string): Record<string, unknown> {
  return {
    id,
    at: '2026-01-02T03:04:05.000Z',
    type: 'lock.taken',
    org: 'default',
    unit: { id: 'ws-1', name: 'a' },
    by: 'bob',
    requestId: null,
    data: {},
  }
}

test('a feed is read event by event, whatever its line ends and comments', async () => {
  const text = 'retry: 2000\n\n: still here\n\nid: 1\r\nevent: x\r\ndata: {"a":\r\ndata: 1}\r\n\r\nid: 2\n\n'
  const found: unknown[] = []

  for await (const one of feedOf(Readable.from([Buffer.from(text)]))) found.push(one)

  expect(found).toEqual([
    { id: '1', data: { a: 1 } },
    { id: '2', data: undefined },
  ])
})

test('a feed that breaks is taken up where it stopped, and an event that comes twice is shown once', async () => {
  let connections = 0
  const server = await testServer((_heard, res) => {
    connections++
    res.writeHead(200, { 'content-type': 'text/event-stream' })
    const line = (id: string) => `id: c${id}\ndata: ${JSON.stringify(event(id))}\n\n`
    if (connections === 1) res.end(line('1'))
    else res.write(line('1') + line('2'))
  })
  onTestFinished(server.close)
  const world = testWorld()
  onTestFinished(world.dispose)

  const ending = world.run('--server', server.url, 'events', '--follow', '--json')
  await expect.poll(world.out, { timeout: 10_000 }).toContain('"id":"2"')
  world.signal('SIGTERM')

  expect(await ending).toBe(143)
  expect(server.heard.map(({ url }) => url)).toEqual(['/v1/events?after=now', '/v1/events?after=c1'])
  expect(world.out().match(/"id":"1"/g)).toHaveLength(1)
})

test('a feed that is refused is not asked for again', async () => {
  const server = await testServer((_heard, res) =>
    sendJson(res, { code: 'UNAUTHENTICATED', detail: 'no token', status: 401 }, 401),
  )
  onTestFinished(server.close)
  const world = testWorld()
  onTestFinished(world.dispose)

  expect(await world.run('--server', server.url, 'events', '--follow')).toBe(5)
  expect(server.heard).toHaveLength(1)
})

test('the newest events are asked for alone, and shown in the order in which they happened', async () => {
  const server = await testServer(({ url }, res) => {
    const after = new URL(url, 'http://x').searchParams.get('after')
    if (after === null) sendJson(res, { items: [event('3')], next: 'p', more: true, latest: 'l' })
    else sendJson(res, { items: [event('2')], next: 'q', more: true })
  })
  onTestFinished(server.close)
  const world = testWorld()
  onTestFinished(world.dispose)

  expect(await world.run('--server', server.url, 'events', '-n', '2', '--json')).toBe(0)
  expect([...world.out().matchAll(/"id":"(\d)"/g)].map(([, id]) => id)).toEqual(['2', '3'])
  expect(server.heard.map(({ url }) => url)).toEqual([
    '/v1/events?order=desc&limit=2',
    '/v1/events?order=desc&after=p&limit=1',
  ])
})
