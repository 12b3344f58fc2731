import { expect, test } from 'vitest'
import { isTacoError } from '../../base/errors.ts'
import { BUILT_IN_ROLES } from './built-in-roles.ts'
import { type Directory, checkExpectations, readExpectations } from './expectations.ts'
import type { Grant } from './rules.ts'

const web: Grant = {
  role: { name: 'web', rules: [{ effect: 'allow', actions: ['state:*'], labels: { tier: 'web' } }] },
  through: 'team:web',
}
const directory: Directory = {
  grantsOf: (who) =>
    new Map<string, readonly Grant[]>([
      ['alice', [{ role: BUILT_IN_ROLES.operator, units: ['dev/**'], through: 'direct' }]],
      ['web', [web]],
    ]).get(who),
  isGuarded: (_, action, { name }) => name === 'dev/guarded' && action === 'state:write',
  unitOf: (name) =>
    ['dev/app', 'ws-1'].includes(name) ? { id: 'ws-1', name: 'dev/app', labels: { tier: 'db' } } : undefined,
}

const checked = (text: string) => checkExpectations(readExpectations(text, 'access.yaml'), directory)

function faultsOf(text: string): string {
  try {
    readExpectations(text, 'access.yaml')
  } catch (error) {
    if (isTacoError(error, 'BAD_REQUEST')) return error.message
    throw error
  }
  return ''
}

test('each combination is one expectation, with the line of its entry', () => {
  const found = readExpectations(
    `# who may do what
expectations:
  - who: [alice, team:web]
    action: run:*
    unit: [dev/app, prod/app]
    expect: allow
  - { who: alice, action: org:admin, expect: deny }
`,
    'access.yaml',
  )

  expect(found).toHaveLength(2 * 2 * 4 + 1)
  expect(found[0]).toMatchObject({
    line: 3,
    who: 'alice',
    action: 'run:plan',
    unit: 'dev/app',
    expected: 'allow',
  })
  expect(found.at(-1)).toMatchObject({ line: 7, unit: undefined, expected: 'deny' })
})

test('expectations are compared with decisions, and those that fail say why', () => {
  const found = checked(`
expectations:
  - { who: alice, action: state:write, unit: dev/app, expect: allow }
  - { who: alice, action: state:write, unit: ws-1, expect: allow }
  - { who: alice, action: state:write, unit: prod/app, expect: allow }
  - { who: alice, action: org:admin, expect: deny }
  - { who: web, action: state:read, unit: dev/app, expect: deny }
  - { who: web, action: state:read, unit: dev/app, labels: { tier: web }, expect: allow }
  - { who: web, action: state:read, unit: new, labels: { tier: web }, expect: allow }
  - { who: web, action: state:read, unit: new, expect: allow }
  - { who: alice, action: [state:read, state:write], unit: dev/guarded, expect: allow }
  - { who: alcie, action: state:read, unit: new, expect: deny }
`)

  expect(found.map(({ isMet }) => isMet)).toEqual([
    true,
    true,
    false,
    true,
    true,
    true,
    true,
    false,
    true,
    false,
    false,
  ])
  expect(found.at(-1)?.lines).toEqual(['unknown: there is no alcie in the organization'])
  expect(found[2]).toMatchObject({
    line: 5,
    allowed: false,
    lines: [
      'denied: alice may not write states on prod/app (state:write)',
      'prod/app does not exist, so it is judged by its name, without labels',
      'the role operator, given directly, allows it on dev/** only',
    ],
  })
})

test('JSON is read as well', () => {
  const text = JSON.stringify({
    expectations: [{ who: 'alice', action: 'lock', unit: 'dev/app', expect: 'allow' }],
  })

  expect(checked(text)).toMatchObject([{ isMet: true, line: 1 }])
})

test('all faults of a file are reported at once, with line and column', () => {
  const message = faultsOf(`expectations:
  - who: alice
    action: state:raed
    unit: prod/**
    expect: allow
  - who: 7
    action: server:admin
    unit: /x
    expect: maybe
  - whom: alice
    action: server:admin
    who: alice
    labels: { a: b }
    expect: deny
`)

  expect(message.split('\n')).toEqual([
    'access.yaml:3:13: There is no action state:raed. Did you mean state:read? See docs/access.md for all actions. Use * for every action.',
    'access.yaml:4:11: "prod/**" is a pattern. Name units, such as prod/app.',
    'access.yaml:6:10: This must be text or a list of texts.',
    'access.yaml:9:13: This must be allow or deny.',
    'access.yaml:10:5: The key "whom" is unknown. Did you mean who?',
    expect.stringMatching(/^access.yaml:11:13: server:admin is about the server\./),
    'access.yaml:13:5: Labels are those of a unit. Name the unit.',
  ])
})

test('lists that multiply to too many questions are refused', () => {
  const names = JSON.stringify(Array.from({ length: 50 }, (_, i) => `n${i}`))
  const entry = (who: string) => `  - { who: ${who}, unit: ${names}, action: "*", expect: deny }\n`

  expect(faultsOf(`expectations:\n${entry(names)}${entry('a')}`)).toBe(
    ['2:5', '3:5']
      .map((at) => `access.yaml:${at}: The file has more than 2000 questions. Use several files.`)
      .join('\n'),
  )
})

test.each([
  ['', 'access.yaml:1:1: '],
  ['expectations: []', 'access.yaml:1:15: This is empty.'],
  ['- who: x', 'access.yaml:1:1: This must be a map, not a list.'],
  ['expectations:\n  - who: [', 'access.yaml:2:'],
  [
    'expectations:\n  - { who: a, action: lock, unit: "a b/", expect: deny }',
    'access.yaml:2:35: The unit pattern',
  ],
])('%j is refused: %s', (text, message) => {
  expect(faultsOf(text)).toContain(message)
})
