import { afterAll, expect, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { openWindow } from '../../rig/browser.ts'
import { type Server, startServer } from '../../rig/server.ts'
import { stateText } from '../../support/state.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

async function write({ url }: Pick<Server, 'url'>, unit: string, serial = 1): Promise<void> {
  const path = `/v1/units/${unit.replaceAll('/', '--')}/state`
  const answer = await fetch(url + path, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: stateText(serial),
  })
  if (!answer.ok) throw new Error(await answer.text())
}

test.skipIf(browser === undefined)(
  'people find their way: from an error, between organizations, by keys, on a phone',
  async () => {
    const server = await startServer()
    await write(server, 'prod/vpc')
    const { page, isAccessible } = await openWindow(browser)

    await page.goto(`${server.url}/app/default/units/nothing`)
    await isAccessible()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Shortcuts' }).waitFor()
    await isAccessible()
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.waitForURL('**/activity')

    await page.getByLabel('Organization default').click()
    await page.locator('.switcher-list').getByRole('link', { name: 'default' }).waitFor()
    await isAccessible()

    await page.setViewportSize({ width: 400, height: 800 })
    await page.getByText('More', { exact: true }).click()
    await page.getByRole('link', { name: 'Audit' }).click()
    await page.waitForURL('**/audit')
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Audit')
  },
)

test.skipIf(browser === undefined)(
  'a list that changes while it is open keeps the focus and where it was scrolled to',
  async () => {
    const server = await startServer()
    for (let i = 0; i < 12; i++) await write(server, `prod/unit-${i}`)
    const { page } = await openWindow(browser, { viewport: { width: 1000, height: 300 } })
    await page.goto(`${server.url}/app/default/activity`)
    await page.locator('html[data-is-live]').waitFor()
    const feed = page.locator('#feed')
    const link = feed.getByRole('link', { name: 'prod/unit-3' }).first()
    await link.focus()
    await link.scrollIntoViewIfNeeded()
    const scrolled = await page.evaluate('scrollY')
    expect(scrolled).toBeGreaterThan(0)

    await write(server, 'prod/later')
    await feed.getByRole('link', { name: 'prod/later' }).first().waitFor()

    expect(await page.evaluate('document.activeElement.closest("#feed") !== null')).toBe(true)
    expect(await page.evaluate('scrollY')).toBe(scrolled)
  },
)

test.skipIf(browser === undefined)(
  'a unit is found while typing its name, with the keyboard alone',
  async () => {
    const server = await startServer()
    for (const unit of ['prod/orders', 'prod/users']) await write(server, unit)
    const { page, isAccessible } = await openWindow(browser)
    await page.goto(`${server.url}/app/default/activity`)

    await page.keyboard.press('/')
    await page.keyboard.type('ord')
    await page.locator('#suggestions').getByRole('link', { name: 'prod/orders' }).waitFor()
    await isAccessible()
    expect(await page.locator('#suggestions a').count()).toBe(2)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/units/prod--orders')

    for (const path of ['/app', '/app/default/new-unit', '/app/default?deleted=yes']) {
      await page.goto(server.url + path)
      await isAccessible()
    }
    await page.goto(`${server.url}/app/default/search?q=value`)
    expect(await page.getByRole('heading', { name: 'Outputs: 2' }).count()).toBe(1)
    await isAccessible()
  },
)

test.skipIf(browser === undefined)('units and organizations are made without JavaScript', async () => {
  const server = await startServer()
  const { page } = await openWindow(browser, { javaScriptEnabled: false })
  await page.goto(`${server.url}/app`)
  await page.getByLabel('Name').fill('acme')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.waitForURL('**/app/acme')

  await page.getByRole('link', { name: 'New unit' }).click()
  await page.getByLabel('Name').fill('prod/vpc')
  await page.getByLabel('Labels').fill('env=prod')
  await page.getByRole('button', { name: 'Create the unit' }).click()
  await page.waitForURL('**/units/prod--vpc')
  expect(await page.getByText('Created. Paste one of the blocks').count()).toBe(1)
})
