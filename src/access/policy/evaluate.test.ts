import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ACTIONS, type Action } from '../actions.ts'
import { POLICY_ACTIONS } from './action-patterns.ts'
import { compile } from './compile.ts'
import { evaluate } from './evaluate.ts'
import type { Grant, Rule, UnitFacts } from './rules.ts'

const app: UnitFacts = { id: 'ws-1', name: 'prod/app', labels: { env: 'prod', team: 'web' } }
const created: UnitFacts = { id: null, name: 'prod/app', labels: {} }

/** One grant for each rule. */
function grantsWith(...rules: readonly Rule[]): readonly Grant[] {
  return rules.map((rule, i) => ({ role: { name: `role-${i}`, rules: [rule] }, through: 'direct' }))
}
const allow = (rest: Partial<Rule> = {}): Rule => ({ effect: 'allow', actions: ['*'], ...rest })
const deny = (rest: Partial<Rule> = {}): Rule => ({ effect: 'deny', actions: ['*'], ...rest })

test.each<[string, readonly Rule[], Action, UnitFacts | undefined, boolean]>([
  ['nothing', [], 'state:read', app, false],
  ['an allow', [allow()], 'state:read', app, true],
  ['an allow, on the organization', [allow()], 'org:admin', undefined, true],
  ['an allow of another action', [allow({ actions: ['state:write'] })], 'state:read', app, false],
  ['an allow of a family', [allow({ actions: ['state:*'] })], 'state:read', app, true],
  ['a family is no prefix', [allow({ actions: ['lock:*'] })], 'lock', app, false],
  ['an allow of units, on the organization', [allow({ units: ['**'] })], 'org:read', undefined, false],
  [
    'an allow of labels, on the organization',
    [allow({ labels: { env: 'prod' } })],
    'org:read',
    undefined,
    false,
  ],
  ['a deny of units, on the organization', [allow(), deny({ units: ['**'] })], 'org:read', undefined, true],
  ['a deny before an allow', [deny(), allow()], 'state:read', app, false],
  ['a narrow deny', [allow(), deny({ units: ['prod/**'] })], 'state:read', app, false],
  ['a deny elsewhere', [allow(), deny({ units: ['dev/**'] })], 'state:read', app, true],
  ['labels that fit', [allow({ labels: { env: 'prod', team: 'web' } })], 'state:read', app, true],
  ['one label that does not', [allow({ labels: { env: 'prod', team: 'db' } })], 'state:read', app, false],
  ['a label that every object has', [allow({ labels: { constructor: 'x' } })], 'state:read', app, false],
  ['labels and units', [allow({ labels: { env: 'prod' }, units: ['dev/**'] })], 'state:read', app, false],
  ['an allow by name of a new unit', [allow({ units: ['prod/**'] })], 'unit:create', created, true],
  ['an allow by label of a new unit', [allow({ labels: { env: 'prod' } })], 'unit:create', created, false],
  ['a deny by label of a new unit', [allow(), deny({ labels: { env: 'x' } })], 'unit:create', created, false],
  [
    'a deny by label of a new unit elsewhere',
    [allow(), deny({ labels: { env: 'x' }, units: ['dev/**'] })],
    'unit:create',
    created,
    true,
  ],
])('%s', (_, rules, action, unit, expected) => {
  expect(evaluate(grantsWith(...rules), action, unit).allowed).toBe(expected)
  expect(compile(grantsWith(...rules)).allows(action, unit)).toBe(expected)
})

test('a binding narrows all rules of a role, and with it nothing is granted on the organization', () => {
  const role = { name: 'r', rules: [allow(), deny({ actions: ['lock'] })] }
  const grants: readonly Grant[] = [
    { role, units: ['prod/**'], through: 'direct' },
    { role: { name: 'all', rules: [allow({ actions: ['lock'], units: ['**'] })] }, through: 'direct' },
  ]
  const other = { ...app, name: 'dev/app' }

  const answers = (
    [
      ['state:read', app],
      ['state:read', other],
      ['org:read', undefined],
      ['lock', app],
      ['lock', other],
    ] as const
  ).map(([action, unit]) => evaluate(grants, action, unit).allowed)

  expect(answers).toEqual([true, false, false, false, true])
})

test('no role of an organization grants anything on the server', () => {
  const granted = ACTIONS.filter((action) => evaluate(grantsWith(allow()), action, undefined).allowed)

  expect(granted).toEqual(POLICY_ACTIONS)
  expect(granted).not.toContain('server:admin')
  expect(granted).not.toContain('org:create')
  expect(granted).not.toContain('provider:manage')
})

