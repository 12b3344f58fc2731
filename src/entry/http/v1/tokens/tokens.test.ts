import { expect, test } from 'vitest'
import { type TestFace, startFace } from '../../../../../test/rig/http-face.ts'
import { systemCaller } from '../../../../access/index.ts'

const rootToken = '0123456789abcdef'.repeat(4)

async function open() {
  const face = await startFace({ ssoRootToken: rootToken })
  const { signIn } = face.deps
  if (signIn === undefined) throw new Error('people cannot sign in')
  const person = await signIn.people.signIn(
    { provider: 'okta', subject: '1', login: 'alice', groups: [] },
    systemCaller('opentaco'),
  )
  const owner = { kind: 'personal', user: person.id } as const
  const { text } = await signIn.tokens.create({ name: 'first', owner }, systemCaller('opentaco'))
  return { face, signIn, person, alice: text, ask: asker(face) }
}

function asker(face: TestFace) {
  return async (token: string, method: string, path: string, body?: unknown) => {
    const answer = await face.send(path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, json: answer.text === '' ? {} : answer.json() }
  }
}

test('people create, list, show and revoke their tokens', async () => {
  const { alice, ask } = await open()

  const made = await ask(alice, 'POST', '/v1/tokens', {
    name: 'ci',
    actions: ['state:*'],
    units: ['prod/**'],
  })
  const { token, ...shown } = made.json
  const path = `/v1/tokens/${String(made.json['id'])}`

  expect([made.status, token]).toEqual([201, expect.stringMatching(/^taco_pat_/)])
  expect(shown).toMatchObject({
    kind: 'personal',
    actions: ['state:*'],
    units: ['prod/**'],
    createdBy: 'user:alice',
  })
  expect((await ask(alice, 'GET', path)).json).toEqual(shown)
  expect((await ask(alice, 'GET', '/v1/tokens')).json).toMatchObject({
    items: [{ name: 'ci' }, { name: 'first' }],
  })
  expect((await ask(String(token), 'GET', '/v1/server')).status).toBe(200)
  expect((await ask(String(token), 'GET', '/v1/tokens')).status).toBe(403)
  expect((await ask(alice, 'DELETE', path)).status).toBe(204)
  const refused = await ask(String(token), 'GET', '/v1/server')
  expect([refused.status, refused.json['detail']]).toEqual([
    401,
    expect.stringContaining('revoked by user:alice'),
  ])
})

test('nobody sees or revokes tokens of others', async () => {
  const { alice, ask, signIn } = await open()
  const bob = await signIn.people.signIn(
    { provider: 'okta', subject: '2', login: 'bob', groups: [] },
    systemCaller('opentaco'),
  )
  const owner = { kind: 'personal', user: bob.id } as const
  const { text, token } = await signIn.tokens.create({ name: 'x', owner }, systemCaller('opentaco'))

  for (const method of ['GET', 'DELETE'])
    expect((await ask(alice, method, `/v1/tokens/${token.id}`)).status).toBe(404)
  expect((await ask(alice, 'GET', '/v1/orgs/default/tokens')).status).toBe(404)
  expect((await ask(rootToken, 'GET', '/v1/tokens')).json).toMatchObject({ status: 403 })
  expect((await ask(text, 'GET', '/v1/tokens')).status).toBe(200)
})

test('tokens of teams, organizations and agents name a team and roles that exist', async () => {
  const { ask } = await open()
  const path = '/v1/orgs/default/tokens'
  const create = (body: object) => ask(rootToken, 'POST', path, { name: 'x', expiresAt: null, ...body })
  await ask(rootToken, 'POST', '/v1/orgs/default/teams', { name: 'ops' })

  const team = await create({ kind: 'team', team: 'ops' })
  const org = await create({ kind: 'organization', roles: ['reader'], units: ['dev/**'] })
  expect([team.status, org.status]).toEqual([201, 201])
  expect((await create({ kind: 'team', team: 'opps' })).status).toBe(404)
  expect((await create({ kind: 'agent', roles: ['reeder'] })).json).toMatchObject({
    status: 400,
    hint: expect.stringContaining('reader'),
  })
  expect((await ask(rootToken, 'GET', `${path}?team=ops`)).json).toMatchObject({ items: [{ kind: 'team' }] })
  expect((await ask(rootToken, 'GET', `${path}?kind=organization`)).json).toMatchObject({
    items: [{ kind: 'organization', roles: ['reader'] }],
  })
  for (const name of ['dev/a', 'prod/a']) await ask(rootToken, 'POST', '/v1/units', { name })
  expect((await ask(String(org.json['token']), 'GET', '/v1/units/dev--a')).status).toBe(200)
  expect((await ask(String(org.json['token']), 'GET', '/v1/units/prod--a')).status).toBe(403)
  expect((await ask(String(org.json['token']), 'POST', '/v1/units', { name: 'dev/a' })).status).toBe(403)
  expect((await ask(rootToken, 'DELETE', `${path}/${String(team.json['id'])}`)).status).toBe(204)
  expect((await ask(String(team.json['token']), 'GET', '/v1/server')).status).toBe(401)
})

test('a suspended person is refused with every token', async () => {
  const { alice, ask, signIn, person } = await open()
  expect((await ask(alice, 'GET', '/v1/tokens')).status).toBe(200)

  await signIn.people.setSuspended(person.id, true, systemCaller('opentaco'))

  expect((await ask(alice, 'GET', '/v1/tokens')).status).toBe(401)
})

test('the root token can be switched off, and its reads are in the audit', async () => {
  const { ask, signIn, face, person } = await open()
  const caller = systemCaller('opentaco')
  expect((await ask(rootToken, 'GET', '/v1/units?org=default')).status).toBe(200)
  const used = async () => (await face.deps.control.audit.read({ limit: 10 }, caller)).items
  await expect.poll(used).toContainEqual(expect.objectContaining({ by: 'token:root', action: 'unit:read' }))

  await signIn.settings.addAdministrator(`user:${person.id}`, caller)
  await signIn.settings.update({ isRootTokenOff: true }, caller)

  const refused = await ask(rootToken, 'GET', '/v1/units?org=default')
  expect([refused.status, refused.json['detail']]).toEqual([401, expect.stringContaining('switched off')])
})
