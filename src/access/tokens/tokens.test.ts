import { expect, test } from 'vitest'
import { callerNamed } from '../../../test/support/caller.ts'
import { testKey, tokenFleet as fleet } from '../../../test/support/tokens.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { type Bucket, bodyOf } from '../../bucket/index.ts'
import { systemCaller } from '../caller.ts'
import { isToken } from './token-text.ts'
import type { NewToken } from './tokens.ts'

const DAY_MS = 86_400_000
const alice = callerNamed('alice')
const mine = { user: 'user-alice' }
const personal = { name: 'laptop', owner: { kind: 'personal', user: 'user-alice' } } as const
const ofTeam = { name: 'ci', owner: { kind: 'team', org: 'acme', team: 'team-1' } } as const
const ofOrg: NewToken = { name: 'deploy', owner: { kind: 'organization', org: 'acme', roles: ['operator'] } }

async function contents(bucket: Bucket): Promise<Map<string, string>> {
  const all = new Map<string, string>()
  for await (const page of bucket.list(''))
    for (const { key: name } of page) {
      const found = await bucket.get(name)
      all.set(name, String(await found?.bytes()))
    }
  return all
}

test('a token made at one server works at every other, in the name of its owner and within its scope', async () => {
  const { server } = fleet()
  const scope = { actions: ['state:*'], units: ['prod/**'] }
  const own = await server().create({ ...personal, scope }, alice)
  const team = await server().create(ofTeam, alice)
  const org = await server().create(ofOrg, alice)

  expect(own.text).toMatch(/^taco_pat_[0-9A-Za-z]{16}\.[\w-]{43}$/)
  expect(await server().check(own.text)).toEqual({
    kind: 'user',
    id: 'user-alice',
    name: 'alice',
    groups: ['okta/ops'],
    via: { kind: 'token', id: own.token.id, name: 'laptop' },
    scope,
  })
  expect(await server().check(team.text)).toMatchObject({
    kind: 'team',
    id: 'team-1',
    name: 'ops',
    org: 'acme',
  })
  expect(await server().check(org.text)).toMatchObject({
    kind: 'token',
    use: 'organization',
    org: 'acme',
    roles: ['operator'],
  })
})

test('the bucket never holds the secret, and neither does the journal', async () => {
  const { server, bucket, events } = fleet()
  const { text, token } = await server().create(personal, alice)
  await server().revoke(token.id, mine, alice)

  const [, secret = ''] = text.split('.')
  expect([...(await contents(bucket))].flat().join()).not.toContain(secret)
  expect(events.map(({ type, org, data }) => [type, org, data['token']])).toEqual([
    ['token.created', '', token.id],
    ['token.revoked', '', token.id],
  ])
  expect(JSON.stringify(events)).not.toContain(secret)
})

test('a check a moment later asks nobody, and a revocation ends it: here at once, elsewhere within seconds', async () => {
  const { server, pass } = fleet()
  const [here, there] = [server(), server()]
  const { text, token } = await here.create(personal, alice)
  for (const one of [here, there]) {
    expect(one.recent(text)).toBeUndefined()
    await one.check(text)
    expect(one.recent(text)).toMatchObject({ kind: 'user' })
  }

  const revoked = await here.revoke(token.id, mine, callerNamed('bob'))
  expect(revoked).toMatchObject({ status: 'revoked', revokedBy: 'user:bob' })
  expect(here.recent(text)).toBeUndefined()
  expect(await here.check(text)).toMatchObject({ kind: 'revoked', by: 'user:bob' })
  pass(2_000)
  expect(there.recent(text)).toBeUndefined()
  expect(await there.check(text)).toMatchObject({ kind: 'revoked' })
})

test.each([
  ['another secret', (text: string) => text.slice(0, -1) + (text.endsWith('A') ? 'B' : 'A')],
  ['another kind', (text: string) => text.replace('taco_pat', 'taco_org')],
  ['another id', (text: string) => text.replace(/_.{16}\./, `_${'1'.repeat(16)}.`)],
  ['something longer', (text: string) => `${text}A`],
  ['a path', () => `taco_pat_../../../../etc.${'A'.repeat(43)}`],
])('%s is unknown, also right after the real one', async (_, changed) => {
  const { server } = fleet()
  const one = server()
  const { text } = await one.create(personal, alice)
  await one.check(text)

  expect(one.recent(changed(text))).toBeUndefined()
  expect(await one.check(changed(text))).toEqual({ kind: 'unknown' })
  expect(one.recent(text)).toBeDefined()
})

