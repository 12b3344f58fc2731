import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { forFile } from '../../rig/at-end.ts'
import { openWindow } from '../../rig/browser.ts'
import { type Server, startServer } from '../../rig/server.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

/** More than a page of anything shows. */
const UNITS = 101

let server: Server
beforeAll(() =>
  forFile(async () => {
    if (browser === undefined) return
    server = await startServer()
    for (let i = 0; i < UNITS; i++) {
      const body = JSON.stringify({ name: `many/u${i}` })
      const headers = { 'content-type': 'application/json' }
      const made = await fetch(`${server.url}/v1/units`, { method: 'POST', headers, body })
      if (!made.ok) throw new Error(await made.text())
    }
  }),
)

async function download(page: Page, format: 'CSV' | 'JSON'): Promise<string> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: format, exact: true }).click(),
  ])
  return readFile(await file.path(), 'utf8')
}

const LISTS = [
  { name: 'units', path: '?view=table&path=many', rows: 'tbody tr' },
  { name: 'activity', path: '/activity?type=unit.created', rows: '#feed li' },
  { name: 'audit', path: '/audit?action=unit:create', rows: 'tbody tr' },
  { name: 'usage', path: '/settings/usage?search=many/', rows: '[data-list] tbody tr' },
]

test
  .skipIf(browser === undefined)
  .each(LISTS.flatMap((list) => [true, false].map((javaScriptEnabled) => ({ ...list, javaScriptEnabled }))))(
  'a list is filtered by its address, paged to its end, and exported whole: $name (JavaScript: $javaScriptEnabled)',
  async ({ path, rows, javaScriptEnabled }) => {
    const { page } = await openWindow(browser, { javaScriptEnabled })
    await page.goto(`${server.url}/app/default${path}`)
    let seen = ''
    for (let pages = 1; ; pages++) {
      await page.locator(rows).first().waitFor()
      seen += ` ${(await page.locator(rows).allInnerTexts()).join(' ')} `
      const next = page.locator('a[rel="next"]')
      if ((await next.count()) === 0) {
        expect(pages).toBeGreaterThan(1)
        break
      }
      const before = page.url()
      await next.click()
      await page.waitForURL((url) => String(url) !== before)
    }
    const missing = Array.from({ length: UNITS }, (_, i) => `many/u${i}`).filter(
      (name) => !new RegExp(`${name}\\b`).test(seen),
    )
    expect(missing).toEqual([])

    const items = JSON.parse(await download(page, 'JSON')) as unknown[]
    expect(items).toHaveLength(UNITS)
    const lines = (await download(page, 'CSV')).trim().split('\n')
    expect(lines).toHaveLength(UNITS + 1)
  },
)

test.skipIf(browser === undefined)('the addresses that engines print lead to pages', async () => {
  const { page } = await openWindow(browser)
  for (const [path, leadsTo] of [
    ['many--u1', 'units/many--u1'],
    ['many--u1/runs', 'units/many--u1/runs'],
    ['many--u1/runs/run-0123456789abcdef', 'units/many--u1/runs'],
    ['many--u1/search/qr-0123456789abcdef', 'units/many--u1/runs'],
    ['many--u1/variables', 'units/many--u1/variables'],
  ] as const) {
    const answer = await page.goto(`${server.url}/app/default/${path}`)
    expect([path, answer?.status(), page.url()]).toEqual([path, 200, `${server.url}/app/default/${leadsTo}`])
    await page.getByRole('heading', { level: 1, name: 'u1' }).waitFor()
  }
})
