import { expect, test, vi } from 'vitest'
import { type TestFace, memoryControl, startFace } from '../../../../test/rig/http-face.ts'
import { alice, stateText } from '../../../../test/support/state.ts'
import { systemClock } from '../../../base/clock.ts'
import { openMemoryBucket } from '../../../bucket/adapters/memory.ts'
import type { Bucket } from '../../../bucket/index.ts'
import { tokenGuard } from '../auth/auth.ts'
import { runTokenGuard } from '../auth/run-token-guard.ts'
import { v1Routes } from './face.ts'

const rootToken = 'the-root-token-of-this-test-0123456789'
const bearer = (token: string) => ({ authorization: `Bearer ${token}`, 'content-type': 'application/json' })

async function open() {
  const bucket = openMemoryBucket()
  const control = await memoryControl(bucket)
  const clock = systemClock
  const otherwise = tokenGuard({ token: rootToken, clock })
  const guard = runTokenGuard({ runTokens: control.runTokens, otherwise, limit: { clock } })
  const face = await startFace({ control, guard })
  return { face, bucket, control, ...asRoot(face) }
}

function asRoot(face: TestFace) {
  const ask = async (method: string, path: string, body?: unknown) => {
    const answer = await face.send(path, {
      method,
      headers: bearer(rootToken),
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { status: answer.status, requestId: String(answer.headers['x-request-id']), json: answer.json }
  }
  const records = async (query = '') =>
    (await ask('GET', `/v1/audit?limit=1000${query}`)).json()['items'] as Record<string, unknown>[]
  return { ask, records }
}

async function journalOf(bucket: Bucket): Promise<string> {
  let all = ''
  for await (const page of bucket.list('.taco/'))
    for (const { key } of page)
      if (key.includes('/journal/')) all += String(await (await bucket.get(key))?.bytes())
  return all
}

/** Every route that changes something, with a call that does. `id` and `token` come from the calls before. */
const calls: readonly (readonly [string, string, unknown?])[] = [
  ['POST /v1/orgs', '/v1/orgs', { name: 'acme' }],
  ['PATCH /v1/orgs/{org}', '/v1/orgs/acme', { retention: { count: 5 } }],
  ['POST /v1/units', '/v1/units', { name: 'app' }],
  ['PATCH /v1/units/{unit}', '/v1/units/app', { description: 'changed' }],
  ['POST /v1/units/{unit}/lock', '/v1/units/app/lock', { id: 'l', leaseMs: 60_000 }],
  ['POST /v1/units/{unit}/lock/renew', '/v1/units/app/lock/renew', { id: 'l', leaseMs: 60_000 }],
  ['DELETE /v1/units/{unit}/lock', '/v1/units/app/lock?id=l'],
  ['LOCK /v1/backend/{org}/{unit}', '/v1/backend/default/net', { ID: 'm' }],
  ['POST /v1/backend/{org}/{unit}', '/v1/backend/default/net?ID=m', stateText(1)],
  ['UNLOCK /v1/backend/{org}/{unit}', '/v1/backend/default/net', { ID: 'm' }],
  ['PUT /v1/backend/{org}/{unit}', '/v1/backend/default/net', stateText(2)],
  ['PUT /v1/units/{unit}/state', '/v1/units/app/state', stateText(1)],
  ['POST /v1/units/{unit}/rollback', '/v1/units/net/rollback', { version: '1' }],
  ['POST /v1/units/{unit}/dependencies', '/v1/units/app/dependencies', { on: 'net' }],
  ['DELETE /v1/units/{unit}/dependencies', '/v1/units/app/dependencies?on=net'],
  ['POST /v1/sync', '/v1/sync', { units: [{ name: 'app', dependencies: [{ on: 'net' }] }, { name: 'net' }] }],
  ['POST /v1/rollouts', '/v1/rollouts', { from: ['net'], claim: { worker: 'w' } }],
  ['POST /v1/rollouts/{id}/pause', '/v1/rollouts/{id}/pause', {}],
  ['POST /v1/rollouts/{id}/resume', '/v1/rollouts/{id}/resume', {}],
  ['POST /v1/rollouts/{id}/claims', '/v1/rollouts/{id}/claims', { worker: 'v' }],
  ['POST /v1/rollouts/{id}/renew', '/v1/rollouts/{id}/renew', { tokens: ['{token}'] }],
  [
    'POST /v1/rollouts/{id}/steps/{unit}/begin',
    '/v1/rollouts/{id}/steps/net/begin',
    { token: '{token}', lock: false },
  ],
  [
    'POST /v1/rollouts/{id}/steps/{unit}/end',
    '/v1/rollouts/{id}/steps/net/end',
    { token: '{token}', end: { kind: 'failed', reason: 'no', exitCode: 1, engineMs: 1 } },
  ],
  ['POST /v1/rollouts/{id}/steps/{unit}/skip', '/v1/rollouts/{id}/steps/net/skip', { reason: 'r' }],
  ['POST /v1/rollouts/{id}/cancel', '/v1/rollouts/{id}/cancel', {}],
  ['POST /v1/units/{unit}/run-tokens', '/v1/units/app/run-tokens', {}],
  ['POST /v1/run-tokens/{id}/renew', '/v1/run-tokens/{id}/renew', {}],
  ['DELETE /v1/run-tokens/{id}', '/v1/run-tokens/{id}'],
  ['DELETE /v1/backend/{org}/{unit}', '/v1/backend/default/net'],
  ['DELETE /v1/units/{unit}/state', '/v1/units/app/state'],
  ['POST /v1/units/{unit}/rename', '/v1/units/app/rename', { name: 'renamed' }],
  ['DELETE /v1/units/{unit}', '/v1/units/renamed'],
  ['POST /v1/units/{unit}/restore', '/v1/units/renamed/restore', {}],
  ['POST /v1/adopt', '/v1/adopt', {}],
  ['POST /v1/gc', '/v1/gc', {}],
  ['POST /v1/doctor', '/v1/doctor', { repair: true }],
]

test('every route that changes something leaves a record of its own request', async () => {
  const { ask, records } = await open()
  const made: [string, string][] = []
  const known: Record<string, string> = {}
  const filled = (text: string) => text.replaceAll(/\{(id|token)\}/g, (_, name: string) => known[name] ?? '')
  for (const [route, path, body] of calls) {
    const method = route.slice(0, route.indexOf(' '))
    const text = typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body)
    const { status, requestId, json } = await ask(method, filled(path), text && filled(text))
    expect([route, status < 300]).toEqual([route, true])
    made.push([route, requestId])
    if (route === 'POST /v1/rollouts') {
      const started = json() as { id: string; claims: { token: string }[] }
      Object.assign(known, { id: started.id, token: started.claims[0]?.token })
    }
    if (route.endsWith('/run-tokens')) known['id'] = String(json()['id'])
  }

  await vi.waitFor(async () => {
    const found = await records()
    const missing = made.filter(
      ([route, requestId]) =>
        !found.some(
          (one) =>
            one['requestId'] === requestId &&
            one['route'] === route &&
            one['result'] === 'done' &&
            one['by'] === 'token:root' &&
            one['address'] === '127.0.0.1' &&
            one['action'] === v1Routes.find((of) => `${of.method} ${of.pattern}` === route)?.action,
        ),
    )
    expect(missing).toEqual([])
  })
})

test('a change that makes no event is recorded before it is answered', async () => {
  const { ask, bucket } = await open()
  const { status, requestId } = await ask('POST', '/v1/units/app/run-tokens', {})

  expect(status).toBe(201)
  expect(await journalOf(bucket)).toContain(requestId)
})

test('refusals are recorded with who, from where and what, and without the secret', async () => {
  const { face, ask, records } = await open()
  await ask('POST', '/v1/units', { name: 'app' })
  await ask('POST', '/v1/units', { name: 'net' })
  const run = (await ask('POST', '/v1/units/app/run-tokens', {})).json()
  const send = (token: string, path: string, method = 'GET') =>
    face.send(path, { method, headers: bearer(token) })
  const secret = String(run['token']).split('.').at(-1) ?? ''
  const wrongToken = String(run['token']).replace(secret, secret.toLowerCase().replaceAll(/[a-z]/g, 'q'))

  await send('no-token-at-all', '/v1/units/app?org=default')
  await send(wrongToken, '/v1/backend/default/app')
  await send(String(run['token']), '/v1/backend/default/net', 'DELETE')
  await send(String(run['token']), '/v1/orgs', 'GET')
  await face.send('/v1/units/app')
  await send('no-token-at-all', '/v1/there-is-no-such-route')

  await vi.waitFor(async () => {
    const found = await records('&result=refused')
    const seen = found.map(({ by, via, action, org, unit, data }) => ({ by, via, action, org, unit, data }))
    const byRun = { by: 'token:root', via: { kind: 'run', id: run['id'], name: null } }
    const stranger = { by: 'anonymous', via: null, org: null }
    const unknown = (name: string) => ({ id: null, name })
    expect(seen).toHaveLength(5)
    expect(seen).toEqual(
      expect.arrayContaining([
        {
          ...stranger,
          action: 'unit:read',
          unit: unknown('app'),
          data: { reason: 'UNAUTHENTICATED', org: 'default' },
        },
        {
          ...stranger,
          action: 'state:read',
          unit: unknown('app'),
          data: {
            reason: 'UNAUTHENTICATED',
            org: 'default',
            credential: `taco_run_default.${String(run['id'])}`,
          },
        },
        {
          ...byRun,
          action: 'state:delete',
          org: 'default',
          unit: { id: expect.stringMatching(/^ws-/), name: 'net' },
          data: { reason: 'FORBIDDEN' },
        },
        { ...byRun, action: 'org:read', org: null, unit: null, data: { reason: 'FORBIDDEN' } },
        { ...stranger, action: null, unit: null, data: { reason: 'UNAUTHENTICATED' } },
      ]),
    )
    for (const record of found) expect(record).toMatchObject({ address: '127.0.0.1', result: 'refused' })
  })
  const everything = JSON.stringify(await records())
  for (const text of [secret, wrongToken.split('.').at(-1) ?? '', 'no-token-at-all', rootToken])
    expect(everything).not.toContain(text)
})

test('a refusal that names an organization that does not exist makes none', async () => {
  const { face, ask, control } = await open()
  const run = (await ask('POST', '/v1/units/app/run-tokens', {})).json()
  await face.send('/v1/backend/elsewhere/app', { headers: bearer(String(run['token'])) })
  await control.close()

  expect((await ask('GET', '/v1/orgs')).json()['items']).toMatchObject([{ name: 'default' }])
  expect((await ask('GET', '/v1/audit?result=refused')).json()['items']).toMatchObject([
    { org: null, unit: { id: null, name: 'app' }, data: { org: 'elsewhere' } },
  ])
})

test('a flood of refusals is counted', async () => {
  const { face, control } = await open()
  const wrong = (path: string) => face.send(path, { headers: bearer('wrong') })
  for (let i = 0; i < 30; i++) await wrong('/v1/units/app')
  for (let i = 0; i < 40; i++) await wrong(`/v1/units/unit-${i}`)
  await control.close()

  const { items } = await control.audit.read({ limit: 1000, result: 'refused' }, alice)
  expect(items.length).toBeLessThan(30)
  expect(items.reduce((sum, { count }) => sum + count, 0)).toBe(70)
})

test('reading sensitive values is recorded, and the feed of events has none of this', async () => {
  const { ask, records, control } = await open()
  await ask('PUT', '/v1/units/app/state', stateText(1))
  await ask('GET', '/v1/units/app/outputs')
  const { requestId } = await ask('GET', '/v1/units/app/outputs?sensitive=true')

  const read = { action: 'outputs:read-sensitive', requestId, unit: { name: 'app' }, result: 'done' }
  expect(await records('&action=outputs:*')).toMatchObject([read])
  await control.close()
  const events = (await ask('GET', '/v1/events?limit=1000')).json()['items'] as { type: string }[]
  expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['unit.created', 'state.written']))
  expect(events.filter(({ type }) => type.startsWith('request.'))).toEqual([])
})

