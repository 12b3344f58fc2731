/* eslint-disable max-lines -- a table with a row for each route */
import { expect, test } from 'vitest'
import { createTestBrowser } from '../../../test/rig/web-face.ts'
import { cast, mark, rowOf } from '../../../test/rig/players.ts'
import { nameOf } from '../../../test/rig/route-calls.ts'
import { type Credential, startSsoFace } from '../../../test/rig/sso-face.ts'
import { bind } from '../../access/organization/transitions.ts'
import type { Route } from './kit/routes/route.ts'
import { loginRoutes } from './login/face.ts'
import { v1Routes } from './v1/face.ts'
import { webRoutes } from './web/face.ts'

/**
 * Every route for programs: [route, action, who is let in]. A new route without a row here fails, and so does a row
 * without a route. `+`: let in. `1`: 401, must say who it is. `3`: 403, is not allowed to. `4`: 404, may not know that it
 * exists. All calls are about the organization `default`, except for those about the server or the caller. The columns:
 *
 * - people with the roles reader, planner, operator, admin, owner, auditor
 * - the token of a team of operators, the token of the organization with the role reader
 * - the root token, an administrator of the server
 * - a person without a role, the owner of another organization
 * - no token, an owner's expired token, their revoked token, a suspended owner's token, the cookie of an owner's session
 */
