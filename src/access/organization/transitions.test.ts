import { expect, test } from 'vitest'
import { type OrgPolicy, type Team, emptyPolicy } from './document.ts'
import {
  addGuard,
  addTeam,
  addTeamMember,
  bind,
  breakGlass,
  changeTeam,
  putRole,
  putWorkload,
  removeGuard,
  removeRole,
  removeTeam,
  removeTeamMember,
  removeWorkload,
  unbind,
} from './transitions.ts'

const team = (name: string, id = `team-${name}`): Team => ({
  id,
  name,
  members: [],
  groups: [],
  createdAt: 1,
})
const role = { name: 'deployer', rules: [{ effect: 'allow' as const, actions: ['state:write'] }] }
const rule = (roles: string[]) => ({
  name: 'ci',
  issuer: 'https://issuer.example.com',
  claims: { sub: ['job'] },
  roles,
  ttlMs: 60_000,
})
const guard = (id: string, units?: string[]) => ({ id, ...(units && { units }), at: 1, by: 'user:alice' })
const ofTeam = { role: 'reader', to: 'team:team-ops' }
const narrowed = { ...ofTeam, units: ['a', 'b'] }

type Change = (policy: OrgPolicy) => OrgPolicy
const empty = emptyPolicy('acme')
const after = (...changes: readonly Change[]) => changes.reduce((policy, change) => change(policy), empty)
const withTeam: Change = (policy) => addTeam(policy, team('ops'))
const withRole: Change = (policy) => putRole(policy, role)

/** [what, changes, the part of the document afterwards] */
const made: readonly (readonly [string, readonly Change[], Partial<OrgPolicy>])[] = [
  ['a team is added', [withTeam], { teams: [team('ops')] }],
  [
    'a team is changed, by its id too, and its groups are listed once',
    [withTeam, (p) => changeTeam(p, 'team-ops', { name: 'web', groups: ['okta/a', 'okta/a'] })],
    { teams: [{ ...team('web', 'team-ops'), groups: ['okta/a'] }] },
  ],
  [
    'a team is removed with its bindings, and no others',
    [withTeam, (p) => bind(bind(p, ofTeam), { ...ofTeam, to: 'everyone' }), (p) => removeTeam(p, 'ops')],
    { teams: [], bindings: [{ ...ofTeam, to: 'everyone' }] },
  ],
  [
    'a member is added once',
    [withTeam, (p) => addTeamMember(addTeamMember(p, 'ops', 'user-1'), 'ops', 'user-1')],
    { teams: [{ ...team('ops'), members: ['user-1'] }] },
  ],
  [
    'a member is removed',
    [withTeam, (p) => removeTeamMember(addTeamMember(p, 'ops', 'user-1'), 'ops', 'user-1')],
    { teams: [team('ops')] },
  ],
  [
    'a role is replaced',
    [withRole, (p) => putRole(p, { ...role, rules: [] })],
    { roles: [{ ...role, rules: [] }] },
  ],
  ['a role is removed', [withRole, (p) => removeRole(p, 'deployer')], { roles: [] }],
  [
    'the order of units does not make another binding',
    [(p) => bind(bind(p, narrowed), { ...narrowed, units: ['b', 'a'] })],
    { bindings: [narrowed] },
  ],
  [
    'a narrowed binding is taken away alone',
    [(p) => bind(bind(p, narrowed), ofTeam), (p) => unbind(p, { ...narrowed, units: ['b', 'a'] })],
    { bindings: [ofTeam] },
  ],
  [
    'without units, every binding of the role is taken away',
    [(p) => bind(bind(p, narrowed), ofTeam), (p) => unbind(p, ofTeam)],
    { bindings: [] },
  ],
  ['a guard is ended', [(p) => removeGuard(addGuard(p, guard('g')), 'g')], { guards: [] }],
  [
    'a workload rule is removed',
    [(p) => removeWorkload(putWorkload(p, rule(['reader'])), 'ci')],
    { workloads: [] },
  ],
]

