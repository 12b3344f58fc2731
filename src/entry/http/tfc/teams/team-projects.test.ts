import { expect, test } from 'vitest'
import { type SsoFace, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { linkTo, tfcAs } from '../../../../../test/rig/tfc-calls.ts'
import { newProject, newProjectAccess } from '../../../../../test/rig/tfc-people.ts'

const workspaces = 'organizations/default/workspaces'

async function workspaceIn(face: SsoFace, name: string, project?: string) {
  const relationships = project === undefined ? {} : { project: linkTo('projects', project) }
  const body = { type: 'workspaces', attributes: { name }, relationships }
  return (await tfcAs(face, face.root)('POST', workspaces, body)).data.id
}

test('access to a project is given, shown, changed, listed and taken away', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const { team, project, access, data } = await newProjectAccess(face, { access: 'maintain' })
  const path = `team-projects/${access}`

  expect(data).toEqual({
    id: access,
    type: 'team-projects',
    attributes: {
      access: 'maintain',
      'project-access': { settings: 'read', teams: 'none', 'variable-sets': 'none' },
      'workspace-access': {
        runs: 'apply',
        'sentinel-mocks': 'read',
        'state-versions': 'write',
        variables: 'write',
        create: true,
        locking: true,
        move: true,
        delete: true,
        'run-tasks': true,
        'policy-overrides': false,
      },
    },
    relationships: { team: linkTo('teams', team), project: linkTo('projects', project) },
    links: { self: `/api/v2/${path}` },
  })
  const relationships = { team: linkTo('teams', team), project: linkTo('projects', project) }
  const again = await ask('POST', 'team-projects', { attributes: { access: 'read' }, relationships })
  expect([again.status, again.pointer]).toEqual([422, '/data/relationships/team'])

  const custom = await ask('PATCH', path, {
    attributes: {
      access: 'custom',
      'project-access': { settings: 'update' },
      'workspace-access': { runs: 'plan', delete: false },
    },
  })
  expect(custom.data.attributes).toMatchObject({
    access: 'custom',
    'project-access': { settings: 'update', teams: 'none' },
    'workspace-access': { runs: 'plan', delete: false, create: true, variables: 'write' },
  })
  expect((await ask('GET', path)).data).toEqual(custom.data)
  expect((await ask('GET', `team-projects?filter[project][id]=${project}`)).all).toEqual([custom.data])
  const wrong = await ask('PATCH', path, { attributes: { 'workspace-access': { runs: 'all' } } })
  expect([wrong.status, wrong.pointer]).toEqual([422, '/data/attributes/workspace-access/runs'])
  const nowhere = { team: linkTo('teams', team), project: linkTo('projects', 'prj-1234567890123456') }
  const body = { attributes: { access: 'read' }, relationships: nowhere }
  expect((await ask('POST', 'team-projects', body)).status).toBe(404)

  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('GET', path)).status).toBe(404)
})

test('what a team gets in a project holds for the workspaces in it, as they come and go', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const alice = await face.person('alice')
  const { team, project } = await newProjectAccess(face, { access: 'write' })
  await ask('POST', `teams/${team}/relationships/users`, [{ type: 'users', id: 'alice' }])
  const inside = await workspaceIn(face, 'inside', project)
  const outside = await workspaceIn(face, 'outside')
  const asAlice = tfcAs(face, alice.token)
  const seen = async () => (await asAlice('GET', workspaces)).all.map(({ id }) => id)
  const native = async () =>
    ((await face.send('/v1/units', { headers: alice.token })).json()['items'] as { id: string }[]).map(
      ({ id }) => id,
    )

  expect([await seen(), await native()]).toEqual([[inside], [inside]])
  const lock = async (id: string) => (await asAlice('POST', `workspaces/${id}/actions/lock`)).status
  expect([await lock(inside), await lock(outside)]).toEqual([200, 404])
  expect((await asAlice('GET', `workspaces/${inside}`)).data.attributes['permissions']).toMatchObject({
    'can-lock': true,
    'can-destroy': false,
  })

  const moveTo = (id: string, to: string) =>
    ask('PATCH', `workspaces/${id}`, { relationships: { project: linkTo('projects', to) } })
  expect((await moveTo(outside, project)).status).toBe(200)
  expect((await seen()).toSorted()).toEqual([inside, outside].toSorted())
  await moveTo(inside, await newProject(face))
  // The server itself may go by what it read a moment ago.
  await expect.poll(async () => lock(inside), { timeout: 20_000 }).toBe(404)
  expect(await seen()).toEqual([outside])
})

test('access to the default project holds for workspaces that are in no other', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const alice = await face.person('alice')
  const { team } = await newProjectAccess(face)
  const unit = await workspaceIn(face, 'plain')
  const [first] = (await ask('GET', 'organizations/default/projects')).all
  const relationships = { team: linkTo('teams', team), project: linkTo('projects', String(first?.id)) }
  await ask('POST', 'team-projects', { attributes: { access: 'read' }, relationships })
  await ask('POST', `teams/${team}/relationships/users`, [{ type: 'users', id: 'alice' }])

  expect((await tfcAs(face, alice.token)('GET', workspaces)).all.map(({ id }) => id)).toEqual([unit])
  expect((await face.send(`/v1/units/${unit}`, { headers: alice.token })).status).toBe(200)
})

test('a team creates workspaces in its project, administers it, and moves nothing into it', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const alice = await face.person('alice')
  const { team, project } = await newProjectAccess(face, { access: 'admin' })
  await ask('POST', `teams/${team}/relationships/users`, [{ type: 'users', id: 'alice' }])
  const other = await newProject(face)
  const asAlice = tfcAs(face, alice.token)
  const create = async (name: string, to?: string) => {
    const relationships = to === undefined ? {} : { project: linkTo('projects', to) }
    return (await asAlice('POST', workspaces, { attributes: { name }, relationships })).status
  }

  expect([await create('a', project), await create('b', other), await create('c')]).toEqual([201, 404, 404])
  const rename = async (id: string) =>
    (await asAlice('PATCH', `projects/${id}`, { attributes: { description: 'ours' } })).status
  expect([await rename(project), await rename(other)]).toEqual([200, 403])

  const outside = await workspaceIn(face, 'outside', other)
  const body = {
    attributes: { access: 'custom', runs: 'read' },
    relationships: { team: linkTo('teams', team), workspace: linkTo('workspaces', outside) },
  }
  await ask('POST', 'team-workspaces', body)
  const move = { relationships: { project: linkTo('projects', project) } }
  expect((await asAlice('PATCH', `workspaces/${outside}`, move)).status).toBe(403)
  const give = {
    attributes: { access: 'read' },
    relationships: { team: linkTo('teams', team), project: linkTo('projects', project) },
  }
  expect((await asAlice('POST', 'team-projects', give)).status).toBe(403)
})
