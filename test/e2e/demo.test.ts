import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runChild } from '../rig/child.ts'
import { engines } from '../rig/engines.ts'
import { tempFolder } from '../rig/temp.ts'

const demo = fileURLToPath(new URL('../../tools/demo.mjs', import.meta.url))
const tofu = engines().find(({ name }) => name.startsWith('tofu'))

test.skipIf(tofu === undefined)('npm run demo tells its story to the end', async () => {
  const home = await tempFolder()

  const env = { HOME: home, TMPDIR: home }
  const told = await runChild(process.execPath, [demo], { cwd: home, env, deadlineMs: 280_000 })

  expect(told, told.output).toMatchObject({ code: 0 })
  expect(told.output).toMatch(/database {2}stale, ready\n.*subnet_ids of network changed at commit 2/)
  expect(told.output).toContain('kill -9')
  expect(told.output).toMatch(/jobs {2}skipped {2}database url same/)
  expect(told.output).toContain('3 applied, 2 skipped')
  expect(told.output).toContain('all 5 units are up to date')
})
