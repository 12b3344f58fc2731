import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { bind, putRole } from '../../../../access/organization/transitions.ts'

const SECRET = 'hunter2-very-secret'

async function start() {
  const face = await startSsoFace()
  const as =
    (credential: Readonly<Record<string, string>>) =>
    async (method: string, path: string, body?: unknown) => {
      const headers = { ...credential, 'content-type': 'application/json' }
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await face.send(`/v1/${path}`, { method, headers, ...sent })
      return { status: answer.status, text: answer.text, json: answer.text === '' ? {} : answer.json() }
    }
  const send = as(face.root)
  await send('POST', 'units', { name: 'prod/app' })
  return { face, as, send }
}

test('variables of a unit are set, listed and removed, several at once', async () => {
  const { send } = await start()
  const path = 'units/prod--app/variables'
  const set = [
    { key: 'region', value: 'eu' },
    { key: 'TOKEN', category: 'env', value: SECRET, sensitive: true },
  ]
  expect(await send('PATCH', path, { set })).toMatchObject({
    status: 200,
    json: {
      items: [
        { key: 'region', category: 'terraform', value: 'eu' },
        { key: 'TOKEN', value: null },
      ],
    },
  })
  const changed = await send('PATCH', path, {
    set: [{ key: 'region', value: 'us' }],
    remove: [{ key: 'TOKEN', category: 'env' }],
  })
  expect(changed.json).toMatchObject({ items: [{ key: 'region', value: 'us' }] })
  expect((await send('GET', path)).json['items']).toHaveLength(1)
  expect(await send('PATCH', path, { remove: [{ key: 'none' }] })).toMatchObject({ status: 404 })
  expect(await send('PATCH', path, { set: [{ key: 'a b' }] })).toMatchObject({
    status: 400,
    json: { field: 'key' },
  })
  expect((await send('GET', 'units/none/variables')).status).toBe(404)
})

test('sets are created, attached, changed and deleted, and units say what overrides what', async () => {
  const { send } = await start()
  const sets = 'orgs/default/variable-sets'
  expect(await send('POST', sets, { name: 'cloud', units: ['prod/app'] })).toMatchObject({
    status: 201,
    json: { name: 'cloud', units: [{ name: 'prod/app' }], project: null },
  })
  expect((await send('POST', sets, { name: 'Cloud' })).status).toBe(409)
  expect(await send('POST', sets, { name: 'x', units: ['none'] })).toMatchObject({ status: 400 })
  expect(await send('POST', sets, { name: 'x', projects: ['none'] })).toMatchObject({ status: 400 })
  await send('PATCH', `${sets}/cloud/variables`, { set: [{ key: 'region', value: 'set' }] })
  await send('PATCH', 'units/prod--app/variables', { set: [{ key: 'region', value: 'unit' }] })
  const effective = async () => (await send('GET', 'units/prod--app/variables/effective')).json
  expect(await effective()).toMatchObject({
    items: [
      {
        key: 'region',
        value: 'unit',
        source: { kind: 'unit', set: null },
        overrides: [{ source: { kind: 'set', set: { name: 'cloud', scope: 'unit' } } }],
      },
    ],
  })
  await send('PATCH', `${sets}/cloud`, { priority: true, name: 'keys' })
  expect(await effective()).toMatchObject({ items: [{ value: 'set', overrides: [{}] }] })
  expect((await send('PATCH', `${sets}/keys`, { units: { remove: ['prod/app'] } })).json).toMatchObject({
    units: [],
  })
  expect(await effective()).toMatchObject({ items: [{ value: 'unit', overrides: [] }] })
  const attached = await send('PATCH', `${sets}/keys`, { projects: { add: ['Default Project'] } })
  expect(attached.json).toMatchObject({ projects: [{ name: 'Default Project' }] })
  expect(await effective()).toMatchObject({ items: [{ value: 'set' }] })
  expect((await send('DELETE', `${sets}/keys`)).status).toBe(204)
  expect((await send('GET', `${sets}/keys`)).status).toBe(404)
})

test('sensitive values are for planners and for runs of that unit, and each look is in the audit', async () => {
  const { face, as, send } = await start()
  await send('POST', 'units', { name: 'prod/db' })
  const set = [{ key: 'TOKEN', category: 'env', value: SECRET, sensitive: true }]
  await send('PATCH', 'units/prod--app/variables', { set })
  const path = 'units/prod--app/variables/values'
  const issued = async (unit: string) => {
    const { json } = await send('POST', `units/${unit}/run-tokens`, {})
    return as({ authorization: `Bearer ${String(json['token'])}` })
  }
  const [own, other] = [await issued('prod--app'), await issued('prod--db')]

  expect((await own('GET', path)).json).toMatchObject({ items: [{ key: 'TOKEN', value: SECRET }] })
  expect((await other('GET', path)).status).toBe(403)
  expect((await own('GET', 'units/prod--app/variables')).status).toBe(403)
  const reader = await face.person('reader')
  await face.policy('default', (all) => bind(all, { role: 'reader', to: `user:${reader.id}` }))
  const read = as(reader.token)
  expect((await read('GET', path)).status).toBe(403)
  for (const seen of ['units/prod--app/variables', 'units/prod--app/variables/effective'])
    expect(await read('GET', seen)).toMatchObject({ status: 200, text: expect.not.stringContaining(SECRET) })
  const audit = await send('GET', 'audit?org=default')
  expect(audit.text).toContain('vars:read-sensitive')
  expect(audit.text).not.toContain(SECRET)
  const events = await send('GET', 'events?org=default')
  expect(events.text).toContain('variable.created')
  expect(events.text).not.toContain(SECRET)
})

test('who may use variables of some units sees the sets for them, and changes none', async () => {
  const { face, as, send } = await start()
  await send('POST', 'units', { name: 'dev/app' })
  const sets = 'orgs/default/variable-sets'
  await send('POST', sets, { name: 'both', units: ['prod/app', 'dev/app'] })
  await send('POST', sets, { name: 'hidden', units: ['prod/app'] })
  const dev = await face.person('dev')
  await face.policy('default', (all) =>
    bind(putRole(all, { name: 'dev', rules: [{ effect: 'allow', actions: ['*'], units: ['dev/**'] }] }), {
      role: 'dev',
      to: `user:${dev.id}`,
    }),
  )
  const ask = as(dev.token)
  expect((await ask('GET', sets)).json).toMatchObject({
    items: [{ name: 'both', units: [{ name: 'dev/app' }] }],
  })
  const said = async (set: string) => {
    const { status, text } = await ask('GET', `${sets}/${set}`)
    return [status, text.replaceAll(set, 'SET').replace(/"requestId":"[^"]*"/, '')]
  }
  expect(await said('hidden')).toEqual(await said('absent'))
  expect((await ask('GET', `${sets}/hidden/variables`)).status).toBe(404)
  expect((await ask('PATCH', `${sets}/both`, { priority: true })).status).toBe(403)
  expect((await ask('PATCH', 'units/dev--app/variables', { set: [{ key: 'a' }] })).status).toBe(200)
  expect((await ask('PATCH', 'units/prod--app/variables', { set: [{ key: 'a' }] })).status).toBe(404)
})
