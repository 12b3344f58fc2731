import { expect, test } from 'vitest'
import { type TestFace, memoryControl, startFace } from '../../../../test/rig/http-face.ts'
import { systemClock } from '../../../base/clock.ts'
import { openMemoryBucket } from '../../../bucket/adapters/memory.ts'
import { stateText } from '../../../../test/support/state.ts'
import { tokenGuard } from '../auth/auth.ts'
import { runTokenGuard } from '../auth/run-token-guard.ts'

const rootToken = 'the-root-token-of-this-test-0123456789'
const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`taco:${password}`).toString('base64')}`,
})
const root = { authorization: `Bearer ${rootToken}`, 'content-type': 'application/json' }

/** Two servers over one bucket. */
async function fleet(): Promise<readonly [TestFace, TestFace]> {
  const bucket = openMemoryBucket()
  const start = async () => {
    const control = await memoryControl(bucket)
    const clock = systemClock
    const otherwise = tokenGuard({ token: rootToken, clock })
    const guard = runTokenGuard({ runTokens: control.runTokens, otherwise, limit: { clock } })
    return startFace({ control, guard })
  }
  return [await start(), await start()]
}

async function create(face: TestFace, name: string): Promise<string> {
  const answer = await face.send('/v1/units', {
    method: 'POST',
    headers: root,
    body: JSON.stringify({ name }),
  })
  expect(answer.status).toBe(201)
  return String(answer.json()['id'])
}

async function issue(face: TestFace, unit: string, body: object = {}) {
  const sent = { method: 'POST', headers: root, body: JSON.stringify(body) }
  const answer = await face.send(`/v1/units/${unit.replaceAll('/', '--')}/run-tokens`, sent)
  expect(answer.status).toBe(201)
  return answer.json() as { id: string; token: string; unit: { id: string | null; name: string } }
}

const lockInfo = (id: string) => JSON.stringify({ ID: id, Operation: 'OperationTypeApply', Who: 'engine' })

test('a run token locks, writes, reads and unlocks its unit, on any server, in the name of its caller', async () => {
  const [one, two] = await fleet()
  const id = await create(one, 'prod/network')
  const { token, unit } = await issue(one, 'prod/network')
  const headers = basic(token)
  const path = '/v1/backend/default/prod/network'

  expect(unit).toEqual({ id, name: 'prod/network' })
  expect((await two.send(path, { method: 'LOCK', headers, body: lockInfo('l1') })).status).toBe(200)
  expect((await one.send(`${path}?ID=l1`, { method: 'POST', headers, body: stateText(1) })).status).toBe(200)
  expect((await two.send(path, { headers })).text).toBe(stateText(1))
  expect((await two.send(`/v1/backend/default/${id}`, { headers })).text).toBe(stateText(1))
  expect((await two.send(path, { method: 'UNLOCK', headers, body: lockInfo('l1') })).status).toBe(200)
  const versions = await one.send('/v1/units/prod--network/versions', { headers: root })
  expect(versions.json()['items']).toMatchObject([{ by: 'token:root' }])
})

test('a first run makes its unit', async () => {
  const [one, two] = await fleet()
  const { token, unit } = await issue(one, 'new')
  const written = await two.send('/v1/backend/default/new', {
    method: 'POST',
    headers: basic(token),
    body: stateText(1),
  })

  expect(unit).toEqual({ id: null, name: 'new' })
  expect(written.status).toBe(200)
})

test('it changes no other unit, reads the others of its organization alone, and deletes nothing', async () => {
  const [face] = await fleet()
  await create(face, 'own')
  const other = await create(face, 'other')
  const acme = { method: 'POST', headers: root, body: JSON.stringify({ name: 'acme' }) }
  expect((await face.send('/v1/orgs', acme)).status).toBe(201)
  await face.send('/v1/units/other/state', { method: 'PUT', headers: root, body: stateText(1) })
  const headers = basic((await issue(face, 'own')).token)
  const status = async (method: string, path: string, body?: string) =>
    (await face.send(`/v1/backend/${path}`, { method, headers, ...(body === undefined ? {} : { body }) }))
      .status

  expect(await status('GET', 'default/other')).toBe(200)
  expect(await status('HEAD', 'default/other')).toBe(200)
  expect(await status('GET', 'default/other?consumer=own')).toBe(200)
  // A receipt is a record of the unit that reads.
  expect(await status('GET', 'default/own?consumer=other')).toBe(403)
  for (const unit of ['other', other, 'own/more', 'ow%6E/more', 'fresh']) {
    expect(await status('POST', `default/${unit}`, stateText(2))).toBe(403)
    expect(await status('PUT', `default/${unit}`, stateText(2))).toBe(403)
    expect(await status('LOCK', `default/${unit}`, lockInfo('l1'))).toBe(403)
    expect(await status('UNLOCK', `default/${unit}`)).toBe(403)
  }
  expect(await status('DELETE', 'default/own?force=true')).toBe(403)
  expect(await status('DELETE', 'default/other?force=true')).toBe(403)
  expect(await status('GET', 'acme/own')).toBe(403)
  expect(await status('POST', 'acme/own', stateText(1))).toBe(403)
})

test('besides the values of variables of its unit, no other route of the API takes it', async () => {
  const [face] = await fleet()
  await create(face, 'own')
  const { token, id } = await issue(face, 'own')
  const document = (await face.send('/v1/openapi.json', { headers: root })).json() as {
    paths: Record<string, Record<string, { security?: readonly unknown[] }>>
  }
  const calls = Object.entries(document.paths)
    .filter(([path]) => !path.startsWith('/v1/backend/') && !path.endsWith('/variables/values'))
    .flatMap(([path, item]) =>
      Object.entries(item).flatMap(([method, { security }]) =>
        method.startsWith('x-') || security?.length === 0
          ? []
          : [
              `${method.toUpperCase()} ${path.replace('{unit}', 'own').replace('{id}', id).replace('{org}', 'default')}`,
            ],
      ),
    )
  const answers = await Promise.all(
    calls.map(async (call) => {
      const [method = '', path = ''] = call.split(' ')
      const headers = { ...basic(token), 'content-type': 'application/json' }
      const { status } = await face.send(path, {
        method,
        headers,
        ...(method === 'GET' ? {} : { body: '{}' }),
      })
      return `${call} ${status}`
    }),
  )

  expect(calls.length).toBeGreaterThan(40)
  expect(answers).toEqual(calls.map((call) => `${call} 403`))
  await create(face, 'other')
  const values = (unit: string) => face.send(`/v1/units/${unit}/variables/values`, { headers: basic(token) })
  expect([(await values('own')).status, (await values('other')).status]).toEqual([200, 403])
  const events = { ...basic(token), accept: 'text/event-stream' }
  expect((await face.send('/v1/events', { headers: events })).status).toBe(403)
})

test('a unit that gets the name of its unit during the run stays out of reach', async () => {
  const [one, two] = await fleet()
  const id = await create(one, 'prod')
  const { token } = await issue(one, 'prod')
  const rename = { method: 'POST', headers: root, body: JSON.stringify({ name: 'prod-old' }) }
  expect((await one.send('/v1/units/prod/rename', rename)).status).toBe(200)
  await create(one, 'prod')
  const write = { method: 'POST', headers: basic(token), body: stateText(1) }
  expect((await two.send('/v1/backend/default/prod', write)).status).toBe(200)

  expect((await one.send('/v1/units/prod', { headers: root })).json()['state']).toBeNull()
  expect((await one.send(`/v1/units/${id}`, { headers: root })).json()['state']).toMatchObject({ serial: 1 })
})

test('once it is revoked or has expired, every server asks for another; a renewed one goes on', async () => {
  const [one, two] = await fleet()
  await create(one, 'own')
  const ended = await issue(one, 'own')
  const short = await issue(one, 'own', { ttlMs: 1000 })
  const renewed = await issue(one, 'own', { ttlMs: 1000 })
  const get = async (face: TestFace, { token }: { token: string }) =>
    face.send('/v1/backend/default/own', { headers: basic(token) })
  expect((await get(two, ended)).status).toBe(404)

  const renewal = { method: 'POST', headers: root, body: '{"ttlMs":60000}' }
  expect((await two.send(`/v1/run-tokens/${renewed.id}/renew`, renewal)).status).toBe(200)
  expect((await two.send(`/v1/run-tokens/${ended.id}`, { method: 'DELETE', headers: root })).status).toBe(204)
  expect((await two.send(`/v1/run-tokens/${ended.id}`, { method: 'DELETE', headers: root })).status).toBe(204)

  expect((await get(one, ended)).status).toBe(401)
  expect((await get(two, ended)).status).toBe(401)
  await expect
    .poll(async () => (await get(two, short)).json()['detail'], { timeout: 10_000 })
    .toContain('expired')
  expect((await get(one, short)).status).toBe(401)
  expect((await get(one, renewed)).status).toBe(404)
  expect((await one.send(`/v1/run-tokens/${ended.id}/renew`, renewal)).status).toBe(404)
})

test.each([
  ['/v1/units/ws-1111111111111111/run-tokens', {}, 404],
  ['/v1/units/own/run-tokens?org=nowhere', {}, 404],
  ['/v1/units/own/run-tokens?org=..', {}, 400],
  ['/v1/units/a%2F%2Fb/run-tokens', {}, 400],
  ['/v1/units/own/run-tokens', { ttlMs: 86_400_001 }, 400],
  ['/v1/units/own/run-tokens', { ttlMs: 1 }, 400],
  ['/v1/units/own/run-tokens', { write: 'everything' }, 400],
  ['/v1/run-tokens/nothing/renew', {}, 404],
  ['/v1/run-tokens/1111111111111111/renew?org=..', {}, 400],
])('%s with %o is refused with %s', async (path, body, status) => {
  const [face] = await fleet()
  const sent = { method: 'POST', headers: root, body: JSON.stringify(body) }

  expect((await face.send(path, sent)).status).toBe(status)
})
