import { expect, test } from 'vitest'
import { type SsoFace, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { linksTo, newUnit, tfcAs } from '../../../../../test/rig/tfc-calls.ts'

const type = 'agent-pools'
const of = 'organizations/default/agent-pools'

function body(face: SsoFace) {
  return { type, attributes: { name: face.fresh('pool') } }
}

test('agent pools are created, shown, changed, listed and deleted', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const [a, b] = [await newUnit(face), await newUnit(face)]

  const made = await ask('POST', of, {
    type,
    attributes: { name: 'linux', 'organization-scoped': false },
    relationships: { 'allowed-workspaces': linksTo('workspaces', a) },
  })
  expect([made.status, made.data]).toMatchObject([
    201,
    {
      type,
      attributes: { name: 'linux', 'organization-scoped': false, 'agent-count': 0 },
      relationships: {
        organization: { data: { type: 'organizations', id: 'default' } },
        'allowed-workspaces': linksTo('workspaces', a),
        'excluded-workspaces': { data: [] },
      },
    },
  ])
  const path = `agent-pools/${made.data.id}`
  expect((await ask('GET', `${path}?include=workspaces`)).data).toEqual(made.data)
  const changed = await ask('PATCH', path, {
    type,
    attributes: { name: 'arm' },
    relationships: {
      'allowed-workspaces': linksTo('workspaces'),
      'excluded-workspaces': linksTo('workspaces', b),
    },
  })
  expect(changed.data).toMatchObject({
    attributes: { name: 'arm', 'organization-scoped': false },
    relationships: { 'allowed-workspaces': { data: [] }, 'excluded-workspaces': linksTo('workspaces', b) },
  })
  expect((await ask('GET', `${path}/agents`)).all).toEqual([])
  await ask('POST', of, { type, attributes: { name: 'windows' } })
  const names = async (query: string) =>
    (await ask('GET', `${of}?${query}`)).all.map(({ attributes }) => attributes['name'])
  expect(await names('q=WIN')).toEqual(['windows'])
  expect(await names('sort=-name')).toEqual(['windows', 'arm'])
  expect(await names('page%5Bsize%5D=1&page%5Bnumber%5D=2')).toEqual(['windows'])
  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('GET', path)).status).toBe(404)
})

test('a pool names the workspaces that use it, and stays as long as they do', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const unit = await newUnit(face)
  const { id } = (await ask('POST', of, body(face))).data
  const use = (pool: string, mode: string) =>
    ask('PATCH', `workspaces/${unit}`, {
      type: 'workspaces',
      attributes: { 'agent-pool-id': pool, 'execution-mode': mode },
    })
  await use(id, 'agent')
  const { data } = await ask('GET', `agent-pools/${id}`)
  expect(data.relationships['workspaces']).toEqual(linksTo('workspaces', unit))
  expect((await ask('DELETE', `agent-pools/${id}`)).status).toBe(409)
  await use('', 'local')
  expect((await ask('DELETE', `agent-pools/${id}`)).status).toBe(204)
})

test('wrong pools are refused with a pointer', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const nameless = await ask('POST', of, { type, attributes: {} })
  expect([nameless.status, nameless.pointer]).toEqual([422, '/data/attributes/name'])
  const stray = await ask('POST', of, {
    type,
    attributes: { name: 'p' },
    relationships: { 'excluded-workspaces': linksTo('workspaces', 'ws-1111111111111111') },
  })
  expect([stray.status, stray.pointer]).toEqual([422, '/data/relationships/excluded-workspaces'])
  const elsewhere = await ask('POST', of, {
    type,
    attributes: { name: 'p' },
    relationships: { 'allowed-projects': linksTo('projects', 'prj-1') },
  })
  expect([elsewhere.status, elsewhere.pointer]).toEqual([422, '/data/relationships/allowed-projects'])
  await ask('POST', of, { type, attributes: { name: 'p' } })
  const taken = await ask('POST', of, { type, attributes: { name: 'p' } })
  expect([taken.status, taken.pointer]).toEqual([422, '/data/attributes/name'])
})
