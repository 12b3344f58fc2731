import { expect, test } from 'vitest'
import { type CallOf, rowsOf } from '../../../../../test/rig/players.ts'
import { archive, publishBoth } from '../../../../../test/rig/registry-world.ts'
import { nameOf } from '../../../../../test/rig/route-calls.ts'
import type { SsoFace } from '../../../../../test/rig/sso-face.ts'
import { createSigningKey } from '../../../../../test/support/open-pgp.ts'
import { registryRoutes } from './routes.ts'

const readers = '+++++3 ++ ++ 44 11111'
const publishers = '333++3 33 ++ 44 11111'
const everybody = '++++++ ++ ++ ++ +++++'
const modules = '/api/v2/organizations/{org}/registry-modules'
const ownModule = `${modules}/private/{ns}/{name}/{provider}`
const module = `${modules}/{registry}/{ns}/{name}/{provider}`
const providers = '/api/v2/organizations/{org}/registry-providers'
const provider = `${providers}/{registry}/{ns}/{name}`
const platforms = `${provider}/versions/{version}/platforms`
const engineModule = '/api/registry/v1/modules/{org}/{name}/{provider}'
const keys = '/api/registry/{registry}/v2/gpg-keys'
const deletion = '/api/v2/registry-modules/actions/delete/{org}/{name}'

/** As in ../../route-access.test.ts. What is signed needs no token; the key routes name the organization elsewhere. */
const table = [
  `GET /api/registry/v1/modules/{org} · registry:read · ${readers}`,
  `GET ${engineModule} · registry:read · ${readers}`,
  `GET ${engineModule}/versions · registry:read · ${readers}`,
  `GET ${engineModule}/{version} · registry:read · ${readers}`,
  `GET ${engineModule}/{version}/download · registry:read · ${readers}`,
  `GET /api/registry/v1/providers/{org}/{type}/versions · registry:read · ${readers}`,
  `GET /api/registry/v1/providers/{org}/{type}/{version}/download/{os}/{arch} · registry:read · ${readers}`,
  `GET /api/registry/downloads/{part}/{name} · registry:read · ${everybody}`,
  `PUT /api/registry/uploads/{part} · registry:publish · ${everybody}`,
  `POST /api/v2/organizations/{org}/no-code-modules · registry:publish · ${publishers}`,
  `GET /api/v2/no-code-modules/{id} · registry:read · ${readers}`,
  `PATCH /api/v2/no-code-modules/{id} · registry:publish · ${publishers}`,
  `DELETE /api/v2/no-code-modules/{id} · registry:publish · ${publishers}`,
  `GET /mirror/providers/{host}/{namespace}/{type}/{file} · server:read · 444444 44 44 44 11111`,
  `GET /mirror/archives/{part}/{name} · server:read · 444444 44 44 44 44444`,
  `GET ${modules} · registry:read · ${readers}`,
  `POST ${modules} · registry:publish · ${publishers}`,
  `POST ${modules}/vcs · registry:publish · ${publishers}`,
  `GET ${module} · registry:read · ${readers}`,
  `GET /api/v2/registry-modules/{id} · registry:read · ${readers}`,
  `PATCH ${module} · registry:publish · ${publishers}`,
  `DELETE ${modules}/{registry}/{ns}/{name} · registry:publish · ${publishers}`,
  `DELETE ${module} · registry:publish · ${publishers}`,
  `DELETE ${module}/{version} · registry:publish · ${publishers}`,
  `GET ${ownModule}/version · registry:read · ${readers}`,
  `GET ${ownModule}/commits · registry:read · ${readers}`,
  `POST ${ownModule}/versions · registry:publish · ${publishers}`,
  `POST /api/v2/registry-modules/{org}/{name}/{provider}/versions · registry:publish · ${publishers}`,
  `POST ${deletion} · registry:publish · ${publishers}`,
  `POST ${deletion}/{provider} · registry:publish · ${publishers}`,
  `POST ${deletion}/{provider}/{version} · registry:publish · ${publishers}`,
  `GET ${providers} · registry:read · ${readers}`,
  `POST ${providers} · registry:publish · ${publishers}`,
  `GET ${provider} · registry:read · ${readers}`,
  `GET /api/v2/registry-providers/{id} · registry:read · ${readers}`,
  `DELETE ${provider} · registry:publish · ${publishers}`,
  `GET ${provider}/versions · registry:read · ${readers}`,
  `POST ${provider}/versions · registry:publish · ${publishers}`,
  `GET ${provider}/versions/{version} · registry:read · ${readers}`,
  `DELETE ${provider}/versions/{version} · registry:publish · ${publishers}`,
  `GET ${platforms} · registry:read · ${readers}`,
  `POST ${platforms} · registry:publish · ${publishers}`,
  `GET ${platforms}/{os}/{arch} · registry:read · ${readers}`,
  `DELETE ${platforms}/{os}/{arch} · registry:publish · ${publishers}`,
  `GET ${keys} · server:read · ${readers}`,
  `POST ${keys} · server:read · ${publishers}`,
  `GET ${keys}/{org}/{key} · registry:read · ${readers}`,
  `PATCH ${keys}/{org}/{key} · registry:publish · ${publishers}`,
  `DELETE ${keys}/{org}/{key} · registry:publish · ${publishers}`,
]