const table: readonly (readonly [string, string, string])[] = [
  ['GET /healthz', 'server:health', '++++++ ++ ++ ++ +++++'],
  ['GET /readyz', 'server:health', '++++++ ++ ++ ++ +++++'],
  ['GET /metrics', 'server:metrics', '333333 33 ++ 33 11111'],
  ['GET /v1/server', 'server:read', '++++++ ++ ++ ++ 11111'],
  ['GET /v1/whoami', 'server:read', '++++++ ++ ++ ++ 11111'],
  ['GET /v1/orgs', 'org:read', '++++++ ++ ++ ++ 11111'],
  ['POST /v1/orgs', 'org:create', '333333 33 ++ 33 11111'],
  ['GET /v1/orgs/{org}', 'org:read', '++++++ ++ ++ 44 11111'],
  ['GET /v1/orgs/{org}/usage', 'org:read', '++++++ ++ ++ 44 11111'],
  ['PATCH /v1/orgs/{org}', 'org:admin', '333++3 33 ++ 44 11111'],
  ['POST /v1/orgs/{org}/rename', 'org:admin', '333++3 33 ++ 44 11111'],
  ['DELETE /v1/orgs/{org}', 'org:delete', '3333+3 33 ++ 44 11111'],
  ['POST /v1/orgs/{org}/restore', 'org:delete', '3333+3 33 ++ 44 11111'],
  ['GET /v1/orgs/{org}/projects', 'org:read', '++++++ ++ ++ 44 11111'],
  ['POST /v1/orgs/{org}/projects', 'org:admin', '333++3 33 ++ 44 11111'],
  ['GET /v1/orgs/{org}/projects/{project}', 'org:read', '++++++ ++ ++ 44 11111'],
  ['PATCH /v1/orgs/{org}/projects/{project}', 'org:admin', '333++3 33 ++ 44 11111'],
  ['DELETE /v1/orgs/{org}/projects/{project}', 'org:admin', '333++3 33 ++ 44 11111'],
  ['GET /v1/orgs/{org}/teams', 'access:read', '3333++ 33 ++ 44 11111'],
  ['POST /v1/orgs/{org}/teams', 'team:manage', '3333+3 33 ++ 44 11111'],
  ['GET /v1/orgs/{org}/teams/{team}', 'access:read', '3333++ 33 ++ 44 11111'],
  ['PATCH /v1/orgs/{org}/teams/{team}', 'team:manage', '3333+3 33 ++ 44 11111'],
  ['DELETE /v1/orgs/{org}/teams/{team}', 'team:manage', '3333+3 33 ++ 44 11111'],
  ['PUT /v1/orgs/{org}/teams/{team}/members/{person}', 'team:manage', '3333+3 33 ++ 44 11111'],
  ['DELETE /v1/orgs/{org}/teams/{team}/members/{person}', 'team:manage', '3333+3 33 ++ 44 11111'],
  ['GET /v1/orgs/{org}/roles', 'access:read', '3333++ 33 ++ 44 11111'],
  ['PUT /v1/orgs/{org}/roles/{role}', 'role:manage', '3333+3 33 ++ 44 11111'],
  ['DELETE /v1/orgs/{org}/roles/{role}', 'role:manage', '3333+3 33 ++ 44 11111'],
  ['GET /v1/orgs/{org}/bindings', 'access:read', '3333++ 33 ++ 44 11111'],
  ['POST /v1/orgs/{org}/bindings', 'role:manage', '3333+3 33 ++ 44 11111'],
  ['DELETE /v1/orgs/{org}/bindings', 'role:manage', '3333+3 33 ++ 44 11111'],
  ['GET /v1/orgs/{org}/guards', 'org:read', '++++++ ++ ++ 44 11111'],
  ['POST /v1/orgs/{org}/guards', 'guard:set', '333++3 33 ++ 44 11111'],
  ['DELETE /v1/orgs/{org}/guards/{guard}', 'guard:set', '333++3 33 ++ 44 11111'],
  ['GET /v1/orgs/{org}/notifications', 'notification:read', '+++++3 ++ ++ 44 11111'],
  ['POST /v1/orgs/{org}/notifications', 'notification:manage', '333++3 33 ++ 44 11111'],
  ['GET /v1/orgs/{org}/notifications/{id}', 'notification:read', '+++++3 ++ ++ 44 11111'],
  ['PATCH /v1/orgs/{org}/notifications/{id}', 'notification:manage', '333++3 33 ++ 44 11111'],
  ['DELETE /v1/orgs/{org}/notifications/{id}', 'notification:manage', '333++3 33 ++ 44 11111'],
  ['POST /v1/orgs/{org}/notifications/{id}/test', 'notification:manage', '333++3 33 ++ 44 11111'],
  ['POST /v1/units/{unit}/break-glass', 'state:break-glass', '333++3 33 ++ 44 11111'],
  ['GET /v1/people', 'server:admin', '333333 33 ++ 33 11111'],
  ['GET /v1/people/{person}', 'server:admin', '333333 33 ++ 33 11111'],
  ['PATCH /v1/people/{person}', 'server:admin', '333333 33 ++ 33 11111'],
  ['POST /v1/people/{person}/sign-out', 'server:admin', '333333 33 ++ 33 11111'],
  ['GET /v1/server/settings', 'server:admin', '333333 33 ++ 33 11111'],
  ['PATCH /v1/server/settings', 'server:admin', '333333 33 ++ 33 11111'],
  ['PUT /v1/server/administrators/{subject}', 'server:admin', '333333 33 ++ 33 11111'],
  ['DELETE /v1/server/administrators/{subject}', 'server:admin', '333333 33 ++ 33 11111'],
  ['GET /v1/providers', 'provider:manage', '333333 33 ++ 33 11111'],
  ['PUT /v1/providers/{provider}', 'provider:manage', '333333 33 ++ 33 11111'],
  ['POST /v1/providers/{provider}/check', 'provider:manage', '333333 33 ++ 33 11111'],
  ['DELETE /v1/providers/{provider}', 'provider:manage', '333333 33 ++ 33 11111'],
  ['GET /v1/units', 'unit:read', '++++++ ++ ++ 44 11111'],
  ['POST /v1/units', 'unit:create', '333++3 33 ++ 44 11111'],
  ['GET /v1/units/{unit}', 'unit:read', '++++++ ++ ++ 44 11111'],
  ['PATCH /v1/units/{unit}', 'unit:update', '333++3 33 ++ 44 11111'],
  ['DELETE /v1/units/{unit}', 'unit:delete', '333++3 33 ++ 44 11111'],
  ['POST /v1/units/{unit}/rename', 'unit:rename', '333++3 33 ++ 44 11111'],
  ['POST /v1/units/{unit}/restore', 'unit:restore', '333++3 33 ++ 44 11111'],
  ['GET /v1/units/{unit}/lock', 'unit:read', '++++++ ++ ++ 44 11111'],
  ['POST /v1/units/{unit}/lock', 'lock', '3++++3 +3 ++ 44 11111'],
  ['POST /v1/units/{unit}/lock/renew', 'lock', '3++++3 +3 ++ 44 11111'],
  ['DELETE /v1/units/{unit}/lock', 'lock', '3++++3 +3 ++ 44 11111'],
  ['GET /v1/units/{unit}/versions', 'versions:read', '++++++ ++ ++ 44 11111'],
  ['GET /v1/units/{unit}/versions/{version}', 'versions:read', '++++++ ++ ++ 44 11111'],
  ['GET /v1/units/{unit}/diff', 'versions:read-state', '+++++3 ++ ++ 44 11111'],
  ['POST /v1/units/{unit}/rollback', 'state:rollback', '33+++3 +3 ++ 44 11111'],
  ['GET /v1/units/{unit}/outputs', 'outputs:read', '+++++3 ++ ++ 44 11111'],
  ['GET /v1/units/{unit}/outputs/log', 'outputs:read', '+++++3 ++ ++ 44 11111'],
  ['GET /v1/units/{unit}/outputs/diff', 'outputs:read', '+++++3 ++ ++ 44 11111'],
  ['GET /v1/graph', 'graph:read', '++++++ ++ ++ 44 11111'],
  ['GET /v1/status', 'graph:read', '++++++ ++ ++ 44 11111'],
  ['GET /v1/units/{unit}/dependencies', 'graph:read', '++++++ ++ ++ 44 11111'],
  ['POST /v1/units/{unit}/dependencies', 'graph:write', '33+++3 +3 ++ 44 11111'],
  ['DELETE /v1/units/{unit}/dependencies', 'graph:write', '33+++3 +3 ++ 44 11111'],
  ['GET /v1/units/{unit}/inputs', 'outputs:read', '3++++3 +3 ++ 44 11111'],
  ['GET /v1/units/{unit}/variables', 'vars:read', '+++++3 ++ ++ 44 11111'],
  ['PATCH /v1/units/{unit}/variables', 'vars:write', '33+++3 +3 ++ 44 11111'],
  ['GET /v1/units/{unit}/variables/effective', 'vars:read', '+++++3 ++ ++ 44 11111'],
  ['GET /v1/units/{unit}/variables/values', 'vars:read', '3++++3 +3 ++ 44 11111'],
  ['GET /v1/orgs/{org}/variable-sets', 'vars:read', '+++++3 ++ ++ 44 11111'],
  ['POST /v1/orgs/{org}/variable-sets', 'vars:write', '33+++3 +3 ++ 44 11111'],
  ['GET /v1/orgs/{org}/variable-sets/{set}', 'vars:read', '+++++3 ++ ++ 44 11111'],
  ['PATCH /v1/orgs/{org}/variable-sets/{set}', 'vars:write', '33+++3 +3 ++ 44 11111'],
  ['DELETE /v1/orgs/{org}/variable-sets/{set}', 'vars:write', '33+++3 +3 ++ 44 11111'],
  ['GET /v1/orgs/{org}/variable-sets/{set}/variables', 'vars:read', '+++++3 ++ ++ 44 11111'],
  ['PATCH /v1/orgs/{org}/variable-sets/{set}/variables', 'vars:write', '33+++3 +3 ++ 44 11111'],
  ['POST /v1/sync', 'graph:write', '33+++3 +3 ++ 44 11111'],
  ['GET /v1/rollouts', 'rollout:read', '++++++ ++ ++ 44 11111'],
  ['GET /v1/rollouts/plan', 'rollout:read', '++++++ ++ ++ 44 11111'],
  ['POST /v1/rollouts', 'rollout:start', '33+++3 +3 ++ 44 11111'],
  ['GET /v1/rollouts/{id}', 'rollout:read', '++++++ ++ ++ 44 11111'],
  ['POST /v1/rollouts/{id}/pause', 'rollout:control', '33+++3 +3 ++ 44 11111'],
  ['POST /v1/rollouts/{id}/resume', 'rollout:control', '33+++3 +3 ++ 44 11111'],
  ['POST /v1/rollouts/{id}/cancel', 'rollout:control', '33+++3 +3 ++ 44 11111'],
  ['POST /v1/rollouts/{id}/claims', 'rollout:work', '33+++3 +3 ++ 44 11111'],
  ['POST /v1/rollouts/{id}/renew', 'rollout:work', '33+++3 +3 ++ 44 11111'],
  ['POST /v1/rollouts/{id}/steps/{unit}/begin', 'rollout:work', '33+++3 +3 ++ 44 11111'],
  ['POST /v1/rollouts/{id}/steps/{unit}/run-token', 'rollout:work', '33+++3 +3 ++ 44 11111'],
  ['POST /v1/rollouts/{id}/steps/{unit}/end', 'rollout:work', '33+++3 +3 ++ 44 11111'],
  ['POST /v1/rollouts/{id}/steps/{unit}/skip', 'rollout:control', '33+++3 +3 ++ 44 11111'],
  ['POST /v1/units/{unit}/run-tokens', 'run:token', '33+++3 +3 ++ 44 11111'],
  ['POST /v1/run-tokens/{id}/renew', 'run:token', '33+++3 +3 ++ 44 11111'],
  ['DELETE /v1/run-tokens/{id}', 'run:token', '33+++3 +3 ++ 44 11111'],
  ['GET /v1/tokens', 'account:manage', '++++++ 33 3+ ++ 11111'],
  ['POST /v1/tokens', 'account:manage', '++++++ 33 3+ ++ 11111'],
  ['GET /v1/tokens/{id}', 'account:manage', '++++++ 33 3+ ++ 11111'],
  ['DELETE /v1/tokens/{id}', 'account:manage', '++++++ 33 3+ ++ 11111'],
  ['POST /v1/s3-keys', 'server:read', '++++++ ++ ++ ++ 11111'],
  ['GET /v1/orgs/{org}/tokens', 'token:manage', '3333+3 33 ++ 44 11111'],
  ['POST /v1/orgs/{org}/tokens', 'token:manage', '3333+3 33 ++ 44 11111'],
  ['GET /v1/orgs/{org}/tokens/{id}', 'token:manage', '3333+3 33 ++ 44 11111'],
  ['DELETE /v1/orgs/{org}/tokens/{id}', 'token:manage', '3333+3 33 ++ 44 11111'],
  ['GET /v1/orgs/{org}/access/explain', 'access:read', '3333++ 33 ++ 44 11111'],
  ['POST /v1/orgs/{org}/access/test', 'access:read', '3333++ 33 ++ 44 11111'],
  ['POST /v1/orgs/{org}/workload-token', 'account:manage', '111111 11 11 11 11111'],
  ['GET /v1/orgs/{org}/workloads', 'access:read', '3333++ 33 ++ 44 11111'],
  ['PUT /v1/orgs/{org}/workloads/{rule}', 'token:manage', '3333+3 33 ++ 44 11111'],
  ['DELETE /v1/orgs/{org}/workloads/{rule}', 'token:manage', '3333+3 33 ++ 44 11111'],
  ['GET /v1/orgs/{org}/registry/modules', 'registry:read', '+++++3 ++ ++ 44 11111'],
  ['GET /v1/orgs/{org}/registry/modules/{name}/{provider}', 'registry:read', '+++++3 ++ ++ 44 11111'],
  [
    'PUT /v1/orgs/{org}/registry/modules/{name}/{provider}/{version}',
    'registry:publish',
    '333++3 33 ++ 44 11111',
  ],
  ['DELETE /v1/orgs/{org}/registry/modules/{name}/{provider}', 'registry:publish', '333++3 33 ++ 44 11111'],
  [
    'DELETE /v1/orgs/{org}/registry/modules/{name}/{provider}/{version}',
    'registry:publish',
    '333++3 33 ++ 44 11111',
  ],
  [
    'GET /v1/orgs/{org}/registry/modules/{name}/{provider}/{version}',
    'registry:read',
    '+++++3 ++ ++ 44 11111',
  ],
  [
    'PUT /v1/orgs/{org}/registry/modules/{name}/{provider}/{version}/deprecation',
    'registry:publish',
    '333++3 33 ++ 44 11111',
  ],
  [
    'DELETE /v1/orgs/{org}/registry/modules/{name}/{provider}/{version}/deprecation',
    'registry:publish',
    '333++3 33 ++ 44 11111',
  ],
  ['GET /v1/orgs/{org}/registry/providers', 'registry:read', '+++++3 ++ ++ 44 11111'],
  ['GET /v1/orgs/{org}/registry/providers/{name}', 'registry:read', '+++++3 ++ ++ 44 11111'],
  ['PUT /v1/orgs/{org}/registry/providers/{name}/{version}', 'registry:publish', '333++3 33 ++ 44 11111'],
  [
    'PUT /v1/orgs/{org}/registry/providers/{name}/{version}/{file}',
    'registry:publish',
    '333++3 33 ++ 44 11111',
  ],
  ['DELETE /v1/orgs/{org}/registry/providers/{name}', 'registry:publish', '333++3 33 ++ 44 11111'],
  ['DELETE /v1/orgs/{org}/registry/providers/{name}/{version}', 'registry:publish', '333++3 33 ++ 44 11111'],
  ['GET /v1/orgs/{org}/registry/keys', 'registry:read', '+++++3 ++ ++ 44 11111'],
  ['POST /v1/orgs/{org}/registry/keys', 'registry:publish', '333++3 33 ++ 44 11111'],
  ['DELETE /v1/orgs/{org}/registry/keys/{key}', 'registry:publish', '333++3 33 ++ 44 11111'],
  ['GET /v1/events', 'events:read', '++++++ ++ ++ 44 11111'],
  ['GET /v1/audit', 'audit:read', '3333++ 33 ++ 44 11111'],
  ['GET /v1/audit/verify', 'audit:read', '3333++ 33 ++ 44 11111'],
  ['POST /v1/adopt', 'org:admin', '333++3 33 ++ 44 11111'],
  ['POST /v1/gc', 'org:admin', '333++3 33 ++ 44 11111'],
  ['POST /v1/doctor', 'server:admin', '333333 33 ++ 33 11111'],
  ['GET /v1/servers', 'server:admin', '333333 33 ++ 33 11111'],
  ['GET /v1/checks/bucket', 'server:admin', '333333 33 ++ 33 11111'],
  ['POST /v1/checks/bucket', 'server:admin', '333333 33 ++ 33 11111'],
  ['GET /v1/orgs/{org}/checks/audit', 'audit:read', '3333++ 33 ++ 44 11111'],
  ['POST /v1/orgs/{org}/checks/audit', 'audit:read', '3333++ 33 ++ 44 11111'],
  ['GET /v1/backend/{org}/{unit}', 'state:read', '+++++3 ++ ++ 33 11111'],
  ['POST /v1/backend/{org}/{unit}', 'state:write', '33+++3 +3 ++ 33 11111'],
  ['PUT /v1/backend/{org}/{unit}', 'state:write', '33+++3 +3 ++ 33 11111'],
  ['DELETE /v1/backend/{org}/{unit}', 'state:delete', '333++3 33 ++ 33 11111'],
  ['LOCK /v1/backend/{org}/{unit}', 'lock', '3++++3 +3 ++ 33 11111'],
  ['UNLOCK /v1/backend/{org}/{unit}', 'lock', '3++++3 +3 ++ 33 11111'],
  ['GET /v1/units/{unit}/state', 'state:read', '+++++3 ++ ++ 44 11111'],
  ['PUT /v1/units/{unit}/state', 'state:write', '33+++3 +3 ++ 44 11111'],
  ['DELETE /v1/units/{unit}/state', 'state:delete', '333++3 33 ++ 44 11111'],
  ['GET /v1/units/{unit}/versions/{version}/state', 'versions:read-state', '+++++3 ++ ++ 44 11111'],
  ['GET /v1/openapi.json', 'server:read', '++++++ ++ ++ ++ 11111'],
  ['GET /.well-known/terraform.json', 'account:manage', '++++++ ++ ++ ++ +++++'],
  ['POST /oauth/token', 'account:manage', '++++++ ++ ++ ++ +++++'],
  ['POST /oauth/device', 'account:manage', '++++++ ++ ++ ++ +++++'],
  ['POST /oauth/revoke', 'account:manage', '++++++ ++ ++ ++ +++++'],
]