test('records are found by who, unit, action and time, page by page', async () => {
  const { ask, records, control } = await open()
  const before = new Date().toISOString()
  for (const name of ['a', 'b', 'c']) await ask('POST', '/v1/units', { name })
  await ask('PATCH', '/v1/units/b', { description: 'x' })
  await control.close()
  const types = async (query: string) =>
    (await records(query)).map(({ type, unit }) => `${String(type)} ${(unit as { name: string }).name}`)

  expect(await types('&unit=b')).toEqual(['unit.changed b', 'unit.created b'])
  expect(await types('&who=root&unit=c')).toEqual(['unit.created c'])
  expect(await types('&who=user:alice')).toEqual([])
  expect(await types('&action=unit:update')).toEqual(['unit.changed b'])
  expect(await types('&action=unit.created&org=default')).toHaveLength(3)
  expect(await types(`&until=${before}&who=root`)).toEqual([])
  expect(await types(`&since=${before}&action=unit*`)).toHaveLength(4)
  const paged: unknown[] = []
  let cursor = ''
  for (let more = true; more;) {
    const page = (await ask('GET', `/v1/audit?limit=2&who=root${cursor}`)).json()
    paged.push(...(page['items'] as unknown[]))
    more = page['next'] !== null
    cursor = `&cursor=${String(page['next'])}`
  }
  expect(paged).toEqual(await records('&who=root'))
})

