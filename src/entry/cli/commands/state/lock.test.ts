import { expect, onTestFinished, test } from 'vitest'
import { sendJson, testServer, testWorld } from '../../../../../test/support/cli.ts'

/** As the server answers: a lock that was broken, or nothing at all. */
async function unlocking(broken: unknown, ...options: readonly string[]) {
  const server = await testServer((_, res) => {
    if (broken === undefined) res.writeHead(204).end()
    else sendJson(res, broken)
  })
  onTestFinished(server.close)
  const world = testWorld()
  onTestFinished(world.dispose)
  const code = await world.run('--server', server.url, 'unlock', 'a', ...options)
  return { code, out: world.out() + world.err() }
}

test('breaking a lock that nobody holds is fine, and says that there was none', async () => {
  expect(await unlocking(undefined, '--force')).toEqual({ code: 0, out: 'a was not locked\n' })
  const asJson = await unlocking(undefined, '--force', '--json')
  expect(JSON.parse(asJson.out)).toEqual({ unit: 'a', unlocked: false })
})

test('a lock that was broken, or let go by its id, is said to be gone', async () => {
  expect(await unlocking({ id: 'lock-1' }, '--force')).toEqual({ code: 0, out: 'unlocked a\n' })
  expect(await unlocking(undefined, '--id', 'lock-1')).toEqual({ code: 0, out: 'unlocked a\n' })
  const asJson = await unlocking(undefined, '--id', 'lock-1', '--json')
  expect(JSON.parse(asJson.out)).toEqual({ unit: 'a', unlocked: true })
})
