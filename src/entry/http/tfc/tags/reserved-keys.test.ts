import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { linkTo, newUnit, tfcAs } from '../../../../../test/rig/tfc-calls.ts'

test('the value that a project sets for a reserved key cannot be overridden in any way', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const env = (value: string) => ({
    'tag-bindings': { data: [{ type: 'tag-bindings', attributes: { key: 'env', value } }] },
  })
  const attributes = { key: 'env', 'disable-overrides': true }
  await ask('POST', 'organizations/default/reserved-tag-keys', { attributes })
  const projects = 'organizations/default/projects'
  const { id } = (await ask('POST', projects, { attributes: { name: 'prod' }, relationships: env('prod') }))
    .data
  const project = linkTo('projects', id)

  const create = (value: string) =>
    ask('POST', 'organizations/default/workspaces', {
      attributes: { name: face.fresh('unit') },
      relationships: { project, ...env(value) },
    })
  expect((await create('dev')).status).toBe(422)
  expect((await create('prod')).status).toBe(201)

  const unit = await newUnit(face)
  const change = (value: string) =>
    ask('PATCH', `workspaces/${unit}`, { relationships: { project, ...env(value) } })
  expect((await change('dev')).status).toBe(422)
  expect((await change('prod')).status).toBe(200)
  expect((await ask('PATCH', `workspaces/${unit}`, { relationships: env('dev') })).status).toBe(422)
})
