import { expect, test } from 'vitest'
import { type TestFace, memoryControl, startFace } from '../../../../test/rig/http-face.ts'
import { stateText } from '../../../../test/support/state.ts'
import { systemClock } from '../../../base/clock.ts'
import { openMemoryBucket } from '../../../bucket/adapters/memory.ts'
import { tokenGuard } from '../auth/auth.ts'
import { runTokenGuard } from '../auth/run-token-guard.ts'
import type { Route } from '../kit/routes/route.ts'
import { ofServer, route } from './define.ts'
import { v1Routes } from './face.ts'

/**
 * Every route, with what it needs and what it answers: [route, action, openness, without a credential, with the root
 * token, with a run token of another unit]. A new route without a row here fails.
 */
const table: readonly (readonly [string, string, string, number, number, number])[] = [
  ['GET /healthz', 'server:health', 'everybody', 200, 200, 200],
  ['GET /readyz', 'server:health', 'everybody', 200, 200, 200],
  ['GET /metrics', 'server:metrics', 'metrics', 401, 200, 403],
  ['GET /v1/server', 'server:read', 'nobody', 401, 200, 403],
  ['GET /v1/whoami', 'server:read', 'nobody', 401, 200, 403],
  ['GET /v1/orgs', 'org:read', 'nobody', 401, 200, 403],
  ['POST /v1/orgs', 'org:create', 'nobody', 401, 201, 403],
  ['GET /v1/orgs/{org}', 'org:read', 'nobody', 401, 200, 403],
  ['GET /v1/orgs/{org}/usage', 'org:read', 'nobody', 401, 200, 403],
  ['PATCH /v1/orgs/{org}', 'org:admin', 'nobody', 401, 200, 403],
  ['POST /v1/orgs/{org}/rename', 'org:admin', 'nobody', 401, 200, 403],
  ['DELETE /v1/orgs/{org}', 'org:delete', 'nobody', 401, 200, 403],
  ['POST /v1/orgs/{org}/restore', 'org:delete', 'nobody', 401, 200, 403],
  ['GET /v1/orgs/{org}/projects', 'org:read', 'nobody', 401, 200, 403],
  ['POST /v1/orgs/{org}/projects', 'org:admin', 'nobody', 401, 201, 403],
  ['GET /v1/orgs/{org}/projects/{project}', 'org:read', 'nobody', 401, 404, 403],
  ['PATCH /v1/orgs/{org}/projects/{project}', 'org:admin', 'nobody', 401, 404, 403],
  ['DELETE /v1/orgs/{org}/projects/{project}', 'org:admin', 'nobody', 401, 404, 403],
  ['GET /v1/orgs/{org}/teams', 'access:read', 'nobody', 401, 200, 403],
  ['POST /v1/orgs/{org}/teams', 'team:manage', 'nobody', 401, 201, 403],
  ['GET /v1/orgs/{org}/teams/{team}', 'access:read', 'nobody', 401, 404, 403],
  ['PATCH /v1/orgs/{org}/teams/{team}', 'team:manage', 'nobody', 401, 404, 403],
  ['DELETE /v1/orgs/{org}/teams/{team}', 'team:manage', 'nobody', 401, 404, 403],
  ['PUT /v1/orgs/{org}/teams/{team}/members/{person}', 'team:manage', 'nobody', 401, 403, 403],
  ['DELETE /v1/orgs/{org}/teams/{team}/members/{person}', 'team:manage', 'nobody', 401, 403, 403],
  ['GET /v1/orgs/{org}/roles', 'access:read', 'nobody', 401, 200, 403],
  ['PUT /v1/orgs/{org}/roles/{role}', 'role:manage', 'nobody', 401, 200, 403],
  ['DELETE /v1/orgs/{org}/roles/{role}', 'role:manage', 'nobody', 401, 404, 403],
  ['GET /v1/orgs/{org}/bindings', 'access:read', 'nobody', 401, 200, 403],
  ['POST /v1/orgs/{org}/bindings', 'role:manage', 'nobody', 401, 200, 403],
  ['DELETE /v1/orgs/{org}/bindings', 'role:manage', 'nobody', 401, 404, 403],
  ['GET /v1/orgs/{org}/guards', 'org:read', 'nobody', 401, 200, 403],
  ['POST /v1/orgs/{org}/guards', 'guard:set', 'nobody', 401, 201, 403],
  ['DELETE /v1/orgs/{org}/guards/{guard}', 'guard:set', 'nobody', 401, 404, 403],
  ['GET /v1/orgs/{org}/notifications', 'notification:read', 'nobody', 401, 200, 403],
  ['POST /v1/orgs/{org}/notifications', 'notification:manage', 'nobody', 401, 201, 403],
  ['GET /v1/orgs/{org}/notifications/{id}', 'notification:read', 'nobody', 401, 404, 403],
  ['PATCH /v1/orgs/{org}/notifications/{id}', 'notification:manage', 'nobody', 401, 404, 403],
  ['DELETE /v1/orgs/{org}/notifications/{id}', 'notification:manage', 'nobody', 401, 404, 403],
  ['POST /v1/orgs/{org}/notifications/{id}/test', 'notification:manage', 'nobody', 401, 404, 403],
  ['POST /v1/units/{unit}/break-glass', 'state:break-glass', 'nobody', 401, 201, 403],
  ['GET /v1/people', 'server:admin', 'nobody', 401, 403, 403],
  ['GET /v1/people/{person}', 'server:admin', 'nobody', 401, 403, 403],
  ['PATCH /v1/people/{person}', 'server:admin', 'nobody', 401, 403, 403],
  ['POST /v1/people/{person}/sign-out', 'server:admin', 'nobody', 401, 403, 403],
  ['GET /v1/server/settings', 'server:admin', 'nobody', 401, 403, 403],
  ['PATCH /v1/server/settings', 'server:admin', 'nobody', 401, 403, 403],
  ['PUT /v1/server/administrators/{subject}', 'server:admin', 'nobody', 401, 403, 403],
  ['DELETE /v1/server/administrators/{subject}', 'server:admin', 'nobody', 401, 403, 403],
  ['GET /v1/providers', 'provider:manage', 'nobody', 401, 403, 403],
  ['PUT /v1/providers/{provider}', 'provider:manage', 'nobody', 401, 403, 403],
  ['POST /v1/providers/{provider}/check', 'provider:manage', 'nobody', 401, 403, 403],
  ['DELETE /v1/providers/{provider}', 'provider:manage', 'nobody', 401, 403, 403],
  ['POST /v1/orgs/{org}/workload-token', 'account:manage', 'everybody', 403, 403, 403],
  ['GET /v1/orgs/{org}/workloads', 'access:read', 'nobody', 401, 200, 403],
  ['PUT /v1/orgs/{org}/workloads/{rule}', 'token:manage', 'nobody', 401, 200, 403],
  ['DELETE /v1/orgs/{org}/workloads/{rule}', 'token:manage', 'nobody', 401, 404, 403],
  ['GET /v1/orgs/{org}/registry/modules', 'registry:read', 'nobody', 401, 200, 403],
  ['GET /v1/orgs/{org}/registry/modules/{name}/{provider}', 'registry:read', 'nobody', 401, 404, 403],
  [
    'PUT /v1/orgs/{org}/registry/modules/{name}/{provider}/{version}',
    'registry:publish',
    'nobody',
    401,
    400,
    403,
  ],
  ['DELETE /v1/orgs/{org}/registry/modules/{name}/{provider}', 'registry:publish', 'nobody', 401, 404, 403],
  [
    'DELETE /v1/orgs/{org}/registry/modules/{name}/{provider}/{version}',
    'registry:publish',
    'nobody',
    401,
    404,
    403,
  ],
  [
    'GET /v1/orgs/{org}/registry/modules/{name}/{provider}/{version}',
    'registry:read',
    'nobody',
    401,
    404,
    403,
  ],
  [
    'PUT /v1/orgs/{org}/registry/modules/{name}/{provider}/{version}/deprecation',
    'registry:publish',
    'nobody',
    401,
    404,
    403,
  ],
  [
    'DELETE /v1/orgs/{org}/registry/modules/{name}/{provider}/{version}/deprecation',
    'registry:publish',
    'nobody',
    401,
    404,
    403,
  ],
  ['GET /v1/orgs/{org}/registry/providers', 'registry:read', 'nobody', 401, 200, 403],
  ['GET /v1/orgs/{org}/registry/providers/{name}', 'registry:read', 'nobody', 401, 404, 403],
  ['PUT /v1/orgs/{org}/registry/providers/{name}/{version}', 'registry:publish', 'nobody', 401, 400, 403],
  [
    'PUT /v1/orgs/{org}/registry/providers/{name}/{version}/{file}',
    'registry:publish',
    'nobody',
    401,
    404,
    403,
  ],
  ['DELETE /v1/orgs/{org}/registry/providers/{name}', 'registry:publish', 'nobody', 401, 404, 403],
  ['DELETE /v1/orgs/{org}/registry/providers/{name}/{version}', 'registry:publish', 'nobody', 401, 404, 403],
  ['GET /v1/orgs/{org}/registry/keys', 'registry:read', 'nobody', 401, 200, 403],
  ['POST /v1/orgs/{org}/registry/keys', 'registry:publish', 'nobody', 401, 400, 403],
  ['DELETE /v1/orgs/{org}/registry/keys/{key}', 'registry:publish', 'nobody', 401, 404, 403],
  ['GET /v1/tokens', 'account:manage', 'nobody', 401, 403, 403],
  ['POST /v1/tokens', 'account:manage', 'nobody', 401, 403, 403],
  ['GET /v1/tokens/{id}', 'account:manage', 'nobody', 401, 403, 403],
  ['DELETE /v1/tokens/{id}', 'account:manage', 'nobody', 401, 403, 403],
  ['POST /v1/s3-keys', 'server:read', 'nobody', 401, 403, 403],
  ['GET /v1/orgs/{org}/tokens', 'token:manage', 'nobody', 401, 403, 403],
  ['POST /v1/orgs/{org}/tokens', 'token:manage', 'nobody', 401, 403, 403],
  ['GET /v1/orgs/{org}/tokens/{id}', 'token:manage', 'nobody', 401, 403, 403],
  ['DELETE /v1/orgs/{org}/tokens/{id}', 'token:manage', 'nobody', 401, 403, 403],
  ['GET /v1/orgs/{org}/access/explain', 'access:read', 'nobody', 401, 200, 403],
  ['POST /v1/orgs/{org}/access/test', 'access:read', 'nobody', 401, 200, 403],
  ['GET /v1/units', 'unit:read', 'nobody', 401, 200, 403],
  ['POST /v1/units', 'unit:create', 'nobody', 401, 201, 403],
  ['GET /v1/units/{unit}', 'unit:read', 'nobody', 401, 200, 403],
  ['PATCH /v1/units/{unit}', 'unit:update', 'nobody', 401, 200, 403],
  ['DELETE /v1/units/{unit}', 'unit:delete', 'nobody', 401, 200, 403],
  ['POST /v1/units/{unit}/rename', 'unit:rename', 'nobody', 401, 200, 403],
  ['POST /v1/units/{unit}/restore', 'unit:restore', 'nobody', 401, 404, 403],
  ['GET /v1/units/{unit}/lock', 'unit:read', 'nobody', 401, 200, 403],
  ['POST /v1/units/{unit}/lock', 'lock', 'nobody', 401, 200, 403],
  ['POST /v1/units/{unit}/lock/renew', 'lock', 'nobody', 401, 409, 403],
  ['DELETE /v1/units/{unit}/lock', 'lock', 'nobody', 401, 409, 403],
  ['GET /v1/units/{unit}/versions', 'versions:read', 'nobody', 401, 200, 403],
  ['GET /v1/units/{unit}/versions/{version}', 'versions:read', 'nobody', 401, 200, 403],
  ['GET /v1/units/{unit}/diff', 'versions:read-state', 'nobody', 401, 404, 403],
  ['POST /v1/units/{unit}/rollback', 'state:rollback', 'nobody', 401, 201, 403],
  ['GET /v1/units/{unit}/outputs', 'outputs:read', 'nobody', 401, 200, 403],
  ['GET /v1/units/{unit}/outputs/log', 'outputs:read', 'nobody', 401, 200, 403],
  ['GET /v1/units/{unit}/outputs/diff', 'outputs:read', 'nobody', 401, 200, 403],
  ['GET /v1/graph', 'graph:read', 'nobody', 401, 200, 403],
  ['GET /v1/status', 'graph:read', 'nobody', 401, 200, 403],
  ['GET /v1/units/{unit}/dependencies', 'graph:read', 'nobody', 401, 200, 403],
  ['POST /v1/units/{unit}/dependencies', 'graph:write', 'nobody', 401, 200, 403],
  ['DELETE /v1/units/{unit}/dependencies', 'graph:write', 'nobody', 401, 404, 403],
  ['GET /v1/units/{unit}/inputs', 'outputs:read', 'nobody', 401, 200, 403],
  ['GET /v1/units/{unit}/variables', 'vars:read', 'nobody', 401, 200, 403],
  ['PATCH /v1/units/{unit}/variables', 'vars:write', 'nobody', 401, 200, 403],
  ['GET /v1/units/{unit}/variables/effective', 'vars:read', 'nobody', 401, 200, 403],
  ['GET /v1/units/{unit}/variables/values', 'vars:read', 'nobody', 401, 200, 403],
  ['GET /v1/orgs/{org}/variable-sets', 'vars:read', 'nobody', 401, 200, 403],
  ['POST /v1/orgs/{org}/variable-sets', 'vars:write', 'nobody', 401, 201, 403],
  ['GET /v1/orgs/{org}/variable-sets/{set}', 'vars:read', 'nobody', 401, 404, 403],
  ['PATCH /v1/orgs/{org}/variable-sets/{set}', 'vars:write', 'nobody', 401, 404, 403],
  ['DELETE /v1/orgs/{org}/variable-sets/{set}', 'vars:write', 'nobody', 401, 404, 403],
  ['GET /v1/orgs/{org}/variable-sets/{set}/variables', 'vars:read', 'nobody', 401, 404, 403],
  ['PATCH /v1/orgs/{org}/variable-sets/{set}/variables', 'vars:write', 'nobody', 401, 404, 403],
  ['POST /v1/sync', 'graph:write', 'nobody', 401, 200, 403],
  ['GET /v1/rollouts', 'rollout:read', 'nobody', 401, 200, 403],
  ['GET /v1/rollouts/plan', 'rollout:read', 'nobody', 401, 200, 403],
  ['POST /v1/rollouts', 'rollout:start', 'nobody', 401, 201, 403],
  ['GET /v1/rollouts/{id}', 'rollout:read', 'nobody', 401, 404, 403],
  ['POST /v1/rollouts/{id}/pause', 'rollout:control', 'nobody', 401, 404, 403],
  ['POST /v1/rollouts/{id}/resume', 'rollout:control', 'nobody', 401, 404, 403],
  ['POST /v1/rollouts/{id}/cancel', 'rollout:control', 'nobody', 401, 404, 403],
  ['POST /v1/rollouts/{id}/claims', 'rollout:work', 'nobody', 401, 404, 403],
  ['POST /v1/rollouts/{id}/renew', 'rollout:work', 'nobody', 401, 404, 403],
  ['POST /v1/rollouts/{id}/steps/{unit}/begin', 'rollout:work', 'nobody', 401, 404, 403],
  ['POST /v1/rollouts/{id}/steps/{unit}/run-token', 'rollout:work', 'nobody', 401, 404, 403],
  ['POST /v1/rollouts/{id}/steps/{unit}/end', 'rollout:work', 'nobody', 401, 404, 403],
  ['POST /v1/rollouts/{id}/steps/{unit}/skip', 'rollout:control', 'nobody', 401, 404, 403],
  ['POST /v1/units/{unit}/run-tokens', 'run:token', 'nobody', 401, 201, 403],
  ['POST /v1/run-tokens/{id}/renew', 'run:token', 'nobody', 401, 404, 403],
  ['DELETE /v1/run-tokens/{id}', 'run:token', 'nobody', 401, 204, 403],
  ['GET /v1/events', 'events:read', 'nobody', 401, 200, 403],
  ['GET /v1/audit', 'audit:read', 'nobody', 401, 200, 403],
  ['GET /v1/audit/verify', 'audit:read', 'nobody', 401, 200, 403],
  ['POST /v1/adopt', 'org:admin', 'nobody', 401, 200, 403],
  ['POST /v1/gc', 'org:admin', 'nobody', 401, 200, 403],
  ['POST /v1/doctor', 'server:admin', 'nobody', 401, 200, 403],
  ['GET /v1/servers', 'server:admin', 'nobody', 401, 200, 403],
  ['GET /v1/checks/bucket', 'server:admin', 'nobody', 401, 200, 403],
  ['POST /v1/checks/bucket', 'server:admin', 'nobody', 401, 202, 403],
  ['GET /v1/orgs/{org}/checks/audit', 'audit:read', 'nobody', 401, 200, 403],
  ['POST /v1/orgs/{org}/checks/audit', 'audit:read', 'nobody', 401, 202, 403],
  ['GET /v1/backend/{org}/{unit}', 'state:read', 'nobody', 401, 200, 200],
  ['POST /v1/backend/{org}/{unit}', 'state:write', 'nobody', 401, 200, 403],
  ['PUT /v1/backend/{org}/{unit}', 'state:write', 'nobody', 401, 200, 403],
  ['DELETE /v1/backend/{org}/{unit}', 'state:delete', 'nobody', 401, 200, 403],
  ['LOCK /v1/backend/{org}/{unit}', 'lock', 'nobody', 401, 200, 403],
  ['UNLOCK /v1/backend/{org}/{unit}', 'lock', 'nobody', 401, 409, 403],
  ['GET /v1/units/{unit}/state', 'state:read', 'nobody', 401, 200, 403],
  ['PUT /v1/units/{unit}/state', 'state:write', 'nobody', 401, 201, 403],
  ['DELETE /v1/units/{unit}/state', 'state:delete', 'nobody', 401, 204, 403],
  ['GET /v1/units/{unit}/versions/{version}/state', 'versions:read-state', 'nobody', 401, 200, 403],
  ['GET /v1/openapi.json', 'server:read', 'nobody', 401, 200, 403],
]

