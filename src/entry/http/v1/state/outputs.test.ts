import { alice } from '../../../../../test/support/caller.ts'
import { callerNamed } from '../../../../../test/support/caller.ts'
import { expect, test } from 'vitest'
import { type TestFace, startFace } from '../../../../../test/rig/http-face.ts'

type OutputValues = Readonly<Record<string, { value: unknown; type?: unknown; sensitive?: boolean }>>

function stateText(serial: number, outputs: OutputValues): string {
  const typed = Object.entries(outputs).map(([name, output]) => [name, { type: 'string', ...output }])
  return JSON.stringify({
    version: 4,
    serial,
    lineage: 'L',
    outputs: Object.fromEntries(typed),
    resources: [],
  })
}

async function put(
  face: TestFace,
  unit: string,
  serial: number,
  outputs: OutputValues | string,
): Promise<void> {
  const body = typeof outputs === 'string' ? outputs : stateText(serial, outputs)
  const headers = { 'content-type': 'application/json' }
  const { status, text } = await face.send(`/v1/units/${unit}/state`, { method: 'PUT', headers, body })
  expect(status, text).toBe(201)
}

async function post(face: TestFace, path: string, json: unknown) {
  const headers = { 'content-type': 'application/json' }
  return face.send(path, { method: 'POST', headers, body: JSON.stringify(json) })
}

async function readsOf(face: TestFace, name: string) {
  const { units } = await face.deps.control.graph.units('default', {}, alice)
  return units.map((unit) => unit.facts()).find((facts) => facts.name === name)?.reads ?? null
}

/** An apply, as far as the server sees it. */
async function apply(
  face: TestFace,
  unit: string,
  during: () => Promise<unknown>,
  serial = 1,
): Promise<void> {
  const path = `/v1/backend/default/${unit}`
  const lock = JSON.stringify({ ID: `lock-${serial}`, Operation: 'OperationTypeApply' })
  expect((await face.send(path, { method: 'LOCK', body: lock })).status).toBe(200)
  await during()
  const body = stateText(serial, {})
  expect((await face.send(`${path}?ID=lock-${serial}`, { method: 'POST', body })).status).toBe(200)
  expect((await face.send(path, { method: 'UNLOCK', body: lock })).status).toBe(200)
}

test('values come out with every digit, sensitive ones only on request', async () => {
  const face = await startFace()
  const exact =
    '{"version":4,"serial":1,"lineage":"L","outputs":{"big":{"value":12345678901234567890.5,"type":"number"},' +
    '"key":{"value":"s3cret","type":"string","sensitive":true},"ids":{"value":["a"],"type":["list","string"]}},' +
    '"resources":[]}'
  await put(face, 'network', 1, exact)

  const plain = await face.send('/v1/units/network/outputs')
  const all = await face.send('/v1/units/network/outputs?sensitive=true&names=key,ids')

  expect(plain.text).toContain('"value":12345678901234567890.5')
  expect(plain.text).not.toContain('s3cret')
  expect(plain.json()).toMatchObject({ commit: 1, changed: ['big', 'ids', 'key'] })
  expect(all.json()['outputs']).toMatchObject([
    { name: 'ids', type: ['list', 'string'], value: ['a'], sensitive: false },
    { name: 'key', value: 's3cret', sensitive: true },
  ])
})

test('the log and the difference say what changed, without values', async () => {
  const face = await startFace()
  await put(face, 'network', 1, { vpc: { value: 'a' }, zone: { value: 'x' } })
  await put(face, 'network', 2, { vpc: { value: 'b' }, zone: { value: 'x' } })

  const log = (await face.send('/v1/units/network/outputs/log')).json()
  const diff = (await face.send('/v1/units/network/outputs/diff')).json()
  const none = (await face.send('/v1/units/network/outputs/diff?from=1&to=2&only=zone')).json()

  expect(log).toMatchObject({ items: [{ commit: 2, changed: ['vpc'] }, { commit: 1 }], next: null })
  expect(JSON.stringify(log)).not.toContain('"value"')
  expect(diff).toMatchObject({ from: 1, to: 2, changed: [{ name: 'vpc', kind: 'changed' }] })
  expect(none).toMatchObject({ changed: [] })
})

test.each([
  ['the query', '?consumer=prod/app', {}],
  ['the flat name', '?consumer=prod--app', {}],
  ['the header', '', { 'x-taco-unit': 'prod/app' }],
])('a state read over the backend with the consumer in %s is a read', async (_how, query, headers) => {
  const face = await startFace()
  await put(face, 'network', 1, { vpc: { value: 'a' } })

  await apply(face, 'prod/app', async () => {
    const read = await face.send(`/v1/backend/default/network${query}`, { headers })
    expect(read.status).toBe(200)
  })

  expect(await readsOf(face, 'prod/app')).toMatchObject([{ commit: 1, names: null }])
})

test('a consumer that is not there is told apart from a state that is not there', async () => {
  const face = await startFace()
  await put(face, 'network', 1, { vpc: { value: 'a' } })
  await put(face, 'app', 1, {})

  const lost = await face.send('/v1/backend/default/network?consumer=ap')
  const self = await face.send('/v1/backend/default/network?consumer=network')
  const none = await face.send('/v1/backend/default/nothing?consumer=app')

  expect([lost.status, lost.json()['field']]).toEqual([400, 'consumer'])
  expect(self.status).toBe(200)
  expect(none.status).toBe(404)
})

