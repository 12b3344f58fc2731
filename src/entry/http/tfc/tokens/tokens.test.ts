import { expect, test } from 'vitest'
import { startFace } from '../../../../../test/rig/http-face.ts'
import { type SsoFace, bearer, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { linkTo, tfcAs } from '../../../../../test/rig/tfc-calls.ts'
import { newTeam } from '../../../../../test/rig/tfc-people.ts'
import { bind } from '../../../../access/organization/transitions.ts'
import { createTfcFace, secretSigner } from '../../index.ts'

const type = 'authentication-tokens'
const org = 'organizations/default'

const works = async (face: SsoFace, token: unknown, path = '/v1/orgs/default') =>
  (await face.send(path, { headers: bearer(String(token)) })).status

test('people create, list, show and delete their own tokens', async () => {
  const face = await startSsoFace()
  const [alice, bob] = [await face.person('alice'), await face.person('bob')]
  const ask = tfcAs(face, alice.token)
  const own = `users/${alice.id}/${type}`
  const until = new Date(Date.now() + 86_400_000).toISOString()

  const made = await ask('POST', own, { type, attributes: { description: 'laptop', 'expired-at': until } })
  expect([made.status, made.data]).toMatchObject([
    201,
    {
      type,
      attributes: { description: 'laptop', 'expired-at': until, 'last-used-at': null },
      relationships: { 'created-by': linkTo('users', alice.id) },
    },
  ])
  const { token } = made.data.attributes
  expect(await works(face, token, '/v1/whoami')).toBe(200)

  const shown = await ask('GET', `${type}/${made.data.id}`)
  expect(shown.data.attributes).toMatchObject({ description: 'laptop', token: null })
  expect((await ask('GET', own)).all.map(({ attributes }) => attributes['token'])).toEqual([null, null])
  expect((await ask('POST', own)).status).toBe(201)

  const asBob = tfcAs(face, bob.token)
  expect((await asBob('GET', own)).status).toBe(404)
  expect((await asBob('POST', own)).status).toBe(404)
  expect((await asBob('GET', `${type}/${made.data.id}`)).status).toBe(404)
  expect((await asBob('DELETE', `${type}/${made.data.id}`)).status).toBe(404)

  expect((await ask('DELETE', `${type}/${made.data.id}`)).status).toBe(204)
  expect((await ask('GET', `${type}/${made.data.id}`)).status).toBe(404)
  expect(await works(face, token, '/v1/whoami')).toBe(401)
})

test('a token with a scope neither shows nor revokes tokens outside of it', async () => {
  const face = await startSsoFace()
  const alice = await face.person('alice')
  const { tokens } = face.signIn
  const team = await newTeam(face)
  const member = [{ type: 'users', id: alice.id }]
  await tfcAs(face, face.root)('POST', `teams/${team}/relationships/users`, member)
  const ask = tfcAs(face, alice.token)
  const ofTeam = await ask('POST', `teams/${team}/authentication-token`)
  const own = await ask('POST', `users/${alice.id}/${type}`)
  expect([ofTeam.status, own.status]).toEqual([201, 201])

  const owner = { kind: 'personal', user: alice.id } as const
  for (const actions of [['unit:read'], ['org:read']]) {
    const { text } = await tokens.create({ name: 'narrow', owner, scope: { actions } }, face.setUp)
    const narrow = tfcAs(face, bearer(text))
    for (const id of [own.data.id, ofTeam.data.id])
      for (const method of ['GET', 'DELETE'])
        expect([id, method, (await narrow(method, `${type}/${id}`)).status]).toEqual([id, method, 403])
    for (const method of ['GET', 'DELETE'])
      expect((await narrow(method, `teams/${team}/authentication-token`)).status).toBe(403)
  }
  expect(await works(face, own.data.attributes['token'], '/v1/whoami')).toBe(200)
  expect(await works(face, ofTeam.data.attributes['token'], '/v1/whoami')).toBe(200)
})

test('a token that would have expired, or lasts too long, is refused with a pointer', async () => {
  const face = await startSsoFace()
  const alice = await face.person('alice')
  const wrong = async (expiredAt: unknown) =>
    (
      await tfcAs(face, alice.token)('POST', `users/${alice.id}/${type}`, {
        attributes: { 'expired-at': expiredAt },
      })
    ).pointer

  for (const time of ['2001-01-01T00:00:00Z', '2999-01-01T00:00:00Z', 'tomorrow', 5])
    expect(await wrong(time)).toBe('/data/attributes/expired-at')
})

test('the token of a team without a description is replaced by the next one, and others are not', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const team = await newTeam(face)
  const path = `teams/${team}/authentication-token`
  expect((await ask('GET', path)).status).toBe(404)

  const first = await ask('POST', path)
  expect([first.status, first.data]).toMatchObject([
    201,
    { attributes: { description: '', 'expired-at': null }, relationships: { team: linkTo('teams', team) } },
  ])
  const named = await ask('POST', `${path}s`, { type, attributes: { description: 'ci' } })
  const again = await ask('POST', `${path}s`, { type, attributes: { description: 'ci' } })
  expect([named.status, again.status, again.pointer]).toEqual([201, 422, '/data/attributes/description'])

  const second = await ask('POST', path, { type: 'authentication-token', attributes: {} })
  expect(await works(face, first.data.attributes['token'])).toBe(401)
  expect(await works(face, second.data.attributes['token'])).toBe(200)
  expect(await works(face, named.data.attributes['token'])).toBe(200)
  expect((await ask('GET', path)).data.id).toBe(second.data.id)
  const ids = (await ask('GET', `${path}s`)).all.map(({ id }) => id)
  expect(ids.toSorted()).toEqual([named.data.id, second.data.id].toSorted())
  expect((await ask('GET', `${org}/team-tokens?q=team&sort=-team-name`)).all).toHaveLength(2)
  expect((await ask('GET', `${org}/team-tokens?q=nothing`)).all).toEqual([])

  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('DELETE', path)).status).toBe(404)
  expect(await works(face, named.data.attributes['token'])).toBe(200)
  await ask('DELETE', `teams/${team}`)
  expect((await ask('GET', `${type}/${named.data.id}`)).status).toBe(404)
})

