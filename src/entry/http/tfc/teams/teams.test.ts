import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { linkTo, linksTo, newUnit, tfcAs } from '../../../../../test/rig/tfc-calls.ts'
import { newAccess, newTeam } from '../../../../../test/rig/tfc-people.ts'
import { bind } from '../../../../access/organization/transitions.ts'

const of = 'organizations/default/teams'

test('teams are created, shown, changed, listed and deleted', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)

  const made = await ask('POST', of, {
    type: 'teams',
    attributes: {
      name: 'ops',
      visibility: 'organization',
      'sso-team-id': 'g-1',
      'organization-access': { 'manage-policies': true, 'read-workspaces': true },
      'not-an-attribute': 1,
    },
  })
  expect([made.status, made.data]).toMatchObject([
    201,
    {
      type: 'teams',
      attributes: {
        name: 'ops',
        visibility: 'organization',
        'sso-team-id': 'g-1',
        'users-count': 0,
        'allow-member-token-management': true,
        'organization-access': {
          'manage-policies': true,
          'read-workspaces': true,
          'manage-workspaces': false,
          'manage-run-tasks': false,
        },
        permissions: { 'can-destroy': true, 'can-update-membership': true },
      },
      relationships: { users: { data: [] }, organization: linkTo('organizations', 'default') },
    },
  ])
  const path = `teams/${made.data.id}`
  expect((await ask('GET', path)).data).toEqual(made.data)

  const changed = await ask('PATCH', path, {
    type: 'teams',
    attributes: {
      name: 'operators',
      'sso-team-id': null,
      'allow-member-token-management': false,
      'organization-access': { 'manage-policies': false, 'manage-teams': true },
    },
  })
  expect([changed.status, changed.data.attributes]).toMatchObject([
    200,
    {
      name: 'operators',
      visibility: 'organization',
      'allow-member-token-management': false,
      'organization-access': { 'manage-policies': false, 'manage-teams': true, 'read-workspaces': true },
    },
  ])

  await newTeam(face, { name: 'web' })
  const names = async (query: string) =>
    (await ask('GET', `${of}?${query}`)).all.map(({ attributes }) => attributes['name'])
  expect(await names('')).toEqual(['owners', 'operators', 'web'])
  expect(await names('filter[names]=web,owners')).toEqual(['owners', 'web'])
  expect(await names('q=OPER')).toEqual(['operators'])
  expect(await names('page[size]=1&page[number]=2')).toEqual(['operators'])

  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('GET', path)).status).toBe(404)
  expect((await ask('DELETE', path)).status).toBe(404)
})

/** [what, method, the name of an existing team, attributes, status, pointer] */
const refused: readonly (readonly [string, object, number, string | undefined])[] = [
  ['a name that is taken', { name: 'Taken' }, 422, '/data/attributes/name'],
  ['the name of the built-in team', { name: 'Owners' }, 422, '/data/attributes/name'],
  ['a name with a space', { name: 'a b' }, 422, '/data/attributes/name'],
  ['no name', {}, 422, '/data/attributes/name'],
  [
    'a wrong type',
    { name: 'x', 'organization-access': { 'manage-teams': 'yes' } },
    422,
    '/data/attributes/organization-access/manage-teams',
  ],
  ['an unknown visibility', { name: 'x', visibility: 'public' }, 422, '/data/attributes/visibility'],
]

test.each(refused)('%s is refused, with a pointer to it', async (_, attributes, status, pointer) => {
  const face = await startSsoFace()
  await newTeam(face, { name: 'taken' })
  const answer = await tfcAs(face, face.root)('POST', of, { type: 'teams', attributes: { ...attributes } })

  expect([answer.status, answer.pointer]).toEqual([status, pointer])
})

