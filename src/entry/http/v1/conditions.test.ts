import { expect, test } from 'vitest'
import { type Answer, type TestFace, memoryControl, startFace } from '../../../../test/rig/http-face.ts'
import { openMemoryBucket } from '../../../bucket/adapters/memory.ts'
import { overwrite } from '../../../../test/support/state.ts'
import { v1Routes } from './face.ts'

const unit = '/v1/units/prod--vpc'
const state = `${unit}/state`
const backend = '/v1/backend/default/prod/vpc'
const json = { 'content-type': 'application/json' }

function stateOf(serial: number): string {
  return JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial,
    lineage: 'aaaa',
    outputs: {},
    resources: [],
  })
}

/** Two states were written; `old` and `current` are their entity tags. */
async function twoStates() {
  const face = await startFace()
  const tags: string[] = []
  for (const serial of [1, 2]) {
    await face.send(state, { method: 'PUT', body: stateOf(serial), headers: json })
    tags.push((await face.send(state)).headers.etag ?? '')
  }
  return { face, old: tags[0] ?? '', current: tags[1] ?? '' }
}

const versionsOf = async (face: TestFace) =>
  (await face.send(`${unit}/versions`)).json()['items'] as unknown[]

type Change = (face: TestFace, conditions: Record<string, string>) => Promise<Answer>
const changes: readonly (readonly [string, Change])[] = [
  [
    'PUT …/state',
    (face, headers) =>
      face.send(state, { method: 'PUT', body: stateOf(3), headers: { ...json, ...headers } }),
  ],
  [
    'DELETE …/state',
    (face, headers) => face.send(state, { method: 'DELETE', headers: { ...json, ...headers } }),
  ],
  [
    'POST …/rollback',
    (face, headers) =>
      face.send(`${unit}/rollback`, {
        method: 'POST',
        body: '{"version":"1"}',
        headers: { ...json, ...headers },
      }),
  ],
  [
    'POST of the backend',
    (face, headers) =>
      face.send(backend, { method: 'POST', body: stateOf(3), headers: { ...json, ...headers } }),
  ],
  [
    'DELETE of the backend',
    (face, headers) => face.send(backend, { method: 'DELETE', headers: { ...json, ...headers } }),
  ],
]

test.each(changes)('%s with an old entity tag is refused and changes nothing', async (_name, change) => {
  const { face, old, current } = await twoStates()

  for (const conditions of [{ 'if-match': old }, { 'if-match': `W/${current}` }, { 'if-none-match': '*' }]) {
    const refused = await change(face, conditions)
    expect(refused.json()).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' })
  }

  expect((await face.send(state)).text).toBe(stateOf(2))
  expect(await versionsOf(face)).toHaveLength(2)
})

test.each(changes)('%s with the current entity tag among others is carried out', async (_name, change) => {
  const { face, old, current } = await twoStates()

  expect((await change(face, { 'if-match': `${old}, ${current}` })).status).toBeLessThan(300)
  expect((await face.send(state)).text).not.toBe(stateOf(2))
})

test('a retry of a conditional write whose answer was lost succeeds', async () => {
  const { face, current } = await twoStates()
  const write = () =>
    face.send(state, { method: 'PUT', body: stateOf(3), headers: { ...json, 'if-match': current } })

  expect((await write()).status).toBe(201)
  expect((await write()).status).toBe(201)
  expect(await versionsOf(face)).toHaveLength(3)
})

test('a state that was written around OpenTaco is replaced only by someone who has seen it', async () => {
  const bucket = openMemoryBucket()
  const face = await startFace({ control: await memoryControl(bucket) })
  const write = (serial: number, headers: Record<string, string> = {}) =>
    face.send(state, { method: 'PUT', body: stateOf(serial), headers: { ...json, ...headers } })
  await write(1)
  const before = (await face.send(state)).headers.etag ?? ''
  await overwrite(bucket, 'prod/vpc/terraform.tfstate', stateOf(7))
  const after = (await face.send(state)).headers.etag ?? ''

  expect((await write(8, { 'if-match': before })).status).toBe(412)
  expect((await write(8, { 'if-match': after })).status).toBe(201)
})

