import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { linkTo, linksTo, newUnit, tfcAs } from '../../../../../test/rig/tfc-calls.ts'
import { writeInline } from '../../../../../test/rig/tfc-states.ts'
import { bind } from '../../../../access/organization/transitions.ts'

const type = 'workspaces'
const all = 'organizations/default/workspaces'

async function open() {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const create = (
    name: string,
    attributes: Readonly<Record<string, unknown>> = {},
    relationships: Readonly<Record<string, unknown>> = {},
  ) => ask('POST', all, { type, attributes: { name, ...attributes }, relationships })
  const names = async (query: string) =>
    (await ask('GET', `${all}?${query}`)).all.map(({ attributes }) => attributes['name'])
  return { face, ask, create, names }
}

const bindings = (labels: Readonly<Record<string, string>>) => ({
  data: Object.entries(labels).map(([key, value]) => ({ type: 'tag-bindings', attributes: { key, value } })),
})

test('a workspace is a unit, by name and by id', async () => {
  const { face, ask, create } = await open()
  const made = await create('prod--network--vpc', { description: 'd', 'terraform-version': '1.9.0' })
  expect([made.status, made.data]).toMatchObject([
    201,
    {
      type,
      attributes: {
        name: 'prod--network--vpc',
        description: 'd',
        'terraform-version': '1.9.0',
        'execution-mode': 'local',
        'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
        'structured-run-output-enabled': false,
        'speculative-enabled': true,
        locked: false,
        'resource-count': 0,
        permissions: { 'can-update': true, 'can-force-delete': true },
      },
      relationships: { organization: linkTo('organizations', 'default'), 'current-run': { data: null } },
    },
  ])
  const native = await face.send('/v1/units/prod--network--vpc', { headers: face.root })
  expect(native.json()).toMatchObject({ id: made.data.id, name: 'prod/network/vpc' })
  expect(native.text).not.toContain('sections')
  expect((await ask('GET', `${all}/prod--network--vpc`)).data).toEqual(made.data)
  expect((await ask('GET', `workspaces/${made.data.id}`)).data).toEqual(made.data)
})

test.each(['a---b', 'a/b', '-a', 'a b-', 'x.tfstate', '', 'ä'])(
  'a name that no unit can have is refused: %j',
  async (name) => {
    const { ask, create } = await open()
    const { status, pointer } = await create(name)
    expect([status, pointer]).toEqual([422, '/data/attributes/name'])
    if (name !== '') expect((await ask('GET', `${all}/${encodeURIComponent(name)}`)).status).toBe(404)
  },
)

test('a taken name and wrong settings are refused with a pointer', async () => {
  const { create } = await open()
  await create('app')
  for (const [name, attributes, pointer] of [
    ['app', {}, '/data/attributes/name'],
    ['b', { 'execution-mode': 'moon' }, '/data/attributes/execution-mode'],
    ['b', { 'auto-apply': 'yes' }, '/data/attributes/auto-apply'],
    ['b', { 'auto-destroy-at': 'soon' }, '/data/attributes/auto-destroy-at'],
  ] as const)
    expect(await create(name, attributes)).toMatchObject({ status: 422, pointer })
  const project = await create('b', {}, { project: linkTo('projects', 'prj-0000000000000000') })
  expect(project).toMatchObject({ status: 422, pointer: '/data/relationships/project' })
})

test('settings are stored and given back; null goes back to the default', async () => {
  const { ask, create } = await open()
  const { id } = (await create('app')).data
  const given = {
    'execution-mode': 'remote',
    'auto-apply': true,
    'working-directory': 'live',
    'trigger-prefixes': ['modules/'],
    'trigger-patterns': ['**/*.tf'],
    'queue-all-runs': true,
    'speculative-enabled': false,
    'structured-run-output-enabled': true,
    'assessments-enabled': true,
    'allow-destroy-plan': false,
    'auto-destroy-at': '2030-01-02T03:04:05.000Z',
    'auto-destroy-activity-duration': '14d',
    'global-remote-state': true,
    'file-triggers-enabled': false,
    'source-name': 'a script',
    'source-url': 'https://example.com',
  }
  const repo = { identifier: 'acme/infra', 'oauth-token-id': 'ot-1', branch: 'main' }
  const update = (attributes: Readonly<Record<string, unknown>>) =>
    ask('PATCH', `workspaces/${id}`, { type, attributes })

  const changed = await update({ ...given, 'vcs-repo': repo, unknown: 1 })
  expect(changed).toMatchObject({ status: 200, data: { attributes: { ...given, 'vcs-repo': repo } } })
  expect(changed.data.attributes).toMatchObject({
    operations: true,
    'setting-overwrites': { 'execution-mode': true },
  })
  expect((await update({ description: 'only' })).data.attributes).toMatchObject({
    ...given,
    'vcs-repo': repo,
  })

  const nulls = Object.fromEntries(Object.keys(given).map((name) => [name, null]))
  const cleared = await update({ ...nulls, 'vcs-repo': null })
  expect(cleared.data.attributes).toMatchObject({
    'execution-mode': 'local',
    'auto-apply': false,
    'vcs-repo': null,
    'trigger-prefixes': [],
    'auto-destroy-at': null,
    'speculative-enabled': true,
  })
})

