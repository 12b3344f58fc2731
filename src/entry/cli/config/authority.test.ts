import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testWorld } from '../../../../test/support/cli.ts'
import { chooseAuthority } from './authority.ts'
import type { Remembered } from './config-file.ts'
import { localCaFile } from './tls-settings.ts'

function start() {
  const world = testWorld()
  onTestFinished(world.dispose)
  function pem(name: string, path = join(world.home, name)): string {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `-----BEGIN CERTIFICATE-----\n${name}`)
    return path
  }
  const choose = (
    address: string,
    caFile?: string,
    { env = {}, remembered = {} }: { env?: Record<string, string>; remembered?: Remembered } = {},
  ) =>
    chooseAuthority(caFile === undefined ? {} : { caFile }, { env, home: world.home }, remembered, {
      kind: 'server',
      address,
      from: remembered.caFile === undefined ? 'flag' : 'remembered',
    })
  return { world, pem, choose }
}

test.each([
  ['https://localhost:8226', true],
  ['https://127.0.0.1', true],
  ['https://[::1]:1', true],
  ['https://taco.example.com', false],
  ['https://localhost.example.com', false],
  ['http://localhost:8226', false],
])('the local authority is trusted for %s: %j', (address, isTrusted) => {
  const { world, pem, choose } = start()
  expect(choose(address)).toBeUndefined()
  pem('local', localCaFile({ env: {}, home: world.home }))

  expect(choose(address)?.endsWith('local') ?? false).toBe(isTrusted)
})

test('--ca-file counts before TACO_CA_FILE, that before what is remembered, that before the local one', () => {
  const { world, pem, choose } = start()
  const address = 'https://localhost'
  pem('local', localCaFile({ env: {}, home: world.home }))
  const remembered = { caFile: pem('kept') }
  const env = { TACO_CA_FILE: pem('env') }

  expect(choose(address, pem('flag'), { env, remembered })).toMatch(/flag$/)
  expect(choose(address, undefined, { env, remembered })).toMatch(/env$/)
  expect(choose(address, undefined, { remembered })).toMatch(/kept$/)
})

test('what NODE_EXTRA_CA_CERTS names is still trusted', () => {
  const { pem, choose } = start()
  const env = { NODE_EXTRA_CA_CERTS: pem('extra') }

  expect(choose('https://a.test', undefined, { env })).toBeUndefined()
  expect(choose('https://a.test', pem('flag'), { env })).toMatch(/flag\n.*\nextra$/)
  expect(choose('https://a.test', pem('flag'), { env: { NODE_EXTRA_CA_CERTS: '/missing' } })).toMatch(/flag$/)
})

test('a file that is missing, or holds no certificate, is refused', () => {
  const { world, choose } = start()
  writeFileSync(join(world.home, 'text'), 'hello')

  expect(() => choose('https://a.test', join(world.home, 'none'))).toThrow(/cannot be read/)
  expect(() => choose('https://a.test', join(world.home, 'text'))).toThrow(/no certificate in/)
})
