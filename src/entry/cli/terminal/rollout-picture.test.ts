import { expect, onTestFinished, test } from 'vitest'
import { sendJson, testServer, testWorld } from '../../../../test/support/cli.ts'

const step = {
  unit: { id: 'ws-1', name: 'app' },
  needs: [],
  isRoot: true,
  status: 'running',
  attempts: 1,
  worker: 'ci/7',
  leaseUntil: '2026-01-02T03:04:05.000Z',
}

/**
 * What `taco rollout status` shows when by the server's clock the lease is just over, or still has a second. That of
 * the machine goes wrong.
 */
async function shown(status: string, now = '2026-01-02T03:04:05Z', off = 3_600_000): Promise<string> {
  const rollout = {
    id: 'ro-1',
    org: 'default',
    createdAt: '2026-01-02T03:04:00Z',
    by: 'alice',
    status,
    roots: ['app'],
  }
  const server = await testServer((_, res) => {
    res.setHeader('date', new Date(now).toUTCString())
    sendJson(res, { ...rollout, steps: [step] })
  })
  onTestFinished(server.close)
  const world = testWorld({ now: () => Date.parse(now) + off })
  onTestFinished(world.dispose)
  expect(await world.run('--server', server.url, 'rollout', 'status', 'ro-1')).toBe(0)
  return world.out()
}

test('a step whose worker was killed is not called running, and who goes on with it depends', async () => {
  const left = '◐ app  left  by ci/7, whose lease is over: it may be half applied'

  expect(await shown('active', '2026-01-02T03:04:04Z')).toContain('◐ app  running  by ci/7\n')
  expect(await shown('active')).toContain(`${left}, and the next \`taco rollout work ro-1\` continues it\n`)
  expect(await shown('paused')).toContain(`${left}; continue with \`taco rollout resume ro-1\`\n`)
  expect(await shown('cancelled')).toContain(`${left}\n\nro-1 cancelled, by alice 5 s ago: 1 left\n`)
})

test('whether a worker has left is the same for a machine whose clock is behind', async () => {
  const behind = -3_600_000

  expect(await shown('active', '2026-01-02T03:04:04Z', behind)).toContain('◐ app  running  by ci/7\n')
  expect(await shown('cancelled', '2026-01-02T03:04:05Z', behind)).toContain('by alice 5 s ago: 1 left\n')
})
