import { expect, test } from 'vitest'
import { startHookReceiver } from '../../../../../test/peers/hook-receiver.ts'
import { rowsOf } from '../../../../../test/rig/players.ts'
import { newTeam, newUnit, tfcAs, tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import { defaultProjectId } from '../../../../projects/index.ts'
import { notificationRoutes } from './notifications.ts'

const type = 'notification-configurations'
const attributes = {
  name: 'hook',
  enabled: false,
  'destination-type': 'generic',
  url: 'https://hooks.example.com/services/secret',
  triggers: ['run:completed'],
}
const disabled = { type, attributes }

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  const receiver = await startHookReceiver()
  const rows = await rowsOf(notificationRoutes, async (face, { method, pattern }) => {
    const unit = await newUnit(face)
    const of = `workspaces/${unit}/notification-configurations`
    if (pattern.includes('/{id}/')) {
      const subjects: Readonly<Record<string, string>> = {
        workspaces: unit,
        projects: defaultProjectId('default'),
        teams: await newTeam(face),
      }
      const path = pattern
        .replace('/api/v2/', '')
        .replace('{id}', subjects[pattern.split('/')[3] ?? ''] ?? '')
      return tfcCall(method, path, method === 'POST' ? disabled : undefined)
    }
    const reachable = { ...attributes, url: receiver.url }
    const { id } = (await tfcAs(face, face.root)('POST', of, { type, attributes: reachable })).data
    const change = method === 'PATCH' ? { type, attributes: { name: 'other' } } : undefined
    return tfcCall(method, pattern.replace('/api/v2/', '').replace('{notification}', id), change)
  })
  expect(rows).toEqual([
    'DELETE /api/v2/notification-configurations/{notification} · notification:manage · 333++3 33 ++ 44 11111',
    'GET /api/v2/notification-configurations/{notification} · notification:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/projects/{id}/notification-configurations · notification:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/teams/{id}/notification-configurations · notification:read · +++++3 ++ ++ 44 11111',
    'GET /api/v2/workspaces/{id}/notification-configurations · notification:read · +++++3 ++ ++ 44 11111',
    'PATCH /api/v2/notification-configurations/{notification} · notification:manage · 333++3 33 ++ 44 11111',
    'POST /api/v2/notification-configurations/{notification}/actions/verify · notification:manage · 333++3 33 ++ 44 11111',
    'POST /api/v2/projects/{id}/notification-configurations · notification:manage · 333++3 33 ++ 44 11111',
    'POST /api/v2/teams/{id}/notification-configurations · notification:manage · 333++3 33 ++ 44 11111',
    'POST /api/v2/workspaces/{id}/notification-configurations · notification:manage · 333++3 33 ++ 44 11111',
  ])
})
