import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ownPath, seeOther } from './redirect.ts'

test.each([
  ['/', '/'],
  ['/account/tokens', '/account/tokens'],
  ['/units?q=a%2Fb&x=1', '/units?q=a%2Fb&x=1'],
  ['/a#b', '/a#b'],
  ['/a/../b', '/b'],
])('%s is a page of this server', (given, path) => {
  expect(ownPath(given)).toBe(path)
})

test.each([
  undefined,
  '',
  'account',
  'https://evil.example/',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/a\r\nset-cookie: x=y',
  '\\\\evil.example',
  '/..//evil.example',
  '/.//evil.example',
  '/%2e%2e//evil.example',
  'javascript:alert(1)',
  ' /a',
  '/ä',
])('%j is not', (given) => {
  expect(ownPath(given)).toBeUndefined()
})

test('whatever is asked for, a browser stays on the server', () => {
  const nasty = fc.string({
    unit: fc.constantFrom('/', '\\', '.', '@', ':', '%2f', '%5c', '\t', 'evil', '?', '#'),
  })
  fc.assert(
    fc.property(nasty, (text) => {
      const { location = '' } = seeOther(`/${text}`).headers
      expect(new URL(location, 'https://taco.example/sign-in').host).toBe('taco.example')
    }),
  )
})
