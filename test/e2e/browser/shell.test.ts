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
