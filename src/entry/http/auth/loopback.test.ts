import { expect, test } from 'vitest'
import { listenRefusal } from './loopback.ts'

test.each([
  ['127.0.0.1', 'none', false, true],
  ['127.0.0.2', 'none', false, true],
  ['::1', 'none', false, true],
  ['localhost', 'none', false, true],
  ['0.0.0.0', 'none', false, false],
  ['::', 'none', false, false],
  ['', 'none', false, false],
  ['10.0.0.1', 'none', false, false],
  ['::ffff:127.0.0.1', 'none', false, true],
  ['::ffff:10.0.0.1', 'none', false, false],
  ['taco.example', 'none', false, false],
  ['0.0.0.0', 'none', true, true],
  ['0.0.0.0', 'token', false, true],
  ['', 'token', false, true],
] as const)('listening on "%s" with auth %s, insecure %s: allowed %s', (host, auth, insecure, isAllowed) => {
  expect(listenRefusal({ host, auth, insecure }) === undefined).toBe(isAllowed)
})
