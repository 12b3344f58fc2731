import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { type OidcPeer, startOidc } from '../../peers/oidc.ts'
import { startSaml } from '../../peers/saml.ts'
import { openWindow } from '../../rig/browser.ts'
import { startServer } from '../../rig/server.ts'
import { type SignInServer, startSignInServer } from '../../rig/sign-in-server.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

let peer: OidcPeer
beforeAll(async () => {
  peer = await startOidc({
    users: { alice: { name: 'Alice A.', email: 'alice@example.com', email_verified: true, groups: ['ops'] } },
  })
  return peer.dispose
})

function startHere(): Promise<SignInServer> {
  const { issuer, clientId, clientSecret } = peer
  return startSignInServer([{ kind: 'oidc', id: 'peer', label: 'Peer', issuer, clientId, clientSecret }])
}

/** From any page that leads to the sign-in page. */
async function signIn(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Sign in with Peer' }).click()
  await page.getByLabel('Name').fill('alice')
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function expectToFit(page: Page): Promise<void> {
  const width = await page.evaluate('document.documentElement.scrollWidth')
  expect([page.url(), width]).toEqual([page.url(), page.viewportSize()?.width])
}

const pathOf = (page: Page) => new URL(page.url()).pathname + new URL(page.url()).search

test.skipIf(browser === undefined).each([true, false])(
  'a person signs in, makes and revokes a token, and signs out everywhere (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const server = await startHere()
    // Axe is a script, so it looks only where scripts run.
    const { page, isAccessible } = await openWindow(browser, { javaScriptEnabled })
    const look = javaScriptEnabled ? isAccessible : () => Promise.resolve()

    await page.goto(`${server.publicUrl}/account/tokens`)
    expect(pathOf(page)).toBe('/sign-in?return_to=%2Faccount%2Ftokens')
    await look()
    await signIn(page)
    expect(pathOf(page)).toBe('/account/tokens')
    await look()

    await page.getByLabel('Name').fill('laptop')
    await page.getByRole('button', { name: 'Create token' }).click()
    const token = await page.locator('.notice code').innerText()
    expect(token).toMatch(/^taco_pat_[0-9A-Za-z]{16}\.[\w-]{43}$/)
    await look()
    const ask = () =>
      fetch(`${server.url}/v1/tokens`, { headers: { authorization: `Bearer ${token}` } }).then(
        ({ status }) => status,
      )
    expect(await ask()).toBe(200)
    await page.locator('summary', { hasText: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Revoke laptop' }).click()
    expect(await page.getByRole('cell', { name: 'revoked' }).count()).toBe(1)
    expect(await ask()).toBe(401)

    await page.getByRole('navigation').getByRole('link', { name: 'Your sessions' }).click()
    expect(await page.getByText('this browser').count()).toBe(1)
    await look()
    await page.getByRole('button', { name: 'Sign out everywhere' }).click()
    await page.getByText('You are signed out.').waitFor()
    await page.goto(`${server.publicUrl}/`)
    expect(pathOf(page)).toBe('/sign-in?return_to=%2F')

    // A session that ended while a form was open leads back to the form.
    // The provider still knows who it is.
    const again = () => page.getByRole('link', { name: 'Sign in with Peer' }).click()
    // As engines print it.
    await page.goto(`${server.publicUrl}/app/settings/tokens?source=terraform-login`)
    await again()
    await page.waitForURL('**/app/settings/tokens**')
    await page.context().clearCookies({ name: /taco$/ })
    await page.getByLabel('Name').fill('late')
    await page.getByRole('button', { name: 'Create token' }).click()
    await again()
    await page.waitForURL(/\/(account|app\/settings)\/tokens/)
    await page.getByRole('button', { name: 'Create token' }).waitFor()
  },
)

test.skipIf(browser === undefined)('the sign-in page says what went wrong at the provider', async () => {
  const server = await startHere()
  const { page } = await openWindow(browser)
  await page.goto(`${server.publicUrl}/`)
  await page.getByRole('link', { name: 'Sign in with Peer' }).click()

  await page.getByRole('button', { name: 'Cancel' }).click()

  expect(await page.getByRole('alert').innerText()).toContain('Peer')
  await signIn(page)
  expect(pathOf(page)).toBe('/')
  expect(await page.getByRole('banner').innerText()).toContain('alice')
})

test.skipIf(browser === undefined)(
  'pages fit a phone, a chosen theme stays, and the keyboard reaches the content first',
  async () => {
    const server = await startServer()
    const { page, isAccessible } = await openWindow(browser, {
      viewport: { width: 360, height: 740 },
      colorScheme: 'light',
    })
    const background = () => page.evaluate('getComputedStyle(document.body.parentElement).backgroundColor')
    for (const path of ['/', '/sign-in']) {
      await page.goto(server.url + path)
      await expectToFit(page)
      await isAccessible()
    }

    const light = await background()
    await page.locator('summary').click()
    await page.getByRole('button', { name: 'Dark' }).click()
    expect(pathOf(page)).toBe('/sign-in')
    expect(await background()).not.toBe(light)
    await page.goto(server.url)
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark')

    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').innerText()).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.locator(':focus').getAttribute('id')).toBe('content')
  },
)

test.skipIf(browser === undefined)(
  'a person signs in with SAML, whose answer comes from another site',
  async () => {
    const saml = await startSaml()
    onTestFinished(saml.dispose)
    const server = await startSignInServer([
      { kind: 'saml', id: 'saml', label: 'Saml', metadataUrl: saml.metadataUrl },
    ])
    const { page } = await openWindow(browser, { viewport: { width: 360, height: 740 } })

    await page.goto(`${server.publicUrl}/account/sessions`)
    await page.getByRole('link', { name: 'Sign in with Saml' }).click()
    await page.getByLabel('Name').fill('bob')
    await page.getByRole('button', { name: 'Sign in' }).click()

    await page.waitForURL(`${server.publicUrl}/account/sessions`)
    await expectToFit(page)
    expect(await page.getByRole('banner').innerText()).toContain('bob')
  },
)
