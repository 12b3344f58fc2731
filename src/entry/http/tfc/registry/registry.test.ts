import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { archive, publishBoth } from '../../../../../test/rig/registry-world.ts'
import { type SsoFace, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { archiveOf, zipOf } from '../../../../../test/support/archives.ts'
import { createSigningKey } from '../../../../../test/support/open-pgp.ts'

const modules = '/api/v2/organizations/default/registry-modules'
const providers = '/api/v2/organizations/default/registry-providers'
const keys = '/api/registry/private/v2/gpg-keys'
const key = createSigningKey()
const other = createSigningKey()

interface Resource {
  readonly id: string
  readonly type: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly relationships: Readonly<Record<string, { readonly data: unknown }>>
  readonly links: Readonly<Record<string, string>>
}
interface ErrorBody {
  readonly errors: readonly { readonly status: string; readonly source?: { readonly pointer: string } }[]
}

async function start() {
  const face = await startSsoFace()
  return { ...clientOf(face), face }
}

function clientOf({ send, root }: SsoFace) {
  async function call(method: string, path: string, attributes?: object) {
    const headers = { ...root, 'content-type': 'application/vnd.api+json' }
    const body = attributes && { body: JSON.stringify({ data: { attributes } }) }
    return send(path, { method, headers, ...body })
  }
  async function resource(method: string, path: string, attributes?: object): Promise<Resource> {
    const answer = await call(method, path, attributes)
    if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return (answer.json() as { data: Resource }).data
  }
  /** Without a token, as clients use signed addresses. */
  function signed(url: string | undefined, body?: Buffer) {
    const path = new URL(url ?? '').pathname
    return send(path, body === undefined ? {} : { method: 'PUT', body })
  }
  /** The status and the pointer of what went wrong. */
  async function refusal(method: string, path: string, attributes?: object) {
    const { status, json } = await call(method, path, attributes)
    const [error] = (json() as unknown as ErrorBody).errors
    return [status, error?.source?.pointer]
  }
  return { call, resource, signed, refusal }
}

const listOf = (answer: { json(): unknown }) => (answer.json() as { data: Resource[] }).data

describe('modules', () => {
  test('are created, listed, changed and deleted', async () => {
    const { call, resource } = await start()
    const made = await resource('POST', modules, {
      name: 'network',
      provider: 'aws',
      'registry-name': 'private',
    })
    expect(made).toMatchObject({
      type: 'registry-modules',
      attributes: {
        name: 'network',
        provider: 'aws',
        namespace: 'default',
        'registry-name': 'private',
        status: 'pending',
        'no-code': false,
        'version-statuses': [],
        permissions: { 'can-delete': true },
      },
      relationships: { organization: { data: { type: 'organizations', id: 'default' } } },
    })
    const path = `${modules}/private/default/network/aws`
    expect(await resource('GET', path)).toEqual(made)
    expect(await resource('GET', `/api/v2/registry-modules/${made.id}`)).toEqual(made)

    const changed = await resource('PATCH', path, {
      'no-code': true,
      'test-config': { 'tests-enabled': true, 'agent-execution-mode': 'remote' },
    })
    expect(changed.attributes).toMatchObject({
      'no-code': true,
      'test-config': { 'tests-enabled': true, 'agent-execution-mode': 'remote' },
    })
    const kept = await resource('PATCH', path, { 'no-code': false })
    expect(kept.attributes['test-config']).toMatchObject({ 'tests-enabled': true })

    await resource('POST', modules, { name: 'network', provider: 'google' })
    await resource('POST', modules, {
      name: 'vpc',
      provider: 'aws',
      'registry-name': 'public',
      namespace: 'terraform-aws-modules',
    })
    const names = async (query: string) =>
      listOf(await call('GET', `${modules}?${query}`)).map(
        ({ attributes }) => `${String(attributes['name'])}/${String(attributes['provider'])}`,
      )
    expect(await names('')).toEqual(['network/aws', 'network/google', 'vpc/aws'])
    expect(await names('q=netw')).toEqual(['network/aws', 'network/google'])
    expect(await names('filter%5Bprovider%5D=aws')).toEqual(['network/aws', 'vpc/aws'])
    expect(await names('filter%5Bregistry_name%5D=public')).toEqual(['vpc/aws'])
    expect(await names('page%5Bsize%5D=2&page%5Bnumber%5D=2')).toEqual(['vpc/aws'])

    expect((await call('DELETE', `${modules}/private/default/network`)).status).toBe(204)
    expect(await names('')).toEqual(['vpc/aws'])
    expect((await call('DELETE', `${modules}/public/terraform-aws-modules/vpc/aws`)).status).toBe(204)
    expect((await call('GET', path)).status).toBe(404)
  })

  test('get their archives once, by addresses of their own', async () => {
    const { call, resource, signed, face } = await start()
    await resource('POST', modules, { name: 'network', provider: 'aws' })
    const versions = '/api/v2/registry-modules/default/network/aws/versions'
    const made = await resource('POST', versions, { version: '1.0.0', 'commit-sha': 'abc' })
    expect(made).toMatchObject({
      type: 'registry-module-versions',
      attributes: { version: '1.0.0', status: 'pending' },
      relationships: { 'registry-module': { data: { type: 'registry-modules' } } },
    })
    const engines = '/api/registry/v1/modules/default/network/aws'
    expect((await call('GET', `${engines}/versions`)).json()).toEqual({
      modules: [{ source: 'default/network/aws', versions: [] }],
    })
    expect((await call('GET', `${engines}/1.0.0/download`)).status).toBe(404)

    const upload = made.links['upload']
    const climbing = await signed(upload, archiveOf([{ path: '../evil.tf', content: 'x' }]))
    expect([climbing.status, climbing.json()]).toEqual([
      422,
      { errors: [expect.stringContaining('outside') as unknown] },
    ])
    expect((await signed(upload, archive)).status).toBe(200)
    expect((await signed(upload, archive)).status).toBe(200)
    expect((await signed(upload, archiveOf([{ path: 'a', content: 'x' }]))).status).toBe(409)

    const shown = await resource('GET', `${modules}/private/default/network/aws/version?module_version=1.0.0`)
    expect([shown.attributes['status'], shown.links]).toEqual(['ok', undefined])
    expect((await resource('GET', `${modules}/private/default/network/aws`)).attributes).toMatchObject({
      status: 'setup_complete',
      'version-statuses': [{ version: '1.0.0', status: 'ok' }],
    })

    const located = await call('GET', `${engines}/1.0.0/download`)
    const address = String(located.headers['x-terraform-get'])
    expect([located.status, address]).toEqual([204, expect.stringMatching(/\/network-aws-1\.0\.0\.tar\.gz$/)])
    const fetched = await signed(address)
    expect([fetched.status, fetched.bytes.equals(archive)]).toEqual([200, true])
    expect((await face.send(new URL(address).pathname, { method: 'HEAD' })).headers['content-length']).toBe(
      String(archive.length),
    )

    expect((await call('DELETE', `${modules}/private/default/network/aws/1.0.0`)).status).toBe(204)
    expect((await call('GET', `${engines}/1.0.0/download`)).status).toBe(404)
    expect((await signed(address)).status).toBe(500)
    expect((await signed(upload, archive)).status).toBe(404)
  })

  test('what is wrong is refused with a pointer to it', async () => {
    const { call, resource, refusal } = await start()
    await resource('POST', modules, { name: 'network', provider: 'aws' })
    const versions = '/api/v2/registry-modules/default/network/aws/versions'
    await resource('POST', versions, { version: '1.0.0' })
    const name = '/data/attributes/name'
    expect(await refusal('POST', modules, { name: 'a b', provider: 'aws' })).toEqual([422, name])
    expect(await refusal('POST', modules, { provider: 'aws' })).toEqual([422, name])
    expect(await refusal('POST', modules, { name: 'NETWORK', provider: 'aws' })).toEqual([422, name])
    expect(await refusal('POST', modules, { name: 'a', provider: 'A W' })).toEqual([
      422,
      '/data/attributes/provider',
    ])
    expect(await refusal('POST', modules, { name: 'a', provider: 'aws', 'registry-name': 'public' })).toEqual(
      [422, '/data/attributes/namespace'],
    )
    expect(await refusal('POST', modules, { name: 'a', provider: 'aws', namespace: 'other' })).toEqual([
      422,
      '/data/attributes/namespace',
    ])
    for (const version of ['v1.0.0', '1.0', '1.0.0.0', 'latest', '1.0.0+build', '', '1.0.0'])
      expect(await refusal('POST', versions, { version })).toEqual([422, '/data/attributes/version'])
    for (const path of [
      'private/other/network/aws',
      'private/default/network/google',
      'x/default/network/aws',
    ])
      expect((await call('GET', `${modules}/${path}`)).status).toBe(404)
    expect(
      (await call('POST', '/api/v2/registry-modules/default/none/aws/versions', { version: '1.0.0' })).status,
    ).toBe(404)
    expect((await call('GET', '/api/v2/registry-modules/mod-0000000000000000')).status).toBe(404)
  })

  test('older clients delete with POST', async () => {
    const { call, resource } = await start()
    const path = '/api/v2/registry-modules/actions/delete/default/network'
    await resource('POST', modules, { name: 'network', provider: 'aws' })
    await resource('POST', modules, { name: 'network', provider: 'google' })
    await resource('POST', `${modules}/private/default/network/aws/versions`, { version: '1.0.0' })
    expect((await call('POST', `${path}/aws/1.0.0`)).status).toBe(204)
    expect((await call('POST', `${path}/aws`)).status).toBe(204)
    expect((await call('GET', `${modules}/private/default/network/aws`)).status).toBe(404)
    expect((await call('POST', path)).status).toBe(204)
    expect((await call('POST', path)).status).toBe(404)
  })
})

describe('signed addresses', () => {
  test('are good for one thing only', async () => {
    const { resource, signed, face, call } = await start()
    const { name, zip } = await publishBoth(face)
    const versions = `/api/v2/registry-modules/default/${name}/null/versions`
    const upload = (await resource('POST', versions, { version: '2.0.0' })).links['upload'] ?? ''
    const located = await call('GET', `/api/registry/v1/modules/default/${name}/null/1.0.0/download`)
    const download = String(located.headers['x-terraform-get'])
    const part = (url: string) => new URL(url).pathname.split('/')[4] ?? ''

    const crossed = upload.replace(part(upload), part(download))
    expect((await signed(crossed, archive)).status).toBe(403)
    expect((await signed(download.replace(part(download), part(upload)))).status).toBe(403)
    expect((await signed(upload.slice(0, -1), archive)).status).toBe(403)
    expect((await signed(`${upload}x`, zip)).status).toBe(403)
    const [text = '', ...signature] = part(upload).split('.')
    const content = Buffer.from(text, 'base64url').toString().replace(name, 'other')
    const forged = [Buffer.from(content).toString('base64url').slice(0, -2), ...signature].join('.')
    expect((await signed(upload.replace(part(upload), forged), archive)).status).toBe(403)
  })
})

describe('providers', () => {
  async function prepared() {
    const all = await start()
    const { resource } = all
    await resource('POST', keys, { namespace: 'default', 'ascii-armor': key.asciiArmor })
    const made = await resource('POST', providers, {
      name: 'demo',
      'registry-name': 'private',
      namespace: 'default',
    })
    const versions = `${providers}/private/default/demo/versions`
    const version = await resource('POST', versions, {
      version: '1.0.0',
      'key-id': key.keyId,
      protocols: ['5.0'],
    })
    return { ...all, made, versions, version, platforms: `${versions}/1.0.0/platforms` }
  }
  const zip = zipOf('terraform-provider-demo_v1.0.0', 'x')
  const shasum = createHash('sha256').update(zip).digest('hex')
  const filename = 'terraform-provider-demo_1.0.0_linux_amd64.zip'
  const sums = Buffer.from(`${shasum}  ${filename}\n`)
  const platform = { os: 'linux', arch: 'amd64', shasum, filename }

  test('are offered to engines when they are complete', async () => {
    const { call, resource, signed, made, versions, version, platforms } = await prepared()
    expect(made).toMatchObject({
      type: 'registry-providers',
      attributes: { name: 'demo', namespace: 'default', 'registry-name': 'private' },
      relationships: { organization: { data: { type: 'organizations', id: 'default' } } },
    })
    expect(version).toMatchObject({
      type: 'registry-provider-versions',
      attributes: {
        version: '1.0.0',
        'key-id': key.keyId,
        protocols: ['5.0'],
        'shasums-uploaded': false,
        'shasums-sig-uploaded': false,
        permissions: { 'can-delete': true, 'can-upload-asset': true },
      },
      relationships: { 'registry-provider': { data: { type: 'registry-providers', id: made.id } } },
    })
    const engines = '/api/registry/v1/providers/default/demo'
    const offered = async () =>
      ((await call('GET', `${engines}/versions`)).json() as { versions: object[] }).versions

    const created = await resource('POST', platforms, platform)
    expect(created.attributes).toMatchObject({ ...platform, 'provider-binary-uploaded': false })
    expect((await signed(created.links['provider-binary-upload'], zip)).status).toBe(200)
    expect((await signed(created.links['provider-binary-upload'], zip)).status).toBe(200)
    expect((await signed(version.links['shasums-upload'], sums)).status).toBe(200)
    expect(await offered()).toEqual([])
    expect((await call('GET', `${engines}/1.0.0/download/linux/amd64`)).status).toBe(404)
    expect((await signed(version.links['shasums-sig-upload'], key.sign(sums))).status).toBe(200)
    expect(await offered()).toEqual([
      { version: '1.0.0', protocols: ['5.0'], platforms: [{ os: 'linux', arch: 'amd64' }] },
    ])
    const located = (await call('GET', `${engines}/1.0.0/download/linux/amd64`)).json()
    expect(located).toMatchObject({
      ...platform,
      protocols: ['5.0'],
      signing_keys: { gpg_public_keys: [{ key_id: key.keyId, ascii_armor: key.asciiArmor }] },
    })
    expect((await signed(String(located['download_url']))).bytes.equals(zip)).toBe(true)
    expect((await signed(String(located['shasums_url']))).bytes.equals(sums)).toBe(true)
    expect((await signed(String(located['shasums_signature_url']))).status).toBe(200)
    expect((await call('GET', `${engines}/1.0.0/download/windows/amd64`)).status).toBe(404)

    const shown = await resource('GET', `${versions}/1.0.0`)
    expect(shown.attributes).toMatchObject({ 'shasums-uploaded': true, 'shasums-sig-uploaded': true })
    expect((await signed(shown.links['shasums-download'])).text).toBe(String(sums))
    expect(listOf(await call('GET', versions))).toHaveLength(1)
    expect(listOf(await call('GET', platforms))).toHaveLength(1)
    const shownPlatform = await resource('GET', `${platforms}/linux/amd64`)
    expect((await signed(shownPlatform.links['provider-binary-download'])).bytes.equals(zip)).toBe(true)
    expect(await resource('GET', `/api/v2/registry-providers/${made.id}`)).toMatchObject({ id: made.id })
    const included = await call('GET', `${providers}/private/default/demo?include=registry-provider-versions`)
    expect(included.json()['included']).toMatchObject([{ type: 'registry-provider-versions' }])
    expect(listOf(await call('GET', `${providers}?q=dem`))).toHaveLength(1)
    expect(listOf(await call('GET', `${providers}?filter%5Bregistry_name%5D=public`))).toEqual([])

    expect((await call('DELETE', `${platforms}/linux/amd64`)).status).toBe(204)
    expect(await offered()).toEqual([])
    expect((await call('DELETE', `${versions}/1.0.0`)).status).toBe(204)
    expect((await call('DELETE', `${providers}/private/default/demo`)).status).toBe(204)
    expect((await call('GET', `${engines}/versions`)).json()).toEqual({ errors: [expect.any(String)] })
  })

  test('are refused where checksums, keys or names do not fit', async () => {
    const { call, resource, signed, refusal, versions, version, platforms } = await prepared()
    const upload = version.links['shasums-upload']
    const signature = version.links['shasums-sig-upload']
    expect((await signed(upload, Buffer.from('no sums'))).status).toBe(400)
    expect((await signed(signature, Buffer.from('no signature'))).status).toBe(400)
    expect((await signed(signature, other.sign(sums))).status).toBe(400)
    expect((await signed(upload, sums)).status).toBe(200)
    expect((await signed(upload, Buffer.from(`${'0'.repeat(64)}  ${filename}\n`))).status).toBe(409)

    const at = (field: string) => [422, `/data/attributes/${field}`]
    expect(await refusal('POST', platforms, { ...platform, shasum: '0'.repeat(64) })).toEqual(at('shasum'))
    expect(await refusal('POST', platforms, { ...platform, filename: 'other.zip' })).toEqual(at('shasum'))
    expect(await refusal('POST', platforms, { ...platform, filename: '../x.zip' })).toEqual(at('filename'))
    expect(await refusal('POST', platforms, { ...platform, os: 'Linux!' })).toEqual(at('os'))
    const created = await resource('POST', platforms, platform)
    expect(await refusal('POST', platforms, platform)).toEqual(at('os'))
    expect((await signed(created.links['provider-binary-upload'], Buffer.from('other'))).status).toBe(400)

    const fields = { version: '2.0.0', 'key-id': key.keyId, protocols: ['5.0'] }
    expect(await refusal('POST', versions, { ...fields, version: '1.0.0' })).toEqual(at('version'))
    expect(await refusal('POST', versions, { ...fields, version: 'two' })).toEqual(at('version'))
    expect(await refusal('POST', versions, { ...fields, 'key-id': other.keyId })).toEqual(at('key-id'))
    expect(await refusal('POST', versions, { ...fields, protocols: [] })).toEqual(at('protocols'))
    expect(await refusal('POST', providers, { name: 'De mo', 'registry-name': 'private' })).toEqual(
      at('name'),
    )
    expect(await refusal('POST', providers, { name: 'demo', 'registry-name': 'private' })).toEqual(at('name'))
    expect(await refusal('POST', providers, { name: 'x' })).toEqual(at('registry-name'))
    expect((await call('GET', `${versions}/9.9.9`)).status).toBe(404)
    expect((await call('GET', `${platforms}/plan9/amd64`)).status).toBe(404)
  })
})

test('GPG keys are added, listed, read, moved and deleted', async () => {
  const { call, resource, refusal, face } = await start()
  const headers = { ...face.root, 'content-type': 'application/json' }
  await face.send('/v1/orgs', { method: 'POST', headers, body: '{"name":"acme"}' })
  const made = await resource('POST', keys, { namespace: 'default', 'ascii-armor': key.asciiArmor })
  expect(made).toMatchObject({
    type: 'gpg-keys',
    attributes: { 'key-id': key.keyId, namespace: 'default', 'ascii-armor': key.asciiArmor, source: '' },
  })
  const path = `${keys}/default/${key.keyId}`
  expect(await resource('GET', path)).toEqual(made)
  const named = async (namespace: string) =>
    listOf(await call('GET', `${keys}?filter%5Bnamespace%5D=${namespace}`)).map(
      ({ attributes }) => attributes['namespace'],
    )
  expect(await named('default')).toEqual(['default'])
  expect(await named('default,acme')).toEqual(['default'])
  expect(await refusal('POST', keys, { namespace: 'default', 'ascii-armor': key.asciiArmor })).toEqual([
    422,
    '/data/attributes/ascii-armor',
  ])
  expect(await refusal('POST', keys, { namespace: 'default', 'ascii-armor': 'x' })).toEqual([
    422,
    '/data/attributes/ascii-armor',
  ])
  expect((await call('POST', keys, { namespace: 'nowhere', 'ascii-armor': other.asciiArmor })).status).toBe(
    404,
  )
  expect((await resource('PATCH', path, { namespace: 'acme' })).attributes['namespace']).toBe('acme')
  expect((await call('GET', path)).status).toBe(404)
  expect((await call('DELETE', `${keys}/acme/${key.keyId}`)).status).toBe(204)
  expect(await named('acme')).toEqual([])
})

test('engines that may not see an organization learn nothing about it', async () => {
  const { face } = await start()
  const { name } = await publishBoth(face)
  const stranger = await face.person('stranger')
  const paths = [`modules/default/${name}/null/versions`, `providers/default/${name}/versions`]
  for (const path of paths) {
    const hidden = await face.send(`/api/registry/v1/${path}`, { headers: stranger.token })
    const missing = await face.send(`/api/registry/v1/${path.replace(name, 'none')}`, { headers: face.root })
    expect([hidden.status, hidden.text]).toEqual([404, missing.text])
    expect((await face.send(`/api/registry/v1/${path}`)).status).toBe(401)
  }
})

test('settings for using a module without code are stored', async () => {
  const { call, resource, face } = await start()
  const module = await resource('POST', modules, { name: 'network', provider: 'aws' })
  const headers = { ...face.root, 'content-type': 'application/vnd.api+json' }
  const send = (method: string, path: string, data: object) =>
    face.send(path, { method, headers, body: JSON.stringify({ data }) })
  const relationships = {
    'registry-module': { data: { type: 'registry-modules', id: module.id } },
    'variable-options': {
      data: [
        {
          type: 'variable-options',
          attributes: { 'variable-name': 'size', 'variable-type': 'string', options: ['s', 'm'] },
        },
      ],
    },
  }
  const path = '/api/v2/organizations/default/no-code-modules'
  const made = (await send('POST', path, { type: 'no-code-modules', relationships })).json() as {
    data: Resource
  }
  expect(made.data).toMatchObject({
    type: 'no-code-modules',
    attributes: { enabled: true, 'version-pin': '' },
    relationships: { 'registry-module': { data: { id: module.id } } },
  })
  const one = `/api/v2/no-code-modules/${made.data.id}`
  expect((await call('GET', `${one}?include=variable_options`)).json()['included']).toMatchObject([
    { type: 'variable-options', attributes: { 'variable-name': 'size', options: ['s', 'm'] } },
  ])
  const changed = await resource('PATCH', one, { enabled: false, 'version-pin': '1.0.0' })
  expect(changed.attributes).toEqual({ enabled: false, 'version-pin': '1.0.0' })
  expect((await send('POST', path, { relationships })).status).toBe(422)
  expect((await send('POST', path, {})).status).toBe(422)
  expect((await call('DELETE', one)).status).toBe(204)
  expect((await call('GET', one)).status).toBe(404)
})

test('a module may have a connection to a code host, if there is one', async () => {
  const { resource, refusal, face } = await start()
  const { oauthClients } = face.deps.governance
  const fields = {
    provider: 'github',
    apiUrl: 'https://api.github.com',
    httpUrl: 'https://github.com',
    isOrgScoped: true,
    projects: [],
  }
  const client = await oauthClients.create('default', fields, { token: 'secret' }, face.setUp)
  const repo = { identifier: 'acme/terraform-aws-network', 'oauth-token-id': client.token?.id }
  const made = await resource('POST', `${modules}/vcs`, { 'vcs-repo': repo })
  expect(made.attributes).toMatchObject({
    name: 'network',
    provider: 'aws',
    'publishing-mechanism': 'git_tag',
    'vcs-repo': { identifier: repo.identifier, 'oauth-token-id': client.token?.id, tags: true },
  })
  const at = (field: string) => [422, `/data/attributes/vcs-repo/${field}`]
  expect(
    await refusal('POST', `${modules}/vcs`, { 'vcs-repo': { ...repo, 'oauth-token-id': 'ot-none' } }),
  ).toEqual(at('oauth-token-id'))
  expect(await refusal('POST', `${modules}/vcs`, { 'vcs-repo': { ...repo, identifier: 'acme/x' } })).toEqual(
    at('identifier'),
  )
})
