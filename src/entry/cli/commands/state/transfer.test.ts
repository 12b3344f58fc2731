import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { sendJson, testServer, testWorld } from '../../../../../test/support/cli.ts'

test('a state that is cut off in the middle is an error, and leaves the old file as it was', async () => {
  const server = await testServer((_heard, res) => {
    res.writeHead(200, { 'content-length': '1000' })
    res.write('{"version":4', () => res.destroy())
  })
  onTestFinished(server.close)
  const world = testWorld()
  onTestFinished(world.dispose)
  writeFileSync(join(world.cwd, 'kept.tfstate'), 'old')

  expect(await world.run('--server', server.url, 'state', 'pull', 'a', '-o', 'kept.tfstate')).toBe(6)
  expect(world.err()).toContain('The connection closed in the middle of the state.')
  expect(readdirSync(world.cwd)).toEqual(['kept.tfstate'])
})

test('a push carries length, digest, lock and message', async () => {
  const server = await testServer((_heard, res) => sendJson(res, { id: 'sv-1' }, 201))
  onTestFinished(server.close)
  const world = testWorld()
  onTestFinished(world.dispose)
  writeFileSync(join(world.cwd, 'a.tfstate'), '{"version":4}')

  expect(
    await world.run(
      '--server',
      server.url,
      'state',
      'push',
      'a/b',
      'a.tfstate',
      '-lock=x',
      '-m',
      'why',
      '--json',
    ),
  ).toBe(0)
  expect(server.heard[0]).toMatchObject({
    method: 'PUT',
    url: '/v1/units/a--b/state?lock=x&message=why',
    headers: { 'content-length': '13', 'content-md5': 'wPReNO1gxuZgxc0LKSxbnA==' },
    body: '{"version":4}',
  })
})

test('a file that is not there is named, and nothing is sent', async () => {
  const server = await testServer((_heard, res) => res.end())
  onTestFinished(server.close)
  const world = testWorld()
  onTestFinished(world.dispose)

  expect(await world.run('--server', server.url, 'state', 'push', 'a', 'missing.tfstate')).toBe(2)
  expect(world.err()).toContain('There is no file missing.tfstate.')
  expect(server.heard).toEqual([])
})
