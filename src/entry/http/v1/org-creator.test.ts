import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../test/rig/sso-face.ts'

const json = { 'content-type': 'application/json' }

test('a person who may create organizations owns the one they create, and nothing in others', async () => {
  const { send, person, root } = await startSsoFace()
  const [alice, bob] = [await person('alice'), await person('bob')]
  const create = (name: string, who: typeof alice) =>
    send('/v1/orgs', {
      method: 'POST',
      headers: { ...json, ...who.token },
      body: JSON.stringify({ name }),
    })
  expect((await create('acme', alice)).status).toBe(403)
  const everyone = { method: 'PATCH', headers: { ...json, ...root }, body: '{"orgCreators":"everyone"}' }
  expect((await send('/v1/server/settings', everyone)).status).toBe(200)

  expect((await create('acme', alice)).status).toBe(201)
  expect((await create('acme', bob)).status).toBe(409)

  const bindings = await send('/v1/orgs/acme/bindings', { headers: alice.token })
  expect(bindings.json()).toMatchObject({ items: [{ role: 'owner', to: 'user:alice' }] })
  expect((await send('/v1/orgs/acme', { headers: bob.token })).status).toBe(404)
  expect((await send('/v1/orgs', { headers: bob.token })).json()).toMatchObject({ items: [] })
})

test('everyone cannot be made an administrator of the server', async () => {
  const { send, root } = await startSsoFace()

  const refused = await send('/v1/server/administrators/everyone', { method: 'PUT', headers: root })

  expect(refused.json()).toMatchObject({ status: 400, field: 'subject' })
})