test('a personal token expires after 90 days, or when asked, and never after more than a year', async () => {
  const { server, pass, now } = fleet()
  const one = server()
  const { text, token } = await one.create(personal, alice)
  expect(Date.parse(token.expiresAt ?? '') - Date.parse(token.createdAt)).toBe(90 * DAY_MS)

  const refused = (expiresAt: number | null) => one.create({ ...personal, expiresAt }, alice)
  await expect(refused(null)).rejects.toMatchObject({ code: 'BAD_REQUEST', facts: { field: 'expiresAt' } })
  await expect(refused(now() + 400 * DAY_MS)).rejects.toThrow('at most 366 days')
  await expect(refused(now() - 1)).rejects.toThrow('has passed')
  expect((await one.create({ ...ofTeam, expiresAt: null }, alice)).token.expiresAt).toBeNull()

  await one.check(text)
  pass(90 * DAY_MS)
  expect(one.recent(text)).toBeUndefined()
  expect(await one.check(text)).toEqual({ kind: 'expired' })
  expect(await one.get(token.id, mine, alice)).toMatchObject({ status: 'expired' })
})

test('a token of somebody who was suspended, or of a team that was deleted, is refused', async () => {
  const { server, gone } = fleet()
  const one = server()
  const own = await one.create(personal, alice)
  const team = await one.create(ofTeam, alice)
  await one.check(own.text)
  gone.add('user-alice').add('team-1')

  expect(one.recent(own.text)).toBeUndefined()
  expect(await one.check(own.text)).toEqual({ kind: 'inactive-owner' })
  expect(await one.check(team.text)).toEqual({ kind: 'inactive-owner' })
})

test('its use is written down once an hour', async () => {
  const { server, pass, bucket, now } = fleet()
  const one = server()
  const { text, token } = await one.create(personal, alice)
  const used = async () => (await one.get(token.id, mine, alice)).lastUsedAt
  expect(await used()).toBeNull()

  await one.check(text)
  await one.settled()
  const first = await used()
  expect(Date.parse(first ?? '')).toBeCloseTo(now(), -4)
  const before = await contents(bucket)
  pass(3_500_000)
  await one.check(text)
  await one.settled()
  expect(await contents(bucket)).toEqual(before)
  pass(100_000)
  await one.check(text)
  await one.settled()
  expect(await used()).not.toBe(first)
})

test('a bucket that takes no writes does not keep anybody out', async () => {
  const bucket = openMemoryBucket()
  const { server, pass } = fleet({
    ...bucket,
    put: (key, body, when, options) =>
      isBroken ? Promise.reject(new Error('read-only')) : bucket.put(key, body, when, options),
  })
  let isBroken = false
  const { text } = await server().create(personal, alice)
  isBroken = true

  const one = server()
  expect(await one.check(text)).toMatchObject({ kind: 'user' })
  expect(one.recent(text)).toMatchObject({ kind: 'user' })
  pass(3_600_000)
  expect(await one.check(text)).toMatchObject({ kind: 'user' })
  await one.settled()
})

test('after a key rotation a token still works, and comes to the new key when it is used', async () => {
  const { server, keys } = fleet()
  const [used, unused] = [await server().create(personal, alice), await server().create(personal, alice)]
  keys.unshift(testKey('k2'))
  const rotated = server()
  expect(await rotated.check(used.text)).toMatchObject({ kind: 'user' })
  await rotated.settled()

  keys.pop()
  expect(await server().check(used.text)).toMatchObject({ kind: 'user' })
  expect(await server().check(unused.text)).toEqual({ kind: 'key-missing' })
})

test('a record that cannot be read lets nobody in', async () => {
  const { server, bucket } = fleet()
  const { text, token } = await server().create(personal, alice)
  const name = `.taco/access/tokens/${token.id}.json`
  const entry = await bucket.head(name)
  await bucket.put(name, bodyOf('{'), entry?.tag ?? 'absent')

  await expect(server().check(text)).rejects.toMatchObject({ code: 'BUCKET_CORRUPT' })
})