test('the execution mode comes from the organization and the project unless the workspace has one', async () => {
  const { ask, create } = await open()
  const { id } = (await create('app')).data
  const mode = async () => (await ask('GET', `workspaces/${id}`)).data.attributes['execution-mode']
  await ask('PATCH', 'organizations/default', {
    type: 'organizations',
    attributes: { 'default-execution-mode': 'remote' },
  })
  expect(await mode()).toBe('remote')
  const own = { 'execution-mode': 'local', 'setting-overwrites': { 'execution-mode': true } }
  await ask('PATCH', `workspaces/${id}`, { type, attributes: own })
  expect(await mode()).toBe('local')
  const inherit = { 'setting-overwrites': { 'execution-mode': false } }
  await ask('PATCH', `workspaces/${id}`, { type, attributes: inherit })
  expect(await mode()).toBe('remote')
})

test('renaming keeps the id and the settings', async () => {
  const { ask, create } = await open()
  const { id } = (await create('old', { 'auto-apply': true })).data
  const renamed = await ask('PATCH', `${all}/old`, { type, attributes: { name: 'new--name' } })
  expect(renamed).toMatchObject({
    status: 200,
    data: { id, attributes: { name: 'new--name', 'auto-apply': true } },
  })
  expect((await ask('GET', `${all}/old`)).status).toBe(404)
})

test('lists are searched, filtered, sorted and paged', async () => {
  const { ask, create, names } = await open()
  const project = (
    await ask('POST', 'organizations/default/projects', { type: 'projects', attributes: { name: 'web' } })
  ).data.id
  await ask('PATCH', `projects/${project}/tag-bindings`, bindings({ cost: 'web' }).data)
  await create('app--prod', {}, { tags: { data: [{ type: 'tags', attributes: { name: 'net' } }] } })
  await create('app--test', {}, { 'tag-bindings': bindings({ env: 'test', net: '' }) })
  await create(
    'site',
    {},
    { project: linkTo('projects', project), 'tag-bindings': bindings({ env: 'prod' }) },
  )

  expect(await names('')).toEqual(['app--prod', 'app--test', 'site'])
  expect(await names('search[name]=TEST')).toEqual(['app--test'])
  expect(await names('search[wildcard-name]=app--*')).toEqual(['app--prod', 'app--test'])
  expect(await names('search[wildcard-name]=*p*prod')).toEqual(['app--prod'])
  expect(await names('search[tags]=net')).toEqual(['app--prod', 'app--test'])
  expect(await names('search[tags]=net,env')).toEqual(['app--test'])
  expect(await names('search[exclude-tags]=net')).toEqual(['site'])
  expect(await names('search[tags]=cost')).toEqual(['site'])
  expect(await names(`filter[project][id]=${project}`)).toEqual(['site'])
  expect(await names('filter[tagged][0][key]=env')).toEqual(['app--test', 'site'])
  expect(await names('filter[tagged][0][key]=env&filter[tagged][0][value]=prod')).toEqual(['site'])
  expect(await names('TagBindings=%7B%2Benv%2Bprod%7D&unknown=1&include=nothing')).toHaveLength(3)
  expect(await names('sort=-name')).toEqual(['site', 'app--test', 'app--prod'])
  expect(await names('page[size]=2&page[number]=2')).toEqual(['site'])
  expect((await ask('GET', `${all}?page[size]=2`)).json['meta']).toMatchObject({
    pagination: { 'current-page': 1, 'next-page': 2, 'total-pages': 2, 'total-count': 3 },
  })
})

test('what is asked for is included', async () => {
  const { ask, create } = await open()
  const { id } = (await create('app', {}, { 'tag-bindings': bindings({ env: 'prod' }) })).data
  const output = { value: 12345678901234567890n, type: 'number' }
  const version = await writeInline(ask, id, { serial: 1, outputs: { big: { ...output, value: 7 } } })
  await ask('POST', `workspaces/${id}/actions/lock`)
  const include =
    'organization,project,current_state_version,outputs,effective_tag_bindings,locked_by,readme,x'
  const { json, data } = await ask('GET', `workspaces/${id}?include=${include}`)
  const types = (json['included'] as { type: string }[]).map((one) => one.type).toSorted()
  expect(types).toEqual([
    'effective-tag-bindings',
    'organizations',
    'projects',
    'state-versions',
    'users',
    'workspace-outputs',
  ])
  expect(data.relationships['current-state-version']).toEqual(linkTo('state-versions', version))
  expect(json['included']).toContainEqual(
    expect.objectContaining({
      type: 'workspace-outputs',
      attributes: { name: 'big', sensitive: false, 'output-type': 'number', value: 7 },
    }),
  )
})