test('If-None-Match: * creates and never replaces; If-Match creates nothing', async () => {
  const face = await startFace()
  const write = (headers: Record<string, string>, serial: number) =>
    face.send(state, { method: 'PUT', body: stateOf(serial), headers: { ...json, ...headers } })

  expect((await write({ 'if-match': '*' }, 1)).status).toBe(412)
  expect((await write({ 'if-match': '"x"' }, 1)).status).toBe(412)
  expect((await face.send(unit)).status).toBe(404)
  expect((await write({ 'if-none-match': '*' }, 1)).status).toBe(201)
  expect((await write({ 'if-none-match': '*' }, 2)).status).toBe(412)
  expect((await write({ 'if-match': '*' }, 2)).status).toBe(201)
})

test('reads honour If-Match, and lists and stars of If-None-Match', async () => {
  const { face, old, current } = await twoStates()
  const { etag = '' } = (await face.send(unit)).headers
  const read = async (path: string, headers: Record<string, string>) =>
    (await face.send(path, { headers })).status

  for (const path of [state, backend]) {
    expect(await read(path, { 'if-match': current })).toBe(200)
    expect(await read(path, { 'if-match': old })).toBe(412)
    expect(await read(path, { 'if-none-match': `${old}, ${current}` })).toBe(304)
    expect(await read(path, { 'if-none-match': `W/${current}` })).toBe(304)
    expect(await read(path, { 'if-none-match': '*' })).toBe(304)
    expect(await read(path, { 'if-none-match': old })).toBe(200)
  }
  expect(await read('/v1/backend/default/nothing', { 'if-match': '*' })).toBe(412)
  expect(await read(unit, { 'if-none-match': `"x", ${etag}` })).toBe(304)
  expect(await read(unit, { 'if-match': '"x"' })).toBe(412)
})

test('a unit is deleted on condition only as it was seen', async () => {
  const face = await startFace()
  const made = await face.send('/v1/units', { method: 'POST', body: '{"name":"a"}', headers: json })
  const { etag = '' } = made.headers
  await face.send('/v1/units/a', { method: 'PATCH', body: '{"description":"kept"}', headers: json })
  const remove = (tag: string) =>
    face.send('/v1/units/a', { method: 'DELETE', headers: { ...json, 'if-match': tag } })

  expect((await remove(etag)).status).toBe(412)
  const now = await face.send('/v1/units/a')
  expect(now.json()).toMatchObject({ description: 'kept', lock: null })
  expect((await remove(`"x", ${now.headers.etag}`)).status).toBe(200)
})

test('every change that takes no condition refuses one, instead of not honouring it', async () => {
  const face = await startFace()
  const unsafe = v1Routes.filter(({ method }) => method !== 'GET')
  expect(unsafe.length).toBeGreaterThan(15)
  for (const { method, pattern: path, headers } of unsafe) {
    if (headers !== undefined && 'if-match' in headers.shape) continue
    const answer = await face.send(path.replace('/{org}/{unit}', '/default/a').replaceAll(/\{\w+\}/g, 'a'), {
      method,
      headers: { ...json, 'if-match': '"x"' },
      body: '{}',
    })
    expect(answer.json(), `${method} ${path}`).toMatchObject({ status: 400, field: 'If-Match' })
  }
})

test.each(changes)('%s with so many headers that a condition would be lost is refused', async (_, change) => {
  const { face, old } = await twoStates()
  for (const count of [100, 150, 300, 800]) {
    const many = Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, '1']))
    expect((await change(face, { ...many, 'if-match': old })).json()).toMatchObject({ field: 'headers' })
  }

  expect(await versionsOf(face)).toHaveLength(2)
})
