import { expect, test } from 'vitest'
import { type SsoFace, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { defaultProjectId } from '../../../../projects/index.ts'
import { bind, putRole } from '../../../../access/organization/transitions.ts'

const type = { 'content-type': 'application/vnd.api+json' }
const SECRET = 'hunter2-very-secret'

async function start() {
  const face = await startSsoFace()
  const as = clientOf(face, face.root)
  const unit = async (name: string) => {
    const headers = { ...face.root, 'content-type': 'application/json' }
    const answer = await face.send('/v1/units', { method: 'POST', headers, body: JSON.stringify({ name }) })
    return String(answer.json()['id'])
  }
  return { face, unit, ...as }
}

function clientOf(face: SsoFace, credential: Readonly<Record<string, string>>) {
  async function send(method: string, path: string, body?: unknown) {
    const headers = { ...credential, ...type }
    const answer = await face.send(`/api/v2/${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, text: answer.text, json: answer.text === '' ? {} : answer.json() }
  }
  return {
    send,
    create: (path: string, kind: string, attributes: object, relationships: object = {}) =>
      send('POST', path, { data: { type: kind, attributes, relationships } }),
    change: (path: string, kind: string, attributes: object, relationships: object = {}) =>
      send('PATCH', path, { data: { type: kind, attributes, relationships } }),
  }
}

const idOf = (answer: { json: Record<string, unknown> }) => (answer.json['data'] as { id: string }).id

test('a variable of a workspace, from its creation to its end', async () => {
  const { unit, send, create, change } = await start()
  const ws = await unit('prod/app')
  const path = `workspaces/${ws}/vars`

  const made = await create(path, 'vars', { key: 'region', value: 'eu', category: 'terraform' })
  expect(made).toMatchObject({
    status: 201,
    json: {
      data: {
        type: 'vars',
        id: expect.stringMatching(/^var-/),
        attributes: {
          key: 'region',
          value: 'eu',
          category: 'terraform',
          hcl: false,
          sensitive: false,
          description: '',
          'version-id': expect.stringMatching(/^[0-9a-f]{64}$/),
        },
        relationships: { configurable: { data: { type: 'workspaces', id: ws } } },
      },
    },
  })
  const id = idOf(made)
  const changed = await change(`${path}/${id}`, 'vars', { hcl: true, value: '["a"]' })
  expect(changed.json).toMatchObject({
    data: { id, attributes: { key: 'region', value: '["a"]', hcl: true } },
  })
  expect((await send('GET', `${path}/${id}`)).json).toEqual(changed.json)
  expect((await send('GET', path)).json).toMatchObject({
    data: [{ id }],
    meta: { pagination: { 'total-count': 1, 'total-pages': 1 } },
  })
  const byName = 'vars?filter%5Borganization%5D%5Bname%5D=default&filter%5Bworkspace%5D%5Bname%5D=prod--app'
  expect((await send('GET', byName)).json).toMatchObject({ data: [{ id }] })
  expect(await send('DELETE', `${path}/${id}`)).toMatchObject({ status: 204 })
  expect(await send('GET', `${path}/${id}`)).toMatchObject({
    status: 404,
    json: { errors: [{ status: '404', title: 'not found' }] },
  })
})

test('what is wrong is refused with a pointer to it', async () => {
  const { unit, create, change, send } = await start()
  const path = `workspaces/${await unit('app')}/vars`
  const one = idOf(await create(path, 'vars', { key: 'a', category: 'env', value: 'x', sensitive: true }))
  const refused = async (answer: ReturnType<typeof create>, pointer: string, detail?: RegExp) => {
    const { status, json } = await answer
    expect(status).toBe(422)
    expect(json).toMatchObject({
      errors: [{ status: '422', title: 'invalid attribute', source: { pointer } }],
    })
    if (detail !== undefined) expect(JSON.stringify(json)).toMatch(detail)
  }
  const at = (name: string) => `/data/attributes/${name}`

  await refused(create(path, 'vars', { key: 'a', category: 'env' }), at('key'), /Key has already been taken/)
  await refused(create(path, 'vars', { category: 'env' }), at('key'))
  await refused(create(path, 'vars', { key: 'b', category: 'policy-set' }), at('category'))
  await refused(create(path, 'vars', { key: 'b', category: 'env', value: 1 }), at('value'))
  await refused(create(path, 'vars', { key: 'b', category: 'env', hcl: true }), at('hcl'))
  await refused(change(`${path}/${one}`, 'vars', { sensitive: false }), at('sensitive'))
  await refused(create(path, 'workspaces', { key: 'b', category: 'env' }), '/data/type')
  expect((await send('POST', path, 'x')).status).toBe(400)
  expect((await create('workspaces/ws-0000000000000000/vars', 'vars', {})).status).toBe(404)
})

test('a sensitive value is in no answer', async () => {
  const { unit, create, change, send } = await start()
  const ws = await unit('app')
  const set = idOf(await create('organizations/default/varsets', 'varsets', { name: 's', global: true }))
  const answers = []
  for (const path of [`workspaces/${ws}/vars`, `varsets/${set}/relationships/vars`]) {
    const sensitive = { key: path.slice(0, 3), category: 'env', value: SECRET, sensitive: true }
    const made = await create(path, 'vars', sensitive)
    const at = `${path}/${idOf(made)}`
    answers.push(made, await change(at, 'vars', { description: 'x' }), await send('GET', at))
    answers.push(await change(at, 'vars', { value: `${SECRET}-2` }), await send('GET', path))
  }
  answers.push(await send('GET', `workspaces/${ws}/all-vars`))
  answers.push(await send('GET', `varsets/${set}?include=vars`))
  answers.push(await send('GET', 'organizations/default/varsets?include=vars'))
  for (const { status, text } of answers) {
    expect(status).toBeLessThan(300)
    expect(text).not.toContain(SECRET)
  }
  expect(answers[0]?.json).toMatchObject({ data: { attributes: { value: null, sensitive: true } } })
})

test('lists of variables are whole, unless a page is asked for', async () => {
  const { unit, create, send } = await start()
  const path = `workspaces/${await unit('app')}/vars`
  for (let i = 0; i < 25; i++) await create(path, 'vars', { key: `k${i}`, category: 'env' })
  expect((await send('GET', path)).json['data']).toHaveLength(25)
  const second = (await send('GET', `${path}?page%5Bnumber%5D=2&page%5Bsize%5D=20`)).json
  expect(second['data']).toHaveLength(5)
  expect(second).toMatchObject({ meta: { pagination: { 'current-page': 2, 'total-pages': 2 } } })
})

test('a variable set, from its creation to its end', async () => {
  const { unit, send, create, change } = await start()
  const [app, db] = [await unit('app'), await unit('db')]
  const made = await create(
    'organizations/default/varsets',
    'varsets',
    { name: 'cloud', description: 'keys', unknown: 1 },
    {
      workspaces: { data: [{ type: 'workspaces', id: app }] },
      vars: { data: [{ type: 'vars', attributes: { key: 'A', value: '1', category: 'env' } }] },
    },
  )
  expect(made).toMatchObject({
    status: 201,
    json: {
      data: {
        type: 'varsets',
        attributes: { name: 'cloud', description: 'keys', global: false, priority: false },
        relationships: {
          organization: { data: { type: 'organizations', id: 'default' } },
          parent: { data: { type: 'organizations', id: 'default' } },
          workspaces: { data: [{ type: 'workspaces', id: app }] },
          projects: { data: [] },
          vars: { data: [{ type: 'vars' }] },
        },
      },
    },
  })
  const id = idOf(made)
  const seen = async (ws: string) =>
    (
      (await send('GET', `workspaces/${ws}/all-vars`)).json['data'] as { attributes: { value: string } }[]
    ).map(({ attributes }) => attributes.value)
  expect([await seen(app), await seen(db)]).toEqual([['1'], []])

  await create(`workspaces/${app}/vars`, 'vars', { key: 'A', value: 'own', category: 'env' })
  expect(await seen(app)).toEqual(['own'])
  expect((await change(`varsets/${id}`, 'varsets', { priority: true })).json).toMatchObject({
    data: { attributes: { priority: true, name: 'cloud' } },
  })
  expect(await seen(app)).toEqual(['1'])

  const linkage = { data: [{ type: 'workspaces', id: db }] }
  expect((await send('POST', `varsets/${id}/relationships/workspaces`, linkage)).status).toBe(204)
  expect(await seen(db)).toEqual(['1'])
  expect((await send('GET', `workspaces/${db}/varsets`)).json).toMatchObject({ data: [{ id }] })
  expect((await send('DELETE', `varsets/${id}/relationships/workspaces`, linkage)).status).toBe(204)
  expect(await seen(db)).toEqual([])
  const replaced = await change(
    `varsets/${id}?include=workspaces,vars`,
    'varsets',
    {},
    { workspaces: linkage },
  )
  expect(replaced.json).toMatchObject({
    data: { relationships: { workspaces: { data: [{ id: db }] } } },
    included: [{ type: 'vars' }, { type: 'workspaces', id: db, attributes: { name: 'db' } }],
  })
  expect((await send('GET', 'organizations/default/varsets?q=CLO')).json).toMatchObject({ data: [{ id }] })
  expect((await send('GET', 'organizations/default/varsets?q=none')).json).toMatchObject({ data: [] })

  const taken = await create('organizations/default/varsets', 'varsets', { name: 'Cloud' })
  expect(taken).toMatchObject({
    status: 422,
    json: {
      errors: [{ detail: 'Name has already been taken.', source: { pointer: '/data/attributes/name' } }],
    },
  })
  expect((await send('DELETE', `varsets/${id}`)).status).toBe(204)
  expect((await send('GET', `varsets/${id}`)).status).toBe(404)
  expect((await send('GET', `varsets/${id}/relationships/vars`)).status).toBe(404)
  expect(await seen(app)).toEqual(['own'])
})

test('a deleted unit is in no relation until it is restored', async () => {
  const { unit, send, create, face } = await start()
  const app = await unit('app')
  const workspaces = { data: [{ type: 'workspaces', id: app }] }
  const id = idOf(await create('organizations/default/varsets', 'varsets', { name: 's' }, { workspaces }))
  const json = { ...face.root, 'content-type': 'application/json' }
  const seen = async () => (await send('GET', `varsets/${id}`)).json
  await face.send('/v1/units/app', { method: 'DELETE', headers: face.root })
  expect(await seen()).toMatchObject({ data: { relationships: { workspaces: { data: [] } } } })
  expect((await send('GET', `workspaces/${app}/vars`)).status).toBe(404)
  expect((await send('POST', `varsets/${id}/relationships/workspaces`, workspaces)).status).toBe(422)
  await face.send(`/v1/units/${app}/restore`, { method: 'POST', headers: json, body: '{}' })
  expect(await seen()).toMatchObject({ data: { relationships: { workspaces } } })
})

test('who sees only some units sees only sets that are for them, and only those units', async () => {
  const { unit, create, face } = await start()
  const [mine, other] = [await unit('dev/app'), await unit('prod/app')]
  const linkage = (...ids: string[]) => ({
    workspaces: { data: ids.map((id) => ({ type: 'workspaces', id })) },
  })
  const both = idOf(
    await create('organizations/default/varsets', 'varsets', { name: 'both' }, linkage(mine, other)),
  )
  const hidden = idOf(
    await create('organizations/default/varsets', 'varsets', { name: 'hidden' }, linkage(other)),
  )
  const dev = await face.person('dev')
  await face.policy('default', (all) =>
    bind(putRole(all, { name: 'dev', rules: [{ effect: 'allow', actions: ['*'], units: ['dev/**'] }] }), {
      role: 'dev',
      to: `user:${dev.id}`,
    }),
  )
  const { send } = clientOf(face, dev.token)

  expect((await send('GET', 'organizations/default/varsets')).json).toMatchObject({
    data: [{ id: both, relationships: { workspaces: { data: [{ id: mine }] } } }],
  })
  expect((await send('GET', `varsets/${hidden}`)).status).toBe(404)
  expect((await send('GET', `varsets/${hidden}/relationships/vars`)).status).toBe(404)
  expect((await send('GET', `varsets/${both}`)).text).not.toContain(other)
  expect((await send('GET', `workspaces/${other}/vars`)).status).toBe(404)
  expect((await send('GET', `workspaces/${mine}/varsets`)).json).toMatchObject({ data: [{ id: both }] })
  const attach = { data: [{ type: 'workspaces', id: mine }] }
  expect((await send('POST', `varsets/${both}/relationships/workspaces`, attach)).status).toBe(403)
})

test('an organization that was renamed is called by its current name', async () => {
  const { create, face } = await start()
  const headers = { ...face.root, 'content-type': 'application/json' }
  await face.send('/v1/orgs', { method: 'POST', headers, body: '{"name":"old"}' })
  const id = idOf(await create('organizations/old/varsets', 'varsets', { name: 's' }))
  await face.send('/v1/orgs/old/rename', { method: 'POST', headers, body: '{"name":"new"}' })
  const { send } = clientOf(face, face.root)
  expect((await send('GET', `varsets/${id}`)).json).toMatchObject({
    data: { relationships: { organization: { data: { id: 'new' } } } },
  })
})

test('sets are for projects, and a project owns sets', async () => {
  const { unit, face, send, create } = await start()
  const app = await unit('app')
  const at = defaultProjectId('default')
  const shop = await face.deps.projects.create(
    'default',
    { name: 'shop', description: '', labels: {} },
    face.setUp,
  )
  const linkage = (id: string) => ({ data: [{ type: 'projects', id }] })
  const made = await create('organizations/default/varsets', 'varsets', { name: 's' })
  const id = idOf(made)
  const path = `varsets/${id}/relationships/projects`
  expect((await send('POST', path, linkage('prj-1'))).json).toMatchObject({
    errors: [{ status: '422', source: { pointer: '/data/relationships/projects' } }],
  })
  expect((await send('POST', path, linkage(at))).status).toBe(204)
  expect((await send('GET', `workspaces/${app}/varsets`)).json).toMatchObject({ data: [{ id }] })
  expect((await send('GET', `projects/${at}/varsets`)).json).toMatchObject({ data: [{ id }] })
  expect((await send('GET', `projects/${shop.id}/varsets`)).json).toMatchObject({ data: [] })
  expect((await send('GET', `varsets/${id}?include=projects`)).json).toMatchObject({
    data: { relationships: { projects: { data: [{ type: 'projects', id: at }] } } },
    included: [{ type: 'projects', id: at, attributes: { name: 'Default Project' } }],
  })
  expect((await send('DELETE', path, linkage(at))).status).toBe(204)
  expect((await send('GET', `workspaces/${app}/varsets`)).json).toMatchObject({ data: [] })

  const parent = { data: { type: 'projects', id: shop.id } }
  const own = await create(
    'organizations/default/varsets',
    'varsets',
    { name: 'own', global: true },
    { parent },
  )
  expect(own.json).toMatchObject({ data: { relationships: { parent } } })
  expect((await send('GET', `projects/${shop.id}/varsets`)).json).toMatchObject({ data: [{ id: idOf(own) }] })
  expect((await send('GET', `workspaces/${app}/varsets`)).json).toMatchObject({ data: [] })
  const attach = { data: [{ type: 'workspaces', id: app }] }
  const refused = await send('POST', `varsets/${idOf(own)}/relationships/workspaces`, attach)
  expect(refused).toMatchObject({
    status: 422,
    json: { errors: [{ source: { pointer: '/data/relationships/workspaces' } }] },
  })
  await face.deps.projects.remove('default', shop.id, face.setUp)
  expect((await send('GET', `varsets/${idOf(own)}`)).status).toBe(404)
})