test('every organization has the team of its owners, which can be filled and not deleted', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const [alice, bob] = [await face.person('alice'), await face.person('bob')]
  await face.policy('default', (all) => bind(all, { role: 'owner', to: `user:${alice.id}` }))
  const [owners] = (await ask('GET', `${of}?filter[names]=owners`)).all
  const path = `teams/${owners?.id}`

  expect(owners).toMatchObject({
    attributes: {
      'users-count': 1,
      'organization-access': { 'manage-teams': true, 'manage-workspaces': true },
    },
    relationships: { users: linksTo('users', alice.id) },
  })
  expect((await ask('DELETE', path)).status).toBe(409)
  expect((await ask('PATCH', path, { type: 'teams', attributes: { name: 'x' } })).status).toBe(409)

  expect((await ask('POST', `${path}/relationships/users`, [{ type: 'users', id: 'bob' }])).status).toBe(204)
  expect(
    (await tfcAs(face, bob.token)('POST', of, { type: 'teams', attributes: { name: 'by-bob' } })).status,
  ).toBe(201)
  expect((await ask('DELETE', `${path}/relationships/users`, [{ type: 'users', id: 'alice' }])).status).toBe(
    204,
  )
  expect((await tfcAs(face, alice.token)('GET', of)).status).toBe(404)
  const last = await ask('DELETE', `${path}/relationships/users`, [{ type: 'users', id: 'bob' }])
  expect([last.status, JSON.stringify(last.json)]).toEqual([409, expect.stringContaining('no owner')])
})

test('people are put into teams and out of them, by name and by membership', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const [alice, bob] = [await face.person('alice'), await face.person('bob')]
  const team = await newTeam(face)
  const users = `teams/${team}/relationships/users`
  const memberships = `teams/${team}/relationships/organization-memberships`
  const members = async () => (await ask('GET', `teams/${team}?include=users,organization_memberships`)).json

  await ask('POST', users, [
    { type: 'users', id: 'alice' },
    { type: 'users', id: bob.id },
  ])
  const both = await members()
  expect(both).toMatchObject({
    data: { attributes: { 'users-count': 2 }, relationships: { users: linksTo('users', alice.id, bob.id) } },
  })
  const included = both['included'] as { id: string; type: string; attributes: Record<string, unknown> }[]
  expect(
    included.map(
      ({ type, attributes }) => `${type} ${String(attributes['username'] ?? attributes['status'])}`,
    ),
  ).toEqual([
    'users alice',
    'users bob',
    'organization-memberships active',
    'organization-memberships active',
  ])
  const ofAlice = included.find(
    (one) => one.type === 'organization-memberships' && JSON.stringify(one).includes(alice.id),
  )
  const identified = { type: 'organization-memberships', id: String(ofAlice?.id) }
  expect((await ask('DELETE', memberships, [identified])).status).toBe(204)
  expect(await members()).toMatchObject({ data: { relationships: { users: linksTo('users', bob.id) } } })

  const unknown = await ask('POST', users, [{ type: 'users', id: 'nobody' }])
  expect([unknown.status, unknown.pointer]).toEqual([422, '/data'])
  const wrong = await ask('POST', users, [{ type: 'teams', id: 'alice' }])
  expect([wrong.status, wrong.pointer]).toEqual([422, '/data/type'])
  expect((await ask('POST', memberships, [identified])).pointer).toBe('/data')
})

test('a team that is secret is hidden from those who are not in it', async () => {
  const face = await startSsoFace()
  const [alice, bob] = [await face.person('alice'), await face.person('bob')]
  for (const { id } of [alice, bob])
    await face.policy('default', (all) => bind(all, { role: 'reader', to: `user:${id}` }))
  const [secret, open] = [await newTeam(face), await newTeam(face, { visibility: 'organization' })]
  await tfcAs(face, face.root)('POST', `teams/${secret}/relationships/users`, [
    { type: 'users', id: 'alice' },
  ])
  const seenBy = async (token: typeof alice.token) =>
    (await tfcAs(face, token)('GET', of)).all.map(({ id }) => id)

  expect(await seenBy(alice.token)).toEqual([secret, open])
  expect(await seenBy(bob.token)).toEqual([open])
  expect((await tfcAs(face, bob.token)('GET', `teams/${secret}`)).status).toBe(404)
})

