import { expect, test } from 'vitest'
import { isTacoError } from '../../base/errors.ts'
import { Binding, UNKNOWN, grantsOf } from './bindings.ts'
import { checkBinding, checkRole, labelsInRules } from './check-role.ts'
import { evaluate } from './evaluate.ts'
import { Role } from './rules.ts'
import { isInScope } from './scope.ts'

const rule = { effect: 'allow', actions: ['state:read'] } as const
const role: Role = { name: 'r', rules: [rule] }
const unit = { id: 'ws-1', name: 'prod/app', labels: {} }

function faultOf(work: () => void) {
  try {
    work()
  } catch (error) {
    if (isTacoError(error)) return [error.facts['field'], error.message, error.hint]
  }
  return undefined
}

test.each<[Role, string, RegExp, RegExp]>([
  [{ ...role, name: 'Ops Team' }, 'name', /not a valid role name/, /a-z/],
  [{ ...role, name: 'owner' }, 'name', /built-in/, /another name/],
  [
    { ...role, rules: [rule, { ...rule, actions: ['lock', 'state:raed'] }] },
    'rules.1.actions.1',
    /There is no action state:raed\./,
    /^Did you mean state:read\?/,
  ],
  [
    { ...role, rules: [{ ...rule, actions: ['stat:*'] }] },
    'rules.0.actions.0',
    /stat:\*/,
    /Did you mean state:\*\?/,
  ],
  [
    { ...role, rules: [{ ...rule, actions: ['server:admin'] }] },
    'rules.0.actions.0',
    /about the server/,
    /Remove/,
  ],
  [
    { ...role, rules: [{ ...rule, actions: ['org:create'] }] },
    'rules.0.actions.0',
    /about the server/,
    /Remove/,
  ],
  [{ ...role, rules: [{ ...rule, units: ['a', 'b/'] }] }, 'rules.0.units.1', /empty/, /plain path/],
  [{ ...role, rules: [{ ...rule, labels: {} }] }, 'rules.0.labels', /no label/, /env=prod/],
  [{ ...role, rules: Array.from({ length: 501 }, () => rule) }, 'rules', /501 rules/, /at most 500/],
])('a role is refused with the field and a remedy: %#', (wrong, field, message, hint) => {
  expect(faultOf(() => checkRole(wrong))).toEqual([
    field,
    expect.stringMatching(message),
    expect.stringMatching(hint),
  ])
})

test('a role that names known actions, patterns and labels is accepted', () => {
  const rules = [
    { effect: 'deny', actions: ['*', 'org:*', 'lock'], units: ['prod/**'], labels: { env: 'prod' } },
  ] as const

  expect(faultOf(() => checkRole({ name: 'freeze', rules }))).toBeUndefined()
  expect([...labelsInRules([{ name: 'freeze', rules }, role])]).toEqual(['env'])
})

test('a binding names a role that exists', () => {
  const binding = { role: 'raeder', to: 'user:user-1' }

  expect(faultOf(() => checkBinding(binding, []))).toEqual([
    'role',
    'There is no role raeder.',
    expect.stringMatching(/^Did you mean reader\? Roles are reader, planner/),
  ])
  expect(faultOf(() => checkBinding({ ...binding, role: 'r' }, [role]))).toBeUndefined()
  expect(faultOf(() => checkBinding({ ...binding, role: 'owner', units: ['a**'] }, []))?.[0]).toBe('units.0')
})

test('stored roles and bindings keep what a newer server wrote', () => {
  const stored = { ...role, newer: 1, rules: [{ ...rule, when: 'x' }] }

  expect(Role.parse(stored)).toEqual(stored)
  expect(Binding.parse({ role: 'r', to: 'x', until: 1 })).toEqual({ role: 'r', to: 'x', until: 1 })
  expect(Role.safeParse({ ...role, rules: [{ ...rule, effect: 'audit' }] }).success).toBe(false)
})

test('people get roles directly, through teams and through groups', () => {
  const bindings = [
    { role: 'reader', to: 'user:user-1' },
    { role: 'r', to: 'team:team-1', units: ['dev/**'] },
    { role: 'owner', to: 'user:user-2' },
    { role: 'r', to: 'group:okta/x' },
  ]
  const subjects = [
    { to: 'user:user-1', through: 'direct' },
    { to: 'team:team-1', through: 'team:ops' },
    { to: 'group:okta/x', through: 'group:okta/x' },
  ]

  const grants = grantsOf({ roles: [role], bindings }, subjects)

  expect(grants.map(({ through, units, role: { name } }) => [name, through, units])).toEqual([
    ['reader', 'direct', undefined],
    ['r', 'team:ops', ['dev/**']],
    ['r', 'group:okta/x', undefined],
  ])
})

test.each([
  ['a role that is unknown', { role: 'gone', to: 'me' }],
  ['a condition that is unknown', { role: 'reader', to: 'me', until: '2030' }],
])('a binding with %s denies everything', (_, binding) => {
  const grants = grantsOf({ roles: [], bindings: [{ role: 'owner', to: 'me' }, binding] }, [
    { to: 'me', through: 'direct' },
  ])

  expect(evaluate(grants, 'state:read', unit).allowed).toBe(false)
  expect(grants[1]?.role.description).toBe(UNKNOWN)
})

test('a role of the organization keeps its meaning beside a built-in one of the same name', () => {
  const own = { name: 'auditor', rules: [rule] }
  const grants = grantsOf({ roles: [own], bindings: [{ role: 'auditor', to: 'me' }] }, [
    { to: 'me', through: 'direct' },
  ])

  expect(grants[0]?.role).toBe(own)
})

test('a scope narrows to actions and units', () => {
  expect(isInScope({}, 'org:admin', undefined)).toBe(true)
  expect(isInScope({ actions: ['state:*'] }, 'state:read', unit)).toBe(true)
  expect(isInScope({ actions: ['state:*'] }, 'lock', unit)).toBe(false)
  expect(isInScope({ actions: [] }, 'lock', unit)).toBe(false)
  expect(isInScope({ units: ['prod/**'] }, 'lock', unit)).toBe(true)
  expect(isInScope({ units: ['dev/**'] }, 'lock', unit)).toBe(false)
  expect(isInScope({ units: ['**'] }, 'org:read', undefined)).toBe(false)
})
