import { expect, test } from 'vitest'
import { addGuard } from '../../../../access/organization/transitions.ts'
import { startSsoFace } from '../../../../../test/rig/sso-face.ts'

test('a guarded unit can be changed by clients that send its name with every change', async () => {
  const { send, root, deps, policy, setUp, id } = await startSsoFace()
  const unit = await deps.control.units.create({ org: 'default', name: 'prod/app' }, setUp)
  await policy('default', (all) => addGuard(all, { id: id('guard'), units: ['prod/**'], at: 1, by: 'x' }))
  const change = (name: string) =>
    send(`/api/v2/workspaces/${unit.id}`, {
      method: 'PATCH',
      headers: { ...root, 'content-type': 'application/vnd.api+json' },
      body: JSON.stringify({ data: { type: 'workspaces', attributes: { name, description: 'new' } } }),
    })

  expect((await change('prod--app')).status).toBe(200)
  expect((await change('test--app')).status).toBe(403)
})
