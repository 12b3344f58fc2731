import { expect, test } from 'vitest'
import { TestProvider, aliceIdentity, signInWorld, testKeys } from '../../../test/support/sign-in.ts'
import { systemClock } from '../../base/clock.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { systemCaller } from '../caller.ts'

const caller = systemCaller('opentaco')
const visit = { userAgent: 'Browser/1', address: '10.0.0.1' }
const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Two servers over one bucket, at a time that the test moves, and Alice's sign-in at the first. */
async function signedIn(provider = new TestProvider()) {
  let ahead = 0
  const clock = { ...systemClock, now: () => 1_800_000_000_000 + ahead }
  const common = { bucket: openMemoryBucket(), clock, keys: testKeys(), providers: [provider] }
  const [here, there] = [signInWorld(common), signInWorld(common)]
  const begun = await here.flow.begin('corp', '/units')
  const { session } = await here.flow.complete(
    'corp',
    { url: new URL('https://taco.example/cb?code=good'), cookie: begun.cookie, visit },
    caller,
  )
  const person = await here.people.get('alice', caller)
  /** As a browser does: with the newest cookie. */
  let cookie = session.value
  const use = async (server = here) => {
    const open = await server.sessions.open(cookie, visit, caller)
    cookie = open?.cookie?.value ?? cookie
    return open
  }
  return { here, there, provider, person, use, first: session, pass: (ms: number) => void (ahead += ms) }
}

test('a session is good on every server and names the person, their groups and itself', async () => {
  const { there, person, use, first } = await signedIn()

  const open = await use(there)

  expect(open?.principal).toMatchObject({
    kind: 'user',
    id: person.id,
    name: 'alice',
    groups: ['corp/platform'],
    via: { kind: 'session', id: open?.session.id },
  })
  expect(open?.cookie).toBeUndefined()
  expect(first.maxAgeSeconds).toBe(12 * 3600)
  expect(person.sessions).toMatchObject([
    { id: open?.session.id, userAgent: 'Browser/1', address: '10.0.0.1' },
  ])
})

test('a cookie says nothing to those who cannot open it, and a changed one is none', async () => {
  const { here, first } = await signedIn()
  const other = signInWorld()

  expect(Buffer.from(first.value.split('.')[2] ?? '', 'base64url').toString('latin1')).not.toContain('user-')
  for (const cookie of ['', 'x', 'v1.k1.AAAA', `${first.value}x`, first.value.slice(0, -2)])
    expect(await here.sessions.open(cookie, visit, caller)).toBeUndefined()
  expect(await other.sessions.open(first.value, visit, caller)).toBeUndefined()
  const begun = await here.flow.begin('corp', '/')
  expect(await here.sessions.open(begun.cookie, visit, caller)).toBeUndefined()
})

test('a session that is not used ends after 12 hours', async () => {
  const { use, pass } = await signedIn()
  pass(12 * HOUR - 1)
  expect(await use()).toBeDefined()
  pass(12 * HOUR)
  expect(await use()).toBeUndefined()
})

test('a session that is used all the time ends after seven days', async () => {
  const { use, pass } = await signedIn()
  for (let hours = 0; hours < 7 * 24 - 6; hours += 6) {
    pass(6 * HOUR)
    expect(await use()).toBeDefined()
  }
  expect((await use())?.session.seenAt).toBeGreaterThan(0)
  pass(6 * HOUR)
  expect(await use()).toBeUndefined()
})

test('signing one out, or out everywhere, or suspending, reaches the other server within seconds', async () => {
  for (const end of ['one', 'all', 'suspend'] as const) {
    const { here, there, person, use, pass } = await signedIn()
    const id = (await use(there))?.session.id ?? ''
    if (end === 'one') await here.people.endSession(person.id, id, caller)
    else if (end === 'all') await here.people.endSessions(person.id, caller)
    else await here.people.setSuspended(person.id, true, caller)

    expect([end, await use(here)]).toEqual([end, undefined])
    pass(2_000)
    expect([end, await use(there)]).toEqual([end, undefined])
  }
})

