import { expect, test } from 'vitest'
import { startFace } from '../../../../../test/rig/http-face.ts'
import { type SsoFace, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { linkTo, linksTo, tfcAs } from '../../../../../test/rig/tfc-calls.ts'
import { newTeam, signedIn } from '../../../../../test/rig/tfc-people.ts'
import { bind } from '../../../../access/organization/transitions.ts'

const of = 'organizations/default/organization-memberships'
const type = 'organization-memberships'

function invite(face: SsoFace, email: string, ...teams: string[]) {
  const relationships = teams.length > 0 ? { teams: linksTo('teams', ...teams) } : {}
  return tfcAs(face, face.root)('POST', of, { type, attributes: { email }, relationships })
}

test('an invitation becomes a membership when the person signs in with the address', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const team = await newTeam(face, { 'organization-access': { 'read-workspaces': true } })

  const made = await invite(face, 'Alice@Example.com', team)
  expect([made.status, made.data]).toMatchObject([
    201,
    {
      type,
      attributes: { status: 'invited', email: 'alice@example.com' },
      relationships: { teams: linksTo('teams', team), organization: linkTo('organizations', 'default') },
    },
  ])
  const path = `${type}/${made.data.id}`
  expect((await ask('GET', path)).data).toEqual(made.data)
  const ofTeam = async () => (await ask('GET', `teams/${team}`)).data.relationships
  expect(await ofTeam()).toMatchObject({
    users: { data: [] },
    'organization-memberships': linksTo(type, made.data.id),
  })

  const alice = await signedIn(face, 'alice', 'alice@example.com')
  expect((await ask('GET', `${path}?include=user,teams`)).json).toMatchObject({
    data: {
      id: made.data.id,
      attributes: { status: 'active' },
      relationships: { user: linkTo('users', alice.id) },
    },
    included: [
      { type: 'users', id: alice.id, attributes: { username: 'alice', email: 'alice@example.com' } },
      { type: 'teams', id: team },
    ],
  })
  expect(await ofTeam()).toMatchObject({
    users: linksTo('users', alice.id),
    'organization-memberships': linksTo(type, made.data.id),
  })
  expect((await face.send('/v1/units', { headers: alice.token })).status).toBe(200)

  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('GET', path)).status).toBe(404)
  expect((await face.send('/v1/units', { headers: alice.token })).status).toBe(404)
})

test('an invited person without a team sees that the organization exists, and nothing else', async () => {
  const face = await startSsoFace()
  await invite(face, 'alice@example.com')
  const { token } = await signedIn(face, 'alice', 'alice@example.com')
  const mallory = await face.person('mallory')

  expect((await face.send('/v1/orgs/default', { headers: token })).status).toBe(200)
  expect((await face.send('/v1/units', { headers: token })).status).toBe(403)
  expect((await face.send('/v1/orgs/default', { headers: mallory.token })).status).toBe(404)
})

test('an address that no provider has verified does not count', async () => {
  const face = await startSsoFace()
  await invite(face, 'alice@example.com')
  const email = { address: 'alice@example.com', isVerified: false }
  await face.signIn.people.signIn(
    { provider: 'hub', subject: 'x', login: 'alice', email, groups: [] },
    face.setUp,
  )
  const [found] = (await tfcAs(face, face.root)('GET', of)).all

  expect(found?.attributes['status']).toBe('invited')
})

test('people are listed by status, address and search', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  await invite(face, 'carol@example.com')
  const alice = await signedIn(face, 'alice', 'alice@example.com')
  const bob = await face.person('bob')
  await face.person('stranger')
  for (const { id } of [alice, bob])
    await face.policy('default', (all) => bind(all, { role: 'reader', to: `user:${id}` }))
  const listed = async (query: string) =>
    (await ask('GET', `${of}?${query}`)).all
      .map(({ attributes }) => `${String(attributes['status'])} ${String(attributes['email'])}`)
      .toSorted()

  expect(await listed('')).toEqual(['active ', 'active alice@example.com', 'invited carol@example.com'])
  expect(await listed('filter[status]=invited')).toEqual(['invited carol@example.com'])
  expect(await listed('filter[email]=alice@example.com,x@y.z')).toEqual(['active alice@example.com'])
  expect(await listed('q=BOB')).toEqual(['active '])
  const page = await ask('GET', `${of}?page[size]=2&page[number]=2&include=user`)
  expect(page.json).toMatchObject({ meta: { pagination: { 'total-count': 3, 'current-page': 2 } } })
  expect(page.all).toHaveLength(1)
})

test('removing somebody takes away what they have by name, and says if a group gives them more', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const bob = await face.person('bob')
  await face.policy('default', (all) => bind(all, { role: 'reader', to: `user:${bob.id}` }))
  const [member] = (await ask('GET', of)).all
  expect((await ask('DELETE', `${type}/${member?.id}`)).status).toBe(204)
  expect((await face.send('/v1/units', { headers: bob.token })).status).toBe(404)

  await face.signIn.people.signIn(
    { provider: 'hub', subject: 'bob', login: 'bob', groups: ['staff'] },
    face.setUp,
  )
  await face.policy('default', (all) => bind(all, { role: 'reader', to: 'group:hub/staff' }))
  const refused = await ask('DELETE', `${type}/${(await ask('GET', of)).all[0]?.id}`)
  expect([refused.status, JSON.stringify(refused.json)]).toEqual([409, expect.stringContaining('group')])
})

test('the last owner cannot be removed', async () => {
  const face = await startSsoFace()
  const bob = await face.person('bob')
  await face.policy('default', (all) => bind(all, { role: 'owner', to: `user:${bob.id}` }))
  const [member] = (await tfcAs(face, face.root)('GET', of)).all

  expect((await tfcAs(face, face.root)('DELETE', `${type}/${member?.id}`)).status).toBe(409)
})

/** [what, attributes, status, pointer] */
const refused = [
  ['no address', 'nobody', 422, '/data/attributes/email'],
  ['one that has been invited', 'known@example.com', 422, '/data/attributes/email'],
] as const

test.each(refused)('%s is refused', async (_, email, status, pointer) => {
  const face = await startSsoFace()
  await invite(face, 'known@example.com')
  const answer = await invite(face, email)

  expect([answer.status, answer.pointer]).toEqual([status, pointer])
})

test('a team of another organization is refused', async () => {
  const face = await startSsoFace()
  const answer = await invite(face, 'a@example.com', 'team-1234567890123456')

  expect([answer.status, answer.pointer]).toEqual([422, '/data/relationships/teams'])
})

test('where people cannot sign in, there are no members, and inviting says why', async () => {
  const { createTfcFace, secretSigner } = await import('../../index.ts')
  const face = await startFace({
    complete: () =>
      Promise.resolve({
        moreFaces: (deps) => [createTfcFace(deps, { publicUrl: undefined, signer: secretSigner(['x']) })],
      }),
  })
  const ask = tfcAs(face, {})

  expect([(await ask('GET', of)).status, (await ask('GET', of)).all]).toEqual([200, []])
  const answer = await ask('POST', of, { type, attributes: { email: 'a@example.com' } })
  expect([answer.status, JSON.stringify(answer.json)]).toEqual([403, expect.stringContaining('--auth sso')])
})