test('exactly those whom the table names are let in', { timeout: 120_000 }, async () => {
  expect(await rowsOf(registryRoutes, callOf)).toEqual(table.toSorted())
})

type Made = Awaited<ReturnType<typeof publishBoth>>

const callOf: CallOf = async (face, of) => {
  const name = nameOf(of)
  const made = await publishBoth(face)
  const isById = (kind: string) => of.path.includes(`/${kind}/{id}`)
  const things: Readonly<Record<string, string>> = {
    org: 'default',
    registry: 'private',
    ns: 'default',
    name: made.name,
    provider: 'null',
    type: made.name,
    version: '1.0.0',
    os: 'linux',
    arch: 'amd64',
    key: isOfKey(name) ? await newKey(face) : made.key.keyId,
    id: isById('registry-providers')
      ? made.provider.id
      : isById('no-code-modules')
        ? await newNoCode(face, made)
        : made.module.id,
  }
  const path = of.pattern.replaceAll(/\{(\w+)\}/g, (_, part: string) => things[part] ?? part) + queryOf(name)
  if (name.includes('/downloads/')) return { method: 'GET', path: await downloadPath(face, made) }
  if (name.includes('/uploads/')) return { method: 'PUT', path: await uploadPath(face, made), body: archive }
  const body = bodyOf(name, face)
  if (body === undefined) return { method: of.method, path }
  const headers = { 'content-type': 'application/vnd.api+json' }
  return { method: of.method, path, headers, body: JSON.stringify({ data: { attributes: body } }) }
}

const isOfKey = (name: string) => name.startsWith('DELETE') && name.includes('gpg-keys')

async function newKey({ deps, setUp }: SsoFace): Promise<string> {
  const { asciiArmor } = createSigningKey()
  return (await deps.registry.gpgKeys.add('default', asciiArmor, setUp)).keyId
}

async function newNoCode({ deps, setUp }: SsoFace, { module: { id: module } }: Made): Promise<string> {
  const fields = { module, enabled: true, variableOptions: [] }
  return (await deps.registry.noCode.create({ org: 'default' }, fields, setUp)).id
}

function queryOf(name: string): string {
  if (name === 'GET /api/registry/{registry}/v2/gpg-keys') return '?filter%5Bnamespace%5D=default'
  return name.endsWith('/version') ? '?module_version=1.0.0' : ''
}

async function downloadPath({ send, root }: SsoFace, { name }: Made): Promise<string> {
  const { headers } = await send(`/api/registry/v1/modules/default/${name}/null/1.0.0/download`, {
    headers: root,
  })
  return new URL(String(headers['x-terraform-get'])).pathname
}

async function uploadPath({ send, root, fresh }: SsoFace, { name }: Made): Promise<string> {
  const answer = await send(`/api/v2/registry-modules/default/${name}/null/versions`, {
    method: 'POST',
    headers: { ...root, 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data: { attributes: { version: `2.0.0-${fresh('v')}` } } }),
  })
  const { data } = answer.json() as { data: { links: { upload: string } } }
  return new URL(data.links.upload).pathname
}

function bodyOf(name: string, { fresh }: SsoFace): object | undefined {
  const bodies: Readonly<Record<string, object>> = {
    'POST /api/v2/organizations/{org}/registry-modules': { name: fresh('new'), provider: 'aws' },
    'POST /api/v2/organizations/{org}/registry-providers': { name: fresh('new'), 'registry-name': 'private' },
    'PATCH /api/registry/{registry}/v2/gpg-keys/{org}/{key}': { namespace: 'default' },
  }
  if (bodies[name] !== undefined) return bodies[name]
  if (name === 'POST /api/registry/{registry}/v2/gpg-keys')
    return { namespace: 'default', 'ascii-armor': createSigningKey().asciiArmor }
  if (name.endsWith('/vcs')) return { 'vcs-repo': { identifier: 'a/b' } }
  if (name.includes('no-code-modules') && name.startsWith('POST')) return { enabled: true }
  if (name.endsWith('/platforms'))
    return { os: 'linux', arch: 'arm64', shasum: '0'.repeat(64), filename: 'p.zip' }
  if (name.startsWith('POST') && name.endsWith('registry-providers/{registry}/{ns}/{name}/versions'))
    return { version: '2.0.0', 'key-id': 'none', protocols: ['5.0'] }
  if (name.startsWith('POST') && name.endsWith('/versions')) return { version: '2.0.0' }
  return name.startsWith('PATCH') ? { 'no-code': true } : undefined
}
