import { afterAll, expect, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { openWindow } from '../../rig/browser.ts'
import { startServer } from '../../rig/server.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

test.skipIf(browser === undefined)(
  'a role is given, explained and found in the audit log, and a variable set gets a variable, without JavaScript',
  async () => {
    const server = await startServer()
    const { page } = await openWindow(browser, { javaScriptEnabled: false })
    const choose = (name: string) => page.getByRole('link', { name, exact: true }).click()

    await page.goto(`${server.url}/app/default`)
    await choose('People')
    await page.getByRole('link', { name: /^Roles given/ }).click()
    await page.getByLabel('To', { exact: true }).fill('bob')
    await page.getByRole('button', { name: 'Give the role' }).click()
    await page.getByText('does not name a person').waitFor()
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('bob')
    await page.getByLabel('To', { exact: true }).fill('group:okta/platform')
    await page.getByLabel('Role', { exact: true }).selectOption('reader')
    await page.getByRole('button', { name: 'Give the role' }).click()
    await page.getByText('group:okta/platform has the role reader now.').waitFor()

    await page.getByLabel('Who').fill('group:okta/platform')
    await page.getByLabel('Does what').fill('state:read')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.locator('.why.look-ok').waitFor()

    await choose('Audit')
    await page.getByLabel('Action').fill('role.granted')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByText('role.granted').first().waitFor()

    await choose('Variables')
    await page.getByLabel('Name', { exact: true }).fill('aws')
    await page.getByLabel('For every unit').check()
    await page.getByRole('button', { name: 'Create the set' }).click()
    await page.getByLabel('Key').fill('region')
    await page.getByLabel('Value', { exact: true }).fill('eu-central-1')
    await page.getByRole('button', { name: 'Add the variable' }).click()
    await page.getByText('region was saved.').waitFor()

    // What checks accessibility is a script itself.
    const seen = await openWindow(browser)
    for (const path of ['people', 'people?tab=grants&who=everyone&action=state:read', 'audit', 'variables'])
      await seen.page.goto(`${server.url}/app/default/${path}`).then(() => seen.isAccessible())
    await seen.page.goto(page.url())
    await seen.isAccessible()
  },
)