/** What the calls need to be understood. */
const bodies: Readonly<Record<string, unknown>> = {
  'PUT /v1/orgs/{org}/registry/modules/{name}/{provider}/{version}/deprecation': { reason: 'r' },
  'POST /v1/orgs': { name: 'acme' },
  'POST /v1/orgs/{org}/teams': { name: 'ops' },
  'POST /v1/orgs/{org}/projects': { name: 'made' },
  'PATCH /v1/orgs/{org}/projects/{project}': { name: 'made' },
  'POST /v1/orgs/{org}/variable-sets': { name: 'cloud' },
  'PUT /v1/orgs/{org}/roles/{role}': { rules: [{ effect: 'allow', actions: ['state:read'] }] },
  'POST /v1/orgs/{org}/bindings': { role: 'reader', to: 'everyone' },
  'POST /v1/units/{unit}/break-glass': { reason: 'r' },
  'POST /v1/orgs/{org}/notifications': {
    name: 'h',
    destination: 'email',
    triggers: ['state:changed'],
    emails: ['a@example.com'],
  },
  'PATCH /v1/people/{person}': { isSuspended: true },
  'PUT /v1/providers/{provider}': { kind: 'github', label: 'GitHub' },
  'PATCH /v1/orgs/{org}': { retention: null },
  'POST /v1/orgs/{org}/rename': { name: 'default' },
  'POST /v1/orgs/{org}/restore': {},
  'POST /v1/tokens': { name: 'made' },
  'POST /v1/orgs/{org}/workload-token': { idToken: 'x' },
  'PUT /v1/orgs/{org}/workloads/{rule}': {
    issuer: 'https://issuer.example.com',
    claims: { sub: 'job' },
    roles: ['reader'],
  },
  'POST /v1/orgs/{org}/tokens': { name: 'made', kind: 'organization', roles: ['reader'] },
  'POST /v1/orgs/{org}/access/test': {
    path: 'access.yaml',
    text: 'expectations: [{ who: everyone, action: lock, expect: deny }]',
  },
  'POST /v1/units': { name: 'made' },
  'POST /v1/units/{unit}/rename': { name: 'renamed' },
  'POST /v1/units/{unit}/lock/renew': { id: 'l', leaseMs: 1000 },
  'POST /v1/units/{unit}/rollback': { version: '1' },
  'POST /v1/units/{unit}/dependencies': { on: 'own' },
  'POST /v1/sync': { units: [] },
  'POST /v1/rollouts': { from: ['other'] },
  'POST /v1/rollouts/{id}/claims': { worker: 'w' },
  'POST /v1/rollouts/{id}/renew': { tokens: [] },
  'POST /v1/rollouts/{id}/steps/{unit}/begin': { token: 't' },
  'POST /v1/rollouts/{id}/steps/{unit}/run-token': { token: 't' },
  'POST /v1/rollouts/{id}/steps/{unit}/end': {
    token: 't',
    end: { kind: 'applied', fingerprint: null, engineMs: 1 },
  },
  'POST /v1/rollouts/{id}/steps/{unit}/skip': { reason: 'r' },
  'LOCK /v1/backend/{org}/{unit}': { ID: 'l' },
  'UNLOCK /v1/backend/{org}/{unit}': { ID: 'l' },
}
const queries: Readonly<Record<string, string>> = {
  'DELETE /v1/orgs/{org}/bindings': '?role=reader&to=everyone',
  'DELETE /v1/units/{unit}/dependencies': '?on=own',
  'DELETE /v1/units/{unit}/lock': '?id=l',
  'GET /v1/orgs/{org}/access/explain': '?who=everyone&action=lock',
}

