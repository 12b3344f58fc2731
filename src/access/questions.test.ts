import { expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { TacoError } from '../base/errors.ts'
import type { Sight } from './caller.ts'
import { type OrgPolicy, emptyPolicy } from './organization/document.ts'
import type { PersonDocument } from './people/person.ts'
import { rootToken } from './principal.ts'
import { createAccessQuestions } from './questions.ts'

const caller = { principal: rootToken }
const alice: PersonDocument = {
  v: 1,
  rev: 1,
  nonce: 'n',
  id: 'user-1',
  login: 'alice',
  createdAt: 0,
  signedInAt: 0,
  sessionEpoch: 0,
  sessions: [],
  outbox: [],
  identities: [{ provider: 'okta', subject: 's', groups: ['web'], readAt: 0 }],
}
const policy: OrgPolicy = {
  ...emptyPolicy('acme'),
  teams: [
    { id: 'team-1', name: 'ops', members: ['user-1'], groups: [], createdAt: 0 },
    { id: 'team-2', name: 'web', members: [], groups: ['okta/web'], createdAt: 0 },
  ],
  roles: [{ name: 'freeze', rules: [{ effect: 'deny', actions: ['state:write'], units: ['prod/**'] }] }],
  bindings: [
    { role: 'operator', to: 'team:team-1' },
    { role: 'freeze', to: 'team:team-2' },
    { role: 'reader', to: 'everyone', units: ['public/**'] },
  ],
}

function questions({
  people = [alice],
  own = policy,
  sight,
  administrators = [],
}: {
  readonly people?: readonly PersonDocument[]
  readonly own?: OrgPolicy
  readonly sight?: Sight
  readonly administrators?: readonly string[]
} = {}) {
  const units = ['prod/app', 'dev/app'].map((name, i) => ({ id: `ws-${i}`, name, labels: {}, org: 'acme' }))
  return createAccessQuestions({
    clock: systemClock,
    access: { sight: () => sight },
    orgs: { get: async () => own },
    signIn: {
      people: {
        async get(name) {
          const found = people.find(({ id, login }) => id === name || login === name)
          if (found === undefined) throw new TacoError('NOT_FOUND', 'There is no such person.')
          return found
        },
      },
      settings: { fresh: () => ({ providers: [], administrators: [...administrators] }) },
    },
    findUnit: async (_, name) => units.find((unit) => unit.name === name || unit.id === name),
    projectOf: () => 'prj-1',
  })
}

const ask = (who: string, action: string, unit?: string, options = {}) =>
  questions(options).explain('acme', { who, action, unit }, caller)

test.each([
  ['alice', 'state:write', 'dev/app', true, 'the role operator, through team:ops, allows state:write'],
  ['user:alice', 'state:write', 'ws-1', true, 'the role operator, through team:ops, allows state:write'],
  [
    'user-1',
    'state:write',
    'prod/app',
    false,
    'the role freeze, through team:web, denies state:write on prod/**',
  ],
  ['team:ops', 'state:write', 'prod/app', true, 'the role operator, through team:ops, allows state:write'],
  [
    'group:okta/web',
    'state:write',
    'prod/app',
    false,
    'the role freeze, through team:web, denies state:write on prod/**',
  ],
  [
    'everyone',
    'state:read',
    'public/x',
    true,
    'the role reader, through everyone, allows state:read on public/**',
  ],
  ['alice', 'org:admin', undefined, false, 'no role of alice allows it'],
])('%s, %s on %s: %s', async (who, action, unit, allowed, line) => {
  const answer = await ask(who, action, unit)

  expect(answer.allowed).toBe(allowed)
  expect(answer.lines).toContain(line)
})

test('administrators of the server own every organization, and suspended people have nothing', async () => {
  const suspended = { ...alice, suspended: { at: 0, by: 'x' } }

  expect((await ask('alice', 'org:admin', undefined, { administrators: ['user:user-1'] })).allowed).toBe(true)
  expect((await ask('alice', 'state:read', 'dev/app', { people: [suspended] })).allowed).toBe(false)
})

test('a guard counts', async () => {
  const own = { ...policy, guards: [{ id: 'g', units: ['dev/**'], at: 0, by: 'x' }] }

  expect((await ask('alice', 'state:write', 'dev/app', { own })).lines[1]).toMatch(/is guarded/)
  expect((await ask('alice', 'state:read', 'dev/app', { own })).allowed).toBe(true)
})

test('a unit that the caller may not see is one that does not exist', async () => {
  const { lines } = await ask('alice', 'state:read', 'dev/app', {
    sight: { seesAll: false, needsUnit: () => true, may: () => false },
  })

  expect(lines[1]).toBe('dev/app does not exist, so it is judged by its name, without labels')
})

test.each([
  ['bob', 'lock', 'who'],
  ['team:nobody', 'lock', 'who'],
  ['alice', 'lokc', 'action'],
  ['alice', 'state:*', 'action'],
])('%s and %s are refused, with the field %s', async (who, action, field) => {
  await expect(ask(who, action)).rejects.toMatchObject({ code: 'BAD_REQUEST', facts: { field } })
})

test('a file of expectations is checked against the same answers', async () => {
  const text = `expectations:
  - { who: [alice, bob], action: state:write, unit: [dev/app, prod/app], expect: allow }
`

  const found = await questions().test('acme', { text, path: 'access.yaml' }, caller)

  expect(found.map(({ isMet, who, unit }) => [isMet, who, unit])).toEqual([
    [true, 'alice', 'dev/app'],
    [false, 'alice', 'prod/app'],
    [false, 'bob', 'dev/app'],
    [false, 'bob', 'prod/app'],
  ])
})

test('a role for a project counts for its units', async () => {
  const own = { ...policy, bindings: [{ role: 'operator', to: 'everyone', project: 'prj-1' }] }
  const other = { ...policy, bindings: [{ role: 'operator', to: 'everyone', project: 'prj-2' }] }

  expect((await ask('everyone', 'state:write', 'dev/app', { own })).allowed).toBe(true)
  expect((await ask('everyone', 'state:write', 'dev/app', { own: other })).allowed).toBe(false)
})

test('everything that can be done with a unit is explained at once', async () => {
  const found = await questions().explainUnit('acme', { who: 'alice', unit: 'prod/app' }, caller)

  const of = (action: string) => found.find((one) => one.action === action)
  expect(of('state:read')).toMatchObject({ allowed: true })
  expect(of('state:write')).toMatchObject({ allowed: false })
  expect(of('state:write')?.lines[1]).toContain('the role freeze, through team:web, denies')
})
