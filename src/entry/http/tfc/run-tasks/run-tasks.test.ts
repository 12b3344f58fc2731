import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { linkTo, linksTo, newUnit, tfcAs } from '../../../../../test/rig/tfc-calls.ts'

const type = 'tasks'
const of = `organizations/default/${type}`

async function open() {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  return {
    face,
    ask,
    create: async (attributes: object = {}) => {
      const given = { name: 'scan', url: 'https://example.com/scan', category: 'task', ...attributes }
      return ask('POST', of, { type, attributes: given })
    },
    attach: (workspace: string, task: string, attributes: object = {}) =>
      ask('POST', `workspaces/${workspace}/tasks`, {
        type: 'workspace-tasks',
        attributes: { 'enforcement-level': 'mandatory', ...attributes },
        relationships: { task: linkTo(type, task) },
      }),
  }
}

test('run tasks are created, shown, changed, listed and deleted', async () => {
  const { ask, create } = await open()
  const made = await create({
    description: 'looks for secrets',
    'hmac-key': 'hunter2',
    'global-configuration': { enabled: true, stages: ['pre_plan'], 'enforcement-level': 'mandatory' },
  })
  expect([made.status, made.data]).toMatchObject([
    201,
    {
      type,
      attributes: {
        name: 'scan',
        url: 'https://example.com/scan',
        description: 'looks for secrets',
        category: 'task',
        'hmac-key': null,
        enabled: true,
        'global-configuration': { enabled: true, stages: ['pre_plan'], 'enforcement-level': 'mandatory' },
      },
      relationships: {
        organization: linkTo('organizations', 'default'),
        'agent-pool': { data: null },
        'workspace-tasks': { data: [] },
      },
    },
  ])
  const path = `${type}/${made.data.id}`
  expect((await ask('GET', path)).data).toEqual(made.data)
  const pool = (
    await ask('POST', 'organizations/default/agent-pools', { type: 'agent-pools', attributes: { name: 'p' } })
  ).data.id
  const changed = await ask('PATCH', path, {
    type,
    attributes: { name: 'audit', enabled: false, 'hmac-key': '', 'global-configuration': { stages: [] } },
    relationships: { 'agent-pool': linkTo('agent-pools', pool) },
  })
  expect([changed.status, changed.data]).toMatchObject([
    200,
    {
      attributes: {
        name: 'audit',
        url: 'https://example.com/scan',
        enabled: false,
        'global-configuration': { enabled: true, stages: [], 'enforcement-level': 'mandatory' },
      },
      relationships: { 'agent-pool': linkTo('agent-pools', pool) },
    },
  ])
  expect((await ask('GET', `${of}?page[size]=1`)).all).toEqual([changed.data])
  expect((await ask('DELETE', path)).status).toBe(204)
  expect([(await ask('GET', path)).status, (await ask('GET', of)).all]).toEqual([404, []])
})

test.each<readonly [string, object, string]>([
  ['a name that is taken', { name: 'Scan' }, 'name'],
  ['an address that is none', { name: 'x', url: 'example.com' }, 'url'],
  ['an address of another kind', { name: 'x', url: 'file:///etc/passwd' }, 'url'],
  ['another category', { name: 'x', category: 'other' }, 'category'],
  [
    'an unknown stage',
    { name: 'x', 'global-configuration': { stages: ['later'] } },
    'global-configuration/stages',
  ],
])('%s is refused with a pointer', async (_, attributes, field) => {
  const { create } = await open()
  await create()
  expect(await create(attributes)).toMatchObject({ status: 422, pointer: `/data/attributes/${field}` })
})

test('an agent pool that is not there is refused', async () => {
  const { ask } = await open()
  const attributes = { name: 'x', url: 'https://example.com', category: 'task' }
  const relationships = { 'agent-pool': linkTo('agent-pools', 'apool-1') }
  expect(await ask('POST', of, { type, attributes, relationships })).toMatchObject({
    status: 422,
    pointer: '/data/relationships/agent-pool',
  })
})

test('run tasks are attached to workspaces, changed and taken away', async () => {
  const { face, ask, create, attach } = await open()
  const [task, workspace] = [(await create()).data.id, await newUnit(face, 'prod/vpc')]
  const path = `workspaces/${workspace}/tasks`

  const made = await attach(workspace, task)
  expect([made.status, made.data]).toMatchObject([
    201,
    {
      type: 'workspace-tasks',
      attributes: { 'enforcement-level': 'mandatory', stage: 'post_plan', stages: ['post_plan'] },
      relationships: { task: linkTo(type, task), workspace: linkTo('workspaces', workspace) },
    },
  ])
  expect(await attach(workspace, task)).toMatchObject({ status: 422, pointer: '/data/relationships/task' })
  expect(await attach(workspace, 'task-1')).toMatchObject({
    status: 422,
    pointer: '/data/relationships/task',
  })
  expect(await attach(workspace, task, { 'enforcement-level': 'soft' })).toMatchObject({
    status: 422,
    pointer: '/data/attributes/enforcement-level',
  })
  expect((await ask('GET', `${path}/${made.data.id}`)).data).toEqual(made.data)
  expect((await ask('GET', path)).all).toEqual([made.data])
  const shown = await ask('GET', `${type}/${task}?include=workspace_tasks,workspace_tasks.workspace`)
  expect(shown.data.relationships['workspace-tasks']).toEqual(linksTo('workspace-tasks', made.data.id))
  expect(shown.json['included']).toMatchObject([
    { type: 'workspace-tasks', id: made.data.id },
    { type: 'workspaces', id: workspace, attributes: { name: 'prod--vpc' } },
  ])

  const changed = await ask('PATCH', `${path}/${made.data.id}`, {
    type: 'workspace-tasks',
    attributes: { stages: ['pre_plan', 'pre_apply'], 'enforcement-level': 'advisory' },
  })
  expect(changed.data.attributes).toEqual({
    'enforcement-level': 'advisory',
    stage: 'pre_plan',
    stages: ['pre_plan', 'pre_apply'],
  })
  const other = await newUnit(face)
  expect((await ask('GET', `workspaces/${other}/tasks/${made.data.id}`)).status).toBe(404)
  expect((await ask('DELETE', `workspaces/${other}/tasks/${made.data.id}`)).status).toBe(404)
  expect((await ask('DELETE', `${path}/${made.data.id}`)).status).toBe(204)
  expect((await ask('GET', path)).all).toEqual([])
})

test('a run task that is deleted is taken away from its workspaces', async () => {
  const { face, ask, create, attach } = await open()
  const [task, workspace] = [(await create()).data.id, await newUnit(face)]
  const { id } = (await attach(workspace, task)).data
  await ask('DELETE', `${type}/${task}`)
  expect((await ask('GET', `workspaces/${workspace}/tasks`)).all).toEqual([])
  expect((await ask('GET', `workspaces/${workspace}/tasks/${id}`)).status).toBe(404)
})

test('events do not say what an address may hide', async () => {
  const { face, create } = await open()
  await create({ url: 'https://user:hunter2@example.com/hook/hunter3?token=hunter4' })
  const events = await face.send('/v1/events?org=default', { headers: face.root })
  expect(events.text).toContain('https://example.com/…')
  expect(events.text).not.toContain('hunter')
})
