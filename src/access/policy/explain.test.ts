import { expect, test } from 'vitest'
import { grantsOf } from './bindings.ts'
import { BUILT_IN_ROLES } from './built-in-roles.ts'
import { explain } from './explain.ts'
import type { Grant, Role, UnitFacts } from './rules.ts'
import { POLICY_ACTIONS } from './action-patterns.ts'
import { ACTION_WORDS, roleInWords } from './words.ts'

const app: UnitFacts = { id: 'ws-1', name: 'prod/app', labels: { env: 'prod' } }
const freeze: Role = {
  name: 'freeze',
  rules: [{ effect: 'deny', actions: ['state:write', 'state:rollback'], units: ['prod/**'] }],
}
const operator: Grant = { role: BUILT_IN_ROLES.operator, through: 'team:ops' }

test.each<[string, readonly Grant[], UnitFacts | undefined, readonly string[]]>([
  [
    'an allow',
    [operator, { ...operator, units: ['prod/**', 'dev/**'], through: 'direct' }],
    app,
    [
      'allowed: user:alice may write states on prod/app (state:write)',
      'the role operator, through team:ops, allows state:write',
      'the role operator, given directly, allows state:write on prod/** and dev/**',
    ],
  ],
  [
    'a deny over an allow',
    [operator, { role: freeze, through: 'group:okta/all' }],
    app,
    [
      'denied: user:alice may not write states on prod/app (state:write)',
      'the role freeze, through group:okta/all, denies state:write on prod/**',
    ],
  ],
  [
    'nothing that allows it',
    [{ role: BUILT_IN_ROLES.reader, through: 'direct' }],
    app,
    ['denied: user:alice may not write states on prod/app (state:write)', 'no role of user:alice allows it'],
  ],
  [
    'no role at all',
    [],
    app,
    [
      'denied: user:alice may not write states on prod/app (state:write)',
      'user:alice has no role in the organization',
    ],
  ],
  [
    'an allow elsewhere',
    [{ ...operator, units: ['dev/**'] }],
    app,
    [
      'denied: user:alice may not write states on prod/app (state:write)',
      'the role operator, through team:ops, allows it on dev/** only',
    ],
  ],
  [
    'an allow of units, asked for the organization',
    [{ ...operator, units: ['dev/**'] }],
    undefined,
    [
      'denied: user:alice may not write states on the organization (state:write)',
      'the role operator, through team:ops, allows it on dev/**, not on the organization itself',
    ],
  ],
  [
    'a unit that does not exist',
    [
      {
        role: { name: 'web', rules: [{ effect: 'allow', actions: ['*'], labels: { env: 'dev' } }] },
        through: 'direct',
      },
    ],
    { ...app, id: null, labels: {} },
    [
      'denied: user:alice may not write states on prod/app (state:write)',
      'prod/app does not exist, so it is judged by its name, without labels',
      'the role web, given directly, allows it on units with env=dev only',
    ],
  ],
  [
    'a role that is unknown',
    grantsOf({ roles: [], bindings: [{ role: 'approver', to: 'me' }] }, [{ to: 'me', through: 'direct' }]),
    app,
    [
      'denied: user:alice may not write states on prod/app (state:write)',
      'the role approver, given directly, is unknown to this server, so it denies everything',
    ],
  ],
  [
    'a rule that is unclear',
    [
      operator,
      { role: { name: 'x', rules: [{ effect: 'deny', actions: ['*'], units: ['{'] }] }, through: 'direct' },
    ],
    app,
    [
      'denied: user:alice may not write states on prod/app (state:write)',
      'the role x, given directly, has a rule that this server does not understand, so it denies',
    ],
  ],
])('%s', (_, grants, unit, lines) => {
  const explanation = explain(grants, { who: 'user:alice', action: 'state:write', unit })

  expect(explanation.lines).toEqual(lines)
  expect(explanation.allowed).toBe(lines[0]?.startsWith('allowed'))
})

test('a guard stops what a role allows, and changes nothing about what it does not', () => {
  const guarded = { who: 'user:alice', action: 'state:write', unit: app, isGuarded: true } as const

  expect(explain([operator], guarded)).toMatchObject({
    allowed: false,
    lines: [
      'denied: user:alice may not write states on prod/app (state:write)',
      'prod/app is guarded, so only runs may change its state',
      'the role operator, through team:ops, allows state:write',
    ],
  })
  expect(explain([], guarded).lines).toHaveLength(2)
})

test('no role grants what is about the server', () => {
  const { lines } = explain([operator], { who: 'user:alice', action: 'server:admin', unit: undefined })

  expect(lines[1]).toBe('server:admin is about the server, and no role grants it')
})

test('a role is put into words, rule by rule', () => {
  const rules: Role['rules'] = [
    { effect: 'allow', actions: ['outputs:read', 'state:read', 'rollout:*'], units: ['prod/**'] },
    { effect: 'deny', actions: ['*'], units: ['prod/secret'], labels: { env: 'prod', team: 'x' } },
    { effect: 'allow', actions: ['constructor'] },
  ]

  expect(roleInWords({ rules })).toEqual([
    'may read outputs, read states and do everything with rollouts on prod/**',
    'may not do anything on prod/secret with env=prod and team=x',
    'may do constructor',
  ])
  expect(roleInWords(freeze, ['a/**'])).toEqual([
    'may not write states or roll states back on prod/** within a/**',
  ])
  const families = new Set(
    POLICY_ACTIONS.filter((one) => one.includes(':')).map((one) => one.split(':', 1)[0]),
  )
  for (const family of families)
    expect(roleInWords({ rules: [{ effect: 'deny', actions: [`${family}:*`] }] })[0]).toMatch(
      /^may not do anything with /,
    )
  expect(new Set(Object.values(ACTION_WORDS)).size).toBe(Object.keys(ACTION_WORDS).length)
})
