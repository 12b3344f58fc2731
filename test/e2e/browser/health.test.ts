import { rm } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { startHookReceiver } from '../../peers/hook-receiver.ts'
import { openWindow } from '../../rig/browser.ts'
import { startServer } from '../../rig/server.ts'
import { eventually } from '../../rig/wait.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

test.skipIf(browser === undefined).each([true, false])(
  'a notification is created, tested, changed and deleted (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const [server, receiver] = [await startServer(), await startHookReceiver()]
    const { page } = await openWindow(browser, { javaScriptEnabled })
    const click = (name: string) => page.getByRole('button', { name, exact: true }).click()

    await page.goto(`${server.url}/app/default/settings`)
    await page.getByRole('link', { name: 'Notifications', exact: true }).click()
    await page.getByText('No notifications').waitFor()
    await page.getByRole('link', { name: 'New notification' }).click()
    await page.getByLabel('Name', { exact: true }).fill('alerts')
    await page.getByLabel('URL of the webhook').fill('nowhere')
    await page.getByLabel('someone else').check()
    await click('Create')
    await page.getByText('The URL is not an http or https address.').waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('alerts')
    expect(await page.getByLabel('someone else').isChecked()).toBe(true)
    // Fields of other destinations are out of the way.
    expect(await page.getByLabel('Addresses').isVisible()).toBe(false)
    await page.getByLabel('URL of the webhook').fill(receiver.url)
    await click('Create')
    await page.getByText('The notification alerts was created.').waitFor()

    receiver.answer.status = 503
    receiver.answer.body = 'out to lunch'
    await click('Send a test')
    await page.getByText('The destination did not accept the test.').waitFor()
    await page.getByText('out to lunch').first().waitFor()
    receiver.answer.status = 200
    await click('Send a test')
    await page.getByText('The destination accepted a test (200).').waitFor()
    await click('Disable')
    await page.getByText('Disabled.').waitFor()
    const path = page.url()

    const seen = await openWindow(browser)
    if (javaScriptEnabled)
      for (const address of [path, `${server.url}/app/default/settings/notifications/new`])
        await seen.page.goto(address).then(() => seen.isAccessible())

    await page.getByText('Delete the notification').first().click()
    await page.getByLabel('Type alerts to confirm').fill('alerts')
    await click('Delete the notification')
    await page.getByText('The notification alerts was deleted.').waitFor()
  },
)

test.skipIf(browser === undefined)(
  'a check is started and its findings appear on the open page; a repair is confirmed',
  async () => {
    const server = await startServer()
    const { page, isAccessible } = await openWindow(browser)
    const click = (name: string) => page.getByRole('button', { name, exact: true }).click()

    await eventually('the server is listed', async () => {
      await page.goto(`${server.url}/app/default/settings/health`)
      return page.getByText('1 server runs on this bucket').isVisible()
    })
    await click('Check now')
    await page.getByText('It runs in the background.').waitFor()
    await page.getByText('Nothing to review: everything is fine.').waitFor()
    await page.getByRole('link', { name: /Fine$/ }).click()
    await page.getByText('A replacement with an old tag was refused.').first().waitFor()
    expect(page.url()).toMatch(/\?level=ok$/)
    await isAccessible()

    await page.getByText('Repair what can be repaired').click()
    await page.getByLabel('Type repair to confirm').fill('yes')
    await click('Repair')
    await page.getByText('Type repair to confirm.').waitFor()
    await page.getByLabel('Type repair to confirm').fill('repair')
    await click('Repair')
    await page.getByText(/Repaired just now/).waitFor()
    await click('Verify now')
    await page.getByText('It matches its seals.').waitFor()
    await isAccessible()
  },
)

test.skipIf(browser === undefined)(
  'what is wrong in the bucket is found, shown with its remedy, and repaired, without JavaScript',
  async () => {
    const server = await startServer()
    const headers = { 'content-type': 'application/json' }
    const body = '{"name":"prod/vpc"}'
    expect((await fetch(`${server.url}/v1/units`, { method: 'POST', headers, body })).ok).toBe(true)
    await rm(fileURLToPath(`${server.bucket}/.taco/orgs/default/names/prod--vpc.json@1`))
    const { page } = await openWindow(browser, { javaScriptEnabled: false })
    const click = (name: string) => page.getByRole('button', { name, exact: true }).click()
    const health = `${server.url}/app/default/settings/health`
    const ended = (text: string) =>
      eventually('the check to end', async () => {
        await page.goto(health)
        return page.getByText(text).first().isVisible()
      })

    await page.goto(health)
    await click('Check now')
    await ended('The claim on its name is missing.')
    const finding = page.getByRole('row', { name: /prod\/vpc/ })
    expect(await finding.innerText()).toContain('taco doctor --repair')
    const seen = await openWindow(browser)
    await seen.page.goto(page.url())
    await seen.isAccessible()

    await page.getByText('Repair what can be repaired').click()
    await page.getByLabel('Confirm').fill('repair')
    await click('Repair')
    await ended('Repaired just now')
    expect(await finding.innerText()).toContain('repaired')
  },
)