test('the rules behind a decision are named with role and origin', () => {
  const grants: readonly Grant[] = [
    { role: { name: 'all', rules: [allow()] }, through: 'team:ops' },
    { role: { name: 'freeze', rules: [deny()] }, units: ['prod/**'], through: 'group:okta/x' },
  ]

  expect(evaluate(grants, 'state:read', app)).toEqual({
    allowed: false,
    because: [{ through: 'group:okta/x', role: 'freeze', rule: deny(), units: ['prod/**'] }],
  })
  expect(evaluate(grants.slice(0, 1), 'state:read', app).because).toMatchObject([
    { through: 'team:ops', role: 'all' },
  ])
  expect(evaluate([], 'state:read', app)).toEqual({ allowed: false, because: [] })
})

test('what only a newer server understands never allows and always denies', () => {
  const newer = { when: 'office hours' }
  const pattern = ['prod/{a,b}']

  for (const rest of [newer, { units: pattern }] as readonly Partial<Rule>[]) {
    expect(evaluate(grantsWith(allow(rest)), 'state:read', app).allowed).toBe(false)
    expect(evaluate(grantsWith(allow(), deny(rest)), 'state:read', app).allowed).toBe(false)
    expect(evaluate(grantsWith(allow(), deny(rest)), 'org:read', undefined).allowed).toBe(false)
  }
})

const NAMES = ['prod/app', 'prod/db', 'prod', 'dev/app', 'x', 'a/b/c']
const ID_OF = (name: string) => `ws-${NAMES.indexOf(name)}`
const anyPattern = fc.constantFrom(
  ...NAMES,
  ...NAMES.map(ID_OF),
  'prod/**',
  '*/app',
  '*',
  '**',
  '**/c',
  'p*/*',
  '{bad}',
)
const anyUnits = fc.option(fc.array(anyPattern, { maxLength: 3 }), { nil: undefined })
const anyLabels = fc.dictionary(fc.constantFrom('env', 'team'), fc.constantFrom('a', 'b'), { maxKeys: 2 })
const someAction = fc.constantFrom<Action>(
  'state:read',
  'state:write',
  'unit:read',
  'org:admin',
  'lock',
  'server:admin',
)
const anyRule: fc.Arbitrary<Rule> = fc.record(
  {
    effect: fc.constantFrom('allow', 'allow', 'deny'),
    actions: fc.array(fc.constantFrom('*', 'state:*', 'state:read', 'lock', 'new:action'), {
      minLength: 1,
      maxLength: 2,
    }),
    units: anyUnits,
    labels: fc.option(anyLabels, { nil: undefined }),
  },
  { requiredKeys: ['effect', 'actions'] },
)
const anyGrant: fc.Arbitrary<Grant> = fc.record({
  role: fc.record({ name: fc.constant('r'), rules: fc.array(anyRule, { maxLength: 4 }) }),
  units: anyUnits,
  project: fc.constantFrom(undefined, undefined, 'prj-1', 'prj-2'),
  through: fc.constantFrom('direct', 'team:ops'),
})
const anyGrants = fc.array(anyGrant, { maxLength: 5 })
const anyUnit: fc.Arbitrary<UnitFacts> = fc
  .record({
    name: fc.constantFrom(...NAMES),
    labels: anyLabels,
    isNew: fc.boolean(),
    project: fc.constantFrom(undefined, 'prj-1', 'prj-2'),
  })
  .map(({ name, labels, isNew, project }) =>
    isNew ? { id: null, name, labels: {}, project } : { id: ID_OF(name), name, labels, project },
  )
const anyTarget = fc.option(anyUnit, { nil: undefined })
const ofEffect = (effect: Rule['effect']) =>
  anyGrant.map((grant) => ({
    ...grant,
    role: { ...grant.role, rules: grant.role.rules.map((rule) => ({ ...rule, effect })) },
  }))
const runs = { numRuns: 2000 }

test('a deny wins, wherever it comes from', () => {
  fc.assert(
    fc.property(anyGrants, anyRule, fc.nat(), someAction, anyTarget, (grants, rule, at, action, unit) => {
      const denying = grantsWith({ ...rule, effect: 'deny' })
      fc.pre(evaluate(denying, action, unit).because.length > 0)
      expect(evaluate(grants.toSpliced(at % (grants.length + 1), 0, ...denying), action, unit).allowed).toBe(
        false,
      )
    }),
    runs,
  )
})

