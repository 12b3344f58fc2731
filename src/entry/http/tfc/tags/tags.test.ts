import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { linkTo, newUnit, tfcAs } from '../../../../../test/rig/tfc-calls.ts'
import { bind, putRole } from '../../../../access/organization/transitions.ts'

async function open() {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const id = await newUnit(face, 'app')
  const labels = async () => (await face.send('/v1/units/app', { headers: face.root })).json()['labels']
  return { face, ask, id, labels }
}

const binding = (key: string, value?: string) => ({
  type: 'tag-bindings',
  attributes: { key, ...(value === undefined ? {} : { value }) },
})
const tag = (name: string) => ({ type: 'tags', attributes: { name } })

test('tags are labels, with a value or without', async () => {
  const { ask, id, labels } = await open()
  const path = `workspaces/${id}`

  const added = await ask('PATCH', `${path}/tag-bindings`, [binding('env', 'prod'), binding('net')])
  expect([added.status, added.all.map(({ attributes }) => attributes)]).toEqual([
    200,
    [
      { key: 'env', value: 'prod' },
      { key: 'net', value: '' },
    ],
  ])
  // It adds, and replaces nothing that it does not name.
  await ask('PATCH', `${path}/tag-bindings`, [binding('env', 'test')])
  expect(await labels()).toEqual({ env: 'test', net: '' })
  // A tag that has a value keeps it.
  expect((await ask('POST', `${path}/relationships/tags`, [tag('env'), tag('team:a')])).status).toBe(204)
  expect(await labels()).toEqual({ env: 'test', net: '', 'team:a': '' })
  expect((await ask('GET', path)).data.attributes['tag-names']).toEqual(['net', 'team:a'])
  const listed = await ask('GET', `${path}/relationships/tags`)
  expect(listed.all.map(({ attributes }) => attributes['name'])).toEqual(['net', 'team:a'])

  expect(
    (
      await ask('DELETE', `${path}/relationships/tags`, [
        tag('net'),
        { type: 'tags', id: listed.all[1]?.id ?? '' },
      ])
    ).status,
  ).toBe(204)
  expect(await labels()).toEqual({ env: 'test' })
  await ask('PATCH', `${path}/relationships/tag-bindings`, [binding('a', '1')])
  expect(await labels()).toEqual({ a: '1' })
  await ask('PATCH', path, { type: 'workspaces', relationships: { 'tag-bindings': { data: [] } } })
  expect(await labels()).toEqual({})
})

test('a workspace inherits the tags of its project', async () => {
  const { ask, id } = await open()
  const made = await ask('POST', 'organizations/default/projects', {
    type: 'projects',
    attributes: { name: 'web' },
    relationships: { 'tag-bindings': { data: [binding('env', 'prod'), binding('cost', '7')] } },
  })
  await ask('PATCH', `workspaces/${id}`, {
    type: 'workspaces',
    relationships: { project: linkTo('projects', made.data.id) },
  })
  await ask('PATCH', `workspaces/${id}/tag-bindings`, [binding('env', 'test')])
  const effective = await ask('GET', `workspaces/${id}/effective-tag-bindings`)
  expect(effective.all.map(({ type, attributes }) => [type, attributes])).toEqual([
    ['effective-tag-bindings', { key: 'cost', value: '7' }],
    ['effective-tag-bindings', { key: 'env', value: 'test' }],
  ])
  expect((await ask('GET', `workspaces/${id}/tag-bindings`)).all).toHaveLength(1)
})

test('a key that is reserved for projects keeps the value of the project', async () => {
  const { ask, id } = await open()
  const { data } = await ask('POST', 'organizations/default/reserved-tag-keys', {
    type: 'reserved-tag-keys',
    attributes: { key: 'cost', 'disable-overrides': true },
  })
  const [first] = (await ask('GET', 'organizations/default/projects')).all
  await ask('PATCH', `projects/${first?.id}/tag-bindings`, [binding('cost', '7')])
  const other = await ask('PATCH', `workspaces/${id}/tag-bindings`, [binding('cost', '8')])
  expect(other.status).toBe(422)
  await ask('PATCH', `reserved-tag-keys/${data.id}`, {
    type: 'reserved-tag-keys',
    attributes: { 'disable-overrides': false },
  })
  await expect
    .poll(async () => (await ask('PATCH', `workspaces/${id}/tag-bindings`, [binding('cost', '8')])).status, {
      timeout: 10_000,
    })
    .toBe(200)
  expect((await ask('DELETE', `reserved-tag-keys/${data.id}`)).status).toBe(204)
})

test('the tags of all workspaces are counted, added and removed', async () => {
  const { face, ask, id, labels } = await open()
  const other = await newUnit(face, 'other')
  for (const unit of [id, other]) await ask('POST', `workspaces/${unit}/relationships/tags`, [tag('net')])
  await ask('POST', `workspaces/${id}/relationships/tags`, [tag('web')])
  const path = 'organizations/default/tags'
  const { all } = await ask('GET', path)
  expect(all.map(({ attributes }) => attributes)).toEqual([
    { name: 'net', 'instance-count': 2 },
    { name: 'web', 'instance-count': 1 },
  ])
  expect((await ask('GET', `${path}?filter[exclude][taggable][id]=${other}`)).all).toHaveLength(1)
  const web = all[1]?.id ?? ''
  await ask('POST', `tags/${web}/relationships/workspaces`, [{ type: 'workspaces', id: other }])
  expect((await ask('GET', `${path}?q=web`)).all[0]?.attributes['instance-count']).toBe(2)
  expect((await ask('DELETE', path, [{ type: 'tags', id: web }])).status).toBe(204)
  expect(await labels()).toEqual({ net: '' })
})

test('a label that rules go by is changed by those who administer the unit', async () => {
  const { face, id } = await open()
  const person = await face.person('eve')
  const rules = [
    { effect: 'allow' as const, actions: ['*'], labels: { env: 'test' } },
    { effect: 'allow' as const, actions: ['unit:read', 'unit:update'] },
  ]
  await face.policy('default', (policy) =>
    bind(putRole(policy, { name: 'tester', description: '', rules }), {
      role: 'tester',
      to: `user:${person.id}`,
    }),
  )
  const eve = tfcAs(face, person.token)
  for (const [method, end, body] of [
    ['PATCH', 'tag-bindings', [binding('env', 'test')]],
    ['POST', 'relationships/tags', [tag('env')]],
    ['PATCH', 'relationships/tag-bindings', [binding('env', 'test')]],
  ] as const)
    expect([end, (await eve(method, `workspaces/${id}/${end}`, body)).status]).toEqual([end, 403])
})