/** The same routes without an organization: about all of them. */
const ofServer: readonly (readonly [string, string])[] = [
  ['GET /v1/events', '++++++ ++ ++ ++ 11111'],
  ['GET /v1/audit', '333333 33 ++ 33 11111'],
  ['GET /v1/audit/verify', '333333 33 ++ 33 11111'],
  ['POST /v1/gc', '333333 33 ++ 33 11111'],
]

/**
 * Every page and form: [route, action, who is let in]. `s`: is sent to the sign-in page; the other marks as above. The
 * columns: no cookie, an owner's personal token, the root token; sessions of a person without a role, of an owner; a session
 * of a suspended person, a session that was ended.
 */
const pages: readonly (readonly [string, string, string])[] = [
  ['GET /assets/{name}', 'account:manage', '4444444'], // No such file.
  ['POST /theme', 'account:manage', '+++++++'],
  ['GET /', 'account:manage', 'sss++ss'],
  ['GET /app', 'org:read', 'sss++ss'],
  ['POST /app', 'org:create', 'sss33ss'], // Only administrators create organizations.
  ['POST /app/{org}/restore', 'org:delete', 'sss4+ss'],
  ['GET /app/{org}', 'graph:read', 'sss4+ss'],
  ['GET /app/{org}/new-unit', 'unit:create', 'sss4+ss'],
  ['POST /app/{org}/new-unit', 'unit:create', 'sss4+ss'],
  ['GET /app/{org}/search', 'unit:read', 'sss4+ss'],
  ['GET /app/{org}/live', 'events:read', 'sss4+ss'],
  ['GET /app/{org}/rollouts', 'rollout:read', 'sss4+ss'],
  ['POST /app/{org}/rollouts', 'rollout:start', 'sss4+ss'],
  ['GET /app/{org}/rollouts/new', 'rollout:read', 'sss4+ss'],
  ['GET /app/{org}/rollouts/{id}', 'rollout:read', 'sss4+ss'],
  ['POST /app/{org}/rollouts/{id}/pause', 'rollout:control', 'sss4+ss'],
  ['POST /app/{org}/rollouts/{id}/resume', 'rollout:control', 'sss4+ss'],
  ['POST /app/{org}/rollouts/{id}/cancel', 'rollout:control', 'sss4+ss'],
  ['POST /app/{org}/rollouts/{id}/steps/{unit}/skip', 'rollout:control', 'sss4+ss'],
  ['GET /app/{org}/activity', 'events:read', 'sss4+ss'],
  ['GET /app/{org}/units/{unit}', 'unit:read', 'sss4+ss'],
  ['GET /app/{org}/variables', 'vars:read', 'sss4+ss'],
  ['POST /app/{org}/variables', 'vars:write', 'sss4+ss'],
  ['GET /app/{org}/variables/{set}', 'vars:read', 'sss44ss'], // No such variable set.
  ['POST /app/{org}/variables/{set}/settings', 'vars:write', 'sss44ss'], // No such variable set.
  ['POST /app/{org}/variables/{set}/variables', 'vars:write', 'sss44ss'], // No such variable set.
  ['POST /app/{org}/variables/{set}/variables/delete', 'vars:write', 'sss44ss'], // No such variable set.
  ['POST /app/{org}/variables/{set}/delete', 'vars:write', 'sss44ss'], // No such variable set.
  ['GET /app/{org}/registry', 'registry:read', 'sss4+ss'],
  ['GET /app/{org}/registry/publish', 'registry:publish', 'sss4+ss'],
  ['POST /app/{org}/registry/publish', 'registry:publish', 'sss4+ss'],
  ['GET /app/{org}/registry/modules/{name}/{provider}', 'registry:read', 'sss44ss'], // No such module.
  ['POST /app/{org}/registry/modules/{name}/{provider}/delete', 'registry:publish', 'sss44ss'], // No such module.
  [
    'POST /app/{org}/registry/modules/{name}/{provider}/versions/{version}/deprecation',
    'registry:publish',
    'sss44ss',
  ], // No such module.
  [
    'POST /app/{org}/registry/modules/{name}/{provider}/versions/{version}/delete',
    'registry:publish',
    'sss44ss',
  ], // No such module.
  ['GET /app/{org}/registry/providers', 'registry:read', 'sss4+ss'],
  ['GET /app/{org}/registry/providers/{name}', 'registry:read', 'sss44ss'], // No such provider.
  ['POST /app/{org}/registry/providers/{name}/delete', 'registry:publish', 'sss44ss'], // No such provider.
  ['POST /app/{org}/registry/providers/{name}/versions/{version}/delete', 'registry:publish', 'sss44ss'], // No such provider.
  ['GET /app/{org}/registry/keys', 'registry:read', 'sss4+ss'],
  ['POST /app/{org}/registry/keys', 'registry:publish', 'sss4+ss'],
  ['POST /app/{org}/registry/keys/{key}/delete', 'registry:publish', 'sss44ss'], // No such key.
  ['GET /app/{org}/registry/mirror', 'registry:read', 'sss4+ss'],
  ['GET /app/{org}/people', 'access:read', 'sss4+ss'],
  ['POST /app/{org}/people/grant', 'role:manage', 'sss4+ss'],
  ['POST /app/{org}/people/revoke', 'role:manage', 'sss4+ss'],
  ['POST /app/{org}/people/teams', 'team:manage', 'sss4+ss'],
  ['GET /app/{org}/people/teams/{team}', 'access:read', 'sss4+ss'],
  ['POST /app/{org}/people/teams/{team}/settings', 'team:manage', 'sss4+ss'],
  ['POST /app/{org}/people/teams/{team}/members', 'team:manage', 'sss4+ss'],
  ['POST /app/{org}/people/teams/{team}/members/remove', 'team:manage', 'sss4+ss'],
  ['POST /app/{org}/people/teams/{team}/delete', 'team:manage', 'sss4+ss'],
  ['GET /app/{org}/people/roles', 'role:manage', 'sss4+ss'],
  ['POST /app/{org}/people/roles', 'role:manage', 'sss4+ss'],
  ['GET /app/{org}/people/roles/{role}', 'access:read', 'sss4+ss'],
  ['POST /app/{org}/people/roles/{role}/delete', 'role:manage', 'sss44ss'], // No such one.
  ['GET /app/{org}/people/tokens', 'token:manage', 'sss4+ss'],
  ['POST /app/{org}/people/tokens', 'token:manage', 'sss4+ss'],
  ['POST /app/{org}/people/tokens/revoke', 'token:manage', 'sss44ss'], // No such one.
  ['GET /app/{org}/people/workloads', 'access:read', 'sss4+ss'],
  ['POST /app/{org}/people/workloads', 'token:manage', 'sss4+ss'],
  ['POST /app/{org}/people/workloads/{rule}/delete', 'token:manage', 'sss4+ss'],
  ['GET /app/{org}/people/guards', 'org:read', 'sss4+ss'],
  ['POST /app/{org}/people/guards', 'guard:set', 'sss4+ss'],
  ['POST /app/{org}/people/guards/end', 'guard:set', 'sss44ss'], // No such one.
  ['GET /app/{org}/audit', 'audit:read', 'sss4+ss'],
  ['GET /app/{org}/audit/{record}', 'audit:read', 'sss44ss'], // No such record.
  ['GET /app/{org}/settings', 'org:read', 'sss4+ss'],
  ['POST /app/{org}/settings/name', 'org:admin', 'sss4+ss'],
  ['POST /app/{org}/settings/limits', 'org:admin', 'sss4+ss'],
  ['POST /app/{org}/settings/delete', 'org:delete', 'sss4+ss'],
  ['POST /app/{org}/settings/restore', 'org:delete', 'sss4+ss'],
  ['GET /app/{org}/settings/projects', 'org:read', 'sss4+ss'],
  ['POST /app/{org}/settings/projects', 'org:admin', 'sss4+ss'],
  ['GET /app/{org}/settings/projects/{project}', 'org:read', 'sss44ss'], // No such project.
  ['POST /app/{org}/settings/projects/{project}', 'org:admin', 'sss44ss'], // No such project.
  ['POST /app/{org}/settings/projects/{project}/delete', 'org:admin', 'sss44ss'], // No such project.
  ['GET /app/{org}/settings/retention', 'org:read', 'sss4+ss'],
  ['POST /app/{org}/settings/retention', 'org:admin', 'sss4+ss'],
  ['POST /app/{org}/settings/retention/apply', 'org:admin', 'sss4+ss'],
  ['GET /app/{org}/settings/usage', 'org:read', 'sss4+ss'],
  ['GET /app/{org}/units/{unit}/lock', 'unit:read', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/lock', 'lock', 'sss4+ss'],
  ['GET /app/{org}/units/{unit}/dependencies', 'graph:read', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/dependencies', 'graph:write', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/dependencies/remove', 'graph:write', 'sss4+ss'],
  ['GET /app/{org}/units/{unit}/runs', 'rollout:read', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/unlock', 'lock', 'sss4+ss'],
  ['GET /app/{org}/units/{unit}/outputs', 'outputs:read', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/outputs', 'outputs:read', 'sss4+ss'],
  ['GET /app/{org}/units/{unit}/outputs/log', 'outputs:read', 'sss4+ss'],
  ['GET /app/{org}/units/{unit}/outputs/diff', 'outputs:read', 'sss4+ss'],
  ['GET /app/{org}/units/{unit}/resources', 'state:read', 'sss4+ss'],
  ['GET /app/{org}/units/{unit}/history', 'versions:read', 'sss4+ss'],
  ['GET /app/{org}/units/{unit}/changes', 'versions:read-state', 'sss4+ss'],
  ['GET /app/{org}/units/{unit}/diff', 'versions:read-state', 'sss44ss'], // It has no versions.
  ['GET /app/{org}/units/{unit}/rollback', 'state:rollback', 'sss44ss'], // It has no versions.
  ['POST /app/{org}/units/{unit}/rollback', 'state:rollback', 'sss44ss'], // It has no versions.
  ['GET /app/{org}/units/{unit}/variables', 'vars:read', 'sss4+ss'],
  ['GET /app/{org}/units/{unit}/activity', 'events:read', 'sss4+ss'],
  ['GET /app/{org}/units/{unit}/access', 'unit:read', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/access/grant', 'role:manage', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/access/revoke', 'role:manage', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/access/guard', 'guard:set', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/access/unguard', 'guard:set', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/access/break', 'state:break-glass', 'sss4+ss'],
  ['GET /app/{org}/units/{unit}/settings', 'unit:read', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/settings', 'unit:update', 'sss4+ss'],
  ['GET /app/{org}/settings/notifications', 'notification:read', 'sss4+ss'],
  ['POST /app/{org}/settings/notifications', 'notification:manage', 'sss4+ss'],
  ['GET /app/{org}/settings/notifications/new', 'notification:manage', 'sss4+ss'],
  ['GET /app/{org}/settings/notifications/{notification}', 'notification:read', 'sss44ss'], // No such notification.
  ['POST /app/{org}/settings/notifications/{notification}', 'notification:manage', 'sss44ss'], // No such notification.
  ['POST /app/{org}/settings/notifications/{notification}/enabled', 'notification:manage', 'sss44ss'], // No such notification.
  ['POST /app/{org}/settings/notifications/{notification}/test', 'notification:manage', 'sss44ss'], // No such notification.
  ['POST /app/{org}/settings/notifications/{notification}/delete', 'notification:manage', 'sss44ss'], // No such notification.
  ['POST /app/{org}/units/{unit}/variables', 'vars:write', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/variables/delete', 'vars:write', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/settings/name', 'unit:rename', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/settings/project', 'unit:admin', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/settings/retention', 'unit:admin', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/settings/encryption', 'unit:admin', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/settings/execution', 'unit:update', 'sss4+ss'],
  ['GET /app/{org}/units/{unit}/delete', 'unit:delete', 'sss4+ss'],
  ['POST /app/{org}/units/{unit}/delete', 'unit:delete', 'sss4+ss'],
  ['GET /app/{org}/units/{unit}/restore', 'unit:restore', 'sss44ss'], // It is not deleted.
  ['POST /app/{org}/units/{unit}/restore', 'unit:restore', 'sss44ss'], // It is not deleted.
  ['GET /app/{org}/settings/health', 'org:admin', 'sss4+ss'],
  ['POST /app/{org}/settings/health/check', 'org:admin', 'sss43ss'], // Not an administrator of the server.
  ['POST /app/{org}/settings/health/repair', 'org:admin', 'sss43ss'], // Not an administrator of the server.
  ['POST /app/{org}/settings/health/audit', 'org:admin', 'sss4+ss'],
  ['GET /app/{org}/{workspace}', 'unit:read', 'sss4+ss'],
  ['GET /app/{org}/{workspace}/runs', 'unit:read', 'sss4+ss'],
  ['GET /app/{org}/{workspace}/runs/{run}', 'unit:read', 'sss4+ss'],
  ['GET /app/{org}/{workspace}/search/{run}', 'unit:read', 'sss4+ss'],
  ['GET /app/{org}/{workspace}/variables', 'unit:read', 'sss4+ss'],
  ['GET /sign-in', 'account:manage', '+++++++'],
  ['POST /sign-in', 'account:manage', '4444444'], // Only with `--auth token`.
  ['GET /sign-in/{provider}', 'account:manage', '+++++++'],
  ['GET /sign-in/{provider}/callback', 'account:manage', '1111111'], // The browser has begun no sign-in.
  ['POST /sign-in/{provider}/callback', 'account:manage', '1111111'], // The browser has begun no sign-in.
  ['GET /sign-in/{provider}/metadata', 'account:manage', '4444444'], // Only SAML has any.
  ['POST /sign-out', 'account:manage', '+++++++'],
  ['GET /account/sessions', 'account:manage', 'sss++ss'],
  ['POST /account/sessions/end', 'account:manage', 'sss++ss'],
  ['POST /account/sessions/end-all', 'account:manage', 'sss++ss'],
  ['GET /account/tokens', 'account:manage', 'sss++ss'],
  ['GET /app/settings/tokens', 'account:manage', 'sss++ss'],
  ['POST /account/tokens', 'account:manage', 'sss++ss'],
  ['POST /account/tokens/revoke', 'account:manage', 'sss44ss'], // No such token.
  ['GET /server', 'server:admin', 'sss33ss'],
  ['POST /server/settings', 'server:admin', 'sss33ss'],
  ['POST /server/root-token', 'server:admin', 'sss33ss'],
  ['POST /server/administrators', 'server:admin', 'sss33ss'],
  ['POST /server/administrators/remove', 'server:admin', 'sss33ss'],
  ['GET /server/providers', 'provider:manage', 'sss33ss'],
  ['POST /server/providers', 'provider:manage', 'sss33ss'],
  ['GET /server/providers/{provider}', 'provider:manage', 'sss33ss'],
  ['POST /server/providers/{provider}/settings', 'provider:manage', 'sss33ss'],
  ['POST /server/providers/{provider}/check', 'provider:manage', 'sss33ss'],
  ['POST /server/providers/{provider}/delete', 'provider:manage', 'sss33ss'],
  ['GET /server/people', 'server:admin', 'sss33ss'],
  ['GET /server/people/{person}', 'server:admin', 'sss33ss'],
  ['POST /server/people/{person}/suspend', 'server:admin', 'sss33ss'],
  ['POST /server/people/{person}/sessions/end', 'server:admin', 'sss33ss'],
  ['GET /oauth/authorization', 'account:manage', 'sss++ss'],
  ['POST /oauth/authorization', 'account:manage', 'sss++ss'],
  ['GET /device', 'account:manage', 'sss++ss'],
  ['POST /device', 'account:manage', 'sss++ss'],
]

/** What the forms must say to be understood. */
const fields: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'POST /theme': { theme: 'dark' },
  'POST /app': { name: 'made' },
  'POST /app/{org}/new-unit': { name: 'made' },
  'POST /app/{org}/rollouts': { from: 'base' },
  'POST /app/{org}/rollouts/{id}/steps/{unit}/skip': { reason: 'made by hand' },
  'POST /account/tokens': { name: 'made', days: '90' },
  'POST /account/tokens/revoke': { token: 'at-1111111111111111' },
  'POST /account/sessions/end': { session: 'ss-1111111111111111' },
  'POST /app/{org}/variables': { name: 'made' },
  'POST /app/{org}/variables/{set}/variables': { key: 'a', category: 'env' },
  'POST /app/{org}/variables/{set}/variables/delete': { id: 'var-1' },
  'POST /app/{org}/units/{unit}/variables': { key: 'a', category: 'env' },
  'POST /app/{org}/units/{unit}/variables/delete': { id: 'var-1' },
  'POST /app/{org}/people/grant': { to: 'group:hub/none', role: 'reader' },
  'POST /app/{org}/people/revoke': { to: 'group:hub/none', role: 'reader' },
  // A guard would stop other forms: this one is refused.
  'POST /app/{org}/units/{unit}/access/guard': { reason: 'x'.repeat(501) },
  'POST /app/{org}/units/{unit}/access/grant': { to: 'group:hub/none', role: 'reader' },
  'POST /app/{org}/units/{unit}/access/revoke': { to: 'group:hub/none', role: 'reader' },
  'POST /app/{org}/units/{unit}/unlock': { id: 'page-1', name: 'base' },
  'POST /app/{org}/units/{unit}/dependencies/remove': { on: 'none' },
  'POST /app/{org}/units/{unit}/rollback': { version: 'previous' },
  'POST /app/{org}/settings/notifications': {
    name: 'made',
    triggers: 'lock:held',
    url: 'https://hooks.example.com',
    destination: 'generic',
    scope: 'organization',
  },
  'POST /app/{org}/people/teams': { name: 'made' },
  'POST /app/{org}/people/teams/{team}/settings': { name: 'made' },
  'POST /app/{org}/people/teams/{team}/members': { person: 'none' },
  'POST /app/{org}/people/teams/{team}/members/remove': { person: 'none' },
  'POST /app/{org}/people/teams/{team}/delete': { confirm: 'no' },
  'POST /app/{org}/people/tokens': { kind: 'organization', roles: 'reader', name: 'made', days: '7' },
  'POST /app/{org}/people/tokens/revoke': { token: 'at-1111111111111111' },
  'POST /app/{org}/people/workloads/{rule}/delete': { confirm: 'no' },
  'POST /app/{org}/people/guards/end': { guard: 'guard-1' },
  'POST /server/settings': { orgCreators: 'everyone' },
  'POST /server/root-token': { off: 'no' },
  'POST /server/administrators/remove': { subject: 'user:x' },
  'POST /server/providers': { kind: 'oidc' },
  'POST /server/people/{person}/suspend': { suspended: 'no' },
  'POST /device': { user_code: 'x', answer: 'allow' },
}

test(
  'every route for programs lets in exactly those whom the table names',
  { timeout: 180_000 },
  async () => {
    const players = await cast()
    const routes: readonly Route[] = [...v1Routes, ...loginRoutes]

    const found: string[] = []
    for (const route of routes)
      found.push([nameOf(route), route.action, await rowOf(players, route)].join(' · '))

    expect(found.toSorted()).toEqual(table.map((one) => one.join(' · ')).toSorted())
    for (const [name, expected] of ofServer) {
      const route = routes.find((one) => nameOf(one) === name)
      if (route === undefined) throw new Error(`there is no route ${name}`)
      expect([name, await rowOf(players, route, { isOfServer: true })]).toEqual([name, expected])
    }
  },
)

async function visitors() {
  const face = await startSsoFace()
  const { signIn, setUp, policy, person, session, root, fresh, send } = face
  const headers = { ...root, 'content-type': 'application/json' }
  await send('/v1/units', { method: 'POST', headers, body: '{"name":"base"}' })
  const started = await send('/v1/rollouts', { method: 'POST', headers, body: '{"from":["base"]}' })
  const github = { kind: 'github', label: 'GitHub', clientId: 'c', clientSecret: 's' }
  await signIn.settings.putProvider({ id: 'hub', ...github }, setUp)
  const owner = await person('owner')
  await policy('default', (all) => bind(all, { role: 'owner', to: `user:${owner.id}` }))
  const none = await person('none')
  const later = async (end: (id: string) => Promise<unknown>) => {
    const one = await person(fresh('person'))
    const credential = await session(one)
    await end(one.id)
    return credential
  }
  return {
    face,
    rollout: String(started.json()['id']),
    credentials: [
      () => ({}),
      () => owner.token,
      () => root,
      () => session(none),
      () => session(owner),
      () => later((id) => signIn.people.setSuspended(id, true, setUp)),
      () => later((id) => signIn.people.endSessions(id, setUp)),
    ] as readonly (() => Credential | Promise<Credential>)[],
  }
}

test('every page lets in exactly those whom the table names', { timeout: 180_000 }, async () => {
  const { face, rollout, credentials } = await visitors()
  const found: string[] = []
  for (const { method, pattern, action } of webRoutes) {
    const name = nameOf({ method, pattern })
    const things: Readonly<Record<string, string>> = {
      org: 'default',
      unit: 'base',
      provider: 'hub',
      id: rollout,
      team: 'owners',
      role: 'reader',
    }
    const path = pattern.replaceAll(/\{(\w+)\}/g, (_, key: string) => things[key] ?? key)
    const marks: string[] = []
    for (const credentialOf of credentials) {
      const { cookie, ...headers } = await credentialOf()
      const browser = createTestBrowser(face)
      if (cookie !== undefined) browser.cookies.set('taco', cookie.replace('taco=', ''))
      for (const page of ['/sign-in', '/account/tokens']) await browser.get(page, headers)
      const answer =
        method === 'GET'
          ? await browser.get(path, headers)
          : await browser.submit(path, fields[name], headers)
      const isSent = answer.location?.startsWith('/sign-in?return_to') === true
      marks.push(isSent ? 's' : mark(answer.status))
    }
    found.push([name, action, marks.join('')].join(' · '))
  }
  expect(found.toSorted()).toEqual(pages.map((one) => one.join(' · ')).toSorted())
})