const rootToken = 'the-root-token-of-this-test-0123456789'
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

async function open() {
  const control = await memoryControl(openMemoryBucket())
  const clock = systemClock
  const otherwise = tokenGuard({ token: rootToken, clock })
  const guard = runTokenGuard({ runTokens: control.runTokens, otherwise, limit: { clock } })
  const face = await startFace({ control, guard })
  const headers = { ...bearer(rootToken), 'content-type': 'application/json' }
  for (const unit of ['own', 'other'])
    await face.send(`/v1/units/${unit}/state`, { method: 'PUT', headers, body: stateText(1) })
  const issued = await face.send('/v1/units/own/run-tokens', { method: 'POST', headers, body: '{}' })
  return { face, runToken: String(issued.json()['token']) }
}

const nameOf = ({ method, pattern }: Route) => `${method} ${pattern}`

/** The call that the table means: of the unit `other`, and of whatever is not there. */
async function call(face: TestFace, of: Route, headers: Record<string, string>): Promise<number> {
  const name = nameOf(of)
  const path = of.pattern
    .replace('{org}', 'default')
    .replace('{unit}', 'other')
    .replace(/\{(team|role|guard|person|provider|subject)\}/g, 'x1')
    .replace('{version}', '1')
    .replace('notifications/{id}', 'notifications/nc-1')
    .replace('{id}', 'ro-01J9Z3K7M8Q2W5N4T6R1X0C3VB')
  const isBody = !['GET', 'DELETE'].includes(of.method)
  const isState = of.isRaw && of.method !== 'GET'
  const { status } = await face.send(`${path}${queries[name] ?? ''}`, {
    method: of.method,
    headers: { ...headers, ...(isBody ? { 'content-type': 'application/json' } : {}) },
    ...(isBody ? { body: isState ? stateText(2) : JSON.stringify(bodies[name] ?? {}) } : {}),
  })
  return status
}

