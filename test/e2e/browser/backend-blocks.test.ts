import { afterAll, expect, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { openWindow } from '../../rig/browser.ts'
import { type Engine, engines } from '../../rig/engines.ts'
import { oneResource } from '../../rig/hcl.ts'
import { startServer } from '../../rig/server.ts'
import { runShell } from '../../rig/taco.ts'
import { type Workdir, workdir } from '../../rig/workdir.ts'

const browser = await startChromium()
afterAll(() => browser?.close())
const [engine] = engines().slice(-1)

/** What a person would type in the folder of the configuration. */
async function type(command: string, { path }: Engine, { folder, env }: Workdir): Promise<void> {
  const { code, output } = await runShell(`tofu() { "${path}" "$@"; }; ${command}`, {
    cwd: folder,
    env: { ...env, TF_CLI_ARGS_apply: '-auto-approve' },
  })
  expect([command, code, code === 0 ? '' : output]).toEqual([command, 0, ''])
}

test.skipIf(browser === undefined)(
  'the block of each kind of backend is on the page of a unit, and an engine works with it, without JavaScript',
  async () => {
    if (engine === undefined) return
    const server = await startServer()
    const { page } = await openWindow(browser, { javaScriptEnabled: false })
    await page.goto(`${server.url}/app/default/new-unit`)
    await page.getByLabel('Name').fill('prod/app')
    await page.getByRole('button', { name: 'Create the unit' }).click()
    await page.waitForURL('**/units/prod--app')

    for (const [kind, text] of [
      ['cloud', 'name = "prod--app"'],
      ['remote', 'backend "remote"'],
      ['s3', 'use_path_style'],
      ['http', `address        = "${server.url}/v1/backend/default/prod/app"`],
    ] as const) {
      await page.getByText(kind, { exact: true }).click()
      expect(await page.getByLabel(`Block for the kind ${kind}`).innerText()).toContain(text)
      expect(
        await page
          .getByLabel(/^Block for the kind/)
          .filter({ visible: true })
          .count(),
      ).toBe(1)
    }
    const block = await page.getByLabel('Block for the kind http').innerText()
    const work = await workdir(engine, `${block}\n${oneResource('first')}`)
    await type('tofu init && tofu apply', engine, work)
    await page.reload()
    await page.getByText('1, serial 1').waitFor()
  },
)
