import { expect, test } from 'vitest'
import { archiveOf } from '../../../../../test/support/archives.ts'
import { type CallOf, rowsOf } from '../../../../../test/rig/players.ts'
import { newUnit, tfcAs, tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { configurationVersionRoutes } from './routes.ts'

const type = 'configuration-versions'
const body = archiveOf([{ path: 'main.tf', content: 'locals {}' }])

const call: CallOf = async (face, { method, pattern }) => {
  const workspace = await newUnit(face)
  const made = async () =>
    (await tfcAs(face, face.root)('POST', `workspaces/${workspace}/${type}`, { type })).data
  const versions = [await made(), await made()] as const
  const urls = versions.map(({ attributes }) => new URL(String(attributes['upload-url'])).pathname)
  if (method === 'PUT') return { path: urls[0] ?? '', method, body }
  for (const url of urls) await face.send(url, { method: 'PUT', body })
  const path = pattern.replace('{workspace}', workspace).replace('{version}', versions[0].id)
  return tfcCall(method, path.slice('/api/v2/'.length), method === 'GET' ? undefined : { type })
}

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  expect(await rowsOf(configurationVersionRoutes, call)).toEqual([
    'GET /api/v2/configuration-versions/{version} · unit:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/configuration-versions/{version}/download · state:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/workspaces/{workspace}/configuration-versions · unit:read · ++++++ ++ ++ 44 11111',
    'POST /api/v2/configuration-versions/{version}/actions/archive · unit:update · 333++3 33 ++ 44 11111',
    'POST /api/v2/workspaces/{workspace}/configuration-versions · run:plan · 3++++3 +3 ++ 44 11111',
    // The address is the permission.
    'PUT /api/v2/uploads/configuration-versions/{signed} · run:plan · ++++++ ++ ++ ++ +++++',
  ])
})
