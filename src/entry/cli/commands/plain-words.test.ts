import { expect, onTestFinished, test } from 'vitest'
import { sendJson, testServer, testWorld, unitView } from '../../../../test/support/cli.ts'

function worldFor() {
  const world = testWorld()
  onTestFinished(world.dispose)
  return world
}

const lock = {
  id: 'lock-1',
  info: { Operation: 'OperationTypeApply', Who: 'bob@ci' },
  reason: null,
  by: 'bob',
  at: '2026-01-02T03:04:04Z',
  leaseUntil: null,
  lastSeenAt: null,
  outside: false,
}
const state = {
  id: 'sv-1',
  seq: 1,
  serial: 1,
  lineage: 'L',
  size: 100,
  sha256: '',
  encrypted: false,
  unreadable: false,
  resources: 1,
  terraformVersion: null,
  at: '2026-01-02T03:00:00Z',
  by: 'bob',
  how: 'backend',
  message: null,
  source: null,
  status: 'current',
}

test('a unit with one resource and a lock just taken is shown in proper words', async () => {
  const server = await testServer(({ url }, res) =>
    sendJson(res, url.includes('/lock') ? { lock } : unitView('a', { lock, state, outputs: [] })),
  )
  onTestFinished(server.close)
  const shown = worldFor()
  const refused = worldFor()

  expect(await shown.run('--server', server.url, 'unit', 'show', 'a'), shown.err()).toBe(0)
  expect(shown.out()).toContain('serial 1, 100 B, 1 resource\n')
  expect(shown.out()).toContain('lock-1, taken by bob@ci just now\n')
  expect(await refused.run('--server', server.url, 'unlock', 'a')).toBe(4)
  expect(refused.err()).toContain('a is locked by bob@ci (since just now), not by you.')
})

test('a block that is there already is replaced with the option that the hint names', async () => {
  const world = worldFor()
  const write = (option: string) => world.run('--server', 'http://127.0.0.1:1', 'backend', 'a', option)

  expect(await write('--write'), world.err()).toBe(0)
  expect(await write('--write')).toBe(4)
  const [option = ''] = /--replace/.exec(world.err()) ?? []
  expect(option).toBe('--replace')
  expect(await write(option)).toBe(0)
})
