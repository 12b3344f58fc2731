import { expect, test } from 'vitest'
import { systemClock } from '../../../base/clock.ts'
import { openGuard, tokenGuard } from './auth.ts'
import { startFace } from '../../../../test/rig/http-face.ts'

const token = 'a-token-that-is-long-enough'
const basic = { authorization: `Basic ${Buffer.from(`anyone:${token}`).toString('base64')}` }
const bearer = { authorization: `Bearer ${token}` }
const json = { 'content-type': 'application/json' }
const state = '{"version":4,"serial":1,"lineage":"a","terraform_version":"1.9.0","outputs":{},"resources":[]}'

const kinds = [
  ['basic', () => tokenGuard({ token, clock: systemClock }), basic],
  ['bearer', () => tokenGuard({ token, clock: systemClock }), bearer],
  ['none', () => openGuard(), {}],
] as const

const requests = [
  ['POST', '/v1/backend/default/planted', state],
  ['PUT', '/v1/backend/default/planted', state],
  ['DELETE', '/v1/backend/default/planted', undefined],
  ['LOCK', '/v1/backend/default/planted', '{"ID":"a"}'],
  ['PUT', '/v1/units/planted/state', state],
  ['POST', '/v1/units', '{"name":"planted"}'],
  ['POST', '/v1/gc', undefined],
  ['GET', '/v1/backend/default/vpc?consumer=app', undefined],
  ['GET', '/v1/units', undefined],
  ['GET', '/healthz', undefined],
  ['OPTIONS', '/v1/units', undefined],
] as const

const pages: readonly Readonly<Record<string, string>>[] = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  // Another port of localhost is the same site and another origin.
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
  { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
]

test.each(kinds)('with %s, nothing is done for a page of another site', async (_kind, guard, credentials) => {
  const face = await startFace({ guard: guard() })

  for (const page of pages) {
    for (const [method, path, body] of requests) {
      const headers = { ...credentials, ...page, 'content-type': 'text/plain' }
      const answer = await face.send(path, { method, headers, ...(body === undefined ? {} : { body }) })

      expect([method, path, page, answer.status]).toEqual([method, path, page, 403])
      expect(answer.headers['www-authenticate']).toBeUndefined()
    }
  }
  const listed = await face.send('/v1/units', { headers: credentials })
  expect(listed.json()['items']).toEqual([])
})

test.each(kinds)(
  'with %s, programs and a page of the server itself are let in',
  async (_kind, guard, auth) => {
    const face = await startFace({ guard: guard() })
    const host = `127.0.0.1:${face.port}`
    const own = [
      {},
      { 'sec-fetch-mode': 'cors' },
      { 'sec-fetch-site': 'none' },
      { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' },
      // The proxy in front speaks TLS, the server does not.
      { origin: `https://${host.toUpperCase()}` },
    ]

    for (const headers of own) {
      expect((await face.send('/v1/units', { headers: { ...auth, ...headers } })).status).toBe(200)
      const sent = { method: 'POST', headers: { ...auth, ...json, ...headers }, body: '{}' }
      expect((await face.send('/v1/gc', sent)).status).toBe(200)
    }
  },
)

test('what a page can send without asking first does nothing on the native API, an empty POST included', async () => {
  const face = await startFace()
  const types = [
    {},
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
  ]

  for (const headers of types) {
    for (const [method, path, body] of [
      ['POST', '/v1/gc', undefined],
      ['POST', '/v1/units', '{"name":"planted"}'],
      ['PUT', '/v1/units/planted/state', state],
    ] as const) {
      const answer = await face.send(path, { method, headers, ...(body === undefined ? {} : { body }) })
      expect([path, answer.status, answer.json()['field']]).toEqual([path, 400, 'Content-Type'])
    }
  }
  // Engines say what they like.
  const written = await face.send('/v1/backend/default/a', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: state,
  })
  expect(written.status).toBe(200)
})

test.each([
  'application/json, text/plain',
  'application/json;',
  'application/json; text/plain',
  'application/x1+json',
  'application/json x',
  'multipart/form-data; boundary=application/json',
])('%s is no JSON type', async (type) => {
  const face = await startFace()
  const sent = { method: 'POST', headers: { 'content-type': type }, body: '{"name":"planted"}' }

  expect((await face.send('/v1/units', sent)).json()).toMatchObject({ status: 400, field: 'Content-Type' })
})

test('no answer makes a browser ask for a password', async () => {
  const face = await startFace({ guard: tokenGuard({ token, clock: systemClock }) })

  for (const path of ['/v1/units', '/v1/backend/default/a', '/metrics', '/nothing']) {
    for (const headers of [
      {},
      { accept: 'text/html', 'user-agent': 'Mozilla/5.0' },
      { ...basic, authorization: 'Basic eDp5' },
    ]) {
      const { status, headers: answered } = await face.send(path, { headers })
      expect([status, answered['www-authenticate']]).toEqual([401, 'Bearer realm="opentaco"'])
    }
  }
})

test('a browser that does not say which page asks leaves no receipt', async () => {
  const face = await startFace()
  for (const name of ['vpc', 'app'])
    await face.send('/v1/units', { method: 'POST', headers: json, body: JSON.stringify({ name }) })
  await face.send('/v1/backend/default/vpc', { method: 'POST', body: state })
  const reads = [
    '/v1/backend/default/vpc?consumer=app',
    '/v1/units/vpc/state?consumer=app',
    '/v1/units/vpc/outputs?consumer=app',
    '/v1/units/app/inputs',
  ]

  for (const path of reads) {
    const browser = await face.send(path, { headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux)' } })
    expect([path, browser.status]).toEqual([path, 403])
    expect((await face.send(path, { headers: { 'user-agent': 'curl/8' } })).status).toBe(200)
  }
})
