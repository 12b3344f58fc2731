import { afterAll, expect, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { openWindow } from '../../rig/browser.ts'
import { type Server, startServer } from '../../rig/server.ts'
import { stateText } from '../../support/state.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

const json = { 'content-type': 'application/json' }

async function call({ url }: Server, method: string, path: string, body: string): Promise<void> {
  const answer = await fetch(url + path, { method, headers: json, body })
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
}

const write = (server: Server, unit: string, serial = 1) =>
  call(server, 'PUT', `/v1/units/${unit}/state`, stateText(serial))

/** A server with pages, and another one over the same bucket. */
async function startTwo() {
  const server = await startServer()
  await write(server, 'vpc')
  await call(server, 'POST', '/v1/units', JSON.stringify({ name: 'app' }))
  await call(server, 'POST', '/v1/units/app/dependencies', JSON.stringify({ on: 'vpc', outputs: ['value'] }))
  return { server, other: await startServer({ bucket: server.bucket }) }
}

test.skipIf(browser === undefined)(
  'a write through another server changes the panel and the graph, and takes neither focus nor zoom',
  async () => {
    const { server, other } = await startTwo()
    const { page } = await openWindow(browser)
    await page.goto(`${server.url}/app/default`)
    await page.locator('html[data-is-live]').waitFor()
    await page.locator('.cells a[href$="unit=app"]').click()
    const said = page.locator('p[role="status"]')
    await said.filter({ hasText: 'app: never applied' }).waitFor()
    const before = await said.textContent()
    const open = page.locator('#panel').getByRole('link', { name: 'Open', exact: true })
    await open.focus()

    await write(other, 'app')
    await page.locator('#panel .chip:not(.look-never)').first().waitFor()
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Open')
    expect(await said.textContent()).toBe(before)

    await page.goto(`${server.url}/app/default?view=graph`)
    await page.locator('html[data-is-live]').waitFor()
    const zoom = page.getByRole('button', { name: 'Zoom in' })
    await zoom.click()
    await zoom.click()
    const picture = page.locator('[data-picture] > svg')
    const shown = await picture.getAttribute('viewBox')

    await call(other, 'POST', '/v1/units', JSON.stringify({ name: 'dns' }))
    await page.getByRole('link', { name: 'dns: never applied' }).waitFor()
    expect(await page.evaluate('document.activeElement?.ariaLabel')).toBe('Zoom in')
    expect(await picture.getAttribute('viewBox')).toBe(shown)
  },
)

test.skipIf(browser === undefined)(
  'a page says that the server is gone, and catches up when it is back',
  async () => {
    const { server, other } = await startTwo()
    const { page } = await openWindow(browser, {}, [503])
    const complaints = page.getByText('The server cannot renew this page now.')
    await page.goto(`${server.url}/app/default?view=table`)
    await page.locator('html[data-is-live]').waitFor()

    await server.stop()
    await complaints.waitFor()
    await call(other, 'POST', '/v1/units', JSON.stringify({ name: 'dns' }))
    await startServer({ bucket: server.bucket, port: server.port })

    await page.getByRole('link', { name: 'dns' }).waitFor()
    await page.locator('html[data-is-live]').waitFor()
    expect(await complaints.count()).toBe(0)
  },
)
