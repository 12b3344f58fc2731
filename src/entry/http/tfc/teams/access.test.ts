import { expect, test } from 'vitest'
import { rowsOf } from '../../../../../test/rig/players.ts'
import { linkTo, newUnit, tfcCall } from '../../../../../test/rig/tfc-calls.ts'
import {
  newAccess,
  newMembership,
  newProject,
  newProjectAccess,
  newTeam,
} from '../../../../../test/rig/tfc-people.ts'
import { teamRoutes } from './face.ts'

const of = 'organizations/default/teams'

test('exactly those whom the table names are let in', { timeout: 60_000 }, async () => {
  const rows = await rowsOf(teamRoutes, async (face, { method, pattern }, person) => {
    const path = pattern.replace('/api/v2/', '')
    const isChange = method === 'POST' || method === 'PATCH'
    if (path === 'organizations/{org}/teams')
      return tfcCall(
        method,
        of,
        isChange ? { type: 'teams', attributes: { name: face.fresh('t') } } : undefined,
      )
    if (path === 'team-workspaces') {
      const [team, unit] = [await newTeam(face), await newUnit(face)]
      const relationships = { team: linkTo('teams', team), workspace: linkTo('workspaces', unit) }
      return method === 'GET'
        ? tfcCall('GET', `team-workspaces?filter[workspace][id]=${unit}`)
        : tfcCall('POST', path, { type: path, attributes: { access: 'read' }, relationships })
    }
    if (path === 'team-projects') {
      const [team, project] = [await newTeam(face), await newProject(face)]
      const relationships = { team: linkTo('teams', team), project: linkTo('projects', project) }
      return method === 'GET'
        ? tfcCall('GET', `team-projects?filter[project][id]=${project}`)
        : tfcCall('POST', path, { type: path, attributes: { access: 'read' }, relationships })
    }
    if (path.startsWith('team-projects/')) {
      const { access } = await newProjectAccess(face)
      const body = isChange ? { type: 'team-projects', attributes: { access: 'write' } } : undefined
      return tfcCall(method, `team-projects/${access}`, body)
    }
    if (path.startsWith('team-workspaces/')) {
      const { access } = await newAccess(face)
      const body = isChange ? { type: 'team-workspaces', attributes: { access: 'plan' } } : undefined
      return tfcCall(method, `team-workspaces/${access}`, body)
    }
    const team = await newTeam(face, { visibility: 'organization' })
    const named = path.replace('{team}', team)
    if (path.endsWith('relationships/users'))
      return tfcCall(method, named, [{ type: 'users', id: person.login }])
    if (path.includes('relationships')) return tfcCall(method, named, [await newMembership(face)])
    return tfcCall(
      method,
      named,
      isChange ? { type: 'teams', attributes: { visibility: 'secret' } } : undefined,
    )
  })
  expect(rows).toEqual([
    'DELETE /api/v2/team-projects/{access} · role:manage · 3333+3 33 ++ 44 11111',
    'DELETE /api/v2/team-workspaces/{access} · role:manage · 3333+3 33 ++ 44 11111',
    'DELETE /api/v2/teams/{team} · team:manage · 3333+3 33 ++ 44 11111',
    'DELETE /api/v2/teams/{team}/relationships/organization-memberships · team:manage · 3333+3 33 ++ 44 11111',
    'DELETE /api/v2/teams/{team}/relationships/users · team:manage · 3333+3 33 ++ 44 11111',
    'GET /api/v2/organizations/{org}/teams · org:read · ++++++ ++ ++ 44 11111',
    'GET /api/v2/team-projects · access:read · 3333++ 33 ++ 44 11111',
    'GET /api/v2/team-projects/{access} · access:read · 3333++ 33 ++ 44 11111',
    'GET /api/v2/team-workspaces · access:read · 3333++ 33 ++ 44 11111',
    'GET /api/v2/team-workspaces/{access} · access:read · 3333++ 33 ++ 44 11111',
    'GET /api/v2/teams/{team} · org:read · ++++++ ++ ++ 44 11111',
    'PATCH /api/v2/team-projects/{access} · role:manage · 3333+3 33 ++ 44 11111',
    'PATCH /api/v2/team-workspaces/{access} · role:manage · 3333+3 33 ++ 44 11111',
    'PATCH /api/v2/teams/{team} · team:manage · 3333+3 33 ++ 44 11111',
    'POST /api/v2/organizations/{org}/teams · team:manage · 3333+3 33 ++ 44 11111',
    'POST /api/v2/team-projects · role:manage · 3333+3 33 ++ 44 11111',
    'POST /api/v2/team-workspaces · role:manage · 3333+3 33 ++ 44 11111',
    'POST /api/v2/teams/{team}/relationships/organization-memberships · team:manage · 3333+3 33 ++ 44 11111',
    'POST /api/v2/teams/{team}/relationships/users · team:manage · 3333+3 33 ++ 44 11111',
  ])
})