test('every route has its action and its openness', () => {
  const found = v1Routes.map((of) => `${nameOf(of)} ${of.action} ${of.openness}`)

  expect(found.toSorted()).toEqual(
    table.map(([name, action, openness]) => `${name} ${action} ${openness}`).toSorted(),
  )
})

test.each(table)(
  '%s (%s, open to %s) answers a stranger %i, the root token %i, a run of another unit %i',
  async (name, _action, _openness, toStranger, toRoot, toRun) => {
    const of = v1Routes.find((candidate) => nameOf(candidate) === name)
    if (of === undefined) throw new Error(`there is no route ${name}`)
    const { face, runToken } = await open()

    const strange = await call(face, of, {})
    const run = await call(face, of, bearer(runToken))
    const wrong = await call(face, of, bearer('wrong'))
    const root = await call(face, of, bearer(rootToken))

    expect([strange, root, run]).toEqual([toStranger, toRoot, toRun])
    expect(wrong).toBe(toStranger)
  },
)

test('every route that is told its organization or unit says so, and parses its query strictly', async () => {
  const { face } = await open()
  for (const of of v1Routes) {
    if (of.isProbe === true) continue
    const path = of.pattern.replaceAll(/\{\w+\}/g, 'x')
    const isBody = !['GET', 'DELETE'].includes(of.method)
    const answer = await face.send(`${path}?no-such-parameter=1`, {
      method: of.method,
      headers: { ...bearer(rootToken), 'content-type': 'application/json' },
      ...(isBody ? { body: '{}' } : {}),
    })
    expect([nameOf(of), answer.status]).toEqual([nameOf(of), 400])
    const query = Object.keys((of.query as { shape?: object } | undefined)?.shape ?? {})
    const asked = { org: 'o', unit: 'u' }
    // Where an id leads is looked up.
    const notifications = { get: () => ({ scope: { kind: 'organization' } }) }
    const projects = { get: () => ({ id: 'p' }) }
    const target = await of.target({ params: asked, query: asked } as never, { notifications, projects })
    if (of.pattern.includes('{unit}')) expect([nameOf(of), target]).toEqual([nameOf(of), asked])
    else if (of.pattern.includes('{org}') || query.includes('org'))
      expect([nameOf(of), target.org]).toEqual([nameOf(of), 'o'])
  }
})