test("a record put in another's place lets nobody in", async () => {
  const { server, bucket } = fleet()
  const [one, other] = [await server().create(personal, alice), await server().create(ofOrg, alice)]
  const nameOf = ({ token }: typeof one) => `.taco/access/tokens/${token.id}.json`
  const content = (await contents(bucket)).get(nameOf(other)) ?? ''
  const entry = await bucket.head(nameOf(one))
  await bucket.put(nameOf(one), bodyOf(content), entry?.tag ?? 'absent')

  await expect(server().check(one.text)).rejects.toMatchObject({ code: 'BUCKET_CORRUPT' })
})

test('people see their own tokens, and organizations theirs', async () => {
  const { server, pass } = fleet()
  const one = server()
  const own = await one.create(personal, alice)
  pass(10)
  const team = await one.create(ofTeam, alice)
  pass(10)
  const org = await one.create(ofOrg, alice)
  const ids = async (of: Parameters<typeof one.list>[0]) => (await one.list(of, alice)).map(({ id }) => id)

  expect(await ids(mine)).toEqual([own.token.id])
  expect(await ids({ user: 'user-bob' })).toEqual([])
  expect(await ids({ org: 'acme' })).toEqual([org.token.id, team.token.id])
  expect(await ids({ org: 'acme', team: 'team-1' })).toEqual([team.token.id])
  expect(await ids({ org: 'acme', kinds: ['organization'] })).toEqual([org.token.id])
  expect(await ids({ org: 'other' })).toEqual([])
  for (const of of [{ user: 'user-bob' }, { org: 'acme' }]) {
    await expect(one.get(own.token.id, of, alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(one.revoke(own.token.id, of, alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  }
  await expect(one.get('../x', mine, alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('revoked and expired tokens are removed after a month, workload tokens after a day', async () => {
  // What a bucket says about the age of an object goes by the real time.
  const { server, pass, bucket, now } = fleet()
  const one = server()
  const upkeep = systemCaller('upkeep')
  const revoked = await one.create({ ...ofTeam, expiresAt: null }, alice)
  await one.create({ ...ofOrg, expiresAt: null }, alice)
  await one.create({ ...personal, expiresAt: now() + 40 * DAY_MS }, alice)
  await one.create(
    { name: 'ci', owner: { kind: 'workload', org: 'acme', roles: [] }, expiresAt: now() + 60_000 },
    alice,
  )
  await one.revoke(revoked.token.id, { org: 'acme' }, alice)

  pass(2 * DAY_MS)
  expect(await one.removeOld(upkeep)).toBe(1)
  pass(30 * DAY_MS)
  expect(await one.removeOld(upkeep)).toBe(1)
  pass(30 * DAY_MS)
  expect(await one.removeOld(upkeep)).toBe(0)
  pass(30 * DAY_MS)
  expect(await one.removeOld(upkeep)).toBe(1)
  expect((await contents(bucket)).size).toBe(1)
})

test('whatever text is given, checking it does not throw', async () => {
  const { server } = fleet()
  const one = server()
  for (const text of [
    '',
    'taco_pat_',
    `taco_run_default.${'a'.repeat(16)}.${'a'.repeat(43)}`,
    '\0'.repeat(99),
  ]) {
    expect(isToken(text)).toBe(false)
    expect(await one.check(text)).toEqual({ kind: 'unknown' })
  }
})

test.each([
  [{ actions: ['state:reed'] }, 'actions.0', 'state:read'],
  [{ units: ['/prod'] }, 'units.0', 'plain path'],
  [{ units: Array.from({ length: 101 }, () => 'a') }, 'units', ''],
])('a scope that matches nothing is refused: %o', async (scope, field, hint) => {
  const refused = fleet()
    .server()
    .create({ ...personal, scope }, alice)

  await expect(refused).rejects.toMatchObject({ code: 'BAD_REQUEST', facts: { field } })
  if (hint !== '') await expect(refused).rejects.toMatchObject({ hint: expect.stringContaining(hint) })
})

test('a token with a scope cannot create one without', async () => {
  const { principal } = alice
  const scoped = { principal: { ...principal, scope: { units: ['dev/**'] } } as typeof principal }

  await expect(fleet().server().create(personal, scoped)).rejects.toMatchObject({ code: 'FORBIDDEN' })
})
