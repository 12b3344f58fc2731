import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkClock, checkNode, checkTokenFile } from './own-checks.ts'
import { sendJson, testServer, testWorld } from '../../../../../test/support/cli.ts'

test('a Node that is too old is an error', () => {
  expect(checkNode('20.18.9').level).toBe('error')
  expect(checkNode('20.19.0').level).toBe('ok')
  expect(checkNode('24.0.0').level).toBe('ok')
})

test('clocks that differ are told apart from a slow answer', () => {
  expect(checkClock(1_000_000, 999_000, 1_001_000).level).toBe('ok')
  expect(checkClock(1_040_000, 980_000, 1_020_000).level).toBe('ok')
  expect(checkClock(1_090_000, 999_900, 1_000_100)).toMatchObject({
    level: 'warning',
    message: expect.stringContaining('behind'),
  })
  expect(checkClock(910_000, 999_900, 1_000_100)).toMatchObject({
    level: 'warning',
    message: expect.stringContaining('ahead of'),
  })
})

test('a token that others may read is a warning that says what to type', () => {
  const world = testWorld()
  onTestFinished(world.dispose)
  const file = join(world.cwd, 'token')
  writeFileSync(file, 'secret', { mode: 0o600 })

  expect(checkTokenFile(file)).toMatchObject([{ level: 'ok' }])
  chmodSync(file, 0o644)
  expect(checkTokenFile(file)).toMatchObject([{ level: 'warning', hint: `Run \`chmod 600 ${file}\`.` }])
  expect(checkTokenFile(undefined)).toEqual([])
})

test('doctor ends with 7 when nobody answers, and says so among the checks that are well', async () => {
  const server = await testServer((_heard, res) => res.end())
  await server.close()
  const world = testWorld({ env: { PATH: '' } })
  onTestFinished(world.dispose)

  expect(await world.run('--server', server.url, 'doctor')).toBe(7)
  expect(world.out()).toMatch(/^ok +Node/)
  expect(world.out()).toContain('Neither tofu nor terraform is on the PATH')
  expect(world.out()).toMatch(/error +Cannot reach the server .*\n +→ Start a server with `taco serve`/)
})

test('doctor shows what the server finds, counts it, and a repaired fault is none', async () => {
  const found = {
    check: 'unit.tag',
    unit: 'prod/a',
    hint: 'look',
    message: 'the state was changed',
    level: 'error',
    repaired: true,
  }
  const server = await testServer(({ url }, res) => {
    if (url === '/v1/server') {
      sendJson(res, {
        name: 'opentaco',
        version: '1.2.3',
        bucket: { kind: 'file', label: 'file:///x' },
        auth: 'none',
        time: '2026-01-02T03:04:05Z',
      })
    } else
      res.end(
        `${JSON.stringify(found)}\n${JSON.stringify({ ...found, repaired: false, level: 'warning' })}\n`,
      )
  })
  onTestFinished(server.close)
  const world = testWorld({ env: { PATH: '' } })
  onTestFinished(world.dispose)

  expect(await world.run('--server', server.url, 'doctor', '--repair')).toBe(0)
  expect(JSON.parse(server.heard[1]?.body ?? '')).toEqual({ deep: false, repair: true })
  expect(world.out()).toContain('repaired  prod/a: the state was changed\n')
  expect(world.out()).toContain('1 warning, 1 thing put right; ')
})
