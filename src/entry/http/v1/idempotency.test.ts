import { callerNamed } from '../../../../test/support/caller.ts'
import { expect, test } from 'vitest'
import { startFace } from '../../../../test/rig/http-face.ts'

async function open() {
  const face = await startFace()
  async function ask(method: string, path: string, json?: unknown, key?: string) {
    const answer = await face.send(path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    })
    const text = answer.text === '' ? '{}' : answer.text
    return { status: answer.status, json: JSON.parse(text) as Record<string, unknown> }
  }
  const state = (serial: number, zone: string, resources: readonly unknown[] = []) => ({
    version: 4,
    serial,
    lineage: 'L',
    outputs: { zone: { value: zone, type: 'string' } },
    resources,
  })
  const count = async (path: string) => ((await ask('GET', path)).json['items'] as unknown[]).length
  for (const name of ['a', 'b']) await ask('POST', '/v1/units', { name })
  return { ask, state, count }
}

const KEY = 'a-key-of-mine'

test('what is made is made once, and told as made again', async () => {
  const { ask } = await open()

  for (const [path, json] of [
    ['/v1/orgs', { name: 'acme' }],
    ['/v1/units', { name: 'c', labels: { team: 'x' } }],
  ] as const) {
    const first = await ask('POST', path, json, KEY)
    const again = await ask('POST', path, json, KEY)
    expect([path, first.status, again.status]).toEqual([path, 201, 201])
    expect(again.json).toEqual(first.json)
  }
})

test('a rollout is started once, and the repetition gets the claims of the first', async () => {
  const { ask, count } = await open()
  const json = { from: ['a'], claim: { worker: 'w' } }

  const first = await ask('POST', '/v1/rollouts', json, KEY)
  const again = await ask('POST', '/v1/rollouts', json, KEY)

  const tokens = (claims: unknown) => (claims as { token: string }[]).map(({ token }) => token)
  expect([first.status, again.status]).toEqual([201, 201])
  expect(again.json['id']).toBe(first.json['id'])
  expect(tokens(first.json['claims'])).toHaveLength(1)
  expect(tokens(again.json['claims'])).toEqual(tokens(first.json['claims']))
  expect(await count('/v1/rollouts')).toBe(1)
})

test('a rename, a deletion and a restoration are found done, under the old name too', async () => {
  const { ask } = await open()

  const renamed = await ask('POST', '/v1/units/a/rename', { name: 'z' }, 'k1')
  const renamedAgain = await ask('POST', '/v1/units/a/rename', { name: 'z' }, 'k1')
  expect(renamedAgain).toEqual(renamed)

  const deleted = await ask('DELETE', '/v1/units/z', undefined, 'k2')
  const deletedAgain = await ask('DELETE', '/v1/units/z', undefined, 'k2')
  expect(deletedAgain.status).toBe(200)
  expect(deletedAgain.json['deleted']).toEqual(deleted.json['deleted'])

  const restored = await ask('POST', '/v1/units/z/restore', {}, 'k3')
  const restoredAgain = await ask('POST', '/v1/units/z/restore', {}, 'k3')
  expect([restored.status, restoredAgain.status]).toEqual([200, 200])
  expect(restoredAgain.json['id']).toBe(restored.json['id'])
})

test('a repeated deletion leaves a unit alone that took the name since', async () => {
  const { ask } = await open()
  await ask('DELETE', '/v1/units/a', undefined, KEY)
  const made = await ask('POST', '/v1/units', { name: 'a' })

  expect((await ask('DELETE', '/v1/units/a', undefined, KEY)).status).toBe(200)
  expect((await ask('GET', '/v1/units/a')).json['id']).toBe(made.json['id'])
})

test('a roll-back and a forced push make one version, also while others hold the lock', async () => {
  const { ask, state, count } = await open()
  await ask('PUT', '/v1/units/a/state', state(1, 'one'))
  await ask('PUT', '/v1/units/a/state', state(2, 'two'))

  const first = await ask('POST', '/v1/units/a/rollback', { version: 'previous' }, 'k1')
  await ask('POST', '/v1/units/a/lock', { id: 'of-somebody-else' })
  const again = await ask('POST', '/v1/units/a/rollback', { version: 'previous' }, 'k1')
  expect([first.status, again.status]).toEqual([201, 201])
  expect(again.json).toEqual(first.json)
  await ask('DELETE', '/v1/units/a/lock?id=of-somebody-else')

  const pushed = await ask('PUT', '/v1/units/a/state?force=true', state(1, 'three'), 'k2')
  const pushedAgain = await ask('PUT', '/v1/units/a/state?force=true', state(1, 'three'), 'k2')
  expect(pushedAgain).toEqual(pushed)
  expect(await count('/v1/units/a/versions')).toBe(4)
})

test('requests with one key at the same time have one effect', async () => {
  const { ask, state, count } = await open()
  await ask('PUT', '/v1/units/a/state', state(1, 'one'))
  await ask('PUT', '/v1/units/a/state', state(2, 'two'))
  const five = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: 5 }, work))

  const started = await five(() => ask('POST', '/v1/rollouts', { from: ['a'] }, 'k1'))
  const back = await five(() => ask('POST', '/v1/units/a/rollback', { version: '1' }, 'k2'))

  expect(new Set(started.map(({ json }) => json['id'])).size).toBe(1)
  expect(await count('/v1/rollouts')).toBe(1)
  expect(await count('/v1/units/a/versions')).toBe(3)
  // Those that found the lock of the first taken may try again.
  expect(back.every(({ status }) => status === 201 || status === 423)).toBe(true)
})

