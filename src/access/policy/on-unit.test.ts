import { expect, test } from 'vitest'
import { type OrgPolicy, emptyPolicy } from '../organization/document.ts'
import { POLICY_ACTIONS } from './action-patterns.ts'
import { UNIT_ACTIONS, grantsOnUnit } from './on-unit.ts'

const app = { id: 'ws-1', name: 'prod/app', labels: { env: 'prod' }, project: 'prj-1' }
const policy: OrgPolicy = {
  ...emptyPolicy('acme'),
  roles: [
    { name: 'freeze', rules: [{ effect: 'deny', actions: ['state:*'], labels: { env: 'prod' } }] },
    { name: 'of-dev', rules: [{ effect: 'allow', actions: ['*'], units: ['dev/**'] }] },
  ],
  bindings: [
    { role: 'reader', to: 'everyone' },
    { role: 'operator', to: 'team:t', units: ['ws-1'] },
    { role: 'operator', to: 'team:other', units: ['dev/**'] },
    { role: 'admin', to: 'user:u', project: 'prj-1' },
    { role: 'admin', to: 'user:v', project: 'prj-2' },
    { role: 'freeze', to: 'user:u' },
    { role: 'of-dev', to: 'user:u' },
    { role: 'gone', to: 'user:w' },
  ],
  workloads: [
    {
      name: 'ci',
      issuer: 'https://ci.example',
      claims: { sub: ['x'] },
      roles: ['operator', 'of-dev'],
      scope: { actions: ['state:*'], units: ['prod/**'] },
      ttlMs: 60_000,
    },
  ],
}

test('the roles that mean something for a unit are those whose units, labels and project fit it', () => {
  const found = grantsOnUnit(policy, app)

  expect(found.map(({ role, to }) => `${role} ${to}`)).toEqual([
    'reader everyone',
    'operator team:t',
    'admin user:u',
    'freeze user:u',
    'gone user:w',
    'operator workload:ci',
  ])
  const of = (role: string) => found.find((one) => one.role === role)
  expect(of('reader')?.allows.has('state:read')).toBe(true)
  expect(of('reader')?.allows.has('state:write')).toBe(false)
  expect([...(of('freeze')?.allows ?? [])]).toEqual([])
  expect(of('freeze')?.denies.has('state:write')).toBe(true)
  expect(of('freeze')?.denies.has('unit:read')).toBe(false)
  // A role that this server does not know denies everything.
  expect(of('gone')?.denies.size).toBe(UNIT_ACTIONS.length)
  expect([...(found.at(-1)?.allows ?? [])].every((action) => action.startsWith('state:'))).toBe(true)
})

test('every action on units is one that roles can grant, and named once', () => {
  expect(UNIT_ACTIONS.filter((action) => !POLICY_ACTIONS.includes(action))).toEqual([])
  expect(new Set(UNIT_ACTIONS).size).toBe(UNIT_ACTIONS.length)
  const families =
    /^(unit|state|versions|outputs|reads|graph|vars|events|run|rollout):|^(lock|unlock-others)$/
  const missing = POLICY_ACTIONS.filter((action) => families.test(action) && !UNIT_ACTIONS.includes(action))
  expect(missing).toEqual(['unit:create'])
})
