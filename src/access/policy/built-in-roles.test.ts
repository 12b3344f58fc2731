import { expect, test } from 'vitest'
import type { Action } from '../actions.ts'
import { POLICY_ACTIONS } from './action-patterns.ts'
import { BUILT_IN_ROLES } from './built-in-roles.ts'
import { evaluate } from './evaluate.ts'

const ORDER = ['reader', 'planner', 'operator', 'admin', 'owner', 'auditor'] as const

/** In the order above, `x` is allowed. A new action needs a row. */
const TABLE: Readonly<Record<string, string>> = {
  'org:read': 'xxxxxx',
  'org:admin': '...xx.',
  'org:delete': '....x.',
  'access:read': '....xx',
  'member:manage': '....x.',
  'team:manage': '....x.',
  'role:manage': '....x.',
  'token:manage': '....x.',
  'audit:read': '....xx',
  'unit:read': 'xxxxxx',
  'unit:create': '...xx.',
  'unit:update': '...xx.',
  'unit:rename': '...xx.',
  'unit:delete': '...xx.',
  'unit:restore': '...xx.',
  'unit:admin': '...xx.',
  'guard:set': '...xx.',
  'state:read': 'xxxxx.',
  'state:write': '..xxx.',
  'state:delete': '...xx.',
  'state:force': '...xx.',
  'state:break-glass': '...xx.',
  'state:rollback': '..xxx.',
  'versions:read': 'xxxxxx',
  'versions:read-state': 'xxxxx.',
  'outputs:read': 'xxxxx.',
  'outputs:read-sensitive': 'xxxxx.',
  'reads:record': '.xxxx.',
  lock: '.xxxx.',
  'unlock-others': '...xx.',
  'graph:read': 'xxxxxx',
  'graph:write': '..xxx.',
  'run:plan': '.xxxx.',
  'run:apply': '..xxx.',
  'run:approve': '..xxx.',
  'run:token': '..xxx.',
  'rollout:read': 'xxxxxx',
  'rollout:start': '..xxx.',
  'rollout:work': '..xxx.',
  'rollout:control': '..xxx.',
  'vars:read': 'xxxxx.',
  'vars:read-sensitive': '.xxxx.',
  'vars:write': '..xxx.',
  'events:read': 'xxxxxx',
  'registry:read': 'xxxxx.',
  'registry:publish': '...xx.',
  'policy:read': 'xxxxx.',
  'policy:manage': '...xx.',
  'notification:read': 'xxxxx.',
  'notification:manage': '...xx.',
}

const unit = { id: 'ws-1', name: 'prod/app', labels: {} }

test('each built-in role allows exactly what the table says, on units and on the organization', () => {
  const allowedOn = (target: typeof unit | undefined) => (action: Action) =>
    ORDER.map((name) =>
      evaluate([{ role: BUILT_IN_ROLES[name], through: 'direct' }], action, target).allowed ? 'x' : '.',
    ).join('')

  for (const target of [unit, undefined])
    expect(Object.fromEntries(POLICY_ACTIONS.map((action) => [action, allowedOn(target)(action)]))).toEqual(
      TABLE,
    )
})

test('no built-in role denies anything, so that roles can be added to each other', () => {
  expect(Object.keys(BUILT_IN_ROLES)).toEqual(ORDER)
  for (const role of Object.values(BUILT_IN_ROLES))
    expect(role.rules.map(({ effect }) => effect)).toEqual(['allow'])
})