test('a repeated deletion of a state, or breaking of a lock, touches nothing that came since', async () => {
  const { ask, state } = await open()
  await ask('PUT', '/v1/units/a/state', state(1, 'one'))
  await ask('DELETE', '/v1/units/a/state', undefined, 'k1')
  await ask('PUT', '/v1/units/a/state', state(2, 'two'))
  expect((await ask('DELETE', '/v1/units/a/state', undefined, 'k1')).status).toBe(204)
  expect((await ask('GET', '/v1/units/a/state')).status).toBe(200)

  await ask('POST', '/v1/units/a/lock', { id: 'one' })
  expect((await ask('DELETE', '/v1/units/a/lock?force=true', undefined, 'k2')).json['id']).toBe('one')
  await ask('POST', '/v1/units/a/lock', { id: 'two' })
  expect((await ask('DELETE', '/v1/units/a/lock?force=true', undefined, 'k2')).status).toBe(204)
  expect((await ask('GET', '/v1/units/a/lock')).json).toMatchObject({ lock: { id: 'two' } })
})

test('a lock that is taken without an id is taken once', async () => {
  const { ask } = await open()

  const first = await ask('POST', '/v1/units/a/lock', {}, KEY)
  const again = await ask('POST', '/v1/units/a/lock', {}, KEY)

  expect([first.status, again.status]).toEqual([200, 200])
  expect(again.json['id']).toBe(first.json['id'])
})

test('a dependency that was removed is found removed', async () => {
  const { ask } = await open()
  await ask('POST', '/v1/units/b/dependencies', { on: 'a' })
  const path = '/v1/units/b/dependencies?on=a'

  expect((await ask('DELETE', path, undefined, KEY)).status).toBe(200)
  expect(await ask('DELETE', path, undefined, KEY)).toMatchObject({ status: 200, json: { uses: [] } })
  expect((await ask('DELETE', path, undefined, 'another')).status).toBe(404)
})

test('changes of a rollout are made once, whatever came since', async () => {
  const { ask } = await open()
  const { json } = await ask('POST', '/v1/rollouts', { from: ['a'] })
  const path = `/v1/rollouts/${String(json['id'])}`

  await ask('POST', `${path}/pause`, {}, 'k1')
  await ask('POST', `${path}/resume`, {}, 'k2')
  expect((await ask('POST', `${path}/pause`, {}, 'k1')).json['status']).toBe('active')
  for (let i = 0; i < 2; i++)
    expect((await ask('POST', `${path}/steps/a/skip`, { reason: 'by hand' }, 'k3')).status).toBe(200)
})

test('a change of a unit is not made again over a later one, though its If-Match no longer holds', async () => {
  const { ask } = await open()

  await ask('PATCH', '/v1/units/a', { description: 'one' }, KEY)
  await ask('PATCH', '/v1/units/a', { description: 'two' })
  expect((await ask('PATCH', '/v1/units/a', { description: 'one' }, KEY)).json['description']).toBe('two')
})

test.each([
  ['POST', '/v1/units/a/rename', { name: 'y' }],
  ['PATCH', '/v1/units/a', { description: 'other' }],
  ['DELETE', '/v1/units/a', undefined],
])('a key that was used for another request is refused: %s %s', async (method, path, json) => {
  const { ask } = await open()
  await ask('PATCH', '/v1/units/a', { description: 'one' }, KEY)

  expect(await ask(method, path, json, KEY)).toMatchObject({
    status: 400,
    json: { code: 'BAD_REQUEST', field: 'Idempotency-Key' },
  })
})

test('rollouts and organizations refuse the key of another request, too', async () => {
  const { ask } = await open()
  await ask('POST', '/v1/rollouts', { from: ['a'] }, 'k1')
  await ask('POST', '/v1/orgs', { name: 'acme' }, 'k2')

  expect((await ask('POST', '/v1/rollouts', { from: ['b'] }, 'k1')).status).toBe(400)
  expect((await ask('PATCH', '/v1/orgs/acme', { retention: null }, 'k2')).status).toBe(400)
})

test.each(['with a space', 'x'.repeat(256)])('%s is no key', async (key) => {
  const { ask } = await open()

  expect((await ask('POST', '/v1/units', { name: 'c' }, key)).json['field']).toBe('Idempotency-Key')
})

test('a rollout whose start was cut off after its id was chosen is started by the repetition', async () => {
  const face = await startFace()
  const { control, rollouts } = face.deps
  await control.units.create({ org: 'default', name: 'a' }, callerNamed('x'))
  const caller = { ...callerNamed('x'), request: { key: 'k', digest: 'd' } }
  const id = await control.orgs.reserve('default', 'ro-01J9Z3K7M8Q2W5N4T6R1X0C3VB', caller)

  expect((await rollouts.start('default', { from: ['a'] }, caller)).id).toBe(id)
  expect((await rollouts.start('default', { from: ['a'] }, caller)).id).toBe(id)
})
