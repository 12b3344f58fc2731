import { afterAll, expect, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { openWindow } from '../../rig/browser.ts'
import { castOfPeople } from '../../rig/people-cast.ts'
import { startServer } from '../../rig/server.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

test.skipIf(browser === undefined).each([true, false])(
  'a role is given, explained and found in the audit log (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const server = await startServer()
    const { page, isAccessible } = await openWindow(browser, { javaScriptEnabled })
    // What checks accessibility is a script itself.
    const look = () => (javaScriptEnabled ? isAccessible() : Promise.resolve())
    const choose = (name: string) => page.getByRole('link', { name, exact: true }).click()

    await page.goto(`${server.url}/app/default`)
    await choose('People')
    await page.getByRole('link', { name: /^Roles given/ }).click()
    await page.getByLabel('To', { exact: true }).fill('bob')
    await page.getByRole('button', { name: 'Give the role' }).click()
    await page.getByText('does not name a person').waitFor()
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('bob')
    await page.getByLabel('To', { exact: true }).fill('group:okta/platform')
    await page.getByLabel('Role', { exact: true }).selectOption('reader')
    await page.getByRole('button', { name: 'Give the role' }).click()
    await page.getByText('group:okta/platform has the role reader now.').waitFor()

    await page.getByLabel('Who').fill('group:okta/platform')
    await page.getByLabel('Does what').fill('state:read')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.locator('.why.look-ok').waitFor()
    await look()

    await choose('Audit')
    await page.getByLabel('Action').fill('role.granted')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByText('role.granted').first().waitFor()

    await look()
    await page
      .getByRole('link', { name: /^Show role\.granted/ })
      .first()
      .click()
    await page.waitForURL('**/audit/**')
    await look()
  },
)

/** The pages as the owner of the organization sees them, who also administers the server. */
async function openAsOwner(javaScriptEnabled: boolean) {
  const { face, olga } = await castOfPeople()
  await face.signIn.settings.addAdministrator(`user:${olga.id}`, face.setUp)
  const url = `http://127.0.0.1:${face.port}`
  const window = await openWindow(browser, { javaScriptEnabled })
  await window.page.context().addCookies([await face.browserCookie(olga)])
  await window.page.goto(`${url}/app/default/people`)
  return { ...window, face, url }
}

test.skipIf(browser === undefined).each([true, false])(
  'a team gets a role whose rules are explained while they are typed, and a token (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const { page, url } = await openAsOwner(javaScriptEnabled)
    const tab = (name: RegExp) =>
      page.getByRole('navigation', { name: 'People' }).getByRole('link', { name }).click()

    await tab(/^Teams/)
    await page.getByLabel('Name').fill('web')
    await page.getByRole('button', { name: 'Create the team' }).click()
    await page.getByLabel('Add a person').fill('eve')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('eve is in the team now.').waitFor()

    await tab(/^Roles(?! given)/)
    await page.getByRole('link', { name: 'Create a role' }).click()
    await page.getByLabel('Name').fill('site')
    await page.getByLabel('Actions').pressSequentially('state:read vars:*')
    await page.getByLabel('Only on these units').fill('site/**')
    if (!javaScriptEnabled) await page.getByRole('button', { name: 'Preview' }).last().click()
    await page.getByText('may read states and do everything with variables on site/**').waitFor()
    await page.getByRole('button', { name: 'Save the role' }).click()
    await page.getByText('The role site was saved.').waitFor()

    await page.goto(`${url}/app/default/people?tab=grants`)
    await page.getByLabel('To', { exact: true }).fill('team:web')
    await page.getByLabel('Role', { exact: true }).selectOption('site')
    await page.getByRole('button', { name: 'Give the role' }).click()
    await page.getByLabel('Who').fill('eve')
    await page.getByLabel('Does what').fill('state:read')
    await page.getByLabel('On the unit').fill('site/shop')
    await page.getByRole('button', { name: 'Explain' }).click()
    await page.getByRole('link', { name: 'Rule 1 of site' }).click()
    expect(page.url()).toBe(`${url}/app/default/people/roles/site#rule-1`)

    await tab(/^Tokens/)
    await page.getByLabel('Name').fill('deploy')
    await page.getByLabel('Token of').selectOption('team')
    await page.getByLabel('Team', { exact: true }).last().selectOption('web')
    await page.getByRole('button', { name: 'Create token' }).click()
    expect(await page.locator('.notice code').innerText()).toMatch(/^taco_/)
    await page.locator('summary', { hasText: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Revoke deploy' }).click()
    await page.getByText('The token deploy was revoked.').waitFor()
  },
)

test.skipIf(browser === undefined)(
  'an administrator adds a sign-in provider, checks it, and suspends a person',
  async () => {
    const { page, url, face, isAccessible } = await openAsOwner(true)

    await page.goto(`${url}/server/providers`)
    await page.getByRole('link', { name: /^OpenID Connect/ }).click()
    await page.getByLabel('Id', { exact: true }).fill('okta')
    await page.getByLabel('Name', { exact: true }).fill('Okta')
    await page.getByLabel('Issuer').fill('http://localhost:9')
    await page.getByLabel('Client id').fill('taco')
    await page.getByLabel('Client secret', { exact: true }).fill('secret')
    await page.getByRole('button', { name: 'Add the provider' }).click()
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByRole('alert').waitFor()
    await isAccessible()

    await page.getByRole('navigation', { name: 'Server' }).getByRole('link', { name: 'People' }).click()
    await page.getByRole('link', { name: 'bob' }).click()
    await page.getByText('Suspend bob').first().click()
    await page.getByLabel('Type bob to confirm').fill('bob')
    await page.getByRole('button', { name: 'Suspend bob' }).click()
    await page.getByText('bob is suspended.').waitFor()
    expect(await face.signIn.people.get('bob', face.setUp)).toHaveProperty('suspended')
  },
)
