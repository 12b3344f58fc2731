import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import { nameOf } from '../../../../../test/rig/route-calls.ts'
import { type SsoFace } from '../../../../../test/rig/sso-face.ts'
import { defaultProjectId } from '../../../../projects/index.ts'
import type { Route } from '../../kit/routes/route.ts'
import { variableRoutes } from './routes.ts'

const headers = { 'content-type': 'application/vnd.api+json' }

async function make(face: SsoFace, path: string, data: unknown, type = headers): Promise<string> {
  const body = JSON.stringify(data)
  const answer = await face.send(path, { method: 'POST', headers: { ...face.root, ...type }, body })
  if (answer.status > 299) throw new Error(`${path}: ${answer.text}`)
  const made = answer.json() as { id?: string; data?: { id: string } }
  return made.data?.id ?? made.id ?? ''
}

const variable = (key: string) => ({ data: { type: 'vars', attributes: { key, category: 'terraform' } } })

/** Something new for each call. */
async function call(face: SsoFace, route: Route) {
  const name = face.fresh('unit')
  const workspace = await make(face, '/v1/units', { name }, { 'content-type': 'application/json' })
  const varset = await make(face, '/api/v2/organizations/default/varsets', {
    data: { type: 'varsets', attributes: { name: face.fresh('set') } },
  })
  const list = route.path.includes('{workspace}')
    ? `/api/v2/workspaces/${workspace}/vars`
    : `/api/v2/varsets/${varset}/relationships/vars`
  const id = await make(face, list, variable('old'))
  const project = defaultProjectId('default')
  const things: Record<string, string> = { org: 'default', workspace, varset, id, project }
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, key: string) => things[key] ?? key)
  const filter = `filter[organization][name]=default&filter[workspace][name]=${name}`
  const called = { path: path.endsWith('v2/vars') ? `${path}?${filter}` : path, method: route.method }
  const body = bodyOf(nameOf(route), { workspace, key: face.fresh('key'), name: face.fresh('set') })
  return body === undefined ? called : { ...called, headers, body: JSON.stringify(body) }
}

function bodyOf(route: string, { workspace, key, name }: Record<string, string>): unknown {
  if (route.startsWith('GET') || /^DELETE (?!.*\/(workspaces|projects)$)/.test(route)) return undefined
  if (route.endsWith('/workspaces')) return { data: [{ type: 'workspaces', id: workspace }] }
  if (route.endsWith('/projects')) return { data: [] }
  if (route.includes('/vars')) return variable(key ?? '')
  return { data: { type: 'varsets', attributes: { name } } }
}

test('exactly those whom the table names are let in', { timeout: 120_000 }, async () => {
  expect(await rowsOf(variableRoutes, call)).toEqual([
    'DELETE /api/v2/varsets/{varset} · vars:write · 33+++3 +3 ++ 44 11111',
    'DELETE /api/v2/varsets/{varset}/relationships/projects · vars:write · 33+++3 +3 ++ 44 11111',
    'DELETE /api/v2/varsets/{varset}/relationships/vars/{id} · vars:write · 33+++3 +3 ++ 44 11111',
    'DELETE /api/v2/varsets/{varset}/relationships/workspaces · vars:write · 33+++3 +3 ++ 44 11111',
    'DELETE /api/v2/workspaces/{workspace}/vars/{id} · vars:write · 33+++3 +3 ++ 44 11111',
    'GET /api/v2/organizations/{org}/varsets · vars:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/projects/{project}/varsets · vars:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/vars · vars:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/varsets/{varset} · vars:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/varsets/{varset}/relationships/vars · vars:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/varsets/{varset}/relationships/vars/{id} · vars:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/workspaces/{workspace}/all-vars · vars:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/workspaces/{workspace}/vars · vars:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/workspaces/{workspace}/vars/{id} · vars:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/workspaces/{workspace}/varsets · vars:read · +++++3 ++ ++ 44 11111',
    'PATCH /api/v2/varsets/{varset} · vars:write · 33+++3 +3 ++ 44 11111',
    'PATCH /api/v2/varsets/{varset}/relationships/vars/{id} · vars:write · 33+++3 +3 ++ 44 11111',
    'PATCH /api/v2/workspaces/{workspace}/vars/{id} · vars:write · 33+++3 +3 ++ 44 11111',
    'POST /api/v2/organizations/{org}/varsets · vars:write · 33+++3 +3 ++ 44 11111',
    'POST /api/v2/varsets/{varset}/relationships/projects · vars:write · 33+++3 +3 ++ 44 11111',
    'POST /api/v2/varsets/{varset}/relationships/vars · vars:write · 33+++3 +3 ++ 44 11111',
    'POST /api/v2/varsets/{varset}/relationships/workspaces · vars:write · 33+++3 +3 ++ 44 11111',
    'POST /api/v2/workspaces/{workspace}/vars · vars:write · 33+++3 +3 ++ 44 11111',
  ])
})
