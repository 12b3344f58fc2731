import { expect, test } from 'vitest'
import { startFace } from '../../../../test/rig/http-face.ts'
import { systemCaller } from '../../../access/index.ts'
import { defaultProjectId, settingsChange } from '../../../projects/index.ts'

const PATH = '/v1/orgs/default/projects'
const caller = systemCaller('opentaco')
const sent = (method: string, body: unknown, headers: Record<string, string> = {}) => ({
  method,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

test('projects are created, found by name or id, changed and deleted', async () => {
  const face = await startFace()
  const made = await face.send(PATH, sent('POST', { name: 'Pay ments', labels: { team: 'x', old: '' } }))
  expect(made.status).toBe(201)
  const { id } = made.json() as { id: string }
  await face.deps.control.units.create(
    { org: 'default', name: 'prod/app', section: settingsChange((now) => ({ ...now, project: id })) },
    caller,
  )
  await face.deps.control.units.create({ org: 'default', name: 'prod/db' }, caller)

  const { items } = (await face.send(PATH)).json() as { items: readonly unknown[] }
  expect(items).toMatchObject([
    { name: 'Default Project', isDefault: true, createdAt: null, units: 1 },
    { id, name: 'Pay ments', isDefault: false, units: 1 },
  ])
  for (const of of [id, 'Pay%20ments', 'pay%20ments'])
    expect((await face.send(`${PATH}/${of}`)).json()).toMatchObject({ id, units: 1 })

  const changed = await face.send(
    `${PATH}/${id}`,
    sent('PATCH', { name: 'pay', labels: { old: null, new: '1' } }),
  )
  expect(changed.json()).toMatchObject({ name: 'pay', labels: { team: 'x', new: '1' } })
  expect((await face.send(PATH, sent('POST', { name: 'PAY' }))).status).toBe(409)
  expect((await face.send(`${PATH}/${id}`, sent('PATCH', {}))).status).toBe(400)
  expect((await face.send(`${PATH}/pay`, { method: 'DELETE' })).status).toBe(409)
  const unit = { org: 'default', unit: 'prod/app' }
  await face.deps.control.units.update(unit, { section: settingsChange(() => ({})) }, caller)
  expect((await face.send(`${PATH}/pay`, { method: 'DELETE' })).status).toBe(204)
  expect((await face.send(`${PATH}/pay`)).status).toBe(404)
})

test('If-Match protects a project, and two first changes of the default project make one project', async () => {
  const face = await startFace()
  const path = `${PATH}/${defaultProjectId('default')}`
  const { etag = '' } = (await face.send(path)).headers
  const rename = (name: string) => face.send(path, sent('PATCH', { name }, { 'if-match': etag }))

  const both = await Promise.all([rename('one'), rename('two')])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412])
  const { items } = (await face.send(PATH)).json() as { items: readonly { name: string }[] }
  const won = both.find(({ status }) => status === 200)?.json()['name']
  expect(items).toMatchObject([{ name: won, isDefault: true }])
})
