import { expect, test } from 'vitest'
import { refusalsOf } from '../refusals.ts'
import { boundedFetch } from './bounded-fetch.ts'

function sendTo(answer: () => Promise<Response> | Response, seen: RequestInit[] = []) {
  const refuse = refusalsOf({ id: 'test' })
  return boundedFetch({
    label: 'Corp',
    refuse,
    fetch: (_url, init) => {
      seen.push(init ?? {})
      return Promise.resolve(answer())
    },
  })('https://idp.example.com/keys?code=secret')
}

test('an answer is passed on, and redirects are not followed', async () => {
  const seen: RequestInit[] = []
  const moved = await sendTo(() => new Response(null, { status: 302, headers: { location: '/x' } }), seen)
  const answer = await sendTo(() => Response.json({ a: 1 }))

  expect(moved.status).toBe(302)
  expect(seen[0]).toMatchObject({ redirect: 'manual', signal: expect.any(AbortSignal) })
  expect(await answer.json()).toEqual({ a: 1 })
})

test.each([429, 500, 503])('HTTP %i may pass', async (status) => {
  await expect(sendTo(() => new Response('', { status }))).rejects.toMatchObject({
    code: 'PROVIDER_UNAVAILABLE',
    message: `Corp (idp.example.com) answers with HTTP ${status}.`,
  })
})

test('no connection may pass, and its cause is named but not the query', async () => {
  const failing = sendTo(() =>
    Promise.reject(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })),
  )

  await expect(failing).rejects.toMatchObject({
    code: 'PROVIDER_UNAVAILABLE',
    message: 'Corp (idp.example.com) does not answer: connect ECONNREFUSED.',
  })
})

test('an endless answer is cut off', async () => {
  const endless = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(100_000)) })

  await expect(sendTo(() => new Response(endless))).rejects.toMatchObject({ code: 'PROVIDER_REFUSED' })
})
