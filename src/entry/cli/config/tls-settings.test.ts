import { expect, test } from 'vitest'
import { localCaFile, tlsOf } from './tls-settings.ts'

const place = { env: {}, home: '/home/a', cwd: '/project' }
const folder = '/home/a/.local/share/opentaco/tls'

test('without an option the server speaks plain HTTP', () => {
  expect(tlsOf({}, '127.0.0.1:8226', place)).toBeUndefined()
  expect(tlsOf({ tlsCert: '', tlsKey: '' }, '127.0.0.1:8226', place)).toBeUndefined()
})

test('files are found from the current folder', () => {
  expect(tlsOf({ tlsCert: 'a.pem', tlsKey: '/etc/b.pem' }, '8226', place)).toEqual({
    kind: 'files',
    cert: '/project/a.pem',
    key: '/etc/b.pem',
  })
})

test.each([
  ['127.0.0.1:8226', undefined, ['127.0.0.1']],
  ['0.0.0.0:8226', undefined, []],
  [':8226', 'taco.test', ['taco.test']],
  ['[::]:8226', ' a.test, *.b.test ,[fd00::1],10.0.0.5', ['a.test', '*.b.test', 'fd00::1', '10.0.0.5']],
  ['[fd00::2]:8226', undefined, ['fd00::2']],
  ['taco.lan:8226', undefined, ['taco.lan']],
])('the local certificate on %s with the names %s is for %j', (listen, tlsName, names) => {
  const flags = tlsName === undefined ? { tls: 'auto' as const } : { tls: 'auto' as const, tlsName }

  expect(tlsOf(flags, listen, place)).toEqual({ kind: 'auto', folder, names })
})

test('the folder follows XDG_DATA_HOME', () => {
  expect(localCaFile({ ...place, env: { XDG_DATA_HOME: '/data' } })).toBe('/data/opentaco/tls/ca.crt')
})

test.each([
  [{ tls: 'auto', tlsCert: 'a' }, '--tls auto cannot be used with --tls-cert or --tls-key.'],
  [{ tlsCert: 'a' }, '--tls-cert needs --tls-key.'],
  [{ tlsKey: 'a' }, '--tls-key needs --tls-cert.'],
  [{ tlsName: 'a.test' }, '--tls-name needs --tls auto.'],
  [{ tls: 'auto', tlsName: 'a b' }, '"a b" is not a host name or an address.'],
  [{ tls: 'auto', tlsName: 'https://a' }, '"https://a" is not a host name or an address.'],
  [{ tls: 'auto', tlsName: '-a.test' }, '"-a.test" is not a host name or an address.'],
] as const)('%o is refused', (flags, message) => {
  expect(() => tlsOf(flags, '127.0.0.1:8226', place)).toThrow(message)
})
