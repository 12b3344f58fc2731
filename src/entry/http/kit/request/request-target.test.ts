import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startFace, testDeps } from '../../../../../test/rig/http-face.ts'
import { type RawAnswer, sendRaw } from '../../../../../test/rig/raw-http.ts'
import { systemClock } from '../../../../base/clock.ts'
import type { StateControl } from '../../../../state/index.ts'
import { tokenGuard } from '../../auth/auth.ts'
import { checkTarget } from './request-target.ts'

const token = 'a-token-that-is-long-enough'
const openRoutes = ['/healthz', '/readyz', '/metrics'] as const
const closedPaths = [
  '/v1/units',
  '/v1/server',
  '/v1/units/a/state',
  '/v1/units/a/outputs',
  '/v1/backend/default/a',
  '/v1/events',
  '/v1/gc',
  '/v1/openapi.json',
]

/** A server that wants a token, and a list of every service call that got past the guard. */
async function guardedFace() {
  const calls: string[] = []
  const { control } = await testDeps()
  const watched = Object.fromEntries(
    Object.entries(control).map(([name, part]) => [
      name,
      typeof part === 'object' && part !== null
        ? new Proxy(part as object, {
            get(target, method, receiver) {
              const found: unknown = Reflect.get(target, method, receiver)
              if (typeof found !== 'function') return found
              return (...args: unknown[]) => {
                // From memory: it is part of reading the address.
                if (method !== 'idOf') calls.push(`${name}.${String(method)}`)
                return (found as (...args: unknown[]) => unknown).apply(target, args)
              }
            },
          })
        : part,
    ]),
  ) as unknown as StateControl
  const guard = tokenGuard({ token, clock: systemClock })
  return { face: await startFace({ control: watched, guard, isMetricsOpen: true }), calls }
}

function isOpenAnswer({ body }: RawAnswer): boolean {
  return body === '{"status":"ok"}' || body.startsWith('# HELP opentaco_')
}

function requestOf(method: string, target: string, headers: readonly string[]): string {
  return `${method} ${target} HTTP/1.1\r\n${headers.map((line) => `${line}\r\n`).join('')}Connection: close\r\n\r\n`
}

test.each([
  ['a host of non-ASCII letters that brings a path and a fragment', '/healthz', '\xfc.\xfc/v1/units#aa'],
  ['a host that brings a path', '/healthz', 'localhost/v1/units?'],
  ['user information in front of a host', '/healthz', 'a@localhost/v1/units#'],
  ['a backslash', '/healthz', 'localhost\\v1\\units#'],
  ['a host with an encoded slash', '/healthz', 'localhost%2fv1%2funits'],
  ['no host name', '/healthz', ''],
  ['a port that is no number', '/healthz', 'localhost:80a'],
  ['an unclosed bracket', '/healthz', '[::1'],
  ['brackets around no address', '/healthz', '[1:2]'],
])('%s is refused', async (_name, target, host) => {
  const { face, calls } = await guardedFace()

  const answer = await sendRaw(face.port, requestOf('GET', target, [`Host: ${host}`]))

  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'BAD_REQUEST', field: 'Host' })
  expect(calls).toEqual([])
})

test.each([
  ['in absolute form', 'http://localhost/v1/units'],
  ['for the server as a whole', '*'],
  ['in authority form', 'localhost:80'],
  ['with a fragment', '/healthz#/../v1/units'],
])('a request target %s is refused', async (_name, target) => {
  const { face, calls } = await guardedFace()

  const answer = await sendRaw(face.port, requestOf('OPTIONS', target, ['Host: localhost']))

  expect(answer.status).toBe(400)
  expect(calls).toEqual([])
})

test('two Host headers are refused', async () => {
  const { face } = await guardedFace()

  const answer = await sendRaw(
    face.port,
    requestOf('GET', '/healthz', ['Host: localhost', 'host: localhost']),
  )

  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'BAD_REQUEST', field: 'Host' })
})

test.each([
  'localhost',
  'LOCALHOST:8226',
  'taco.example.com',
  'taco_server:80',
  '127.0.0.1:1',
  '[::1]:65535',
  '[::ffff:10.0.0.1]',
  'a.example.',
])('the host %s is fine', (host) => {
  expect(() => checkTarget({ url: '/healthz', rawHeaders: ['Host', host] })).not.toThrow()
})

test('whatever target and host a stranger invents, only the open routes answer', async () => {
  const { face, calls } = await guardedFace()
  const piece = fc.constantFrom(
    ...'a : / \\ # ? @ ; , & = . % " < > ^ ` { | } ~ * //'.split(' '),
    ...'.. /.. /./ %2f %2e%2e %5c %23 %3f %00 xn-- :80 localhost 127.0.0.1 [::1]'.split(' '),
    ...'http:// http:/ HTTP://localhost'.split(' '),
    ...'\xfc,\xe9.\xfc,\xdf,\x80,\xa0,\xff,\x7f,\t, '.split(','),
    ...openRoutes,
    ...closedPaths,
  )
  const junk = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
  // As many characters after the host as punycode adds is what an earlier check of lengths let pass.
  const crafted = fc
    .tuple(
      fc.constantFrom('\xfc.\xfc', '\xfc', '\xe9\xe8', 'a\xdf'),
      fc.constantFrom(...closedPaths),
      fc.nat(12),
    )
    .map(([name, path, length]) => `${name}${path}#${'a'.repeat(length)}`)
  const method = fc.constantFrom('GET', 'GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'LOCK')
  const target = fc.oneof(
    fc.constantFrom(...openRoutes),
    fc.tuple(fc.constantFrom('', ...openRoutes), junk).map(([route, more]) => `${route}${more}`),
  )
  const host = fc.oneof(fc.constant('localhost'), junk, crafted)
  const attack = fc.record({ method, target, hosts: fc.array(host, { minLength: 1, maxLength: 2 }) })

  const rounds = 12_000
  const attacks = fc.sample(attack, rounds)
  let opened = 0
  async function attacker(): Promise<void> {
    for (let next = attacks.pop(); next !== undefined; next = attacks.pop()) {
      const hosts = next.hosts.map((value) => `Host: ${value}`)
      const answer = await sendRaw(face.port, requestOf(next.method, next.target, hosts))
      if (answer.status !== undefined && answer.status < 300) {
        opened++
        const path = next.target.trim().replace(/\?.*$/, '')
        expect(openRoutes, JSON.stringify(next)).toContain(path)
        expect(next.method === 'HEAD' || isOpenAnswer(answer), JSON.stringify(next)).toBe(true)
      } else
        expect([undefined, 400, 401, 403, 404, 405, 408, 411, 413, 414, 429, 431]).toContain(answer.status)
      expect(calls, JSON.stringify(next)).toEqual([])
    }
  }
  await Promise.all(Array.from({ length: 8 }, attacker))

  expect(opened).toBeGreaterThan(100)
}, 300_000)
