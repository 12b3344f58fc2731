import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../test/rig/sso-face.ts'

test('what was deleted is missing at every address that its id is in', async () => {
  const { send, root, deps, setUp } = await startSsoFace()
  const { control } = deps
  const { id } = await control.units.create({ org: 'default', name: 'gone' }, setUp)
  await control.orgs.create({ name: 'closed' }, setUp)
  await control.units.remove({ org: 'default', unit: id }, { force: false }, setUp)
  await control.orgs.remove('closed', { force: false }, setUp)

  for (const path of [
    '',
    '/vars',
    '/run-triggers?filter[run-trigger][type]=inbound',
    '/tasks',
    '/configuration-versions',
  ])
    expect([path, (await send(`/api/v2/workspaces/${id}${path}`, { headers: root })).status]).toEqual([
      path,
      404,
    ])
  for (const path of ['', '/projects', '/varsets', '/policies', '/teams', '/workspaces', '/agent-pools'])
    expect([path, (await send(`/api/v2/organizations/closed${path}`, { headers: root })).status]).toEqual([
      path,
      404,
    ])
})