test('metrics are open to everybody where the server was told so, and to nobody else', async () => {
  const guard = tokenGuard({ token: rootToken, clock: systemClock })
  const open = await startFace({ guard, isMetricsOpen: true })
  const closed = await startFace({ guard })

  expect((await open.send('/metrics')).status).toBe(200)
  expect((await open.send('/v1/server')).status).toBe(401)
  expect((await closed.send('/metrics')).status).toBe(401)
})

test('what is open stays open to those who have to wait, and is no way around the limit', async () => {
  const face = await startFace({ guard: tokenGuard({ token: rootToken, clock: systemClock }) })
  for (let i = 0; i < 20; i++)
    expect((await face.send('/readyz', { headers: bearer('guess') })).status).toBe(200)

  expect((await face.send('/v1/server', { headers: bearer(rootToken) })).status).toBe(429)
  expect((await face.send('/readyz', { headers: bearer(rootToken) })).status).toBe(200)
})

test('a stranger learns nothing about how a request should look, nor which addresses there are', async () => {
  const { face } = await open()

  for (const path of ['/v1/units?limit=0', '/v1/nothing', '/v1/backend/default', '/v1/units/a?deep=1'])
    expect((await face.send(path)).status).toBe(401)
})

test('force, secrets and reads on behalf of others need rights of their own', () => {
  const demandsOf = (id: string, given: object) => {
    const asked = { params: {}, query: {}, headers: {}, target: { org: 'o', unit: 'u' }, body: undefined }
    const found = v1Routes.find((of) => of.id === id)?.also?.({ ...asked, ...given } as never, {})
    return found instanceof Promise ? undefined : found
  }
  const demanded = (id: string, given: object) =>
    demandsOf(id, given)?.map(({ action, resource }) => `${action} ${resource.unit ?? resource.org}`)

  expect(demanded('unlockBackend', {})).toEqual(['unlock-others u'])
  expect(demanded('unlockBackend', { body: { ID: 'l', Operation: 'x', Who: 'y', Created: 'z' } })).toEqual([])
  expect(demanded('unlockUnit', { query: { force: true } })).toEqual(['unlock-others u'])
  for (const id of ['deleteUnit', 'deleteState', 'writeState', 'deleteBackendState'])
    expect(demanded(id, { query: { force: true } })).toEqual(['state:force u'])
  expect(demanded('readBackendState', { query: { consumer: 'c' } })).toEqual(['reads:record c'])
  expect(demanded('readState', { headers: { 'x-taco-unit': 'c' } })).toEqual(['reads:record c'])
  expect(demanded('getOutputs', { query: { sensitive: true } })).toEqual(['outputs:read-sensitive u'])
  expect(demanded('getInputs', { query: { sensitive: true } })).toEqual([
    'reads:record u',
    'outputs:read-sensitive u',
  ])
  expect(demanded('updateUnit', { body: { allowDecrypt: true } })).toEqual(['unit:admin u'])
  expect(demanded('updateUnit', { body: { description: 'd' } })).toEqual([])
  expect(demanded('createUnit', { body: { name: 'n', key: 'k' } })).toEqual(['unit:create n', 'unit:admin n'])
  expect(demanded('renameUnit', { body: { name: 'n' } })).toEqual(['unit:rename n'])
  expect(demanded('planRollout', { query: { keys: true } })).toEqual(['rollout:work u'])
  expect(demanded('startRollout', { body: { from: [], claim: {} } })).toEqual(['rollout:work u'])
})

test('a route without an action does not compile, nor one that answers what it does not declare', () => {
  const common = { method: 'GET', path: '/x', id: 'x', tags: [], summary: 'x', target: ofServer } as const
  const answers = { 204: { description: 'nothing' } }

  // @ts-expect-error -- there is no action
  route({ ...common, answers, handle: (_) => ({ status: 204 }) })
  // @ts-expect-error -- there is no such action
  route({ ...common, action: 'server:anything', answers, handle: (_) => ({ status: 204 }) })
  // @ts-expect-error -- there is no such answer
  route({ ...common, action: 'server:read', answers, handle: (_) => ({ status: 200 }) })

  expect(v1Routes.every(({ action }) => action !== undefined)).toBe(true)
})
