import { expect, test } from 'vitest'
import { checkRedirect, clientOf } from './clients.ts'

test.each([
  ['terraform-cli', 'http://localhost:10000/login'],
  ['terraform-cli', 'http://localhost:10009/login'],
  ['taco-cli', 'http://127.0.0.1:1024/callback'],
  ['taco-cli', 'http://127.0.0.1:65535/callback'],
])('%s may be called back at %s', (client, uri) => {
  expect(checkRedirect(clientOf(client), uri)).toBe(uri)
})

test.each([
  ['terraform-cli', 'https://localhost:10000/login'],
  ['terraform-cli', 'http://localhost:10010/login'],
  ['terraform-cli', 'http://localhost:9999/login'],
  ['terraform-cli', 'http://localhost/login'],
  ['terraform-cli', 'http://127.0.0.1:10000/login'],
  ['terraform-cli', 'http://localhost:10000/login/'],
  ['terraform-cli', 'http://localhost:10000/login?next=https://evil.example'],
  ['terraform-cli', 'http://localhost:10000/login#x'],
  ['terraform-cli', 'http://localhost:10000/x/../login'],
  ['terraform-cli', 'http://localhost:10000@evil.example/login'],
  ['terraform-cli', 'http://alice@localhost:10000/login'],
  ['terraform-cli', 'http://localhost.evil.example:10000/login'],
  ['terraform-cli', 'http://LOCALHOST:10000/login'],
  ['terraform-cli', ' http://localhost:10000/login'],
  ['terraform-cli', 'http:\\\\localhost:10000/login'],
  ['terraform-cli', ''],
  ['taco-cli', 'http://127.0.0.1:80/callback'],
  ['taco-cli', 'http://127.1:5000/callback'],
  ['taco-cli', 'http://127.0.0.2:5000/callback'],
  ['taco-cli', 'http://localhost:10000/login'],
  ['taco-cli', 'javascript:alert(1)'],
])('%s is not called back at %j', (client, uri) => {
  expect(() => checkRedirect(clientOf(client), uri)).toThrow(
    expect.objectContaining({ facts: { oauth: 'invalid_request' } }),
  )
})

test('an unknown client is refused', () => {
  expect(() => clientOf('evil')).toThrow(expect.objectContaining({ facts: { oauth: 'invalid_client' } }))
})
