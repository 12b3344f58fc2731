import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { type Resource, linkTo, linksTo, tfcAs } from '../../../../../test/rig/tfc-calls.ts'

const type = 'oauth-clients'
const of = `organizations/default/${type}`
const github = {
  name: 'hub',
  'service-provider': 'github',
  'api-url': 'https://api.github.com',
  'http-url': 'https://github.com',
}

async function open() {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const [project] = await face.deps.projects.list('default')
  return {
    ask,
    project: project?.id ?? '',
    create: (attributes: object = {}, relationships = {}) =>
      ask('POST', of, { type, attributes: { ...github, ...attributes }, relationships }),
  }
}

function tokenOf({ relationships }: Resource): string | undefined {
  const { data } = relationships['oauth-tokens'] as { data: { id: string }[] }
  return data[0]?.id
}

test('OAuth clients are created, shown, changed, listed and deleted', async () => {
  const { ask, create, project } = await open()
  const made = await create(
    { 'oauth-token-string': 'hunter2', key: 'id', secret: 'hunter3', 'organization-scoped': false },
    { projects: linksTo('projects', project) },
  )
  expect([made.status, made.data]).toMatchObject([
    201,
    {
      type,
      attributes: {
        ...github,
        'service-provider-display-name': 'GitHub',
        key: 'id',
        secret: null,
        'organization-scoped': false,
        'callback-url': null,
        'connect-path': null,
      },
      relationships: {
        organization: linkTo('organizations', 'default'),
        projects: linksTo('projects', project),
        'agent-pool': { data: null },
      },
    },
  ])
  expect(JSON.stringify(made.json)).not.toContain('hunter')
  const path = `${type}/${made.data.id}`
  const token = tokenOf(made.data)
  const shown = await ask('GET', `${path}?include=oauth_tokens,projects`)
  expect(shown.data).toEqual(made.data)
  expect(shown.json['included']).toMatchObject([
    { type: 'oauth-tokens', id: token },
    { type: 'projects', id: project },
  ])
  const changed = await ask('PATCH', path, {
    type,
    attributes: { name: null, key: 'other', 'oauth-token-string': 'hunter4', 'organization-scoped': true },
  })
  expect([changed.status, changed.data.attributes]).toMatchObject([
    200,
    { name: null, key: 'other', 'organization-scoped': true, 'http-url': github['http-url'] },
  ])
  expect(tokenOf(changed.data)).toBe(token)
  expect((await ask('GET', of)).all).toEqual([changed.data])
  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('GET', path)).status).toBe(404)
  expect((await ask('GET', `oauth-tokens/${token}`)).status).toBe(404)
})

test('a client without a token has none until it gets one', async () => {
  const { ask, create } = await open()
  const { data } = await create({ 'service-provider': 'bitbucket_data_center', key: 'k', secret: 's' })
  expect(data.relationships['oauth-tokens']).toEqual({ data: [] })
  const attributes = { 'oauth-token-string': 'hunter2' }
  expect(tokenOf((await ask('PATCH', `${type}/${data.id}`, { type, attributes })).data)).toMatch(/^ot-/)
})

test.each<readonly [string, object, object, string]>([
  ['an unknown code host', { 'service-provider': 'sourceforge' }, {}, 'attributes/service-provider'],
  ['an address that is none', { 'http-url': 'github' }, {}, 'attributes/http-url'],
  ['no address', { 'api-url': null }, {}, 'attributes/api-url'],
  ['a private key of a host that takes none', { 'private-key': 'x' }, {}, 'attributes/private-key'],
  ['a project that is not there', {}, { projects: linksTo('projects', 'prj-1') }, 'relationships/projects'],
])('%s is refused with a pointer', async (_, attributes, relationships, pointer) => {
  const { create } = await open()
  expect(await create(attributes, relationships)).toMatchObject({ status: 422, pointer: `/data/${pointer}` })
})

test('projects are added and removed', async () => {
  const { ask, create, project } = await open()
  const { id } = (await create()).data
  const path = `${type}/${id}/relationships/projects`
  const links = [{ type: 'projects', id: project }]
  const now = async () => (await ask('GET', `${type}/${id}`)).data.relationships['projects']
  expect((await ask('POST', path, links)).status).toBe(204)
  expect(await now()).toEqual({ data: links })
  expect((await ask('DELETE', path, links)).status).toBe(204)
  expect(await now()).toEqual({ data: [] })
  expect((await ask('POST', path, [{ type: 'projects', id: 'prj-1' }])).status).toBe(422)
})

test('tokens are listed, shown, given an SSH key and deleted', async () => {
  const { ask, create } = await open()
  const client = (await create({ 'oauth-token-string': 'hunter2' })).data
  await create({ name: 'without' })
  const token = tokenOf(client)
  const path = `oauth-tokens/${token}`
  const [shown] = (await ask('GET', 'organizations/default/oauth-tokens')).all
  expect(shown).toMatchObject({
    id: token,
    type: 'oauth-tokens',
    attributes: { uid: token, 'has-ssh-key': false, 'service-provider-user': null },
    relationships: { 'oauth-client': linkTo(type, client.id) },
  })
  expect((await ask('GET', path)).data).toEqual(shown)
  const attributes = { 'ssh-key': 'hunter5' }
  const changed = await ask('PATCH', path, { type: 'oauth-tokens', attributes })
  expect([changed.status, changed.data.attributes['has-ssh-key']]).toEqual([200, true])
  expect(JSON.stringify(changed.json)).not.toContain('hunter')
  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('GET', path)).status).toBe(404)
  expect((await ask('GET', `${type}/${client.id}`)).data.relationships['oauth-tokens']).toEqual({ data: [] })
})
