import { expect, test } from 'vitest'
import { followFeed } from '../../../../../test/rig/event-feed.ts'
import { type TestFace, startFace } from '../../../../../test/rig/http-face.ts'
import { type Guard, openGuard, unauthenticated } from '../../auth/auth.ts'

const follow = (face: TestFace, query: string, headers: Record<string, string> = {}) =>
  followFeed(face.port, `/v1/events?${query}`, headers)

const namesIn = (text: string) =>
  Array.from(text.matchAll(/"unit":\{"id":"[^"]*","name":"([^"]*)"/g), ([, name]) => name)
const lastId = (text: string) => Array.from(text.matchAll(/^id: (.*)$/gm), ([, id]) => id).at(-1) ?? ''

async function create(face: TestFace, name: string): Promise<void> {
  const made = await face.send('/v1/units', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  })
  expect(made.status).toBe(201)
}

test('a follower gets what was and what comes, and goes on from its last id after a reconnect', async () => {
  const face = await startFace()
  await create(face, 'one')

  const feed = await follow(face, 'type=unit.created')
  expect(feed.reply.headers['content-type']).toBe('text/event-stream')
  await expect.poll(() => namesIn(feed.text())).toEqual(['one'])
  await create(face, 'two')
  await expect.poll(() => namesIn(feed.text())).toEqual(['one', 'two'])
  await expect.poll(() => lastId(feed.text())).not.toBe('')
  feed.call.destroy()
  await create(face, 'three')

  const again = await follow(face, 'type=unit.created', { 'last-event-id': lastId(feed.text()) })
  await expect.poll(() => namesIn(again.text())).toContain('three')
  expect(namesIn(again.text())).not.toContain('one')
})

test('a malformed query is refused before the feed begins', async () => {
  const face = await startFace()

  const refused = await face.send('/v1/events?type=nonsense', { headers: { accept: 'text/event-stream' } })

  expect(refused.json()).toMatchObject({ status: 400, field: 'type' })
})

test('one caller, and all together, have a limited number of feeds; one that ends makes room', async () => {
  const face = await startFace({ limits: { maxEventStreamsPerCaller: 2 } })
  const headers = { accept: 'text/event-stream' }
  const first = await follow(face, '')
  await follow(face, '')

  const refused = await face.send('/v1/events', { headers })
  expect(refused.json()).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
  expect(refused.json()['detail']).toContain('2 are open from this address')
  expect(refused.headers['retry-after']).toBe('5')
  expect((await face.send('/v1/events')).status).toBe(200)

  first.call.destroy()
  await expect.poll(async () => (await follow(face, '')).reply.statusCode).toBe(200)

  const small = await startFace({ limits: { maxEventStreams: 1 } })
  await follow(small, '')
  expect((await small.send('/v1/events', { headers })).json()['detail']).toContain('1 are open in all')
})

test('a stream ends with the reason when its credential is revoked, or the caller may not read on', async () => {
  const open = openGuard()
  const now: { refusal?: Error } = {}
  const guard: Guard = {
    kind: 'token',
    identify(visit) {
      if (now.refusal !== undefined) throw now.refusal
      return open.identify(visit)
    },
  }
  const face = await startFace({ guard })
  const feed = await follow(face, '')
  await expect.poll(() => feed.text()).toContain('retry:')

  now.refusal = unauthenticated('The token was revoked.')

  await expect.poll(() => feed.reply.complete, { timeout: 10_000 }).toBe(true)
  expect(feed.text()).toMatch(/\nevent: end\ndata: \{.*"status":401.*The token was revoked.*\}\n\n$/)
})