test('members of a team manage its tokens, if the team lets them', async () => {
  const face = await startSsoFace()
  const alice = await face.person('alice')
  const team = await newTeam(face)
  await tfcAs(face, face.root)('POST', `teams/${team}/relationships/users`, [{ type: 'users', id: 'alice' }])
  const ask = tfcAs(face, alice.token)
  const path = `teams/${team}/authentication-token`

  const made = await ask('POST', path)
  expect(made.status).toBe(201)
  expect((await ask('GET', `${type}/${made.data.id}`)).status).toBe(200)
  const attributes = { 'allow-member-token-management': false }
  await tfcAs(face, face.root)('PATCH', `teams/${team}`, { type: 'teams', attributes })
  for (const [method, at] of [
    ['POST', path],
    ['GET', path],
    ['GET', `${type}/${made.data.id}`],
    ['DELETE', `${type}/${made.data.id}`],
  ] as const)
    expect((await ask(method, at)).status).toBe(403)
})

test('an organization has one token, and one for its audit trail', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const path = `${org}/authentication-token`

  const [plain, trail] = [await ask('POST', path), await ask('POST', `${path}?token=audit-trails`)]
  const { token } = plain.data.attributes
  expect(await works(face, token, '/v1/orgs/default/tokens')).toBe(200)
  expect(await works(face, trail.data.attributes['token'], '/v1/audit?org=default')).toBe(200)
  expect(await works(face, trail.data.attributes['token'], '/v1/orgs/default/tokens')).toBe(403)
  expect(plain.data.relationships['created-by']).toEqual(linkTo('organizations', 'default'))

  const next = await ask('POST', path)
  expect([await works(face, token), await works(face, next.data.attributes['token'])]).toEqual([401, 200])
  expect((await ask('GET', path)).data.id).toBe(next.data.id)
  expect((await ask('GET', `${path}?token=audit-trails`)).data.id).toBe(trail.data.id)
  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('GET', path)).status).toBe(404)
})