test('a broken guard is announced, and found by its unit', async () => {
  const { ask, records, control } = await open()
  await ask('POST', '/v1/units', { name: 'app' })
  expect((await ask('POST', '/v1/orgs/default/guards', { units: ['app'] })).status).toBe(201)
  const broken = await ask('POST', '/v1/units/app/break-glass', { reason: 'the runner is down' })
  expect(broken.status).toBe(201)
  await control.close()

  const found = { by: 'token:root', requestId: broken.requestId, data: { reason: 'the runner is down' } }
  expect(await records('&unit=app&action=guard.*')).toMatchObject([{ type: 'guard.broken', ...found }])
  const events = await ask('GET', '/v1/events?type=guard.broken&type=guard.set')
  expect(events.json()['items']).toMatchObject([
    { type: 'guard.set' },
    { type: 'guard.broken', unit: { name: 'app' } },
  ])
})

test('what is hidden from a caller is answered as missing, and recorded as refused', async () => {
  const control = await memoryControl(openMemoryBucket())
  await control.units.create({ org: 'default', name: 'secret' }, alice)
  const via = { kind: 'token', id: 'at-1', name: 'ci' } as const
  const principal = { kind: 'user', id: 'user-mallory', name: 'mallory', groups: [], via } as const
  const face = await startFace({ control, guard: { kind: 'token', identify: () => principal } })
  const answer = await face.send('/v1/units/secret')
  await control.close()

  expect(answer.status).toBe(404)
  expect(
    (await control.audit.read({ limit: 9, result: 'refused', who: 'mallory' }, alice)).items,
  ).toMatchObject([
    {
      by: 'user:mallory',
      via,
      action: 'unit:read',
      org: 'default',
      unit: { id: expect.stringMatching(/^ws-/), name: 'secret' },
      requestId: answer.headers['x-request-id'],
      data: { reason: 'FORBIDDEN' },
    },
  ])
})
