import { afterAll, expect, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { openWindow } from '../../rig/browser.ts'
import { startServer } from '../../rig/server.ts'
import { withResources } from '../../support/state.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

test.skipIf(browser === undefined).each([true, false])(
  'a unit gets variables, roles, a guard and another name, and is deleted and restored (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const server = await startServer()
    const headers = { 'content-type': 'application/json' }
    const call = (method: string, path: string, body: string) =>
      fetch(`${server.url}${path}`, { method, headers, body })
    await call('PUT', '/v1/units/prod--app/state', withResources(1, 2))
    await call('POST', '/v1/orgs/default/variable-sets', '{"name":"law","global":true,"priority":true}')
    const set = '/v1/orgs/default/variable-sets/law'
    await call('PATCH', `${set}/variables`, '{"set":[{"key":"region","value":"us"}]}')
    const { page } = await openWindow(browser, { javaScriptEnabled })
    const choose = (name: string) => page.getByRole('link', { name, exact: true }).click()
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const fill = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value)
    const says = (text: string | RegExp) => page.getByText(text).first().waitFor()
    const seen = await openWindow(browser)
    const isAccessible = async () => {
      if (!javaScriptEnabled) return
      await seen.page.goto(page.url())
      await seen.isAccessible()
    }

    await page.goto(`${server.url}/app/default/units/prod--app`)
    await page.getByRole('navigation', { name: 'Unit' }).getByRole('link', { name: 'Variables' }).click()
    await fill('Key', '1 region')
    await fill('Value', 'eu-1')
    await press('Add the variable')
    await says('The key is not a name of a variable.')
    expect(await page.getByLabel('Value', { exact: true }).inputValue()).toBe('eu-1')
    await fill('Key', 'region')
    await press('Add the variable')
    await says('region was saved.')
    await says('which overrides everything')
    await page.getByRole('link', { name: 'Change region' }).click()
    await fill('Value', 'eu-2')
    await isAccessible()
    await press('Save the variable')
    await says('eu-2')

    await choose('Access')
    await fill('To', 'group:okta/web')
    await page.getByLabel('Role', { exact: true }).selectOption('planner')
    await press('Give the role')
    await says('group:okta/web has the role planner on this unit.')
    await page.locator('summary', { hasText: 'Guard this unit' }).click()
    await fill('Reason', 'by pull request')
    await press('Guard this unit')
    await says('Guarded: only runs may change its state.')
    await choose('group:okta/web')
    await page.locator('.rights summary', { hasText: /^plan$/ }).click()
    await says('the role planner, through group:okta/web, allows run:plan')
    await isAccessible()
    await page.locator('summary', { hasText: /^Revoke$/ }).click()
    await press('Revoke planner of group:okta/web')
    await says('does not have the role planner on this unit any more.')

    await page.getByRole('navigation', { name: 'Unit' }).getByRole('link', { name: 'Settings' }).click()
    await page.getByLabel('A rule of its own').check()
    await fill('Versions', 'few')
    await page.locator('form', { hasText: 'A rule of its own' }).getByRole('button').click()
    await says('"few" is not a whole number')
    await fill('Versions', '5')
    await page.locator('form', { hasText: 'A rule of its own' }).getByRole('button').click()
    await says('Saved.')
    expect(await page.getByLabel('Versions', { exact: true }).inputValue()).toBe('5')
    await fill('New name', 'prod/shop')
    await press('Rename')
    await page.waitForURL('**/units/prod--shop/settings')

    await choose('Delete this unit')
    await fill('Type prod/shop to confirm', 'prod/shop')
    await press('Delete the unit')
    await says(/has 2 resources/)
    await page.getByLabel('Delete it although it has resources').check()
    await press('Delete the unit')
    await says('prod/shop was deleted.')
    await isAccessible()
    await press('Restore the unit')
    await says('Restored.')
    await page.waitForURL('**/units/prod--shop')
  },
)
