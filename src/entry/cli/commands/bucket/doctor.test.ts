import { expect, onTestFinished, test } from 'vitest'
import { testServer, testWorld } from '../../../../../test/support/cli.ts'

test('doctor sends nobody to itself whom the server does not answer well', async () => {
  const answers = [
    { status: 200, body: 'hello' },
    { status: 404, body: 'hello' },
    { status: 502, body: '<html>' },
  ]
  for (const { status, body } of answers) {
    const server = await testServer((_, res) => res.writeHead(status).end(body))
    onTestFinished(server.close)
    const world = testWorld()
    onTestFinished(world.dispose)

    expect(await world.run('--server', server.url, 'doctor')).toBe(7)
    const advice = (world.out() + world.err()).split('\n').filter((line) => line.includes('→'))
    expect(advice.join('\n')).toMatch(/Check the address/)
    expect(advice.join('\n')).not.toContain('taco doctor')
  }
})
