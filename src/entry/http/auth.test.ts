import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { openGuard, tokenGuard, unitGuard } from './auth.ts'

const token = 'the-right-token-of-some-length'
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

function visit(headers: Record<string, string>, path = '/v1/units', address = '10.0.0.1', method = 'GET') {
  return { headers, path, address, method }
}

test.each([
  ['bearer', { authorization: `Bearer ${token}` }],
  ['bearer in lower case', { authorization: `bearer ${token}` }],
  ['basic with any user', { authorization: basic('whoever', token) }],
  ['basic with an empty user', { authorization: basic('', token) }],
])('the token comes in as %s', (_, headers) => {
  expect(tokenGuard({ token, clock: systemClock }).admit(visit(headers))).toBe('root')
})

test.each([
  ['nothing', {}],
  ['another token', { authorization: 'Bearer wrong' }],
  ['the token and more', { authorization: `Bearer ${token}x` }],
  ['an empty token', { authorization: 'Bearer ' }],
  ['the token as user', { authorization: basic(token, '') }],
  ['another scheme', { authorization: `Digest ${token}` }],
  ['basic without a colon', { authorization: `Basic ${Buffer.from(token).toString('base64')}` }],
])('%s is refused', (_, headers) => {
  const guard = tokenGuard({ token, clock: systemClock })

  expect(() => guard.admit(visit(headers))).toThrow(expect.objectContaining({ code: 'UNAUTHENTICATED' }))
})

test.each([
  ['/healthz', false, true],
  ['/readyz', false, true],
  ['/metrics', false, false],
  ['/metrics', true, true],
  ['/healthz/x', false, false],
  ['/v1/server', true, false],
  ['/v1/backend/default/healthz', true, false],
])('%s with open metrics %s: let in without a token %s', (path, isMetricsOpen, isOpen) => {
  const guard = tokenGuard({ token, clock: systemClock, isMetricsOpen })
  const admit = () => guard.admit(visit({}, path))

  if (isOpen) expect(admit()).toBe('anonymous')
  else expect(admit).toThrow('no token')
})

test('wrong tokens in a row are slowed down for their address only; the right one still comes in', () => {
  let now = 0
  const guard = tokenGuard({ token, clock: { now: () => now, sleep: () => Promise.resolve() } })
  const code = (address: string) => {
    try {
      return guard.admit(visit({ authorization: 'Bearer guess' }, '/v1/units', address))
    } catch (error) {
      return (error as { code: string }).code
    }
  }

  const first = Array.from({ length: 25 }, () => code('10.0.0.1'))

  expect(first.slice(0, 20)).toEqual(Array.from({ length: 20 }, () => 'UNAUTHENTICATED'))
  expect(first.slice(20)).toEqual(Array.from({ length: 5 }, () => 'RATE_LIMITED'))
  expect(code('10.0.0.2')).toBe('UNAUTHENTICATED')
  expect(guard.admit(visit({ authorization: `Bearer ${token}` }))).toBe('root')
  now += 10_000
  expect(code('10.0.0.1')).toBe('UNAUTHENTICATED')
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
  const admit = () => openGuard().admit(visit({ host }))

  if (isAllowed) expect(admit()).toBe('anonymous')
  else expect(admit).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }))
})

test('a server that was told to be open answers to any name', () => {
  const guard = openGuard({ isAnyHostAllowed: true })

  expect(guard.admit(visit({ host: 'taco.example' }))).toBe('anonymous')
})

test.each([
  ['GET', '/v1/backend/default/prod/network', true],
  ['LOCK', '/v1/backend/default/prod/network', true],
  ['POST', '/v1/backend/default/prod/n%65twork', true],
  ['GET', '/v1/backend/default/prod/other', true],
  ['POST', '/v1/backend/default/prod/other', false],
  ['UNLOCK', '/v1/backend/default/prod/network/more', false],
  ['GET', '/v1/backend/acme/prod/network', false],
  ['GET', '/v1/units', false],
  ['GET', '/metrics', false],
  ['GET', '/v1/backend/default', false],
])('the secret of a command: %s %s is let in %s', (method, path, isLetIn) => {
  const guard = unitGuard({
    token,
    clock: systemClock,
    by: 'alice',
    unit: { org: 'default', unit: 'prod/network' },
  })
  const admit = () => guard.admit(visit({ authorization: `Bearer ${token}` }, path, '127.0.0.1', method))

  if (isLetIn) expect(admit()).toBe('alice')
  else expect(admit).toThrow()
  expect(() => guard.admit(visit({}, path, '127.0.0.1', method))).toThrow('no token')
})
