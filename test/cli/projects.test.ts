import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openEmbedded } from '../../src/wire/embed.ts'
import { testWorld } from '../support/cli.ts'

test('projects are created, listed, changed and deleted', async () => {
  const world = testWorld()
  onTestFinished(world.dispose)
  world.env['TACO_BUCKET'] = join(world.cwd, 'bucket')
  mkdirSync(join(world.cwd, 'bucket'))
  async function taco(...args: readonly string[]) {
    const { cwd, home, env } = world
    const fresh = testWorld({ openEmbedded, now: Date.now, cwd, home, env: { ...env } })
    onTestFinished(fresh.dispose)
    const code = await fresh.run(...args)
    return { code, out: fresh.out(), err: fresh.err() }
  }
  await taco('unit', 'create', 'prod/app')

  const label = ['--label', 'team=x', '--label', 'critical=']
  expect(await taco('project', 'create', 'pay', '--description', 'money', ...label)).toMatchObject({
    code: 0,
  })
  expect(await taco('project', 'create', 'pay')).toMatchObject({ code: 4 })
  const { out } = await taco('project', 'ls')
  expect(out).toMatch(/Default Project \(default\) +1 /)
  expect(out).toMatch(/pay +0 +money +prj-/)
  expect((await taco('project', 'show', 'pay')).out).toMatch(/labels: +team=x, critical\n/)
  expect(await taco('project', 'set', 'pay')).toMatchObject({ code: 2 })
  expect(await taco('project', 'set', 'pay', '--name', 'bill', '--label', 'team=')).toMatchObject({ code: 0 })
  expect((await taco('project', 'show', 'bill')).out).not.toContain('team')
  expect(await taco('project', 'rm', 'bill', '--yes')).toMatchObject({ code: 0 })
  expect(await taco('project', 'rm', 'bill', '--yes')).toMatchObject({ code: 3 })
})
