import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { testWorld } from '../../../../../test/support/cli.ts'
import { localCaFile } from '../../config/tls-settings.ts'

test('without a local authority the message says how to get one', async () => {
  const world = testWorld()
  onTestFinished(world.dispose)

  expect(await world.run('tls', 'trust')).toBe(3)
  expect(world.err()).toContain('taco serve --tls auto')
})

test('every way to trust it names its file', async () => {
  const world = testWorld()
  onTestFinished(world.dispose)
  const file = localCaFile(world)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, 'x')

  expect(await world.run('tls', 'trust')).toBe(0)

  for (const way of [
    'curl --cacert',
    'SSL_CERT_FILE',
    'NODE_EXTRA_CA_CERTS',
    'update-ca-certificates',
    'certutil',
  ])
    expect(world.out()).toContain(way)
  expect(world.out().split(file).length).toBeGreaterThan(6)
})