test('of tokens that are created at once for the same place, one stays', async () => {
  const face = await startSsoFace()
  const path = `${org}/authentication-token`
  const ask = tfcAs(face, face.root)
  const made = await Promise.all(Array.from({ length: 6 }, () => ask('POST', path)))
  const left = await Promise.all(made.map(({ data }) => works(face, data.attributes['token'])))

  expect(left.toSorted((a, b) => a - b)).toEqual([200, 401, 401, 401, 401, 401])
})

test('agents of a pool have tokens, which allow nothing by themselves', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const pool = (await ask('POST', `${org}/agent-pools`, { attributes: { name: 'linux' } })).data.id
  const path = `agent-pools/${pool}/${type}`

  const made = await ask('POST', path, { type: 'agent-tokens', attributes: { description: 'one' } })
  expect([made.status, made.data.attributes['description']]).toEqual([201, 'one'])
  expect(made.data.relationships['created-by']).toEqual({ data: null })
  expect(await works(face, made.data.attributes['token'])).toBe(404)
  expect((await ask('GET', path)).all.map(({ id }) => id)).toEqual([made.data.id])
  expect((await ask('POST', path, { attributes: {} })).pointer).toBe('/data/attributes/description')
  expect((await ask('DELETE', `${type}/${made.data.id}`)).status).toBe(204)
  expect((await ask('GET', path)).all).toEqual([])
  expect((await ask('GET', `agent-pools/apool-1234567890123456/${type}`)).status).toBe(404)
})

test('an organization limits how long its tokens are valid', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const path = `${org}/token-ttl-policies`
  const team = await newTeam(face)
  const tokens = `teams/${team}/${type}`
  const limit = (kind: string, most: number) =>
    ask('PATCH', path, { attributes: { 'token-ttl-policies': [{ 'token-type': kind, 'max-ttl-ms': most }] } })
  const day = 86_400_000
  expect((await ask('GET', path)).all).toEqual([])

  expect((await limit('team', day)).all).toMatchObject([
    { type: 'organization-token-ttl-policies', attributes: { 'token-type': 'team', 'max-ttl-ms': day } },
  ])
  const created = async (description: string, expiredAt?: number) =>
    ask('POST', tokens, {
      attributes: { description, ...(expiredAt && { 'expired-at': new Date(expiredAt).toISOString() }) },
    })
  expect((await created('long', Date.now() + 2 * day)).pointer).toBe('/data/attributes/expired-at')
  const usual = (await created('usual')).data.attributes['expired-at']
  expect(Date.parse(String(usual)) - Date.now()).toBeLessThanOrEqual(day)
  const native = await face.send('/v1/orgs/default/tokens', {
    method: 'POST',
    headers: { ...face.root, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'team', team, name: 'n', expiresAt: null }),
  })
  expect(native.status).toBe(400)

  expect((await limit('user', day)).pointer).toBe('/data/attributes/token-ttl-policies')
  expect((await limit('team', 0)).all).toEqual([])
  expect((await created('for ever')).data.attributes['expired-at']).toBeNull()
})

test('a scoped token cannot create tokens', async () => {
  const face = await startSsoFace()
  const alice = await face.person('alice')
  await face.policy('default', (all) => bind(all, { role: 'owner', to: `user:${alice.id}` }))
  const owner = { kind: 'personal', user: alice.id } as const
  const scope = { actions: ['token:manage', 'org:read'] }
  const { text } = await face.signIn.tokens.create({ name: 's', owner, scope }, face.setUp)

  expect((await tfcAs(face, bearer(text))('POST', `${org}/authentication-token`)).status).toBe(403)
})

test('where people cannot sign in, there are no tokens, and creating one says why', async () => {
  const signer = secretSigner(['x'])
  const face = await startFace({
    complete: () =>
      Promise.resolve({ moreFaces: (deps) => [createTfcFace(deps, { publicUrl: undefined, signer })] }),
  })
  const ask = tfcAs(face, {})

  expect((await ask('GET', `${org}/team-tokens`)).all).toEqual([])
  expect((await ask('GET', `${org}/authentication-token`)).status).toBe(404)
  const refused = await ask('POST', `${org}/authentication-token`)
  expect([refused.status, JSON.stringify(refused.json)]).toEqual([403, expect.stringContaining('--auth sso')])
})