test('inputs come from the declared dependencies and are recorded as reads, all in one', async () => {
  const face = await startFace()
  await put(face, 'network', 1, { vpc: { value: 'a' }, zone: { value: 'x' } })
  await put(face, 'database', 1, { url: { value: 'db' }, password: { value: 's3cret', sensitive: true } })
  await post(face, '/v1/sync', {
    units: [
      { name: 'network' },
      {
        name: 'app',
        dependencies: [
          { on: 'network', outputs: ['vpc'] },
          { on: 'database', outputs: ['url', 'password'], inputs: { db_url: 'url' } },
        ],
      },
    ],
  })

  const masked = (await face.send('/v1/units/app/inputs')).json()
  await apply(face, 'app', async () => {
    const all = (await face.send('/v1/units/app/inputs?sensitive=true')).json()
    expect(all['inputs']).toMatchObject([
      { variable: 'db_url', output: 'url', value: 'db', from: { name: 'database' }, commit: 1 },
      { variable: 'password', value: 's3cret' },
      { variable: 'vpc', value: 'a' },
    ])
  })

  expect(JSON.stringify(masked)).not.toContain('s3cret')
  const reads = await readsOf(face, 'app')
  expect(reads?.map(({ names }) => names?.toSorted()).toSorted()).toEqual([['password', 'url'], ['vpc']])
})

test('only what was handed out is recorded: no refusal, no look, no value that was left out', async () => {
  const face = await startFace()
  await put(face, 'database', 1, { url: { value: 'db' }, password: { value: 's3cret', sensitive: true } })
  await post(face, '/v1/sync', {
    units: [
      {
        name: 'app',
        dependencies: [{ on: 'database', outputs: null, inputs: { url: 'url', pw: 'password' } }],
      },
    ],
  })
  let serial = 0
  const read = async (query: string) => {
    let status = 0
    const take = async () => {
      status = (await face.send(query)).status
    }
    await apply(face, 'app', take, ++serial)
    return [status, (await readsOf(face, 'app'))?.map(({ names, inputs }) => ({ names, inputs }))]
  }

  expect(await read('/v1/units/app/inputs?complete=true')).toEqual([403, []])
  expect(await read('/v1/units/app/inputs?peek=true')).toEqual([200, []])
  expect(await read('/v1/units/app/inputs')).toEqual([200, [{ names: ['url'], inputs: { url: 'url' } }]])
  expect(await read('/v1/units/database/outputs?consumer=app')).toEqual([
    200,
    [{ names: ['url'], inputs: undefined }],
  ])
  expect(await read('/v1/units/database/outputs?consumer=app&sensitive=true')).toEqual([
    200,
    [{ names: null, inputs: undefined }],
  ])
})

test('everything that is missing for the inputs is named', async () => {
  const face = await startFace()
  await put(face, 'network', 1, { vpc: { value: 'a' } })
  await post(face, '/v1/sync', {
    units: [
      { name: 'database' },
      {
        name: 'app',
        dependencies: [
          { on: 'network', outputs: ['vpcc'] },
          { on: 'database', outputs: ['url'] },
        ],
      },
    ],
  })

  const refused = await face.send('/v1/units/app/inputs')

  expect(refused.status).toBe(404)
  expect(refused.json()['detail']).toBe(
    'The inputs of app are not available. network has no output vpcc. database has no state, so it has no outputs.',
  )
  expect(refused.json()['hint']).toContain('Did you mean vpc?')
  expect(await readsOf(face, 'app')).toBeNull()
})

test('syncing twice changes nothing the second time, and takes back only what it declared', async () => {
  const face = await startFace()
  const units = [
    { name: 'network', labels: { team: 'net' } },
    { name: 'app', dependencies: [{ on: 'network', outputs: ['vpc'] }] },
  ]
  const kinds = async (json: object) => {
    const answer = await post(face, '/v1/sync', json)
    return (answer.json()['changes'] as { kind: string; unit: string }[]).map(
      ({ kind, unit }) => `${kind} ${unit}`,
    )
  }

  expect(await kinds({ units, dryRun: true })).toEqual(['unit network', 'unit app', 'dependency app'])
  expect((await face.send('/v1/units/app')).status).toBe(404)
  expect(await kinds({ units })).toEqual(['unit network', 'unit app', 'dependency app'])
  expect(await kinds({ units })).toEqual([])
  await face.deps.control.graph.changeDependencies(
    { org: 'default', unit: 'app' },
    (edges) => [...edges, ...edges.map((edge) => ({ ...edge, source: 'declared' as const }))],
    callerNamed('alice'),
  )
  expect(await kinds({ units: [{ name: 'app' }] })).toEqual(['dependency app'])
  expect((await face.send('/v1/units/app')).json()['dependencies']).toMatchObject([{ source: 'declared' }])
})

test('a project that makes a cycle with what is there is refused, and so is one that uses a stranger', async () => {
  const face = await startFace()
  await post(face, '/v1/sync', { units: [{ name: 'a' }, { name: 'b', dependencies: [{ on: 'a' }] }] })

  const cycle = await post(face, '/v1/sync', { units: [{ name: 'a', dependencies: [{ on: 'b' }] }] })
  const stranger = await post(face, '/v1/sync', {
    units: [{ name: 'network' }, { name: 'c', dependencies: [{ on: 'netwrok' }] }],
  })

  expect(cycle.status).toBe(409)
  expect(cycle.json()['detail']).toContain('a → b → a')
  expect(stranger.status).toBe(404)
  expect(stranger.json()['hint']).toBe('Did you mean network?')
})