test('the last use is written at most once an hour, and the cookie renewed at most every five minutes', async () => {
  const { here, person, use, pass } = await signedIn()
  const seen = async () => (await here.people.get(person.id, caller)).sessions[0]?.seenAt
  const first = await seen()
  pass(4 * MINUTE)
  expect((await use())?.cookie).toBeUndefined()
  pass(MINUTE)
  expect((await use())?.cookie).toBeDefined()
  expect(await seen()).toBe(first)
  pass(HOUR)
  await use()
  expect(await seen()).toBeGreaterThan(Number(first))
})

test('groups are read again while a session is used, by one server, with what the provider gave last', async () => {
  const { here, there, provider, use, person, pass } = await signedIn()
  provider.identity = { ...aliceIdentity, refresh: 'refresh-2' }
  pass(14 * MINUTE)
  await use()
  expect(provider.used).toEqual([])
  pass(MINUTE)
  await Promise.all([use(here), use(there), use(here), use(there)])
  expect(provider.used).toEqual(['refresh-1'])
  pass(15 * MINUTE)
  await use()
  expect(provider.used).toEqual(['refresh-1', 'refresh-2'])
  expect(JSON.stringify(await here.people.get(person.id, caller))).not.toContain('refresh-2')
})

test('other groups are other rights: a new session takes the place of the old one', async () => {
  const { here, provider, person, first, use, pass } = await signedIn()
  const before = (await use())?.session
  provider.identity = { ...aliceIdentity, groups: ['platform', 'admins'] }
  pass(15 * MINUTE)

  const after = await use()

  expect(after?.principal.groups).toEqual(['corp/platform', 'corp/admins'])
  expect(after?.cookie).toBeDefined()
  expect(after?.session.id).not.toBe(before?.id)
  expect(after?.session.csrf).not.toBe(before?.csrf)
  expect(after?.session.authenticatedAt).toBe(before?.authenticatedAt)
  // What the browser asked for with the old cookie is still answered, and brings no third session.
  expect((await here.sessions.open(first.value, visit, caller))?.session.id).toBe(before?.id)
  pass(MINUTE)
  expect(await here.sessions.open(first.value, visit, caller)).toBeUndefined()
  expect(await use()).toBeDefined()
  const live = (await here.people.get(person.id, caller)).sessions.filter((one) => one.endedAt === undefined)
  expect(live.map(({ id }) => id)).toEqual([after?.session.id])
  expect(here.events.map(({ type }) => type)).toContain('person.groups-changed')
})

test('a person for whom the provider does not vouch any more is signed out', async () => {
  const { provider, use, here, person, pass } = await signedIn()
  provider.refreshes = () => Promise.resolve(undefined)
  pass(15 * MINUTE)

  expect(await use()).toBeUndefined()
  expect((await here.people.get(person.id, caller)).sessionEpoch).toBe(2)
})

test('a provider that cannot be asked ends no session', async () => {
  const { provider, use, pass } = await signedIn()
  provider.refreshes = () => Promise.reject(new Error('no network'))
  pass(15 * MINUTE)

  expect((await use())?.principal.groups).toEqual(['corp/platform'])
})

test('a sign-in must be begun in the same browser, with the same provider, and not long ago', async () => {
  const { here, pass } = await signedIn()
  const begun = await here.flow.begin('corp', '/')
  const complete = (cookie: string | undefined, query = 'code=good') =>
    here.flow
      .complete('corp', { url: new URL(`https://taco.example/cb?${query}`), cookie, visit }, caller)
      .then(({ returnTo }) => returnTo)

  for (const cookie of [undefined, 'x', here.keys.seal('{}', 'sign-in'), here.keys.seal('no', 'sign-in')])
    await expect(complete(cookie)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  await expect(complete(begun.cookie, 'code=bad')).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  expect(await complete(begun.cookie)).toBe('/')
  pass(10 * MINUTE)
  await expect(complete(begun.cookie)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
  await expect(here.flow.begin('other', '/')).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
