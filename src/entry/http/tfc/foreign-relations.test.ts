import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../test/rig/sso-face.ts'
import { linkTo, newUnit, tfcAs } from '../../../../test/rig/tfc-calls.ts'
import { newProject } from '../../../../test/rig/tfc-people.ts'

test('an agent pool of another organization is refused like one that does not exist', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  await ask('POST', 'organizations', { attributes: { name: 'other', email: 'a@example.com' } })
  const newPool = async (org: string) =>
    (await ask('POST', `organizations/${org}/agent-pools`, { attributes: { name: 'linux' } })).data.id
  const own = await newPool('default')
  const [unit, project] = [await newUnit(face), await newProject(face)]

  const uses = (pool: string) => ({
    '/data/attributes/agent-pool-id': [
      ask('PATCH', `workspaces/${unit}`, { attributes: { 'agent-pool-id': pool } }),
      ask('POST', 'organizations/default/workspaces', {
        attributes: { name: face.fresh('new'), 'agent-pool-id': pool },
      }),
    ],
    '/data/attributes/default-agent-pool-id': [
      ask('PATCH', `projects/${project}`, { attributes: { 'default-agent-pool-id': pool } }),
      ask('POST', 'organizations/default/projects', {
        attributes: { name: face.fresh('project'), 'default-agent-pool-id': pool },
      }),
    ],
    '/data/relationships/default-agent-pool': [
      ask('PATCH', 'organizations/default', {
        relationships: { 'default-agent-pool': linkTo('agent-pools', pool) },
      }),
    ],
  })
  for (const pool of [await newPool('other'), 'apool-1111111111111111'])
    for (const [pointer, answers] of Object.entries(uses(pool)))
      for (const answer of await Promise.all(answers)) expect(answer).toMatchObject({ status: 422, pointer })
  for (const answer of await Promise.all(Object.values(uses(own)).flat()))
    expect(answer.status).toBeLessThan(300)
})
