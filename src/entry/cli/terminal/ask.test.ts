import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { sendJson, testServer, testWorld, unitView } from '../../../../test/support/cli.ts'

/** `taco unit rm` on a terminal where this is typed. */
async function answered(typed: string): Promise<{ code: number; asked: number; err: string }> {
  const server = await testServer((_heard, res) => sendJson(res, unitView('a')))
  onTestFinished(server.close)
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
  const world = testWorld({ isTerminal: true, stdin })
  onTestFinished(world.dispose)
  const ending = world.run('--server', server.url, '--no-color', 'unit', 'rm', 'a')
  await expect.poll(world.err).toContain('delete the unit a? [y/N]')
  if (typed === '') stdin.end()
  else stdin.write(typed)
  return { code: await ending, asked: server.heard.length, err: world.err() }
}

test('only a yes is a yes', async () => {
  expect(await answered('y\r')).toMatchObject({ code: 0, asked: 1 })
  expect(await answered('YES\r')).toMatchObject({ code: 0, asked: 1 })
  expect(await answered('\r')).toMatchObject({
    code: 1,
    asked: 0,
    err: expect.stringContaining('Nothing was changed.'),
  })
  expect(await answered('yikes\r')).toMatchObject({ code: 1, asked: 0 })
})

test('the end of the input is a no, and Ctrl-C an interrupt', async () => {
  expect(await answered('')).toMatchObject({ code: 1, asked: 0 })
  expect(await answered('\u0003')).toMatchObject({ code: 130, asked: 0 })
})
