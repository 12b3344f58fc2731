import { expect, test } from 'vitest'
import { openServerUser, rootToken, stranger } from '../../../access/index.ts'
import { systemClock } from '../../../base/clock.ts'
import { openGuard, tokenGuard, trustingGuard } from './auth.ts'

const token = 'the-right-token-of-some-length'
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

function visit(headers: Record<string, string>, address = '10.0.0.1') {
  return { headers, address }
}

test.each([
  ['bearer', { authorization: `Bearer ${token}` }],
  ['bearer in lower case', { authorization: `bearer ${token}` }],
  ['bearer with more spaces', { authorization: `Bearer   ${token}  ` }],
  ['basic with any user', { authorization: basic('whoever', token) }],
  ['basic with an empty user', { authorization: basic('', token) }],
])('the token comes in as %s', (_, headers) => {
  expect(tokenGuard({ token, clock: systemClock }).identify(visit(headers))).toBe(rootToken)
})

test.each([
  ['nothing', {}],
  ['an empty token', { authorization: 'Bearer ' }],
  ['more before the scheme', { authorization: `X-Bearer ${token}` }],
  ['more after the token', { authorization: `Bearer ${token} x` }],
  ['another scheme', { authorization: `Digest ${token}` }],
  ['basic without a colon', { authorization: `Basic ${Buffer.from(token).toString('base64')}` }],
])('%s makes a stranger', (_, headers) => {
  expect(tokenGuard({ token, clock: systemClock }).identify(visit(headers))).toBe(stranger)
})

test.each([
  ['another token', { authorization: 'Bearer wrong' }],
  ['the token and more', { authorization: `Bearer ${token}x` }],
  ['the token as user', { authorization: basic(token, '') }],
])('%s is refused', (_, headers) => {
  const guard = tokenGuard({ token, clock: systemClock })

  expect(() => guard.identify(visit(headers))).toThrow(expect.objectContaining({ code: 'UNAUTHENTICATED' }))
})

/** A guard on a clock that the test sets, and what it says to one credential after the other. */
function guarded() {
  const time = { now: 0 }
  const seen: string[] = []
  const guard = tokenGuard({
    token,
    clock: { now: () => time.now, sleep: () => Promise.resolve() },
    watch: { refused: (reason) => seen.push(reason), limited: (address) => seen.push(`limited ${address}`) },
  })
  function said(address: string, given: string): unknown {
    try {
      return guard.identify(visit({ authorization: `Bearer ${given}` }, address))
    } catch (error) {
      return (error as { code: string }).code
    }
  }
  return { time, seen, said }
}

const times = <T>(count: number, make: () => T) => Array.from({ length: count }, make)

test('after too many wrong tokens, the right one is not let in either', () => {
  const { time, seen, said } = guarded()

  expect(times(20, () => said('10.0.0.1', 'guess'))).toEqual(times(20, () => 'UNAUTHENTICATED'))
  expect(said('10.0.0.1', 'guess')).toBe('RATE_LIMITED')
  expect(said('10.0.0.1', token)).toBe('RATE_LIMITED')
  expect(said('10.0.0.2', token)).toBe(rootToken)
  expect(seen).toEqual([...times(20, () => 'wrong'), 'limited 10.0.0.1', 'limited', 'limited'])

  time.now += 3_000
  expect(said('10.0.0.1', token)).toBe(rootToken)
})

test('a client that keeps guessing while limited gets one guess in three seconds', () => {
  const { time, said } = guarded()
  times(20, () => said('10.0.0.1', 'guess'))

  const compared = times(3_000, () => {
    time.now += 10
    return said('10.0.0.1', 'guess')
  }).filter((code) => code === 'UNAUTHENTICATED')

  expect(compared).toHaveLength(10)
})

test.each([
  ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', 'RATE_LIMITED'],
  ['2001:db8:1:2::1', '2001:db8:1:3::1', rootToken],
  ['::ffff:192.0.2.1', '192.0.2.1', 'RATE_LIMITED'],
  ['::ffff:192.0.2.1', '::ffff:192.0.2.2', rootToken],
])('guesses from %s count for %s: %s', (from, to, expected) => {
  const { said } = guarded()
  times(20, () => said(from, 'guess'))

  expect(said(to, token)).toBe(expected)
})

test.each([
  ['localhost:8226', true],
  ['127.0.0.1:8226', true],
  ['127.1.2.3', true],
  ['[::1]:8226', true],
  ['taco.localhost:1', true],
  ['evil.example:8226', false],
  ['evil.example', false],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example', false],
  ['localhost@evil.example', false],
  ['', false],
])('without authentication, host %s is let in: %s', (host, isAllowed) => {
  const identify = () => openGuard().identify(visit({ host }))

  if (isAllowed) expect(identify()).toBe(openServerUser)
  else expect(identify).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }))
})

test('a request without a host is refused, also after one with a good host', () => {
  const guard = openGuard()
  const refusal = expect.objectContaining({ code: 'FORBIDDEN', facts: { field: 'Host' } })

  expect(() => guard.identify(visit({}))).toThrow(refusal)
  expect(guard.identify(visit({ host: 'localhost' }))).toBe(openServerUser)
  expect(() => guard.identify(visit({}))).toThrow(refusal)
  expect(() => guard.identify(visit({ host: 'evil.example' }))).toThrow(refusal)
})

test('a refused host is not remembered as a good one', () => {
  const guard = openGuard()

  for (let i = 0; i < 2; i++)
    expect(() => guard.identify(visit({ host: 'evil.example' }))).toThrow(
      expect.objectContaining({ code: 'FORBIDDEN' }),
    )
})

test('a server that is configured to be open answers to any name, and to none', () => {
  const guard = openGuard({ isAnyHostAllowed: true })

  expect(guard.identify(visit({ host: 'taco.example' }))).toBe(openServerUser)
  expect(guard.identify(visit({}))).toBe(openServerUser)
})

test('a server that only this process reaches asks for nothing', () => {
  const guard = trustingGuard('alice@laptop')

  expect(guard.identify(visit({ host: 'evil.example' }))).toBe(openServerUser)
  expect(guard.claim).toBe('alice@laptop')
})

test('a guard without a watcher refuses the same, and says how long to wait', () => {
  const guard = tokenGuard({ token, clock: { now: () => 0, sleep: () => Promise.resolve() } })
  const identify = () => guard.identify(visit({ authorization: 'Bearer guess' }))

  for (let i = 0; i < 20; i++) expect(identify).toThrow(expect.objectContaining({ code: 'UNAUTHENTICATED' }))
  expect(identify).toThrow(
    expect.objectContaining({ code: 'RATE_LIMITED', facts: { retryAfterMs: expect.any(Number) } }),
  )
})