test('those who manage teams cannot make themselves owners', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const alice = await face.person('alice')
  const managers = await newTeam(face, {
    'organization-access': { 'manage-teams': true, 'manage-membership': true },
  })
  const [owners] = (await ask('GET', `${of}?filter[names]=owners`)).all
  await ask('POST', `teams/${managers}/relationships/users`, [{ type: 'users', id: 'alice' }])
  const asAlice = tfcAs(face, alice.token)
  const own = [{ type: 'users', id: 'alice' }]

  const made = await asAlice('POST', of, { type: 'teams', attributes: { name: 'mine' } })
  expect(made.status).toBe(201)
  expect((await asAlice('POST', `teams/${made.data.id}/relationships/users`, own)).status).toBe(204)
  const statuses = [
    await asAlice('POST', `teams/${owners?.id}/relationships/users`, own),
    await asAlice('PATCH', `teams/${managers}`, {
      attributes: { 'organization-access': { 'manage-workspaces': true } },
    }),
    await asAlice('POST', of, {
      attributes: { name: 'more', 'organization-access': { 'manage-teams': true } },
    }),
    await asAlice('POST', 'organizations/default/organization-memberships', {
      attributes: { email: 'mallory@example.com' },
      relationships: { teams: linksTo('teams', String(owners?.id)) },
    }),
    await face.send('/v1/orgs/default/teams/owners/members/alice', { method: 'PUT', headers: alice.token }),
    await face.send(`/v1/orgs/default/tokens`, {
      method: 'POST',
      headers: { ...alice.token, 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'team', team: 'owners', name: 'x' }),
    }),
  ].map(({ status }) => status)
  expect(statuses).toEqual([403, 403, 403, 403, 403, 403])
})

test('access to a workspace is given, shown, changed, listed and taken away', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const { team, unit, access, data } = await newAccess(face, { access: 'write' })
  const path = `team-workspaces/${access}`

  expect(data).toMatchObject({
    type: 'team-workspaces',
    attributes: {
      access: 'write',
      runs: 'apply',
      variables: 'write',
      'state-versions': 'write',
      'sentinel-mocks': 'read',
      'workspace-locking': true,
      'run-tasks': false,
      'policy-overrides': false,
    },
    relationships: { team: linkTo('teams', team), workspace: linkTo('workspaces', unit) },
  })
  const again = await ask('POST', 'team-workspaces', {
    attributes: { access: 'read' },
    relationships: { team: linkTo('teams', team), workspace: linkTo('workspaces', unit) },
  })
  expect([again.status, again.pointer]).toEqual([422, '/data/relationships/team'])

  const custom = await ask('PATCH', path, {
    attributes: { access: 'custom', runs: 'plan', 'run-tasks': true },
  })
  expect(custom.data.attributes).toEqual({
    access: 'custom',
    runs: 'plan',
    variables: 'write',
    'state-versions': 'write',
    'sentinel-mocks': 'read',
    'workspace-locking': true,
    'run-tasks': true,
    'policy-overrides': false,
  })
  expect((await ask('GET', path)).data).toEqual(custom.data)
  expect((await ask('GET', `team-workspaces?filter[workspace][id]=${unit}`)).all).toEqual([custom.data])
  const wrong = await ask('PATCH', path, { attributes: { runs: 'everything' } })
  expect([wrong.status, wrong.pointer]).toEqual([422, '/data/attributes/runs'])

  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('GET', path)).status).toBe(404)
  expect((await ask('GET', `team-workspaces?filter[workspace][id]=${unit}`)).all).toEqual([])
})

test('what a team gets in a workspace is what its members may do there, and nowhere else', async () => {
  const face = await startSsoFace()
  const alice = await face.person('alice')
  const { team, unit, access } = await newAccess(face, { access: 'custom', 'state-versions': 'read-outputs' })
  const other = await newUnit(face)
  await tfcAs(face, face.root)('POST', `teams/${team}/relationships/users`, [{ type: 'users', id: 'alice' }])
  const as = { headers: alice.token }
  const statuses = async () =>
    Promise.all(
      [`units/${unit}/outputs`, `units/${unit}/state`, `units/${unit}`, `units/${other}`].map(
        async (path) => (await face.send(`/v1/${path}`, as)).status,
      ),
    )

  expect(await statuses()).toEqual([404, 403, 200, 404])
  await tfcAs(face, face.root)('PATCH', `team-workspaces/${access}`, { attributes: { access: 'read' } })
  expect(await statuses()).toEqual([404, 404, 200, 404])
})