test('only the caller who locked a workspace unlocks it, and a lock is never given twice', async () => {
  const { face, ask } = await open()
  const id = await newUnit(face)
  const other = await face.person('ann')
  const operator = await face.person('bob')
  await face.policy('default', (policy) =>
    bind(bind(policy, { role: 'admin', to: `user:${other.id}` }), {
      role: 'operator',
      to: `user:${operator.id}`,
    }),
  )
  const [ann, bob] = [tfcAs(face, other.token), tfcAs(face, operator.token)]
  const act = (who: typeof ask, what: string) => who('POST', `workspaces/${id}/actions/${what}`)
  const detail = ({ json }: Awaited<ReturnType<typeof ask>>) =>
    (json['errors'] as { detail: string }[])[0]?.detail

  expect((await act(bob, 'unlock')).status).toBe(409)
  const locked = await act(bob, 'lock')
  expect(locked).toMatchObject({ status: 200, data: { attributes: { locked: true } } })
  expect((await act(bob, 'lock')).status).toBe(409)
  const refused = await act(ann, 'unlock')
  expect([refused.status, detail(refused)]).toEqual([409, 'The workspace is locked by User bob.'])
  expect((await act(bob, 'unlock')).data.attributes).toMatchObject({ locked: false })
  expect((await act(ann, 'force-unlock')).status).toBe(409)

  await act(ann, 'lock')
  expect((await act(bob, 'force-unlock')).status).toBe(403)
  await act(ann, 'force-unlock')
  await act(bob, 'lock')
  // One's own lock, after a killed apply.
  expect((await act(bob, 'force-unlock')).status).toBe(200)
})

test('a lock of another backend is not released by unlock', async () => {
  const { face, ask } = await open()
  const id = await newUnit(face, 'app')
  const lock = JSON.stringify({ ID: 'L1', Operation: 'OperationTypeApply', Who: 'me@host' })
  await face.send('/v1/backend/default/app', { method: 'LOCK', headers: face.root, body: lock })
  expect((await ask('POST', `workspaces/${id}/actions/lock`)).status).toBe(409)
  expect((await ask('POST', `workspaces/${id}/actions/unlock`)).json).toMatchObject({
    errors: [{ status: '409', detail: 'The workspace is locked by User me@host.' }],
  })
})

test('deleting is safe, or forced by those who may', async () => {
  const { face, ask } = await open()
  const resources = [
    {
      mode: 'managed',
      type: 'terraform_data',
      name: 'a',
      provider: 'provider["x/y/z"]',
      instances: [{ index_key: 0 }],
    },
  ]
  const id = await newUnit(face, 'app')
  await writeInline(ask, id, { serial: 1, resources })
  expect((await ask('GET', `workspaces/${id}/resources`)).all).toMatchObject([
    { type: 'resources', attributes: { address: 'terraform_data.a[0]', module: 'root', provider: 'y/z' } },
  ])
  expect((await ask('GET', `workspaces/${id}`)).data.attributes['resource-count']).toBe(1)

  const unsafe = await ask('POST', `${all}/app/actions/safe-delete`)
  expect(unsafe).toMatchObject({ status: 409, json: { errors: [{ detail: /not safe to delete/ }] } })
  expect((await ask('DELETE', `workspaces/${id}`)).status).toBe(204)
  expect((await ask('DELETE', `workspaces/${id}`)).status).toBe(404)

  const empty = await newUnit(face, 'empty')
  await ask('POST', `workspaces/${empty}/actions/lock`)
  expect(await ask('POST', `workspaces/${empty}/actions/safe-delete`)).toMatchObject({
    status: 409,
    json: { errors: [{ detail: /is locked/ }] },
  })
  await ask('POST', `workspaces/${empty}/actions/unlock`)
  expect((await ask('POST', `workspaces/${empty}/actions/safe-delete`)).status).toBe(204)
})

test('remote state consumers are added, replaced and removed', async () => {
  const { face, ask } = await open()
  const [id, a, b] = [await newUnit(face), await newUnit(face), await newUnit(face)]
  const path = `workspaces/${id}/relationships/remote-state-consumers`
  const list = async () => (await ask('GET', path)).all.map((one) => one.id).toSorted()
  const send = (method: string, ...ids: string[]) => ask(method, path, linksTo(type, ...ids).data)
  expect((await send('POST', a, b)).status).toBe(204)
  expect(await list()).toEqual([a, b].toSorted())
  await send('DELETE', a)
  expect(await list()).toEqual([b])
  await send('PATCH', a)
  expect(await list()).toEqual([a])
  expect((await send('POST', 'ws-0000000000000000')).status).toBe(422)
})

test('permissions say what the caller may do', async () => {
  const { face } = await open()
  const id = await newUnit(face)
  const reader = await face.person('rita')
  await face.policy('default', (policy) => bind(policy, { role: 'reader', to: `user:${reader.id}` }))
  const { data } = await tfcAs(face, reader.token)('GET', `workspaces/${id}`)
  expect(data.attributes['permissions']).toMatchObject({
    'can-read-settings': true,
    'can-read-state-versions': true,
    'can-lock': false,
    'can-update': false,
    'can-destroy': false,
    'can-force-unlock': false,
  })
})
