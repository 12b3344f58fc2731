import { expect, test } from 'vitest'
import { callerNamed } from '../../test/support/caller.ts'
import { ACTIONS, type Action } from './actions.ts'
import { authorize } from './authorize.ts'
import { type Principal, openServerUser, rootToken, stranger } from './principal.ts'

const via = { kind: 'session', id: 's1' } as const
const target = { org: 'acme', unit: 'prod/app' }
const runOf = (id: string | null): Principal => ({
  kind: 'run',
  id: 'r1',
  scope: { org: 'acme', unit: { id, name: 'prod/app' } },
  issuedTo: { by: 'token:root' },
})

/** The actions that the principal may do on this target. */
function granted(
  principal: Principal,
  resource: { org?: string; unit?: string } = target,
): readonly Action[] {
  return ACTIONS.filter((action) => authorize(principal, action, resource).allowed)
}

const readsOfRun = [
  'unit:read',
  'state:read',
  'versions:read',
  'versions:read-state',
  'outputs:read',
  'outputs:read-sensitive',
] as const
const ofOwnUnit = [
  'server:health',
  'unit:create',
  ...readsOfRun,
  'state:write',
  'reads:record',
  'lock',
  'unlock-others',
  'vars:read',
  'vars:read-sensitive',
]
const upkeep = ['server:health', 'server:admin', 'org:read', 'org:create', 'unit:read']

test.each<[string, Principal, object, readonly string[]]>([
  ['the root token', rootToken, target, ACTIONS],
  ['the root token on the server', rootToken, {}, ACTIONS],
  ['anyone on an open server', openServerUser, target, ACTIONS],
  ['anyone on an open server, on the server', openServerUser, {}, ACTIONS],
  ['a stranger', stranger, target, ['server:health']],
  [
    'another token',
    { kind: 'token', use: 'organization', id: 'at-1', name: 'root', org: 'acme', roles: [] },
    target,
    ['server:health'],
  ],
  ['a user called root', callerNamed('root').principal, target, ['server:health']],
  ['a team', { kind: 'team', id: 'team-1', name: 'ops', org: 'acme', via }, target, ['server:health']],
  ['a run on its unit', runOf('ws-1'), target, ofOwnUnit],
  ['a run on its unit by id', runOf('ws-1'), { org: 'acme', unit: 'ws-1' }, ofOwnUnit],
  ['a run on a unit that it creates', runOf(null), target, ofOwnUnit],
  [
    'a run on another unit',
    runOf('ws-1'),
    { org: 'acme', unit: 'prod/net' },
    ['server:health', ...readsOfRun],
  ],
  [
    'a run on a unit below its own',
    runOf('ws-1'),
    { org: 'acme', unit: 'prod/app/x' },
    ['server:health', ...readsOfRun],
  ],
  ['a run in another organization', runOf('ws-1'), { org: 'other', unit: 'prod/app' }, ['server:health']],
  [
    'a run on its organization',
    runOf('ws-1'),
    { org: 'acme' },
    ['server:health', 'org:read', 'unit:create', 'registry:read'],
  ],
  ['a run on the server', runOf('ws-1'), {}, ['server:health']],
  ['upkeep', { kind: 'system', name: 'upkeep' }, target, upkeep],
  ['changes from outside', { kind: 'system', name: 'outside' }, target, ['server:health']],
])('%s may do exactly this', (_, principal, resource, expected) => {
  expect(granted(principal, resource)).toEqual(ACTIONS.filter((action) => expected.includes(action)))
})

test('a run writes its unit by id, so that a unit that takes over the name stays out of reach', () => {
  expect(authorize(runOf('ws-1'), 'state:write', target)).toEqual({
    allowed: true,
    resource: { org: 'acme', unit: 'ws-1' },
  })
  expect(authorize(runOf(null), 'state:write', target)).toEqual({ allowed: true, resource: target })
})

test.each<[Principal, string]>([
  [stranger, 'unauthenticated'],
  [runOf('ws-1'), 'run-scope'],
  [callerNamed('alice').principal, 'hidden'],
])('a denial has a reason: %o', (principal, reason) => {
  expect(authorize(principal, 'org:admin', target)).toEqual({ allowed: false, reason })
})
