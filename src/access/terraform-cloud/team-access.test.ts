import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Action } from '../actions.ts'
import { emptyPolicy } from '../organization/document.ts'
import { addTeam } from '../organization/transitions.ts'
import { POLICY_ACTIONS } from '../policy/action-patterns.ts'
import { compile } from '../policy/compile.ts'
import { evaluate } from '../policy/evaluate.ts'
import type { UnitFacts } from '../policy/rules.ts'
import type { UserPrincipal } from '../principal.ts'
import { grantsIn } from '../subjects.ts'
import { composedRole, organizationRole, projectRole, workspaceRole } from './composed-roles.ts'
import { ORGANIZATION_PERMISSIONS, ORGANIZATION_PERMISSION_NAMES } from './organization-access.ts'
import { type PermissionSpec, type PermissionsOf, leastOf, readText, textOf } from './permission-set.ts'
import { PROJECT_LEVELS, PROJECT_PERMISSIONS } from './project-access.ts'
import {
  canGiveAccess,
  organizationAccess,
  projectAccess,
  setAccess,
  setOrganizationAccess,
  workspaceAccess,
} from './team-access.ts'
import { WORKSPACE_LEVELS, WORKSPACE_PERMISSIONS, type WorkspacePermissions } from './workspace-access.ts'

function permissionsOf<S extends PermissionSpec>(spec: S): fc.Arbitrary<PermissionsOf<S>> {
  const fields = Object.entries(spec).map(([key, values]) => [
    key,
    values === 'flag' ? fc.boolean() : fc.constantFrom(...values),
  ])
  return fc.record(Object.fromEntries(fields)) as unknown as fc.Arbitrary<PermissionsOf<S>>
}

const team = { id: 'team-1234567890123456', name: 'ops', members: ['user-1'], groups: [], createdAt: 1 }
const unit: UnitFacts = { id: 'ws-1234567890123456', name: 'prod/app', labels: {}, project: 'prj-1' }
const elsewhere: UnitFacts = { id: 'ws-6543210987654321', name: 'dev/app', labels: {}, project: 'prj-2' }
const member: UserPrincipal = {
  kind: 'user',
  id: 'user-1',
  name: 'alice',
  groups: [],
  via: { kind: 'session', id: 's' },
}
const before = addTeam(emptyPolicy('acme'), team)
const toUnit = { team: team.id, unit: unit.id ?? '' }
const toProject = { team: team.id, project: 'prj-1' }

/** What a member of the team may do. Both ways to decide must agree. */
function memberMay(policy: typeof before, on: UnitFacts | undefined) {
  const grants = grantsIn(policy, member, false)
  const compiled = compile(grants)
  return (action: Action) => {
    const { allowed } = evaluate(grants, action, on)
    expect(compiled.allows(action, on)).toBe(allowed)
    return allowed
  }
}

/** What the permissions say, question by question, written apart from how they are granted. */
function expectWorkspace(said: WorkspacePermissions, may: (action: Action) => boolean): void {
  const reads = said['state-versions'] === 'read' || said['state-versions'] === 'write'
  const plans = said.runs !== 'read'
  expect({
    see: may('unit:read'),
    plan: may('run:plan'),
    apply: may('run:apply'),
    readVariables: may('vars:read'),
    writeVariables: may('vars:write'),
    outputs: may('outputs:read'),
    read: may('state:read'),
    readOld: may('versions:read-state'),
    write: may('state:write'),
    rollback: may('state:rollback'),
    lock: may('lock'),
    runTasks: may('policy:manage'),
  }).toEqual({
    see: true,
    plan: plans,
    apply: said.runs === 'apply',
    readVariables: said.variables !== 'none',
    writeVariables: said.variables === 'write',
    outputs: said['state-versions'] !== 'none',
    read: reads,
    readOld: reads,
    write: said['state-versions'] === 'write',
    rollback: said['state-versions'] === 'write',
    lock: plans || said['workspace-locking'],
    runTasks: said['run-tasks'],
  })
}

test.each(['read', 'plan', 'write', 'admin'] as const)(
  'what an answer says of a team with the level %s is what its members may do',
  (level) => {
    const policy = setAccess(before, toUnit, WORKSPACE_LEVELS[level].role)
    const said = workspaceAccess(policy, toUnit)

    expect(said.access).toBe(level)
    expectWorkspace(said.permissions, memberMay(policy, unit))
    expect(memberMay(policy, unit)('unit:delete')).toBe(level === 'admin')
    for (const on of [elsewhere, undefined]) expect(POLICY_ACTIONS.filter(memberMay(policy, on))).toEqual([])
  },
)

test('what an answer says of a team with its own permissions for a workspace is what its members may do', () => {
  fc.assert(
    fc.property(permissionsOf(WORKSPACE_PERMISSIONS), (permissions) => {
      const policy = setAccess(before, toUnit, workspaceRole(permissions))

      expect(workspaceAccess(policy, toUnit)).toEqual({ access: 'custom', permissions })
      expectWorkspace(permissions, memberMay(policy, unit))
      for (const on of [elsewhere, undefined])
        expect(POLICY_ACTIONS.filter(memberMay(policy, on))).toEqual([])
      for (const action of ['unit:delete', 'unit:update', 'role:manage', 'state:force'] as const)
        expect(memberMay(policy, unit)(action)).toBe(false)
    }),
  )
})

