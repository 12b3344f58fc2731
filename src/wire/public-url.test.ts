import { expect, test } from 'vitest'
import { publicUrlOf } from './public-url.ts'

const listen = { host: '127.0.0.1', port: 8226 }

test.each([
  ['sso', undefined, listen, 'http://localhost:8226'],
  ['sso', 'https://taco.example.com/', { host: '', port: 80 }, 'https://taco.example.com'],
  ['sso', 'http://localhost:9000', listen, 'http://localhost:9000'],
  ['token', 'http://taco.internal', listen, 'http://taco.internal'],
  ['none', undefined, listen, undefined],
] as const)('%s with %s on %o: %s', (auth, publicUrl, address, expected) => {
  expect(publicUrlOf({ auth, publicUrl }, address)).toBe(expected)
})

test('with TLS, the address that it listens on is one of https', () => {
  const tls = { kind: 'files', cert: 'c', key: 'k' } as const

  expect(publicUrlOf({ auth: 'sso', tls }, listen)).toBe('https://localhost:8226')
})

test.each([
  [undefined, { host: '0.0.0.0', port: 8226 }, 'is missing'],
  [undefined, { host: '127.0.0.1', port: 0 }, 'is missing'],
  ['http://taco.example.com', listen, 'cannot be'],
  ['taco.example.com', listen, 'cannot be'],
  ['ftp://localhost', listen, 'cannot be'],
  ['https://example.com/taco', listen, 'more than a host'],
  ['https://me:pw@example.com', listen, 'more than a host'],
])('%s on %o is refused: %s', (publicUrl, address, said) => {
  expect(() => publicUrlOf({ auth: 'sso', publicUrl }, address)).toThrow(
    expect.objectContaining({
      code: 'BAD_REQUEST',
      message: expect.stringContaining(said),
      facts: { field: 'publicUrl' },
    }),
  )
})
