import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { startFace } from '../../../../../test/rig/http-face.ts'
import { takesGzip } from './compress.ts'

test.each([
  ['gzip', true],
  ['br, GZIP;q=0.5', true],
  ['*', true],
  ['deflate, br', false],
  ['gzip;q=0, *', false],
  ['', false],
])('Accept-Encoding: %s takes gzip: %s', (accepts, takes) => {
  expect(takesGzip(accepts)).toBe(takes)
})

async function filled() {
  const face = await startFace()
  const headers = { 'content-type': 'application/json' }
  const state = JSON.stringify({
    version: 4,
    serial: 1,
    lineage: 'L',
    outputs: { text: { value: 'x'.repeat(20_000), type: 'string' } },
    resources: [],
  })
  await face.send('/v1/units/a/state', { method: 'PUT', headers, body: state })
  const units = Array.from({ length: 40 }, (_, i) => ({ name: `prod/unit-${i}` }))
  await face.send('/v1/sync', { method: 'POST', headers, body: JSON.stringify({ units }) })
  return face
}

const gzip = { 'accept-encoding': 'gzip' }

test('a large list is compressed for who takes it, and is the same', async () => {
  const face = await filled()

  const plain = await face.send('/v1/units')
  const small = await face.send('/v1/units', { headers: gzip })

  expect(plain.headers).toMatchObject({ vary: 'Accept-Encoding' })
  expect(plain.headers).not.toHaveProperty('content-encoding')
  expect(small.headers).toMatchObject({
    vary: 'Accept-Encoding',
    'content-encoding': 'gzip',
    'content-type': 'application/json',
    'cache-control': 'no-store',
  })
  expect(small.bytes.byteLength).toBeLessThan(plain.bytes.byteLength / 4)
  const { items } = JSON.parse(gunzipSync(small.bytes).toString('utf8')) as { items: unknown[] }
  expect(items).toEqual(plain.json()['items'])
})

test('what is small, holds secrets, carries an ETag or is a state goes as it is', async () => {
  const face = await filled()

  for (const path of [
    '/v1/server',
    '/v1/units/a/outputs',
    '/v1/units/a/inputs',
    '/v1/units/a',
    '/v1/units/a/state',
    '/v1/units/a/versions/1/state',
    '/v1/backend/default/a',
    '/v1/nothing',
  ])
    expect((await face.send(path, { headers: gzip })).headers).not.toHaveProperty('content-encoding')
})
