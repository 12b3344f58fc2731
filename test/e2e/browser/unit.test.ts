import { afterAll, expect, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { openWindow } from '../../rig/browser.ts'
import { type Server, startServer } from '../../rig/server.ts'
import { stateText, withResources } from '../../support/state.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

async function call({ url }: Pick<Server, 'url'>, method: string, path: string, body: string): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method, headers, body })
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
}

const edge = JSON.stringify({ on: 'prod/vpc', outputs: ['value'] })

async function startUnit(): Promise<Server> {
  const server = await startServer()
  for (const serial of [1, 2]) await call(server, 'PUT', '/v1/units/prod--vpc/state', stateText(serial))
  await call(server, 'PUT', '/v1/units/prod--vpc/state', withResources(3, 12))
  await call(server, 'PUT', '/v1/units/prod--vpc/state', stateText(4))
  await call(server, 'POST', '/v1/units', '{"name":"prod/app"}')
  await call(server, 'POST', '/v1/units/prod--app/dependencies', edge)
  return server
}

test.skipIf(browser === undefined)(
  'a unit is looked at, locked, compared and rolled back, on a phone and without scripts',
  async () => {
    const server = await startUnit()
    const path = `${server.url}/app/default/units/prod--vpc`
    const { page, isAccessible } = await openWindow(browser)
    await page.goto(path)
    await page.locator('.around a', { hasText: 'app' }).waitFor()
    await isAccessible()
    await page.getByText('s3', { exact: true }).click()
    await page.getByText('use_path_style').waitFor()
    // What happens elsewhere appears, and what was chosen stays.
    await call(server, 'PUT', '/v1/units/prod--vpc/state', stateText(5))
    await page.getByText('5, serial 5').waitFor()
    await page.getByText('use_path_style').waitFor()
    await call(server, 'POST', '/v1/units', '{"name":"prod/other"}')
    await call(server, 'POST', '/v1/units/prod--other/dependencies', edge)
    await page.locator('.around a', { hasText: 'other' }).waitFor()
    // Counted after the page was shown.
    await page.getByText('12 removed, output value').waitFor()
    await page.goto(`${path}/outputs/diff?from=1&to=2`)
    await isAccessible()
    for (const tab of ['Outputs', 'Resources', 'Runs', 'Variables', 'Activity', 'Settings', 'History']) {
      await page.getByRole('navigation', { name: 'Unit' }).getByRole('link', { name: tab }).click()
      await page.waitForURL(`${path}/${tab.toLowerCase()}`)
    }
    await isAccessible()
    await page.getByLabel('From version 1').check()
    await page.getByRole('button', { name: 'Compare selected' }).click()
    await page.getByRole('heading', { name: 'Version 1 and version 5' }).waitFor()
    await isAccessible()

    // The same hands, a phone, no scripts.
    const phone = { javaScriptEnabled: false, viewport: { width: 390, height: 800 } }
    const { page: small } = await openWindow(browser, phone)
    await small.goto(path)
    const width = await small.locator('body').boundingBox()
    expect(width?.width).toBeLessThanOrEqual(390)
    await small.getByRole('link', { name: 'Lock' }).click()
    await small.getByLabel('Reason').fill('migrating')
    await small.getByRole('button', { name: 'Lock this unit' }).click()
    await small.getByText('Locked. No engine can write the state.').waitFor()
    await small.getByRole('link', { name: 'Unlock', exact: true }).click()
    await small.getByRole('button', { name: 'Unlock this unit' }).click()
    await small.getByText('Unlocked.', { exact: true }).waitFor()

    await small.goto(`${path}/dependencies`)
    await small.getByLabel('Unit that it uses').fill('prod/app')
    await small.getByRole('button', { name: 'Declare' }).click()
    await small.getByText('This would create a cycle').waitFor()
    expect(await small.getByLabel('Unit that it uses').inputValue()).toBe('prod/app')

    await small.goto(`${path}/rollback?version=3`)
    await small.getByRole('heading', { name: 'Roll back to version 3' }).waitFor()
    await small.getByLabel('Message').fill('bad apply')
    await small.getByRole('button', { name: 'Roll back' }).click()
    await small.getByText('Rolled back. Version 6 is current now.').waitFor()
  },
)
