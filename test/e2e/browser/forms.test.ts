import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { openWindow } from '../../rig/browser.ts'
import { startServer } from '../../rig/server.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

const rootToken = 'the-root-token-of-this-test-0123456789'

async function startTokenServer() {
  return startServer({ args: ['--auth', 'token'], env: { TACO_ROOT_TOKEN: rootToken } })
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Root token').fill(rootToken)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL((url) => !url.pathname.startsWith('/sign-in'))
}

const endSession = (context: BrowserContext) => context.clearCookies({ name: 'taco' })

test.skipIf(browser === undefined)(
  'what was typed is in the form again after the session ended: sent, sent after a mistake, and while typing',
  async () => {
    const { url } = await startTokenServer()
    const { page } = await openWindow(browser, {}, [401])
    const context = page.context()
    await page.goto(`${url}/app/default/new-unit`)
    await signIn(page)
    const name = page.getByLabel('Name', { exact: true })
    const create = page.getByRole('button', { name: 'Create the unit' })
    const again = page.getByText('What you typed is in the form again')
    await name.fill('prod/dns')
    await page.getByLabel('Labels').fill('team=network')

    await endSession(context)
    await create.click()
    await page.getByText('Your session ended before the form was sent').waitFor()
    await signIn(page)
    await again.waitFor()
    expect(await name.inputValue()).toBe('prod/dns')
    expect(await page.getByLabel('Labels').inputValue()).toBe('team=network')

    await page.getByLabel('Labels').fill('x'.repeat(3000))
    await create.click()
    await page.locator('[aria-invalid]').waitFor()
    expect(await page.evaluate('document.activeElement?.id')).toBe('labels')
    expect(await page.evaluate('document.documentElement.scrollWidth === innerWidth')).toBe(true)
    await page.getByLabel('Labels').fill('team=network')
    await name.fill('//')
    await create.click()
    expect(await name.getAttribute('aria-invalid')).toBe('true')
    await name.fill('prod/dns')
    await endSession(context)
    await create.click()
    await signIn(page)
    await again.waitFor()
    expect(await page.getByLabel('Labels').inputValue()).toBe('team=network')
    await create.click()
    await page.waitForURL('**/units/prod--dns')

    // A change of limits: its own address has no page.
    await page.goto(`${url}/app/default/settings`)
    const units = page.getByLabel('Units', { exact: true })
    await units.fill('many')
    await page.getByRole('button', { name: 'Save limits' }).click()
    await page.waitForURL('**/settings/limits')
    await units.fill('70')
    await endSession(context)
    await page.getByRole('button', { name: 'Save limits' }).click()
    await signIn(page)
    await page.waitForURL('**/settings')
    await again.waitFor()
    expect(await units.inputValue()).toBe('70')

    // The editor of a role asks the server while somebody types.
    await page.goto(`${url}/app/default/people/roles`)
    await name.fill('look')
    await endSession(context)
    await page.getByLabel('Description').fill('For auditors')
    await page.waitForURL('**/sign-in?**')
    await signIn(page)
    await again.waitFor()
    expect(await page.getByLabel('Description').inputValue()).toBe('For auditors')

    // Once only, and never on a page that was left on purpose.
    await page.goto(`${url}/app/default/people/roles`)
    expect(await page.getByLabel('Description').inputValue()).toBe('')
    await name.fill('other')
    await page.goto(`${url}/app/default`)
    await page.goto(`${url}/app/default/people/roles`)
    expect(await name.inputValue()).toBe('')
  },
)

test.skipIf(browser === undefined)(
  'without JavaScript, the sign-in says that a form was not sent',
  async () => {
    const { url } = await startTokenServer()
    const { page } = await openWindow(browser, { javaScriptEnabled: false })
    await page.goto(`${url}/app/default/new-unit`)
    await signIn(page)
    await page.getByLabel('Name', { exact: true }).fill('prod/dns')
    await endSession(page.context())
    await page.getByRole('button', { name: 'Create the unit' }).click()

    await page.getByText('Your session ended before the form was sent').waitFor()
    expect(await page.getByText('What you typed').isVisible()).toBe(false)
    await signIn(page)
    expect(new URL(page.url()).pathname).toBe('/app/default/new-unit')
  },
)

test.skipIf(browser === undefined)('a double click sends a form once', async () => {
  const { url } = await startServer()
  const { page } = await openWindow(browser)
  await page.goto(`${url}/app/default/settings/projects`)
  await page.getByLabel('Name', { exact: true }).fill('shop')
  // Nothing is sent, so that the second click finds the page as it finds it while a server takes its time.
  await page.evaluate(`addEventListener('submit', (event) => {
    if (event.defaultPrevented) return
    event.preventDefault()
    document.title += ' sent'
  })`)

  await page.getByRole('button', { name: 'Create project' }).dblclick()

  expect((await page.title()).split(' sent')).toHaveLength(2)
})
