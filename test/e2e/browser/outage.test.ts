import { afterAll, expect, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { openWindow } from '../../rig/browser.ts'
import { fullS3 } from '../../rig/s3.ts'
import { startServer } from '../../rig/server.ts'
import { eventually } from '../../rig/wait.ts'
import { stateText } from '../../support/state.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

test.skipIf(browser === undefined)(
  'with the S3 server stopped, pages show what they showed before, say so, and refuse changes',
  async (context) => {
    const s3 = await fullS3(context)
    const args = ['--auth', 'none', '--bucket-timeout', '2s']
    const server = await startServer({ bucket: s3.url, env: s3.env, args })
    const written = await fetch(`${server.url}/v1/units/prod--vpc/state`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: stateText(1),
    })
    expect(written.ok).toBe(true)
    const { page, isAccessible } = await openWindow(browser, {}, [503])
    const unit = `${server.url}/app/default/units/prod--vpc`
    for (const path of ['', '/activity', '/units/prod--vpc', '/new-unit'])
      await page.goto(`${server.url}/app/default${path}`)

    const { page: open } = await openWindow(browser, {}, [503])
    await open.goto(`${server.url}/app/default`)

    await s3.dispose()

    // A page that is open says so with the next thing that it shows.
    const notice = open.getByText(/The bucket does not answer|The server cannot renew this page now/)
    await eventually('the open page to be marked', async () => {
      await open.locator('.cells a').first().click()
      return notice.first().isVisible()
    })
    const mark = page.getByText('The bucket does not answer.')
    for (const path of ['/app/default', '/app/default/activity']) {
      // What was read a moment ago counts as current.
      await eventually(`${path} to be marked`, async () => {
        await page.goto(server.url + path)
        return mark.isVisible()
      })
      expect(await page.getByRole('navigation', { name: 'Main' }).count()).toBe(1)
    }
    await page.goto(`${server.url}/app/default/units/never--looked--at`)
    await page.getByRole('link', { name: 'Go to the estate' }).click()
    await mark.waitFor()
    await page.goto(unit)
    await mark.waitFor()
    await page.getByText('prod/vpc').first().waitFor()
    await isAccessible()
    await page.goto(`${server.url}/app/default/new-unit`)
    await page.getByLabel('Name').fill('prod/dns')
    await page.getByRole('button', { name: 'Create the unit' }).click()
    await page.getByRole('heading', { name: 'The bucket does not answer' }).waitFor()
    await page.getByRole('link', { name: 'Go back' }).click()
    await page.waitForURL('**/new-unit')
    expect(await page.getByLabel('Name').inputValue()).toBe('prod/dns')
  },
)
