import { randomBytes, randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { isWeakToken } from './token-strength.ts'

test.each([
  ['a short one', 'hunter2hunter2hunter2'],
  ['words', 'change-me-before-real-use'],
  ['more words', 'correct horse battery staple and some more of it'],
  ['one character', 'a1'.repeat(40)],
  ['digits', '31415926535897932384626433832795'],
  ['64 bits in hex', 'c0ffee1234567890'],
])('%s is weak', (_, token) => {
  expect(isWeakToken(token)).toBe(true)
})

test('what is drawn by chance is not', () => {
  for (let i = 0; i < 1000; i++) {
    expect(isWeakToken(randomBytes(32).toString('hex'))).toBe(false)
    expect(isWeakToken(randomBytes(32).toString('base64'))).toBe(false)
    expect(isWeakToken(randomBytes(24).toString('base64url'))).toBe(false)
    expect(isWeakToken(randomUUID())).toBe(false)
  }
})
