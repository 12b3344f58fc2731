import fc from 'fast-check'
import { expect, test } from 'vitest'
import { silentJournal } from '../../../test/support/journal.ts'
import { callerNamed } from '../../../test/support/caller.ts'
import { systemClock } from '../../base/clock.ts'
import { randomIds } from '../../base/ids.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { systemCaller } from '../caller.ts'
import { createPeople, principalOf } from './people.ts'
import { isLogin, loginsFor } from './person.ts'

const caller = systemCaller('opentaco')
const via = { kind: 'session', id: 's1' } as const

/** Several servers over one bucket, at a time that the test moves. */
function fleet() {
  let ahead = 0
  const bucket = openMemoryBucket()
  const clock = { ...systemClock, now: () => Date.now() + ahead }
  const { journal, events } = silentJournal()
  const server = () => createPeople({ bucket, clock, ids: randomIds, journal })
  return { server, events, pass: (ms: number) => (ahead += ms) }
}

const alice = {
  provider: 'okta',
  subject: '00u1',
  login: 'Alice',
  displayName: 'Alice A.',
  email: { address: 'Alice@Example.com', isVerified: true },
  groups: ['platform', 'on-call'],
}

test('a person is created at the first sign-in and recognised at the next, on every server', async () => {
  const { server, events } = fleet()
  const first = await server().signIn(alice, caller)
  const again = await server().signIn({ ...alice, groups: ['platform'] }, caller)

  expect(first).toMatchObject({ login: 'alice', email: 'alice@example.com', displayName: 'Alice A.' })
  expect(again.id).toBe(first.id)
  expect(principalOf(again, via)).toEqual({
    kind: 'user',
    id: first.id,
    name: 'alice',
    groups: ['okta/platform'],
    email: 'alice@example.com',
    via,
  })
  expect(events.map(({ type }) => type)).toEqual(['person.created', 'person.signed-in', 'person.signed-in'])
})

test('the same person signs in at several servers at once, and exists once', async () => {
  const { server } = fleet()
  const people = await Promise.all(Array.from({ length: 8 }, () => server().signIn(alice, caller)))
  expect(new Set(people.map(({ id }) => id)).size).toBe(1)
  expect(new Set(people.map(({ login }) => login))).toEqual(new Set(['alice']))
})

test('another subject, or another provider, is another person with another login name', async () => {
  const { server } = fleet()
  const logins = []
  for (const other of [{}, { subject: '00u2' }, { provider: 'github' }])
    logins.push((await server().signIn({ ...alice, ...other }, caller)).login)
  expect(logins).toEqual(['alice', 'alice-2', 'alice-3'])
})

test('an e-mail address that is not verified is not recorded', async () => {
  const { server } = fleet()
  const email = { address: 'ceo@example.com', isVerified: false }
  expect(await server().signIn({ ...alice, email }, caller)).not.toHaveProperty('email')
})

test('suspending reaches another server within seconds', async () => {
  const { server, pass } = fleet()
  const [here, there] = [server(), server()]
  const { id } = await here.signIn(alice, caller)
  expect(await there.fresh(id)).not.toHaveProperty('suspended')

  await here.setSuspended(id, true, callerNamed('boss'))

  expect(await here.fresh(id)).toMatchObject({ suspended: { by: 'user:boss' } })
  pass(2_000)
  const seen = await there.fresh(id)
  expect(seen && principalOf(seen, via)).toBeUndefined()
})

test('signing out everywhere raises the number under which sessions are issued', async () => {
  const { server } = fleet()
  const people = server()
  const { id } = await people.signIn(alice, caller)
  const session = { id: 's1', createdAt: 1, seenAt: 1, expiresAt: Date.now() + 1e6, provider: 'okta' }
  await people.noteSession(id, session, caller)
  await people.endSession(id, 's1', caller)
  expect(await people.noteSession(id, { ...session, seenAt: 2 }, caller)).toMatchObject({
    sessions: [{ id: 's1', endedAt: expect.any(Number) }],
  })
  expect(await people.endSessions(id, caller)).toMatchObject({ sessions: [], sessionEpoch: 2 })
})

test('people are found by login name and by id, and listed in pages', async () => {
  const { server } = fleet()
  const people = server()
  const { id } = await people.signIn(alice, caller)
  await people.signIn({ ...alice, subject: '00u2' }, caller)
  expect((await people.get('alice', caller)).id).toBe(id)
  expect((await people.get(id, caller)).login).toBe('alice')
  await expect(people.get('../logins/alice', caller)).rejects.toMatchObject({ code: 'NOT_FOUND' })

  const first = await people.list({ limit: 1 }, caller)
  const second = await people.list({ limit: 1, cursor: first.next }, caller)
  expect([first, second].map(({ items }) => items.length)).toEqual([1, 1])
  expect(second.next).toBeUndefined()
})

test('whatever a provider calls somebody, the login name is well-formed and means nothing else', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 3 }), (wishes) => {
      const [first, second] = loginsFor([...wishes, 'root'])
      for (const login of [first, second]) expect(isLogin(login ?? '') && login !== 'root').toBe(true)
    }),
  )
})

test('many people are found by one listing, and read again only if they have changed', async () => {
  const bucket = openMemoryBucket()
  const reads: string[] = []
  const counted = {
    ...bucket,
    get: (...args: Parameters<typeof bucket.get>) => (reads.push(args[0]), bucket.get(...args)),
  }
  const { journal } = silentJournal()
  const people = createPeople({ bucket: counted, clock: systemClock, ids: randomIds, journal })
  const ids: string[] = []
  for (let i = 0; i < 30; i++)
    ids.push(
      (await people.signIn({ provider: 'hub', subject: `s${i}`, login: `p${i}`, groups: [] }, caller)).id,
    )
  await people.among(ids)
  await people.setSuspended(ids[3] ?? '', true, caller)
  reads.length = 0

  const found = await people.among([...ids, 'user-1111111111111111', 'nonsense'])

  expect(found.size).toBe(30)
  expect(found.get(ids[3] ?? '')).toHaveProperty('suspended')
  expect(reads.length).toBeLessThan(3)
})
