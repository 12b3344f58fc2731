import { expect, test } from 'vitest'
import { memoryControl, startFace } from '../../../../../test/rig/http-face.ts'
import { openMemoryBucket } from '../../../../bucket/adapters/memory.ts'
import { overwrite } from '../../../../../test/support/state.ts'

async function estate(bucket = openMemoryBucket()) {
  const face = await startFace({ control: await memoryControl(bucket) })
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const sent = body === undefined ? { method } : { method, headers, body: JSON.stringify(body) }
    return face.send(path, sent)
  }
  let serial = 0
  const push = async (unit: string, outputs: Readonly<Record<string, string>>) => {
    const typed = Object.fromEntries(
      Object.entries(outputs).map(([name, value]) => [name, { value, type: 'string' }]),
    )
    const state = { version: 4, serial: ++serial, lineage: unit, outputs: typed, resources: [] }
    expect((await send('PUT', `/v1/units/${unit}/state`, state)).status).toBe(201)
  }
  await push('network', { vpc_id: 'a' })
  await push('app', {})
  return { send, push }
}

test('edges are declared and taken back over the API, with the cycle spelled out in the problem', async () => {
  const { send } = await estate()

  const added = await send('POST', '/v1/units/app/dependencies', { on: 'network', outputs: ['vpc_id'] })
  expect(added.json()).toMatchObject({
    unit: { name: 'app' },
    uses: [{ on: { name: 'network' }, outputs: ['vpc_id'], source: 'declared', state: 'unknown' }],
    warnings: [],
  })
  const refused = await send('POST', '/v1/units/network/dependencies', { on: 'app' })
  expect(refused.status).toBe(409)
  expect(refused.json()).toMatchObject({
    code: 'CONFLICT',
    field: 'on',
    detail: 'This would create a cycle: network → app → network.',
  })
  expect((await send('POST', '/v1/units/app/dependencies', { on: 'netwrk' })).json()).toMatchObject({
    status: 404,
    hint: expect.stringContaining('Did you mean network?'),
  })
  expect((await send('GET', '/v1/units/network/dependencies')).json()).toMatchObject({
    usedBy: [{ name: 'app', outputs: ['vpc_id'] }],
  })
  expect((await send('DELETE', '/v1/units/network?force=true')).json()).toMatchObject({
    name: 'network',
    warnings: ['network is used by app'],
  })
  expect((await send('DELETE', '/v1/units/app/dependencies?on=network')).json()).toMatchObject({ uses: [] })
})

test('the graph comes as JSON and as pictures, of all units or around one', async () => {
  const { send } = await estate()
  await send('POST', '/v1/units/app/dependencies', { on: 'network' })

  const whole = await send('GET', '/v1/graph')
  expect(whole.headers['content-type']).toBe('application/json')
  expect(whole.json()).toMatchObject({
    asOf: expect.stringMatching(/^\d{4}-/),
    nodes: [
      { name: 'app', status: 'unknown' },
      { name: 'network', status: 'up-to-date', commit: 1 },
    ],
    edges: [{ name: 'network', outputs: null, state: 'unknown' }],
  })
  expect((await send('GET', '/v1/graph?unit=network&direction=up')).json()['nodes']).toHaveLength(1)
  expect((await send('GET', '/v1/graph?unit=netwrk')).status).toBe(404)
  expect((await send('GET', '/v1/graph?format=png')).status).toBe(400)
  for (const [format, type, text] of [
    ['svg', 'image/svg+xml; charset=utf-8', '</svg>'],
    ['dot', 'text/vnd.graphviz; charset=utf-8', 'digraph'],
    ['mermaid', 'text/plain; charset=utf-8', 'flowchart LR'],
  ] as const) {
    const drawn = await send('GET', `/v1/graph?format=${format}`)
    expect(drawn.headers['content-type']).toBe(type)
    expect(drawn.text).toContain(text)
  }
})

test('status gives reasons, only what needs attention if asked, and the past', async () => {
  const { send, push } = await estate()
  expect((await send('GET', '/v1/units/network/state?consumer=app')).status).toBe(200)
  await push('app', { url: 'x' })
  await push('network', { vpc_id: 'b' })

  expect((await send('GET', '/v1/status?attention=true')).json()).toMatchObject({
    counts: { stale: 1, 'up-to-date': 1 },
    items: [
      {
        name: 'app',
        status: 'stale',
        ready: true,
        reasons: [{ kind: 'changed', output: 'vpc_id', read: { commit: 1 }, changed: { commit: 2 } }],
      },
    ],
  })
  expect((await send('GET', '/v1/status?unit=network')).json()).toMatchObject({
    items: [{ name: 'network' }],
  })
  expect((await send('GET', '/v1/status?unit=network&direction=down')).json()['items']).toHaveLength(2)
  expect((await send('GET', '/v1/status?at=2020-01-01')).json()).toMatchObject({ items: [] })
  for (const wrong of ['1.3.2020', '2026-02-30', '2025-02-29T12:00:00Z', '2999-01-01', '2026-13-01'])
    expect((await send('GET', `/v1/status?at=${wrong}`)).json()).toMatchObject({ status: 400, field: 'at' })
  expect((await send('GET', '/v1/graph?org=nosuch')).status).toBe(404)
  expect((await send('GET', '/v1/rollouts?org=nosuch')).status).toBe(404)
})

test('a unit can be deleted though damage hides who uses it, with a word about that', async () => {
  const bucket = openMemoryBucket()
  const { send } = await estate(bucket)
  const { id } = (await send('GET', '/v1/units/app')).json()
  await overwrite(bucket, `.taco/orgs/default/units/${String(id)}.json`, '{"v":1')
  const { send: later } = await startFace({ control: await memoryControl(bucket) })

  expect((await later('/v1/status')).json()).toMatchObject({ counts: { unknown: 1 } })
  const deleted = await later('/v1/units/network?force=true', { method: 'DELETE' })
  expect(deleted.json()).toMatchObject({
    name: 'network',
    warnings: [expect.stringContaining('network may be used by others')],
  })
})
