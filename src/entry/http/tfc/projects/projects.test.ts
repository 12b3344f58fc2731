import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { linkTo, newUnit, tfcAs } from '../../../../../test/rig/tfc-calls.ts'

const type = 'projects'
const all = 'organizations/default/projects'

async function open() {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const create = (name: string, attributes = {}) =>
    ask('POST', all, { type, attributes: { name, ...attributes } })
  return { face, ask, create }
}

test('every organization has a default project, which workspaces belong to', async () => {
  const { face, ask } = await open()
  const [first, ...others] = (await ask('GET', all)).all
  expect([first?.attributes['name'], others]).toEqual(['Default Project', []])
  const unit = await newUnit(face)
  const { relationships } = (await ask('GET', `workspaces/${unit}`)).data
  expect(relationships['project']).toEqual(linkTo(type, first?.id ?? ''))
  expect((await ask('GET', `${all}?filter[names]=nothing`)).all).toEqual([])

  const path = `projects/${first?.id}`
  expect((await ask('GET', path)).data).toEqual(first)
  const renamed = await ask('PATCH', path, { type, attributes: { name: 'Main', description: 'd' } })
  expect(renamed).toMatchObject({
    status: 200,
    data: { id: first?.id, attributes: { name: 'Main', description: 'd' } },
  })
  expect((await ask('GET', path)).data.attributes['name']).toBe('Main')
  expect((await ask('DELETE', path)).status).toBe(400)
})

test('projects are created, found by name, changed and deleted once they are empty', async () => {
  const { face, ask, create } = await open()
  const { data, status } = await create('web', { 'default-execution-mode': 'remote' })
  expect(status).toBe(201)
  expect((await ask('GET', `${all}?filter[names]=web`)).all.map(({ id }) => id)).toEqual([data.id])
  expect((await ask('GET', `${all}?q=WE`)).all).toHaveLength(1)
  for (const name of ['web', 'WEB', 'default project', '', '-x', 'a/b'])
    expect(await create(name)).toMatchObject({ status: 422, pointer: '/data/attributes/name' })

  const unit = await newUnit(face)
  const moved = await ask('PATCH', `workspaces/${unit}`, {
    type: 'workspaces',
    relationships: { project: linkTo(type, data.id) },
  })
  expect(moved.data.relationships['project']).toEqual(linkTo(type, data.id))
  expect((await ask('DELETE', `projects/${data.id}`)).status).toBe(409)
  await ask('DELETE', `workspaces/${unit}`)
  expect((await ask('DELETE', `projects/${data.id}`)).status).toBe(204)
  expect((await ask('GET', `projects/${data.id}`)).status).toBe(404)
})

test('tags of a project are added, replaced and shown', async () => {
  const { ask, create } = await open()
  const { id } = (await create('web')).data
  const binding = (key: string, value: string) => ({ type: 'tag-bindings', attributes: { key, value } })
  await ask('PATCH', `projects/${id}/tag-bindings`, [binding('a', '1')])
  await ask('PATCH', `projects/${id}/tag-bindings`, [binding('b', '2')])
  const shown = async () =>
    (await ask('GET', `projects/${id}/effective-tag-bindings`)).all.map(({ attributes }) => attributes)
  expect(await shown()).toEqual([
    { key: 'a', value: '1' },
    { key: 'b', value: '2' },
  ])
  await ask('PATCH', `projects/${id}/relationships/tag-bindings`, [binding('c', '3')])
  expect(await shown()).toEqual([{ key: 'c', value: '3' }])
})

test('an organization keeps its settings, and is found by its name', async () => {
  const { face, ask } = await open()
  const name = face.fresh('org')
  const attributes = { name, email: 'a@example.com', 'session-timeout': 20, 'cost-estimation-enabled': true }
  const made = await ask('POST', 'organizations', { type: 'organizations', attributes })
  expect(made).toMatchObject({ status: 201, data: { id: name, attributes } })
  const path = `organizations/${name}`
  const changed = await ask('PATCH', path, {
    type: 'organizations',
    attributes: { email: 'b@example.com', 'session-timeout': null },
  })
  expect(changed.data.attributes).toMatchObject({
    email: 'b@example.com',
    'session-timeout': null,
    'cost-estimation-enabled': true,
  })
  expect((await ask('GET', `organizations?q=${name}`)).all.map(({ id }) => id)).toEqual([name])
  expect((await ask('GET', `${path}/entitlement-set`)).data.attributes).toMatchObject({ operations: false })
  expect((await ask('GET', `${path}/capacity`)).data.attributes).toEqual({ pending: 0, running: 0 })
  expect((await ask('GET', `${path}/runs/queue`)).all).toEqual([])
  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('GET', path)).status).not.toBe(200)
})

test('people see who they are', async () => {
  const { face } = await open()
  const person = await face.person('ann')
  const ann = tfcAs(face, person.token)
  const self = await ann('GET', 'account/details')
  expect(self.data).toMatchObject({ id: person.id, type: 'users', attributes: { username: 'ann' } })
  expect((await ann('GET', `users/${person.id}`)).data).toEqual(self.data)
  expect((await ann('GET', 'users/user-0000000000000000')).status).toBe(404)
  const renamed = await ann('PATCH', 'account/update', { type: 'users', attributes: { username: 'eve' } })
  expect(renamed).toMatchObject({ status: 422, pointer: '/data/attributes/username' })
})