test('adding an allow removes no access, and adding a deny grants none', () => {
  fc.assert(
    fc.property(
      anyGrants,
      ofEffect('allow'),
      ofEffect('deny'),
      someAction,
      anyTarget,
      (grants, more, less, action, unit) => {
        const before = evaluate(grants, action, unit).allowed
        if (before) expect(evaluate([more, ...grants], action, unit).allowed).toBe(true)
        if (!before) expect(evaluate([less, ...grants], action, unit).allowed).toBe(false)
      },
    ),
    runs,
  )
})

test('the order of grants does not matter', () => {
  fc.assert(
    fc.property(anyGrants, someAction, anyTarget, (grants, action, unit) => {
      expect(evaluate(grants.toReversed(), action, unit).allowed).toBe(evaluate(grants, action, unit).allowed)
    }),
    runs,
  )
})

test('a rule that names units and one that has their ids give the same answer', () => {
  const byId = (patterns: readonly string[] | undefined) =>
    patterns?.map((one) => (NAMES.includes(one) ? ID_OF(one) : one))
  fc.assert(
    fc.property(anyGrants, someAction, anyTarget, (grants, action, unit) => {
      fc.pre(unit?.id !== null)
      const other = grants.map((grant) => ({
        ...grant,
        units: byId(grant.units),
        role: {
          ...grant.role,
          rules: grant.role.rules.map((rule) => ({ ...rule, units: byId(rule.units) })),
        },
      }))
      expect(evaluate(other, action, unit).allowed).toBe(evaluate(grants, action, unit).allowed)
      expect(compile(other).allows(action, unit)).toBe(evaluate(grants, action, unit).allowed)
    }),
    runs,
  )
})

test('the compiled policy agrees with the plain evaluator', () => {
  fc.assert(
    fc.property(anyGrants, someAction, anyTarget, (grants, action, unit) => {
      const policy = compile(grants)
      const { allowed } = evaluate(grants, action, unit)
      expect(policy.allows(action, unit)).toBe(allowed)
      if (unit !== undefined) expect(policy.unitTest(action)(unit)).toBe(allowed)
      if (allowed) expect(policy.canSeeAny).toBe(true)
    }),
    { numRuns: 5000 },
  )
})

test('units that need no lookup all have the same answer', () => {
  fc.assert(
    fc.property(anyGrants, someAction, anyUnit, anyUnit, (grants, action, one, other) => {
      fc.pre(!compile(grants).needsUnit(action))
      expect(evaluate(grants, action, one).allowed).toBe(evaluate(grants, action, other).allowed)
    }),
    runs,
  )
})

test.each<[string, readonly Rule[], boolean]>([
  ['no rule', [], false],
  ['an allow of everything', [allow()], false],
  ['an allow of every unit', [allow({ units: ['**'] })], false],
  ['an allow of some units', [allow({ units: ['prod/**'] })], true],
  ['an allow of everything beside one of some units', [allow(), allow({ units: ['prod/**'] })], false],
  ['an allow of everything, and a deny of some units', [allow(), deny({ units: ['prod/**'] })], true],
  [
    'an allow of everything, and a deny of another action',
    [allow(), deny({ actions: ['lock'], units: ['x'] })],
    false,
  ],
  ['a deny of some units, and no allow', [deny({ units: ['prod/**'] })], false],
  ['a deny of everything', [allow({ units: ['prod/**'] }), deny()], false],
  ['an allow by label', [allow({ labels: { env: 'prod' } })], true],
])('whether a unit must be looked up: %s', (_, rules, expected) => {
  expect(compile(grantsWith(...rules)).needsUnit('state:read')).toBe(expected)
})

test('somebody without any allow, or with everything denied, sees nothing of the organization', () => {
  expect(compile([]).canSeeAny).toBe(false)
  expect(compile(grantsWith(deny({ units: ['x'] }))).canSeeAny).toBe(false)
  expect(compile(grantsWith(allow(), deny())).canSeeAny).toBe(false)
  expect(compile(grantsWith(allow({ actions: ['server:read'] }))).canSeeAny).toBe(false)
  expect(compile(grantsWith(allow({ actions: ['unit:read'], units: ['x'] }))).canSeeAny).toBe(true)
})