test.each(made)('%s', (_, changes, expected) => {
  expect(after(...changes)).toEqual({ ...empty, ...expected })
})

test('what changes nothing gives the same document', () => {
  const policy = bind(addTeamMember(withTeam(empty), 'ops', 'user-1'), ofTeam)

  expect(addTeamMember(policy, 'ops', 'user-1')).toBe(policy)
  expect(removeTeamMember(policy, 'ops', 'user-2')).toBe(policy)
  expect(bind(policy, ofTeam)).toBe(policy)
})

/** [what, changes, the code and the field of the refusal] */
const refused: readonly (readonly [string, readonly Change[], string, string])[] = [
  ['a team name with a space', [(p) => addTeam(p, team('a b'))], 'BAD_REQUEST', 'name'],
  [
    'a team name in use, in other letters',
    [withTeam, (p) => addTeam(p, team('OPS'))],
    'ALREADY_EXISTS',
    'name',
  ],
  [
    'a group without a provider',
    [withTeam, (p) => changeTeam(p, 'ops', { groups: ['a'] })],
    'BAD_REQUEST',
    'groups.0',
  ],
  ['an unknown team', [(p) => changeTeam(p, 'ops', {})], 'NOT_FOUND', 'team'],
  ['removing an unknown team', [(p) => removeTeam(p, 'ops')], 'NOT_FOUND', 'team'],
  ['the name of a built-in role', [(p) => putRole(p, { ...role, name: 'owner' })], 'BAD_REQUEST', 'name'],
  ['an unknown role', [(p) => removeRole(p, 'deployer')], 'NOT_FOUND', 'role'],
  ['removing a built-in role', [(p) => removeRole(p, 'owner')], 'NOT_FOUND', 'role'],
  [
    'removing a role that someone has',
    [withRole, (p) => bind(p, { ...ofTeam, role: 'deployer' }), (p) => removeRole(p, 'deployer')],
    'CONFLICT',
    'role',
  ],
  [
    'removing a role that a workload rule gives',
    [withRole, (p) => putWorkload(p, rule(['deployer'])), (p) => removeRole(p, 'deployer')],
    'CONFLICT',
    'role',
  ],
  ['giving an unknown role', [(p) => bind(p, { ...ofTeam, role: 'deployer' })], 'BAD_REQUEST', 'role'],
  [
    'a workload rule with an unknown role',
    [(p) => putWorkload(p, rule(['deployer']))],
    'BAD_REQUEST',
    'role',
  ],
  ['taking away what no one has', [(p) => unbind(p, ofTeam)], 'NOT_FOUND', 'role'],
  [
    'the same guard again, in another order',
    [(p) => addGuard(addGuard(p, guard('g', ['a', 'b'])), guard('h', ['b', 'a']))],
    'ALREADY_EXISTS',
    'units',
  ],
  ['an unknown guard', [(p) => removeGuard(p, 'g')], 'NOT_FOUND', 'guard'],
  ['an unknown workload rule', [(p) => removeWorkload(p, 'ci')], 'NOT_FOUND', 'workload'],
]

test.each(refused)('%s is refused', (_, changes, code, field) => {
  let thrown: unknown
  try {
    after(...changes)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toMatchObject({ code, facts: { field } })
})

test('a glass broken again replaces the first time, and what has expired is dropped', () => {
  const broken = (unit: string, at: number, by = 'user:alice') => ({
    unit,
    by,
    reason: 'r',
    at,
    until: at + 10,
  })
  const policy = after(
    (p) => breakGlass(p, broken('ws-old', 0)),
    (p) => breakGlass(p, broken('ws-1', 5)),
    (p) => breakGlass(p, broken('ws-1', 6, 'user:bob')),
    (p) => breakGlass(p, broken('ws-1', 12)),
  )

  expect(policy.brokenGlass).toEqual([broken('ws-1', 6, 'user:bob'), broken('ws-1', 12)])
})
