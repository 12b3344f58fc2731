import { afterAll, expect, test } from 'vitest'
import { stateText } from '../../support/state.ts'
import { startChromium } from '../../peers/chromium.ts'
import { openWindow } from '../../rig/browser.ts'
import { startServer } from '../../rig/server.ts'
import { startWebFace } from '../../rig/web-face.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

test.skipIf(browser === undefined).each([true, false])(
  'an organization gets limits, a project and a retention that is previewed and applied, and is deleted and restored (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const server = await startServer()
    const headers = { 'content-type': 'application/json' }
    for (const serial of [1, 2, 3]) {
      const body = stateText(serial)
      const written = await fetch(`${server.url}/v1/units/prod--app/state`, { method: 'PUT', headers, body })
      expect(written.ok).toBe(true)
    }
    const { page } = await openWindow(browser, { javaScriptEnabled })
    const choose = (name: string) => page.getByRole('link', { name, exact: true }).click()
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const says = (text: string | RegExp) => page.getByText(text).first().waitFor()

    await page.goto(`${server.url}/app/default`)
    await choose('Settings')
    await page.getByLabel('Bytes').fill('many')
    await press('Save limits')
    await says('"many" is not a size.')
    expect(await page.getByLabel('Bytes').inputValue()).toBe('many')
    await page.getByLabel('Bytes').fill('20GB')
    await press('Save limits')
    await says('The limits were saved.')

    await choose('Projects')
    await page.getByLabel('Name', { exact: true }).fill('apps')
    await press('Create project')
    await says('The project apps was created.')

    await choose('Retention')
    await page.getByLabel('Keep at least this many versions of each unit').fill('1')
    await press('Preview')
    await says(/2 versions and 0 events/)
    await press('Save')
    await says(/^Saved/)
    await page.getByText('Apply the saved rules now').click()
    await page.getByLabel('Type default to confirm').fill('default')
    await press('Remove old versions and events')
    await says(/^Removed: 2 versions/)

    await choose('Usage')
    await says('0 % of the limit of 20 GB')

    // What checks accessibility is a script itself.
    const seen = await openWindow(browser)
    for (const path of javaScriptEnabled ? ['', '/projects', '/retention', '/usage'] : [])
      await seen.page.goto(`${server.url}/app/default/settings${path}`).then(() => seen.isAccessible())

    await choose('General')
    await page.getByText('Delete default').first().click()
    await page.getByLabel('Type default to confirm').fill('default')
    await press('Delete default')
    await says('The organization default was deleted.')
    await page.goto(`${server.url}/app/default/settings`)
    await press('Restore')
    await says('The organization default was restored.')
  },
)

test.skipIf(browser === undefined)(
  'usage that takes long to count shows itself when it is there',
  async () => {
    const { deps } = await startWebFace()
    let finish = () => {}
    const counted = new Promise<void>((resolve) => (finish = resolve))
    const { orgs } = deps.control
    const control = {
      ...deps.control,
      orgs: {
        ...orgs,
        usageByUnit: async (...args: Parameters<typeof orgs.usageByUnit>) => {
          await counted
          return orgs.usageByUnit(...args)
        },
      },
    }
    const face = await startWebFace({ control })
    const { page, isAccessible } = await openWindow(browser)

    await page.goto(`http://127.0.0.1:${face.port}/app/default/settings/usage`)
    await page.getByText('All stored versions are listed.').waitFor()
    await isAccessible()
    finish()
    await page.getByText('There are no units yet.').waitFor()
    expect(await page.getByText('All stored versions are listed.').count()).toBe(0)
  },
)
