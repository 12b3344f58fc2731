import { expect, test } from 'vitest'
import { bind, putRole } from '../../../../access/organization/transitions.ts'
import { publishBoth } from '../../../../../test/rig/registry-world.ts'
import { type Credential, bearer, startSsoFace } from '../../../../../test/rig/sso-face.ts'

test('the token of a run takes from the registry what its caller may take', async () => {
  const face = await startSsoFace()
  const { name } = await publishBoth(face)
  const operator = await face.person('operator')
  const narrow = await face.person('narrow')
  const actions = ['unit:read', 'run:token', 'state:*', 'lock']
  await face.policy('default', (all) =>
    bind(putRole(all, { name: 'no-registry', rules: [{ effect: 'allow', actions }] }), {
      role: 'no-registry',
      to: `user:${narrow.id}`,
    }),
  )
  await face.policy('default', (all) => bind(all, { role: 'operator', to: `user:${operator.id}` }))
  await face.deps.control.units.create({ org: 'default', name: 'app' }, face.setUp)

  async function runToken(credential: Credential): Promise<Credential> {
    const headers = { ...credential, 'content-type': 'application/json' }
    const answer = await face.send('/v1/units/app/run-tokens', { method: 'POST', headers, body: '{}' })
    expect(answer.status).toBe(201)
    return bearer(String(answer.json()['token']))
  }
  const statuses = async (headers: Credential) => [
    (await face.send(`/api/registry/v1/modules/default/${name}/null/versions`, { headers })).status,
    (await face.send(`/api/registry/v1/providers/default/${name}/versions`, { headers })).status,
  ]

  expect(await statuses(await runToken(operator.token))).toEqual([200, 200])
  expect(await statuses(await runToken(face.root))).toEqual([200, 200])
  expect(await statuses(await runToken(narrow.token))).toEqual([403, 403])
  const publish = await face.send('/api/v2/organizations/default/registry-modules', {
    headers: await runToken(operator.token),
  })
  expect(publish.status).toBe(403)
})
