import { afterAll, beforeAll, expect, test } from 'vitest'
import { newKeyText } from '../../../src/access/index.ts'
import { startChromium } from '../../peers/chromium.ts'
import { forFile } from '../../rig/at-end.ts'
import { openWindow } from '../../rig/browser.ts'
import { type Server, startServer } from '../../rig/server.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

let server: Server
beforeAll(() =>
  forFile(async () => {
    if (browser !== undefined) server = await startServer({ env: { TACO_SECRET_KEY: newKeyText().text } })
  }),
)

test.skipIf(browser === undefined).each([true, false])(
  'a set has HCL, environment and sensitive variables, units override it, and a lost race shows both (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const name = javaScriptEnabled ? 'live' : 'plain'
    const headers = { 'content-type': 'application/json' }
    await fetch(`${server.url}/v1/units`, { method: 'POST', headers, body: `{"name":"${name}/app"}` })
    const { page, isAccessible } = await openWindow(browser, { javaScriptEnabled })
    const look = () => (javaScriptEnabled ? isAccessible() : Promise.resolve())
    const fill = (label: string, value: string) => page.getByLabel(label, { exact: true }).fill(value)
    const press = (label: string) => page.getByRole('button', { name: label, exact: true }).click()
    async function add(key: string, value: string, options: readonly string[] = [], kind = 'terraform') {
      await fill('Key', key)
      await fill('Value', value)
      await page.locator('#category').selectOption(kind)
      for (const option of options) await page.getByLabel(option).check()
      await press('Add the variable')
      await page.getByText(`${key} was saved.`).waitFor()
    }

    await page.goto(`${server.url}/app/default/variables`)
    await fill('Name', name)
    await page.getByLabel('For every unit').check()
    await press('Create the set')
    await add('region', 'us-1')
    await add('zones', '["a", "b"]', ['HCL: an expression, not text'])
    await add('AWS_SECRET', 'hunter2', ['Sensitive: never shown again'], 'env')
    const secret = page.getByRole('row', { name: /AWS_SECRET/ })
    expect(await secret.innerText()).toMatch(/env/)
    // Write-only: not in the page, not in its export, not in the form that changes it.
    await secret.getByRole('link', { name: 'Change AWS_SECRET' }).click()
    await page.getByText('It is never shown. Leave it empty to keep it.').waitFor()
    expect(await page.content()).not.toContain('hunter2')
    await look()
    const set = new URL(page.url()).pathname
    const exported = await page.request.get(`${server.url}${set}?format=json`)
    expect(exported.status()).toBe(200)
    expect(await exported.text()).not.toContain('hunter2')

    // Where it is overridden, the page says by what.
    await page.goto(`${server.url}/app/default/units/${name}--app/variables`)
    await add('region', 'eu-1')
    const ofSet = page.getByRole('row', { name: new RegExp(`us-1.*set ${name}`) })
    expect(await ofSet.innerText()).toContain('overridden by this unit')
    expect(await page.getByRole('row', { name: /eu-1/ }).innerText()).not.toContain('overridden')
    await look()

    // Someone else is faster.
    await page.getByRole('link', { name: 'Change region' }).click()
    const { page: other } = await openWindow(browser, { javaScriptEnabled })
    await other.goto(page.url())
    await other.getByLabel('Value', { exact: true }).fill('ap-1')
    await other.getByRole('button', { name: 'Save the variable' }).click()
    await other.getByText('region was saved.').waitFor()
    await fill('Value', 'sa-1')
    await press('Save the variable')
    await page.locator('.notice', { hasText: 'Nothing was saved' }).getByText('ap-1').waitFor()
    expect(await page.getByLabel('Value', { exact: true }).inputValue()).toBe('sa-1')
    await look()
  },
)
