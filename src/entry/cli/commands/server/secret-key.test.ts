import { expect, onTestFinished, test } from 'vitest'
import { testWorld } from '../../../../../test/support/cli.ts'
import { parseKeys } from '../../../../access/secrets/keys.ts'

async function run(...args: readonly string[]) {
  const world = testWorld()
  onTestFinished(world.dispose)
  expect(await world.run('secret-key', 'new', ...args)).toBe(0)
  return world
}

test('a new key is all that is printed to stdout', async () => {
  const world = await run()

  expect(parseKeys(world.out(), 'x')).toHaveLength(1)
  expect(world.out()).toMatch(/^[0-9a-f]{12}:[\w+/]{43}=\n$/)
  expect(world.err()).toContain('keep a copy')
  expect((await run()).out()).not.toBe(world.out())
})

test('as JSON it has its id beside it', async () => {
  const { id, key } = JSON.parse((await run('--json')).out()) as { id: string; key: string }

  expect(parseKeys(key, 'x')[0]?.id).toBe(id)
})
