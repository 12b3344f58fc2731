import { expect, test } from 'vitest'
import { startFace } from '../../../../test/rig/http-face.ts'

test('claims and ends that are sent again over the API are answered as the first time', async () => {
  const face = await startFace()
  const post = async (path: string, json: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await face.send(path, { method: 'POST', headers, body: JSON.stringify(json) })
    return {
      status: answer.status,
      ...(JSON.parse(answer.text) as { id: string; claims: { token: string }[] }),
    }
  }
  await post('/v1/sync', { units: [{ name: 'a' }, { name: 'b', dependencies: [{ on: 'a' }] }] })
  const { id } = await post('/v1/rollouts', { from: ['a'] })

  const claim = { worker: 'w', request: 'a text that is mine alone' }
  const first = await post(`/v1/rollouts/${id}/claims`, claim)
  const again = await post(`/v1/rollouts/${id}/claims`, claim)
  const token = first.claims[0]?.token
  const end = { token, end: { kind: 'applied', fingerprint: null, engineMs: 1 }, next: { worker: 'w' } }
  const ended = await post(`/v1/rollouts/${id}/steps/a/end`, end)
  const endedAgain = await post(`/v1/rollouts/${id}/steps/a/end`, end)

  expect(first).toMatchObject({ status: 200, claims: [{ unit: { name: 'a' } }] })
  expect(again.claims).toMatchObject([{ token }])
  expect(ended).toMatchObject({ status: 200, claims: [{ unit: { name: 'b' } }] })
  expect(endedAgain).toMatchObject({ status: 200, claims: [{ token: ended.claims[0]?.token }] })
  expect((await post(`/v1/rollouts/${id}/claims`, { ...claim, request: 'short' })).status).toBe(400)
})

test('rollouts are listed page by page, newest first', async () => {
  const face = await startFace()
  const headers = { 'content-type': 'application/json' }
  const post = (path: string, json: unknown) =>
    face.send(path, { method: 'POST', headers, body: JSON.stringify(json) })
  await post('/v1/sync', { units: [{ name: 'a' }] })
  const ids: string[] = []
  for (let i = 0; i < 5; i++) ids.push(String((await post('/v1/rollouts', { from: ['a'] })).json()['id']))
  const list = async (query: string) => {
    const { items, next } = (await face.send(`/v1/rollouts?${query}`)).json() as {
      items: { id: string }[]
      next: string | null
    }
    return { ids: items.map(({ id }) => id), next }
  }

  const first = await list('limit=2')
  const second = await list(`limit=2&cursor=${first.next}`)
  const third = await list(`limit=2&cursor=${second.next}`)

  expect([...first.ids, ...second.ids, ...third.ids]).toEqual(ids.toSorted().toReversed())
  expect(third.next).toBeNull()
  expect((await list('limit=5')).next).toBeNull()
  expect((await face.send('/v1/rollouts?cursor=x')).json()).toMatchObject({ status: 400, field: 'cursor' })
})
