import { expect, test } from 'vitest'
import { silentJournal } from '../../test/support/journal.ts'
import { overwrite } from '../../test/support/state.ts'
import { randomIds } from '../base/ids.ts'
import { systemClock } from '../base/clock.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import { createAccess } from './access.ts'
import type { Action } from './actions.ts'
import { systemCaller } from './caller.ts'
import { type OrgPolicy, orgAccessKind } from './organization/document.ts'
import { createOrgAccess } from './organization/org-access.ts'
import { addGuard, bind, breakGlass, unbind } from './organization/transitions.ts'
import { type Principal, rootToken } from './principal.ts'

const via = { kind: 'session', id: 's1' } as const
const user = (name: string): Principal => ({ kind: 'user', id: `user-${name}`, name, groups: [], via })
const [alice, bob, chief] = [user('alice'), user('bob'), user('chief')]
const runOf = (name: string): Principal => ({
  kind: 'run',
  id: 'r1',
  scope: { org: 'acme', unit: { id: `ws-${name}`, name } },
  issuedTo: { by: 'user:alice' },
})
const caller = systemCaller('opentaco')

/** Two servers over one bucket, at a time that the test moves. */
function fleet() {
  const bucket = openMemoryBucket()
  let now = 1_000_000
  const clock = { ...systemClock, now: () => now }
  const { journal } = silentJournal()
  const server = () => {
    const orgs = createOrgAccess({ bucket, clock, ids: randomIds, journal })
    const settings = { fresh: () => ({ providers: [], administrators: ['user:user-chief'] }) }
    const findUnit = async (_: string, unit: string) => {
      const name = unit.replace(/^ws-/, '')
      return name === 'absent' ? undefined : { id: `ws-${name}`, name, labels: {} }
    }
    const access = createAccess({ clock, orgs, settings, findUnit })
    const change = (transition: <T extends OrgPolicy>(policy: T) => T) =>
      orgs.change('acme', { type: 'role.granted', data: {}, transition }, caller)
    const decide = async (principal: Principal, action: Action, unit?: string) => {
      const decision = await access.decide(principal, action, { org: 'acme', unit })
      return decision.allowed ? 'allowed' : decision.reason
    }
    return { access, change, decide }
  }
  return { bucket, server, pass: (ms: number) => (now += ms), now: () => now }
}

const owner = (name: string) => ({ role: 'owner', to: `user:user-${name}` })

test('only runs write guarded units, under any name', async () => {
  const { change, decide } = fleet().server()
  await change((policy) =>
    addGuard(bind(policy, owner('alice')), { id: 'g', units: ['prod'], at: 1, by: 'user:alice' }),
  )

  for (const action of [
    'state:write',
    'state:delete',
    'state:force',
    'state:rollback',
    'unit:delete',
  ] as const)
    for (const unit of ['prod', 'ws-prod']) {
      const found = await Promise.all([rootToken, alice, chief].map((who) => decide(who, action, unit)))
      expect([action, unit, ...found]).toEqual([action, unit, 'guarded', 'guarded', 'guarded'])
    }
  expect(await decide(runOf('prod'), 'state:write', 'prod')).toBe('allowed')
  expect(await decide(alice, 'state:read', 'prod')).toBe('allowed')
  expect(await decide(alice, 'state:write', 'dev')).toBe('allowed')
  expect(await decide(rootToken, 'state:write', 'dev')).toBe('allowed')
})

test('broken glass is for one person and one unit, until it expires', async () => {
  const { server, now, pass } = fleet()
  const { change, decide } = server()
  await change((policy) => addGuard(policy, { id: 'g', at: 1, by: 'user:alice' }))
  await change((policy) => bind(bind(policy, owner('alice')), owner('bob')))
  const broken = { unit: 'ws-prod', by: 'user:alice', reason: 'r', at: now(), until: now() + 60_000 }
  await change((policy) => breakGlass(policy, broken))
  const write = async () => [
    await decide(alice, 'state:write', 'prod'),
    await decide(alice, 'state:write', 'dev'),
    await decide(bob, 'state:write', 'prod'),
    await decide(rootToken, 'state:write', 'prod'),
  ]

  expect(await write()).toEqual(['allowed', 'guarded', 'guarded', 'guarded'])
  pass(60_000)
  expect(await write()).toEqual(['guarded', 'guarded', 'guarded', 'guarded'])
})

test('administrators of the server may do everything, everyone else what their roles allow', async () => {
  const { change, decide } = fleet().server()
  await change((policy) => bind(policy, { role: 'reader', to: 'user:user-alice', units: ['prod/**'] }))

  expect(await decide(chief, 'state:write', 'dev')).toBe('allowed')
  expect(await decide(chief, 'org:delete')).toBe('allowed')
  expect(await decide(alice, 'state:read', 'prod/web')).toBe('allowed')
  expect(await decide(alice, 'state:write', 'prod/web')).toBe('not-granted')
  expect(await decide(alice, 'state:read', 'dev/web')).toBe('hidden')
  expect(await decide(alice, 'org:read')).toBe('not-granted')
  expect(await decide(bob, 'state:read', 'prod/web')).toBe('hidden')
})

test('without a readable access document, nothing is decided', async () => {
  const { bucket, server } = fleet()
  const { change } = server()
  await change((policy) => bind(policy, owner('alice')))
  await overwrite(bucket, orgAccessKind.keyOf('acme'), '{"broken":')
  const { access, decide } = server()

  await expect(decide(alice, 'state:read', 'prod')).rejects.toMatchObject({ code: 'BUCKET_CORRUPT' })
  await expect(decide(chief, 'state:read', 'prod')).rejects.toMatchObject({ code: 'BUCKET_CORRUPT' })
  await expect(decide(rootToken, 'state:write', 'prod')).rejects.toMatchObject({ code: 'BUCKET_CORRUPT' })
  await expect(access.sight(alice, 'acme')).rejects.toMatchObject({ code: 'BUCKET_CORRUPT' })
  // In lists, it must not hide the other organizations.
  expect(await access.seesOrg(alice, 'acme')).toBe(false)
  expect(await access.rolesIn(alice, 'acme')).toEqual([])
  expect(await access.seesOrg(chief, 'acme'), 'an administrator of the server').toBe(true)
})

test('a role that was taken away on one server counts for 2 s at most on another', async () => {
  const { server, pass } = fleet()
  const [one, other] = [server(), server()]
  await one.change((policy) => bind(policy, owner('alice')))
  expect(await other.decide(alice, 'state:write', 'prod')).toBe('allowed')

  await one.change((policy) => unbind(policy, owner('alice')))

  expect(await one.decide(alice, 'state:write', 'prod')).toBe('hidden')
  pass(2_000)
  expect(await other.decide(alice, 'state:write', 'prod')).toBe('hidden')
})
