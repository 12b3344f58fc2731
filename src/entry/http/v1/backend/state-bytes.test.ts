import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type TestFace, startFace } from '../../../../../test/rig/http-face.ts'
import { freeing } from '../../kit/freeing.ts'

const resource = {
  mode: 'managed',
  type: 't',
  name: 'n',
  provider: 'p',
  instances: [{ schema_version: 0, attributes: { id: '1' } }],
}

function stateOf(serial: number, resources: readonly unknown[] = []): string {
  return JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial,
    lineage: 'aaaa',
    outputs: {},
    resources,
  })
}

function put(face: TestFace, text: string, query = '') {
  const md5 = createHash('md5').update(text).digest('base64')
  return face.send(`/v1/units/prod--vpc/state${query}`, {
    method: 'PUT',
    body: text,
    headers: { 'content-type': 'application/json', 'content-md5': md5 },
  })
}

test('a state is pushed and pulled byte for byte, by any form of the name', async () => {
  const face = await startFace()

  const written = await put(face, stateOf(1), '?message=first%20push')

  expect(written.status).toBe(201)
  expect(written.json()).toMatchObject({ seq: 1, serial: 1, how: 'push', message: 'first push' })
  for (const name of ['prod--vpc', 'prod%2Fvpc', 'prod%2fvpc']) {
    expect((await face.send(`/v1/units/${name}/state`)).text).toBe(stateOf(1))
  }
  expect((await face.send('/v1/backend/default/prod/vpc')).text).toBe(stateOf(1))
})

test('old versions are read as they were, and never again by who has them', async () => {
  const face = await startFace()
  await put(face, stateOf(1))
  await put(face, stateOf(2, [resource]))

  const old = await face.send('/v1/units/prod--vpc/versions/1/state')
  const again = await face.send('/v1/units/prod--vpc/versions/1/state', {
    headers: { 'if-none-match': old.headers.etag ?? '' },
  })

  expect(old.text).toBe(stateOf(1))
  expect(again).toMatchObject({ status: 304, text: '' })
  expect((await face.send('/v1/units/prod--vpc/versions/current/state')).text).toBe(stateOf(2, [resource]))
  expect((await face.send('/v1/units/prod--vpc/versions/9/state')).status).toBe(404)
})

test('serial and lineage are minded unless the push is forced', async () => {
  const face = await startFace()
  await put(face, stateOf(5))

  expect((await put(face, stateOf(4))).json()).toMatchObject({ status: 409, code: 'STATE_SERIAL' })
  expect((await put(face, stateOf(5, [resource]))).json()).toMatchObject({
    status: 409,
    code: 'STATE_SAME_SERIAL',
  })
  expect((await put(face, stateOf(4), '?force=maybe')).json()).toMatchObject({
    status: 400,
    field: 'force',
    detail: 'The request is invalid: force must be true or false.',
    hint: expect.any(String),
  })
  expect((await put(face, stateOf(4), `?message=${'x'.repeat(1001)}`)).json()).toMatchObject({
    status: 400,
    field: 'message',
  })
  expect((await put(face, stateOf(4), '?force=true')).status).toBe(201)
})

test('a state with resources is deleted only by force; its history stays', async () => {
  const face = await startFace()
  await put(face, stateOf(1, [resource]))

  const refused = await face.send('/v1/units/prod--vpc/state', { method: 'DELETE' })
  const forced = await face.send('/v1/units/prod--vpc/state?force=true', { method: 'DELETE' })

  expect(refused.json()).toMatchObject({ status: 409, code: 'STATE_HAS_RESOURCES' })
  expect(forced).toMatchObject({ status: 204, text: '' })
  expect((await face.send('/v1/units/prod--vpc/state')).json()).toMatchObject({
    status: 404,
    code: 'NOT_FOUND',
  })
  expect((await face.send('/v1/units/prod--vpc/versions/1/state')).text).toBe(stateOf(1, [resource]))
})

test('buffers are freed every few megabytes, not for every chunk', async () => {
  let freed = 0
  async function* chunks() {
    for (let i = 0; i < 20; i++) yield new Uint8Array(2 ** 20)
  }

  let size = 0
  for await (const chunk of freeing(chunks(), () => freed++)) size += chunk.byteLength

  expect({ size, freed }).toEqual({ size: 20 * 2 ** 20, freed: 2 })
})
