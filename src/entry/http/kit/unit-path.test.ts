import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backendTarget, checkPath, unitOfSegment } from './unit-path.ts'

test.each([
  ['/v1/backend/default/prod/network/vpc', 'default', 'prod/network/vpc'],
  ['/v1/backend/acme/a.b/c_d', 'acme', 'a.b/c_d'],
  ['/v1/backend/default/with%20space', 'default', 'with space'],
  ['/v1/backend/default/%C3%BC', 'default', 'ü'],
])('%s is a unit', (path, org, unit) => {
  expect(backendTarget(path)).toEqual({ org, unit })
})

test.each([
  ['/v1/backend/', 'org'],
  ['/v1/backend/default', 'unit'],
  ['/v1/backend/default/a%2Fb', 'unit'],
  ['/v1/backend/default/a%5Cb', 'unit'],
  ['/v1/backend/default/%zz', 'unit'],
  ['/v1/backend/default/%C3%28', 'unit'],
  ['/v1/backend/%ff/x', 'org'],
])('%s is refused, naming %s', (path, field) => {
  expect(() => backendTarget(path)).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', facts: { field } }),
  )
})

test.each([
  '/v1/backend/default/../../etc',
  '/v1/backend/default/%2e%2e/x',
  '/v1/backend/default/.%2E/x',
  '/v1/backend/./x',
  '/v1/units/..%2f..%2fetc/state',
  '/v1/units/a\\b/state',
  '/v1/units/%00',
  '/v1/units/a%0d%0ab',
  '/v1/units/%zz',
  '/v1/units/ü',
])('%s never reaches a router', (path) => {
  expect(() => checkPath(path)).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', facts: { field: 'unit' } }),
  )
})

test.each(['/v1/backend/default/a.b/..c/d..', '/v1/units/prod%2Fvpc', '/healthz', '/v1/units/.hidden'])(
  '%s may pass',
  (path) => {
    expect(() => checkPath(path)).not.toThrow()
  },
)

test('a name comes back from its one segment, in either form', () => {
  const part = fc.stringMatching(/^[A-Za-z0-9_.](?:[A-Za-z0-9_. ]*[A-Za-z0-9_.])?$/)
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      const name = parts.join('/')
      expect(unitOfSegment(encodeURIComponent(name.replaceAll('/', '--')))).toBe(name)
      expect(unitOfSegment(encodeURIComponent(name))).toBe(name)
    }),
  )
})
