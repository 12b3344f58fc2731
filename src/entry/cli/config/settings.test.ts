import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { bucketAddress, chooseOrg, chooseTarget, chooseToken, serverAddress } from './settings.ts'
import { testWorld } from '../../../../test/support/cli.ts'

const nothing = {}

test('a flag counts before a variable, a variable before what is remembered, that before the default', () => {
  const env = { TACO_SERVER: 'http://env' }
  const remembered = { bucket: 's3://kept' }

  expect(chooseTarget({ bucket: 's3://flag' }, env, remembered, '/')).toEqual({
    kind: 'bucket',
    address: 's3://flag',
    from: 'flag',
  })
  expect(chooseTarget({}, env, remembered, '/')).toEqual({
    kind: 'server',
    address: 'http://env',
    from: 'environment',
  })
  expect(chooseTarget({}, nothing, remembered, '/')).toEqual({
    kind: 'bucket',
    address: 's3://kept',
    from: 'remembered',
  })
  expect(chooseTarget({}, nothing, {}, '/')).toEqual({
    kind: 'server',
    address: 'http://127.0.0.1:8226',
    from: 'default',
  })
  expect(chooseOrg({ org: 'a' }, { TACO_ORG: 'b' }, { org: 'c' })).toBe('a')
  expect(chooseOrg({}, { TACO_ORG: 'b' }, { org: 'c' })).toBe('b')
  expect(chooseOrg({}, { TACO_ORG: '' }, { org: 'c' })).toBe('c')
  expect(chooseOrg({}, {}, {})).toBeUndefined()
})

test('a server and a bucket at the same level is refused, at different levels it is not', () => {
  expect(() => chooseTarget({ server: 'http://a', bucket: 's3://b' }, {}, {}, '/')).toThrow(
    '--server and --bucket cannot be used together.',
  )
  expect(() => chooseTarget({}, { TACO_SERVER: 'http://a', TACO_BUCKET: 's3://b' }, {}, '/')).toThrow(
    'TACO_SERVER and TACO_BUCKET cannot be used together',
  )
  expect(chooseTarget({ server: 'http://a' }, { TACO_BUCKET: 's3://b' }, {}, '/').kind).toBe('server')
})

test('a plain path is a folder, and is made absolute', () => {
  expect(bucketAddress('./data', '/home/a')).toBe('file:///home/a/data')
  expect(bucketAddress('/var/with space', '/')).toBe('file:///var/with%20space')
  expect(bucketAddress('s3://states/prefix?region=eu', '/')).toBe('s3://states/prefix?region=eu')
  expect(() => bucketAddress('https://taco.example.com', '/')).toThrow('is the address of a server')
})

test('a server address keeps its path, loses its last slash, and may not hold a password', () => {
  expect(serverAddress('https://host/taco/')).toBe('https://host/taco')
  expect(() => serverAddress('host:8226')).toThrow('is not a server address')
  expect(() => serverAddress('https://a:secret@host')).toThrow(/must not contain a password/)
})

test('a token comes from a named file before the variable; a remembered file only goes to the remembered server', () => {
  const world = testWorld()
  onTestFinished(world.dispose)
  const file = join(world.cwd, 'token')
  writeFileSync(file, 'from-file\n')
  const kept = { kind: 'server', address: 'http://kept', from: 'remembered' } as const

  expect(chooseToken({ tokenFile: file }, { TACO_TOKEN: 'env' }, {}, kept)).toBe('from-file')
  expect(chooseToken({}, { TACO_TOKEN: 'env', TACO_TOKEN_FILE: file }, {}, kept)).toBe('env')
  expect(chooseToken({}, { TACO_TOKEN_FILE: file }, {}, kept)).toBe('from-file')
  expect(chooseToken({}, {}, { tokenFile: file }, kept)).toBe('from-file')
  expect(chooseToken({}, {}, { tokenFile: file }, { ...kept, from: 'flag' })).toBeUndefined()
})

test('a token file that is missing, empty or holds more than a token is refused without showing it', () => {
  const world = testWorld()
  onTestFinished(world.dispose)
  const file = join(world.cwd, 'token')
  const target = { kind: 'server', address: 'http://a', from: 'flag' } as const

  expect(() => chooseToken({ tokenFile: file }, {}, {}, target)).toThrow('cannot be read')
  writeFileSync(file, '\n')
  expect(() => chooseToken({ tokenFile: file }, {}, {}, target)).toThrow('is empty')
  writeFileSync(file, 'hunter2 hunter3')
  expect(() => chooseToken({ tokenFile: file }, {}, {}, target)).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('hunter') }),
  )
})

test.each([
  ['two words', 'a space'],
  ['one\ntwo', 'a line break'],
  ['geheimnisvoll-ü', 'a character other than ASCII'],
])('a token that cannot be sent says what is wrong with it: %j', (token, fault) => {
  const target = { kind: 'server', address: 'http://a', from: 'flag' } as const

  expect(() => chooseToken({}, { TACO_TOKEN: token }, {}, target)).toThrow(
    `The token in TACO_TOKEN contains ${fault}.`,
  )
})
