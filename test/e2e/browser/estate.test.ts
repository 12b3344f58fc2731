import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { openWindow } from '../../rig/browser.ts'
import { type Server, startServer } from '../../rig/server.ts'
import { stateText } from '../../support/state.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

const json = { 'content-type': 'application/json' }
const flat = (unit: string) => unit.replaceAll('/', '--')

async function call({ url }: Pick<Server, 'url'>, method: string, path: string, body: string): Promise<void> {
  const answer = await fetch(url + path, { method, headers: json, body })
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
}

const write = (server: Server, unit: string, serial = 1) =>
  call(server, 'PUT', `/v1/units/${flat(unit)}/state`, stateText(serial))
const create = (server: Server, name: string) => call(server, 'POST', '/v1/units', JSON.stringify({ name }))

async function startEstate(): Promise<Server> {
  const server = await startServer()
  for (const unit of ['prod/network/vpc', 'prod/network/dns', 'dev/app']) await write(server, unit)
  await create(server, 'prod/data/orders')
  await call(
    server,
    'POST',
    '/v1/units/prod--data--orders/dependencies',
    JSON.stringify({ on: 'prod/network/vpc', outputs: ['value'] }),
  )
  return server
}

const cell = (page: Page, unit: string) => page.locator(`.cells a[href$="unit=${unit}"]`)
const search = (page: Page) => new URL(page.url()).searchParams

test.skipIf(browser === undefined)(
  'a unit is selected on the map with the pointer and the keyboard, and its colour changes while it is open',
  async () => {
    const server = await startEstate()
    const { page, isAccessible } = await openWindow(browser)
    await page.goto(`${server.url}/app/default`)
    await isAccessible()

    await cell(page, 'prod/data/orders').click()
    await page.locator('#panel h2', { hasText: 'orders' }).waitFor()
    expect(search(page).get('unit')).toBe('prod/data/orders')
    expect(await page.getByRole('link', { name: 'Open', exact: true }).getAttribute('href')).toBe(
      '/app/default/units/prod--data--orders',
    )
    await isAccessible()

    // Arrows go through the map, Enter selects, the way back is in the history.
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.locator('#panel h2', { hasText: 'dns' }).waitFor()
    await page.goBack()
    await page.locator('#panel h2', { hasText: 'orders' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('heading', { name: 'Attention' }).waitFor()

    await page.locator('html[data-is-live]').waitFor()
    expect(await cell(page, 'prod/data/orders').getAttribute('class')).toBe('look-never')
    await write(server, 'prod/data/orders')
    await page.locator('.cells a.look-unknown[href$="unit=prod/data/orders"]').waitFor()

    // Keys lead elsewhere and back.
    await page.keyboard.press('/')
    await page.keyboard.type('vpc')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/search?q=vpc')
    await page.getByRole('heading', { name: 'Units: 1' }).waitFor()
    await page.keyboard.press('j')
    expect(await page.locator(':focus').innerText()).toContain('prod/network/vpc')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/units/prod--network--vpc')
    await page.keyboard.press('g')
    await page.keyboard.press('e')
    await page.waitForURL('**/app/default')

    // A square is nothing but its background, which forced colours would take away.
    await page.emulateMedia({ forcedColors: 'active' })
    expect(
      await page.evaluate("getComputedStyle(document.querySelector('.cells a')).forcedColorAdjust"),
    ).toBe('none')
  },
)

test.skipIf(browser === undefined)(
  'a graph is zoomed and moved, and the slider goes back in time',
  async () => {
    const server = await startEstate()
    const { page } = await openWindow(browser)
    await page.goto(`${server.url}/app/default?view=graph`)
    const picture = page.locator('[data-is-movable] > svg')
    const shown = async () => (await picture.getAttribute('viewBox'))?.split(' ').map(Number) ?? []

    const [x = 0, , width = 0] = await shown()
    await page.getByRole('button', { name: 'Zoom in' }).click()
    const [, , near = 0] = await shown()
    expect(near).toBeLessThan(width)
    await page.getByRole('button', { name: 'Fit' }).click()
    const box = await picture.boundingBox()
    if (box === null) throw new Error('there is no picture')
    await page.mouse.move(box.x + 20, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + 120, box.y + 60, { steps: 5 })
    await page.mouse.up()
    expect((await shown())[0]).toBeLessThan(x)
    // With the wheel, at the place of the pointer, and with keys.
    await page.getByRole('button', { name: 'Fit' }).click()
    const whole = await shown()
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, -100)
    await page.keyboard.up('Control')
    await expect.poll(shown).not.toEqual(whole)
    await page.locator('svg .node').first().focus()
    const [, , wide = 0] = await shown()
    await page.keyboard.press('-')
    expect((await shown())[2]).toBeGreaterThan(wide)
    const [left = 0] = await shown()
    await page.keyboard.press('ArrowRight')
    expect((await shown())[0]).toBeGreaterThan(left)
    await page.getByRole('button', { name: 'Fit' }).click()
    await page.locator('svg .node', { hasText: 'data/orders' }).click()
    await page.locator('#panel h2', { hasText: 'orders' }).waitFor()
    expect(search(page).get('view')).toBe('graph')

    await page.getByRole('slider', { name: 'As of' }).press('Home')
    await page.waitForURL('**at=**')
    expect(await page.locator('.notice').innerText()).toContain('The estate as it was')
  },
)

test.skipIf(browser === undefined).each([true, false])(
  'folders of a large graph are opened and closed (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const server = await startServer()
    for (const folder of ['prod/apps', 'prod/data', 'dev'])
      await Promise.all(Array.from({ length: 14 }, (_, i) => create(server, `${folder}/u${i}`)))
    await create(server, 'alone')
    const { page, isAccessible } = await openWindow(browser, { javaScriptEnabled })
    const folder = (name: string) => page.locator('svg .node', { hasText: `${name}/` })

    await page.goto(`${server.url}/app/default?view=graph`)
    await folder('dev').waitFor()
    const units = page.locator('svg .node', { hasText: 'dev/u' })
    expect(await units.count()).toBe(0)
    await folder('dev').click()
    await page.waitForURL('**open=dev**')
    await units.first().waitFor()
    expect(await units.count()).toBe(14)
    if (javaScriptEnabled) await isAccessible()
    await page.getByRole('link', { name: 'dev/ : close' }).click()
    await folder('dev').waitFor()
    expect(await units.count()).toBe(0)
  },
)

