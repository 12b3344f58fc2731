import { expect, test } from 'vitest'
import { checkPath, decodeRest } from './unit-path.ts'

test.each([
  ['prod/network/vpc', 'prod/network/vpc'],
  ['with%20space', 'with space'],
  ['%C3%BC', 'ü'],
])('%s is the rest of a path: %s', (rest, unit) => {
  expect(decodeRest(rest, 'unit')).toBe(unit)
})

test.each(['a%2Fb', 'a%5Cb', '%zz', '%C3%28'])('%s is refused, naming the field', (rest) => {
  expect(() => decodeRest(rest, 'unit')).toThrow(
    expect.objectContaining({ code: 'BAD_REQUEST', facts: { field: 'unit' } }),
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