test.each(['read', 'write', 'maintain', 'admin'] as const)(
  'what an answer says of a team with the level %s for a project is what its members may do',
  (level) => {
    const policy = setAccess(before, toProject, PROJECT_LEVELS[level].role)
    const { access, permissions } = projectAccess(policy, toProject)
    const may = memberMay(policy, unit)

    expect(access).toBe(level)
    expectWorkspace({ ...permissions, 'workspace-locking': permissions.locking }, may)
    expect([may('unit:create'), may('unit:delete')]).toEqual([permissions.create, permissions.delete])
    for (const on of [elsewhere, undefined, { ...unit, project: undefined }])
      expect(POLICY_ACTIONS.filter(memberMay(policy, on))).toEqual([])
  },
)

test('what an answer says of a team with its own permissions for a project is what its members may do', () => {
  fc.assert(
    fc.property(permissionsOf(PROJECT_PERMISSIONS), (permissions) => {
      const policy = setAccess(before, toProject, projectRole(permissions))
      const may = memberMay(policy, unit)

      expect(projectAccess(policy, toProject)).toEqual({ access: 'custom', permissions })
      expectWorkspace({ ...permissions, 'workspace-locking': permissions.locking }, may)
      expect([may('unit:create'), may('unit:delete'), may('role:manage')]).toEqual([
        permissions.create,
        permissions.delete,
        permissions.teams === 'manage',
      ])
      expect(POLICY_ACTIONS.filter(memberMay(policy, elsewhere))).toEqual([])
    }),
  )
})

test('what an answer says of the permissions of a team for the organization is what its members may do', () => {
  fc.assert(
    fc.property(permissionsOf(ORGANIZATION_PERMISSIONS), (permissions) => {
      const policy = setOrganizationAccess(before, team, permissions)
      const may = memberMay(policy, undefined)
      const onUnit = memberMay(policy, unit)
      const manages = permissions['manage-workspaces'] || permissions['manage-projects']

      expect(organizationAccess(policy, team)).toEqual(permissions)
      expect({
        see: may('org:read'),
        read: onUnit('state:read'),
        create: onUnit('unit:create'),
        write: onUnit('state:write'),
        access: may('role:manage'),
        teams: may('team:manage'),
        members: may('member:manage'),
        secretTeams: may('access:read'),
        policies: may('policy:manage'),
        registry: may('registry:publish'),
        settings: may('org:admin'),
        tokens: may('token:manage'),
        delete: may('org:delete'),
      }).toEqual({
        see: true,
        read: manages || permissions['read-workspaces'] || permissions['read-projects'],
        create: manages,
        write: manages,
        access: permissions['manage-organization-access'],
        teams: permissions['manage-teams'],
        members: permissions['manage-membership'],
        secretTeams:
          permissions['access-secret-teams'] ||
          permissions['manage-teams'] ||
          permissions['manage-membership'] ||
          permissions['manage-organization-access'],
        policies:
          permissions['manage-policies'] ||
          permissions['manage-vcs-settings'] ||
          permissions['manage-run-tasks'],
        registry: permissions['manage-providers'] || permissions['manage-modules'],
        settings: permissions['manage-projects'] || permissions['manage-agent-pools'],
        tokens: false,
        delete: false,
      })
      expect(canGiveAccess(policy, `team:${team.id}`)).toBe(permissions['manage-organization-access'])
    }),
  )
})

test('changing the permissions for the organization leaves other roles of the team alone', () => {
  const least = leastOf(ORGANIZATION_PERMISSIONS)
  const role = { role: 'reader', to: `team:${team.id}` }
  const policy = setOrganizationAccess({ ...before, bindings: [role] }, team, {
    ...least,
    'manage-teams': true,
  })
  const after = setOrganizationAccess(policy, team, least)

  expect(after.bindings).toEqual([role, { role: organizationRole(least), to: `team:${team.id}` }])
  expect(ORGANIZATION_PERMISSION_NAMES.filter((name) => organizationAccess(after, team)[name])).toEqual([
    'read-workspaces',
    'read-projects',
  ])
})

test('a role that people made is shown by what it allows', () => {
  const rules = [{ effect: 'allow' as const, actions: ['unit:read', 'lock', 'outputs:*', 'vars:read'] }]
  const policy = setAccess({ ...before, roles: [{ name: 'mine', rules }] }, toUnit, 'mine')

  expect(workspaceAccess(policy, toUnit)).toEqual({
    access: 'custom',
    permissions: {
      ...leastOf(WORKSPACE_PERMISSIONS),
      variables: 'read',
      'state-versions': 'read-outputs',
      'workspace-locking': true,
    },
  })
})

test('a set of permissions has one text, and other texts stand for none', () => {
  fc.assert(
    fc.property(permissionsOf(WORKSPACE_PERMISSIONS), (permissions) => {
      const text = textOf('workspace', WORKSPACE_PERMISSIONS, permissions)
      expect(readText('workspace', WORKSPACE_PERMISSIONS, text)).toEqual(permissions)
    }),
  )
  for (const text of [
    'workspace:',
    'workspace:runs=read',
    'workspace:runs=everything',
    'workspace:variables=read,runs=plan',
    'workspace:runs=plan,runs=plan',
    'workspace:run-tasks=true',
    'workspace:constructor',
    'workspace:later-added',
    'organization:everything',
    'project:',
    'other:none',
  ])
    expect(composedRole(text)).toBeUndefined()
})
