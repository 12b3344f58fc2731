import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import type { SsoFace } from '../../../../../test/rig/sso-face.ts'
import { newUnit, tfcAs, tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { TFC_FAMILIES } from '../face.ts'

const state = JSON.stringify({
  version: 4,
  serial: 1,
  lineage: 'L',
  outputs: { key: { value: 's3cret', type: 'string', sensitive: true } },
  resources: [],
})
const md5 = createHash('md5').update(state).digest('hex')
const version = { type: 'state-versions', attributes: { md5, serial: 1, lineage: 'L' } }

async function withState(face: SsoFace) {
  const name = face.fresh('unit')
  const unit = await newUnit(face, name)
  const ask = tfcAs(face, face.root)
  await ask('POST', `workspaces/${unit}/actions/lock`)
  const inline = {
    ...version,
    attributes: { ...version.attributes, state: Buffer.from(state).toString('base64') },
  }
  const { id } = (await ask('POST', `workspaces/${unit}/state-versions`, inline)).data
  await ask('POST', `workspaces/${unit}/actions/unlock`)
  const [output] = (await ask('GET', `workspaces/${unit}/current-state-version-outputs`)).all
  return { name, unit, id, output: output?.id ?? '' }
}

test('exactly those whom the table names are let in', { timeout: 120_000 }, async () => {
  const rows = await rowsOf(TFC_FAMILIES['state-versions'], async (face, { method, pattern }) => {
    const path = pattern.replace('/api/v2/', '')
    if (path.includes('{part}')) {
      const unit = await newUnit(face)
      const ask = tfcAs(face, face.root)
      await ask('POST', `workspaces/${unit}/actions/lock`)
      const { attributes } = (await ask('POST', `workspaces/${unit}/state-versions`, version)).data
      const kind = path.includes('json-states') ? 'hosted-json-state-upload-url' : 'hosted-state-upload-url'
      return { path: new URL(String(attributes[kind])).pathname, method, body: state }
    }
    const { name, unit, id, output } = await withState(face)
    const at = path.replace('{workspace}', unit).replace('{version}', id).replace('{output}', output)
    if (method === 'POST') return tfcCall(method, at, version)
    if (method === 'PATCH')
      return tfcCall(method, at, {
        type: 'state-versions',
        relationships: { 'rollback-state-version': { data: { type: 'state-versions', id } } },
      })
    if (path === 'state-versions')
      return tfcCall(method, `${at}?filter[organization][name]=default&filter[workspace][name]=${name}`)
    return tfcCall(method, at)
  })
  expect(rows).toEqual([
    'GET /api/v2/state-version-outputs/{output} · outputs:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/state-versions · versions:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/state-versions/{version} · versions:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/state-versions/{version}/download · state:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/state-versions/{version}/outputs · outputs:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/workspaces/{workspace}/current-state-version · versions:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/workspaces/{workspace}/current-state-version-outputs · outputs:read · +++++3 ++ ++ 44 11111',
    'PATCH /api/v2/workspaces/{workspace}/state-versions · state:rollback · 33+++3 +3 ++ 44 11111',
    'POST /api/v2/workspaces/{workspace}/state-versions · state:write · 33+++3 +3 ++ 44 11111',
    'PUT /api/v2/uploads/json-states/{part} · state:write · ++++++ ++ ++ ++ +++++',
    'PUT /api/v2/uploads/states/{part} · state:write · ++++++ ++ ++ ++ +++++',
  ])
})
