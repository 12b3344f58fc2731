import { expect, test } from 'vitest'
import { bind, putRole } from '../../../../access/organization/transitions.ts'
import { archiveOf } from '../../../../../test/support/archives.ts'
import { startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { type ResourceBody, linkTo, linksTo, newUnit, tfcAs } from '../../../../../test/rig/tfc-calls.ts'

const type = 'policy-sets'
const of = `organizations/default/${type}`

async function open() {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const [project] = await face.deps.projects.list('default')
  return {
    face,
    ask,
    project: project?.id ?? '',
    create: async (attributes: object, relationships = {}) =>
      (await ask('POST', of, { type, attributes: { ...attributes }, relationships })).data,
    policy: async (attributes: object) =>
      (
        await ask('POST', 'organizations/default/policies', {
          type: 'policies',
          attributes: { ...attributes },
        })
      ).data.id,
  }
}

test('policy sets are created, shown, changed, listed and deleted', async () => {
  const { face, ask, create, policy, project } = await open()
  const [a, b, rule] = [await newUnit(face, 'prod/vpc'), await newUnit(face), await policy({ name: 'rule' })]

  const made = await create(
    {
      name: 'base',
      description: 'for all',
      global: true,
      overridable: true,
      'agent-enabled': true,
      'policy-tool-version': '0.24.1',
      'policy-update-patterns': ['**/*.sentinel'],
      'tag-selectors': [{ 'tag-key': 'env', 'tag-value': 'prod', 'is-exclude': false }],
    },
    {
      policies: linksTo('policies', rule),
      workspaces: linksTo('workspaces', a),
      'workspace-exclusions': linksTo('workspaces', b),
      projects: linksTo('projects', project),
    },
  )
  expect(made).toMatchObject({
    type,
    attributes: {
      name: 'base',
      description: 'for all',
      kind: 'sentinel',
      global: true,
      overridable: true,
      'agent-enabled': true,
      'policy-tool-version': '0.24.1',
      'policies-path': null,
      'policy-update-patterns': ['**/*.sentinel'],
      'vcs-repo': null,
      'tag-selectors': [{ 'tag-key': 'env', 'tag-value': 'prod', 'is-exclude': false }],
      'policy-count': 1,
      'workspace-count': 1,
      'project-count': 1,
    },
    relationships: {
      organization: linkTo('organizations', 'default'),
      policies: linksTo('policies', rule),
      workspaces: linksTo('workspaces', a),
      'workspace-exclusions': linksTo('workspaces', b),
      projects: linksTo('projects', project),
      'project-exclusions': linksTo('projects'),
      'newest-version': { data: null },
      'current-version': { data: null },
    },
  })
  const path = `${type}/${made.id}`
  const shown = await ask('GET', `${path}?include=policies,workspaces,projects,other`)
  expect(shown.data).toEqual(made)
  expect(shown.json['included']).toMatchObject([
    { type: 'policies', id: rule, attributes: { name: 'rule' } },
    { type: 'workspaces', id: a, attributes: { name: 'prod--vpc' } },
    { type: 'projects', id: project },
  ])
  expect((await ask('GET', `policies/${rule}`)).data.attributes['policy-set-count']).toBe(1)

  const changed = await ask('PATCH', path, {
    type,
    attributes: { name: 'other', global: false, 'policy-tool-version': null },
    relationships: { workspaces: linksTo('workspaces', b) },
  })
  expect([changed.status, changed.data]).toMatchObject([
    200,
    {
      attributes: { name: 'other', global: false, 'policy-tool-version': null, overridable: true },
      relationships: { workspaces: linksTo('workspaces', b), policies: linksTo('policies', rule) },
    },
  ])
  expect((await ask('GET', of)).all).toEqual([changed.data])
  expect((await ask('DELETE', path)).status).toBe(204)
  expect([(await ask('GET', path)).status, (await ask('GET', of)).all]).toEqual([404, []])
})

test.each(['workspaces', 'workspace-exclusions', 'projects', 'project-exclusions', 'policies'])(
  'things are added to the relation %s and removed from it',
  async (relation) => {
    const { face, ask, create, policy, project } = await open()
    const related = relation.startsWith('w')
      ? 'workspaces'
      : relation.startsWith('pol')
        ? 'policies'
        : 'projects'
    const id = {
      workspaces: () => newUnit(face),
      policies: () => policy({ name: 'rule' }),
      projects: () => project,
    }
    const [set, one] = [await create({ name: 'base' }), await id[related]()]
    const path = `${type}/${set.id}/relationships/${relation}`
    const links = [{ type: related, id: one }]
    const now = async () => (await ask('GET', `${type}/${set.id}`)).data.relationships[relation]?.data

    for (const method of ['POST', 'POST']) expect((await ask(method, path, links)).status).toBe(204)
    expect(await now()).toEqual(links)
    for (const method of ['DELETE', 'DELETE']) expect((await ask(method, path, links)).status).toBe(204)
    expect(await now()).toEqual([])
    const unknown = await ask('POST', path, [{ type: related, id: one.slice(0, -2) }])
    expect([unknown.status, unknown.pointer]).toEqual([422, `/data/relationships/${relation}`])
    expect((await ask('POST', path, [{ type: 'teams', id: one }])).status).toBe(422)
    expect((await ask('POST', path, { type: related, id: one })).status).toBe(422)
  },
)

test('tag selectors are added and removed', async () => {
  const { ask, create } = await open()
  const { id } = await create({ name: 'base' })
  const [env, any] = [
    { 'tag-key': 'env', 'tag-value': 'prod', 'is-exclude': true },
    { 'tag-key': 'any', 'tag-value': null, 'is-exclude': false },
  ]
  const path = `${type}/${id}/tag-selectors`
  const change = (method: string, ...data: object[]) => ask(method, path, data as ResourceBody[])
  const now = async () => (await ask('GET', `${type}/${id}`)).data.attributes['tag-selectors']
  expect((await change('POST', env, any)).status).toBe(204)
  await change('POST', env)
  expect(await now()).toEqual([any, env])
  expect((await change('DELETE', env)).status).toBe(204)
  expect(await now()).toEqual([any])
  expect((await change('POST', { 'tag-key': 1 })).status).toBe(422)
  expect((await change('POST')).status).toBe(422)
})

test.each<readonly [string, object, string]>([
  ['a name that is taken', { attributes: { name: 'Base' } }, 'attributes/name'],
  ['a name with a slash', { attributes: { name: 'a/b' } }, 'attributes/name'],
  ['an unknown kind', { attributes: { name: 'x', kind: 'y' } }, 'attributes/kind'],
  ['a wrong type', { attributes: { name: 'x', global: 'yes' } }, 'attributes/global'],
  [
    'a policy that is not there',
    { attributes: { name: 'x' }, relationships: { policies: linksTo('policies', 'pol-1') } },
    'relationships/policies',
  ],
  [
    'a workspace that is not there',
    { attributes: { name: 'x' }, relationships: { workspaces: linksTo('workspaces', 'ws-1') } },
    'relationships/workspaces',
  ],
  [
    'a project that is not there',
    { attributes: { name: 'x' }, relationships: { projects: linksTo('projects', 'prj-1') } },
    'relationships/projects',
  ],
  [
    'an OAuth token that is not there',
    { attributes: { name: 'x', 'vcs-repo': { identifier: 'a/b', 'oauth-token-id': 'ot-1' } } },
    'attributes/vcs-repo/oauth-token-id',
  ],
])('%s is refused with a pointer', async (_, body, pointer) => {
  const { ask, create } = await open()
  await create({ name: 'base' })
  expect(await ask('POST', of, { type, ...body })).toMatchObject({ status: 422, pointer: `/data/${pointer}` })
})

test('a set takes policies in its own language, and none beside a repository', async () => {
  const { ask, create, policy } = await open()
  const [rule, rego] = [
    await policy({ name: 'rule' }),
    await policy({ name: 'rego', kind: 'opa', query: 'data.deny' }),
  ]
  const opa = await create({ name: 'opa', kind: 'opa' })
  const add = (id: string, given: string) =>
    ask('POST', `${type}/${id}/relationships/policies`, [{ type: 'policies', id: given }])
  expect([(await add(opa.id, rule)).status, (await add(opa.id, rego)).status]).toEqual([422, 204])

  const repo = await create({ name: 'repo', 'vcs-repo': { identifier: 'acme/rules', branch: 'main' } })
  expect(repo.attributes['vcs-repo']).toMatchObject({ identifier: 'acme/rules', branch: 'main' })
  expect((await add(repo.id, rule)).status).toBe(422)
  expect((await ask('POST', `${type}/${repo.id}/versions`)).status).toBe(409)
  await ask('PATCH', `${type}/${repo.id}`, { type, attributes: { 'vcs-repo': null } })
  expect((await add(repo.id, rule)).status).toBe(204)
})

test('relations forget what was deleted', async () => {
  const { face, ask, create, policy } = await open()
  const [unit, rule] = [await newUnit(face, 'gone'), await policy({ name: 'rule' })]
  const { id } = await create(
    { name: 'base' },
    { workspaces: linksTo('workspaces', unit), policies: linksTo('policies', rule) },
  )
  await ask('DELETE', `policies/${rule}`)
  await face.send('/v1/units/gone', { method: 'DELETE', headers: face.root })
  const { attributes, relationships } = (await ask('GET', `${type}/${id}`)).data
  expect(attributes).toMatchObject({ 'policy-count': 0, 'workspace-count': 0 })
  expect([relationships['policies'], relationships['workspaces']]).toEqual([{ data: [] }, { data: [] }])
})

test('who may see some units sees only those in relations, and attaches no others', async () => {
  const { face, ask, create } = await open()
  const [mine, other] = [await newUnit(face, 'mine/a'), await newUnit(face, 'other/a')]
  const { id } = await create({ name: 'base' }, { workspaces: linksTo('workspaces', mine, other) })
  const some = await face.person('some')
  await face.policy('default', (all) =>
    bind(
      putRole(all, {
        name: 'some',
        rules: [
          { effect: 'allow', actions: ['org:read', 'policy:read', 'policy:manage'] },
          { effect: 'allow', actions: ['unit:read'], units: ['mine/**'] },
        ],
      }),
      { role: 'some', to: `user:${some.id}` },
    ),
  )
  const asSome = tfcAs(face, some.token)
  const shown = await asSome('GET', `${type}/${id}?include=workspaces`)
  expect([shown.status, shown.data.relationships['workspaces']]).toEqual([200, linksTo('workspaces', mine)])
  expect(shown.data.attributes['workspace-count']).toBe(1)
  expect(JSON.stringify(shown.json)).not.toContain(other)
  const attach = (unit: string) =>
    asSome('POST', `${type}/${id}/relationships/workspace-exclusions`, [{ type: 'workspaces', id: unit }])
  expect([(await attach(other)).status, (await attach(mine)).status]).toEqual([422, 204])
  expect((await ask('GET', `${type}/${id}`)).data.relationships['workspaces']).toEqual(
    linksTo('workspaces', mine, other),
  )
})

test('units that are attached at the same time are all kept', async () => {
  const { face, ask, create } = await open()
  const { id } = await create({ name: 'base' })
  const units: string[] = []
  for (let i = 0; i < 6; i++) units.push(await newUnit(face))
  await Promise.all(
    units.map((unit) =>
      ask('POST', `${type}/${id}/relationships/workspaces`, [{ type: 'workspaces', id: unit }]),
    ),
  )
  const { data } = (await ask('GET', `${type}/${id}`)).data.relationships['workspaces'] ?? {}
  expect(new Set((data as { id: string }[]).map((one) => one.id))).toEqual(new Set(units))
})

test('lists have pages, and are searched by name and kind', async () => {
  const { ask, create } = await open()
  for (const name of ['a1', 'a2', 'b1']) await create({ name })
  await create({ name: 'a3', kind: 'opa' })
  const names = async (query: string) =>
    (await ask('GET', `${of}?${query}`)).all.map(({ attributes }) => attributes['name'])
  expect(await names('search[name]=A')).toEqual(['a1', 'a2', 'a3'])
  expect(await names('filter[kind]=opa')).toEqual(['a3'])
  expect(await names('page[size]=3&page[number]=2')).toEqual(['a3'])
})

test('parameters are created, shown, changed, listed and deleted', async () => {
  const { ask, create } = await open()
  const { id } = await create({ name: 'base' })
  const path = `${type}/${id}/parameters`
  const add = (attributes: object) =>
    ask('POST', path, { type: 'vars', attributes: { category: 'policy-set', ...attributes } })
  const change = (of: string, attributes: object) =>
    ask('PATCH', `${path}/${of}`, { type: 'vars', attributes: { ...attributes } })

  const plain = await add({ key: 'region', value: 'eu' })
  expect([plain.status, plain.data]).toMatchObject([
    201,
    {
      type: 'vars',
      attributes: { key: 'region', value: 'eu', sensitive: false, category: 'policy-set' },
      relationships: { configurable: linkTo(type, id) },
    },
  ])
  const hidden = await add({ key: 'token', value: 'hunter2', sensitive: true })
  expect(hidden.data.attributes).toMatchObject({ value: null, sensitive: true })
  expect((await ask('GET', `${path}/${hidden.data.id}`)).data).toEqual(hidden.data)
  expect((await change(plain.data.id, { value: 'us' })).data.attributes['value']).toBe('us')
  expect((await change(plain.data.id, { sensitive: true })).data.attributes).toMatchObject({ value: null })
  expect(await change(hidden.data.id, { sensitive: false })).toMatchObject({
    status: 422,
    pointer: '/data/attributes/sensitive',
  })
  expect(await add({ key: 'TOKEN' })).toMatchObject({ status: 422, pointer: '/data/attributes/key' })
  expect(await add({ key: 'x', category: 'env' })).toMatchObject({
    status: 422,
    pointer: '/data/attributes/category',
  })
  expect((await ask('GET', `${path}?page[size]=1`)).json['meta']).toMatchObject({
    pagination: { 'total-count': 2 },
  })
  expect((await ask('DELETE', `${path}/${hidden.data.id}`)).status).toBe(204)
  expect((await ask('GET', `${path}/${hidden.data.id}`)).status).toBe(404)
  const other = await create({ name: 'other' })
  expect((await ask('GET', `${type}/${other.id}/parameters/${plain.data.id}`)).status).toBe(404)
})

test('a version is created and uploaded, and becomes the current one', async () => {
  const { face, ask, create } = await open()
  const { id } = await create({ name: 'base' })
  const archive = archiveOf([{ path: 'sentinel.hcl', content: 'policy "a" {}' }])
  const version = async () => {
    const { data } = await ask('POST', `${type}/${id}/versions`)
    const { links } = data as unknown as { links: { upload: string } }
    const put = async (body: Buffer) =>
      (await face.send(new URL(links.upload).pathname, { method: 'PUT', body })).status
    return { data, put }
  }
  const shown = async (given: string) => (await ask('GET', `policy-set-versions/${given}`)).data

  const first = await version()
  expect(first.data).toMatchObject({
    type: 'policy-set-versions',
    attributes: { status: 'pending', source: 'tfe-api', error: null },
    relationships: { 'policy-set': linkTo(type, id) },
  })
  expect(await first.put(archive)).toBe(200)
  expect(await first.put(archive)).toBe(200)
  expect(await first.put(archiveOf([]))).toBe(409)
  expect((await shown(first.data.id)).attributes).toMatchObject({ status: 'ready' })

  const second = await version()
  expect(await second.put(archiveOf([{ path: '/etc/x', content: '' }]))).toBe(422)
  expect((await shown(second.data.id)).attributes).toMatchObject({
    status: 'errored',
    'error-message': expect.stringContaining('outside') as string,
  })
  expect(await second.put(archive)).toBe(409)
  expect((await ask('GET', `${type}/${id}?include=current_version`)).data.relationships).toMatchObject({
    'newest-version': linkTo('policy-set-versions', second.data.id),
    'current-version': linkTo('policy-set-versions', first.data.id),
  })

  for (let i = 0; i < 12; i++) await version()
  expect((await shown(first.data.id)).attributes['status']).toBe('ready')
  expect((await ask('GET', `policy-set-versions/${second.data.id}`)).status).toBe(404)
  expect((await ask('GET', 'policy-set-versions/polsetver-1')).status).toBe(404)
})
