import { expect, test } from 'vitest'
import { type SsoFace, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { linkTo, newUnit, tfcAs } from '../../../../../test/rig/tfc-calls.ts'
import { bind } from '../../../../access/organization/transitions.ts'

const type = 'run-triggers'
const on = (source: string) => ({ type, relationships: { sourceable: linkTo('workspaces', source) } })

async function open() {
  const face = await startSsoFace()
  const [vpc, app] = [await newUnit(face, 'prod/vpc'), await newUnit(face, 'prod/app')]
  return { face, vpc, app, ask: tfcAs(face, face.root) }
}

const dependencies = async (face: SsoFace, unit: string) =>
  (await face.send(`/v1/units/${unit}/dependencies`, { headers: face.root })).json()

test('a run trigger is a declared dependency', async () => {
  const { face, vpc, app, ask } = await open()

  const made = await ask('POST', `workspaces/${app}/run-triggers`, on(vpc))
  expect([made.status, made.data]).toMatchObject([
    201,
    {
      type,
      attributes: { 'workspace-name': 'prod--app', 'sourceable-name': 'prod--vpc' },
      relationships: { workspace: linkTo('workspaces', app), sourceable: linkTo('workspaces', vpc) },
    },
  ])
  expect(await dependencies(face, 'prod--app')).toMatchObject({
    uses: [{ on: { name: 'prod/vpc' }, outputs: null, source: 'declared' }],
  })
  const path = `run-triggers/${made.data.id}`
  expect((await ask('GET', path)).data).toEqual(made.data)
  const list = async (unit: string, kind: string) =>
    (await ask('GET', `workspaces/${unit}/run-triggers?filter%5Brun-trigger%5D%5Btype%5D=${kind}`)).all
  expect(await list(app, 'inbound')).toEqual([made.data])
  expect(await list(vpc, 'outbound')).toEqual([made.data])
  expect(await list(vpc, 'inbound')).toEqual([])
  const { json } = await ask('GET', `${path}?include=workspace%2Csourceable`)
  expect(json['included']).toMatchObject([
    { id: app, type: 'workspaces', attributes: { name: 'prod--app' } },
    { id: vpc, type: 'workspaces', attributes: { name: 'prod--vpc' } },
  ])

  expect((await ask('DELETE', path)).status).toBe(204)
  expect(await dependencies(face, 'prod--app')).toMatchObject({ uses: [] })
  expect([(await ask('GET', path)).status, (await ask('DELETE', path)).status]).toEqual([404, 404])
})

test('a dependency that was declared elsewhere is a run trigger', async () => {
  const { face, app, vpc, ask } = await open()
  await face.send('/v1/units/prod--app/dependencies', {
    method: 'POST',
    headers: { ...face.root, 'content-type': 'application/json' },
    body: JSON.stringify({ on: 'prod/vpc', outputs: [] }),
  })
  const { all } = await ask('GET', `workspaces/${app}/run-triggers`)
  expect(all).toMatchObject([{ relationships: { sourceable: linkTo('workspaces', vpc) } }])
})

test('cycles, missing sources and unknown kinds are refused', async () => {
  const { app, vpc, ask } = await open()
  await ask('POST', `workspaces/${app}/run-triggers`, on(vpc))
  for (const refused of [
    await ask('POST', `workspaces/${vpc}/run-triggers`, on(app)),
    await ask('POST', `workspaces/${vpc}/run-triggers`, on(vpc)),
    await ask('POST', `workspaces/${vpc}/run-triggers`, { type }),
  ])
    expect([refused.status, refused.pointer]).toEqual([422, '/data/relationships/sourceable'])
  const stray = await ask('POST', `workspaces/${vpc}/run-triggers`, on('ws-1111111111111111'))
  expect(stray.status).toBe(404)
  expect((await ask('GET', 'run-triggers/rt-1')).status).toBe(404)
  const odd = await ask('GET', `workspaces/${vpc}/run-triggers?filter%5Brun-trigger%5D%5Btype%5D=sideways`)
  expect(odd.status).toBe(400)
})

test('a source that the caller may not see is like one that does not exist', async () => {
  const { face, app, vpc, ask } = await open()
  await ask('POST', `workspaces/${app}/run-triggers`, on(vpc))
  const person = await face.person('alice')
  await face.policy('default', (all) =>
    bind(all, { role: 'operator', to: `user:${person.id}`, units: ['prod/app'] }),
  )
  const asAlice = tfcAs(face, person.token)
  expect((await asAlice('GET', `workspaces/${app}/run-triggers`)).all).toEqual([])
  expect((await asAlice('POST', `workspaces/${app}/run-triggers`, on(vpc))).status).toBe(404)
})
