import { expect, test } from 'vitest'
import { archiveOf } from '../../../../../test/support/archives.ts'
import { type CallOf, rowsOf } from '../../../../../test/rig/players.ts'
import { newUnit, tfcAs, tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { TFC_FAMILIES } from '../face.ts'

const archive = archiveOf([{ path: 'sentinel.hcl', content: '' }])

const call: CallOf = async (face, { method, pattern }) => {
  const ask = tfcAs(face, face.root)
  const body = { type: 'policy-sets', attributes: { name: face.fresh('set') } }
  const of = 'organizations/default/policy-sets'
  const hasBody = method === 'POST' || method === 'PATCH'
  if (pattern.includes('{org}')) return tfcCall(method, of, hasBody ? body : undefined)
  const { id } = (await ask('POST', of, body)).data
  const path = pattern.replace('/api/v2/', '').replace('{set}', id)
  if (path.includes('/tag-selectors')) return tfcCall(method, path, [{ 'tag-key': 'a' } as object])
  if (path.includes('/relationships/')) {
    const type = path.endsWith('policies')
      ? 'policies'
      : path.includes('workspace')
        ? 'workspaces'
        : 'projects'
    const make = {
      policies: async () =>
        (
          await ask('POST', 'organizations/default/policies', {
            type,
            attributes: { name: face.fresh('policy') },
          })
        ).data.id,
      workspaces: () => newUnit(face),
      projects: async () => (await face.deps.projects.list('default'))[0]?.id ?? '',
    }
    return tfcCall(method, path, [{ type, id: await make[type]() }])
  }
  if (path.includes('parameters')) {
    const parameter = { type: 'vars', attributes: { key: face.fresh('key'), category: 'policy-set' } }
    const made = await ask('POST', `policy-sets/${id}/parameters`, parameter)
    const data = { type: 'vars', attributes: { key: face.fresh('key'), category: 'policy-set' } }
    return tfcCall(method, path.replace('{parameter}', made.data.id), hasBody ? data : undefined)
  }
  if (path.includes('version')) {
    const made = (await ask('POST', `policy-sets/${id}/versions`)).json['data'] as {
      id: string
      links: { upload: string }
    }
    if (method === 'PUT') return { path: new URL(made.links.upload).pathname, method, body: archive }
    return tfcCall(method, path.replace('{version}', made.id), hasBody ? {} : undefined)
  }
  return tfcCall(method, path, hasBody ? body : undefined)
}

test('exactly those whom the table names are let in', { timeout: 120_000 }, async () => {
  const readers = 'policy:read · +++++3 ++ ++ 44 11111'
  const managers = 'policy:manage · 333++3 33 ++ 44 11111'
  const relations = ['policies', 'workspaces', 'workspace-exclusions', 'projects', 'project-exclusions']
  const set = '/api/v2/policy-sets/{set}'
  expect(await rowsOf(TFC_FAMILIES['policy-sets'], call)).toEqual(
    [
      `GET /api/v2/organizations/{org}/policy-sets · ${readers}`,
      `POST /api/v2/organizations/{org}/policy-sets · ${managers}`,
      `GET ${set} · ${readers}`,
      `PATCH ${set} · ${managers}`,
      `DELETE ${set} · ${managers}`,
      ...relations.flatMap((name) => [
        `POST ${set}/relationships/${name} · ${managers}`,
        `DELETE ${set}/relationships/${name} · ${managers}`,
      ]),
      `POST ${set}/tag-selectors · ${managers}`,
      `DELETE ${set}/tag-selectors · ${managers}`,
      `GET ${set}/parameters · ${readers}`,
      `POST ${set}/parameters · ${managers}`,
      `GET ${set}/parameters/{parameter} · ${readers}`,
      `PATCH ${set}/parameters/{parameter} · ${managers}`,
      `DELETE ${set}/parameters/{parameter} · ${managers}`,
      `POST ${set}/versions · ${managers}`,
      `GET /api/v2/policy-set-versions/{version} · ${readers}`,
      // The address is the permission.
      'PUT /api/v2/uploads/policy-set-versions/{signed} · policy:manage · ++++++ ++ ++ ++ +++++',
    ].toSorted(),
  )
})