test.skipIf(browser === undefined)('every view is accessible, and fits a phone', async () => {
  const server = await startEstate()
  const { page, isAccessible } = await openWindow(browser, { viewport: { width: 360, height: 740 } })

  for (const view of ['map', 'graph', 'table', 'tree']) {
    await page.goto(`${server.url}/app/default?view=${view}&unit=prod/data/orders`)
    await page.locator('#panel h2', { hasText: 'orders' }).waitFor()
    await isAccessible()
    expect([view, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([view, 360])
  }
})

test.skipIf(browser === undefined)(
  'without JavaScript, a unit is selected, filtered, sorted and seen as it was',
  async () => {
    const server = await startEstate()
    const { page } = await openWindow(browser, { javaScriptEnabled: false })
    await page.goto(`${server.url}/app/default`)

    await cell(page, 'prod/data/orders').click()
    expect(await page.locator('#panel h2').innerText()).toBe('orders')
    await page.getByText('+ filter').click()
    await page.getByLabel('Below the path').fill('prod')
    await page.getByRole('button', { name: 'Filter' }).click()
    expect(await page.locator('.cells a').count()).toBe(3)
    expect(search(page).get('unit')).toBe('prod/data/orders')

    await page.getByRole('link', { name: 'Table', exact: true }).click()
    await page.getByRole('link', { name: 'Status', exact: true }).click()
    expect(await page.locator('tbody tr').first().innerText()).toContain('prod/data/orders')
    await page.getByRole('link', { name: 'Graph', exact: true }).click()
    expect(await page.locator('svg .node').count()).toBe(3)
    await page.getByRole('link', { name: 'Tree', exact: true }).click()
    await page.locator('summary', { hasText: 'prod/' }).first().waitFor()

    await page.getByLabel('as of').fill('2026-01-01T00:00')
    await page.getByRole('button', { name: 'Show' }).click()
    expect(await page.locator('.notice').innerText()).toContain('2026-01-01 00:00 UTC')
    await page.getByRole('link', { name: 'now', exact: true }).click()
    expect(search(page).get('path')).toBe('prod')
  },
)
