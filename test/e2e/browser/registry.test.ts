import { afterAll, expect, test } from 'vitest'
import { bind } from '../../../src/access/organization/transitions.ts'
import { startChromium } from '../../peers/chromium.ts'
import { openWindow } from '../../rig/browser.ts'
import { publishBoth } from '../../rig/registry-world.ts'
import { startServer } from '../../rig/server.ts'
import { startSsoFace } from '../../rig/sso-face.ts'
import { archiveOf } from '../../support/archives.ts'
import { createSigningKey } from '../../support/open-pgp.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

const README = `# Network

Makes a **network**. See [logs](./modules/logs).

| Zone | Range |
|---|---|
| a | 10.0.0.0/24 |

\`\`\`hcl
module "network" {}
\`\`\`

<script>document.title = 'evil'</script>
`
const archive = archiveOf([
  { path: 'README.md', content: README },
  { path: 'main.tf', content: 'variable "cidr" {\n  type = string\n}\noutput "id" {\n  value = 1\n}\n' },
  { path: 'modules/logs/main.tf', content: 'variable "days" {}\n' },
])

test.skipIf(browser === undefined).each([true, false])(
  'a module is published, read, deprecated and deleted, and a key is added (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const server = await startServer({ args: ['--provider-mirror'] })
    const { page } = await openWindow(browser, { javaScriptEnabled })
    const press = (name: string) => page.getByRole('button', { name, exact: true }).click()

    await page.goto(`${server.url}/app/default`)
    await page.getByRole('link', { name: 'Registry', exact: true }).click()
    await page.getByRole('link', { name: 'Publish a module' }).click()
    await page.getByLabel('Name', { exact: true }).fill('network')
    await page.getByLabel('Provider', { exact: true }).fill('aws')
    await page.getByLabel('Version', { exact: true }).fill('one')
    const file = { name: 'network.tar.gz', mimeType: 'application/gzip', buffer: archive }
    await page.getByLabel('Archive', { exact: true }).setInputFiles(file)
    await press('Publish')
    await page.getByText('"one" is not a version number.').waitFor()
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('network')
    await page.getByLabel('Version', { exact: true }).fill('1.0.0')
    await page.getByLabel('Archive', { exact: true }).setInputFiles(file)
    await press('Publish')
    await page.getByText('Version 1.0.0 of network/aws was published.').waitFor()
    await page.getByText('10.0.0.0/24').waitFor()
    expect(await page.title()).toContain('network/aws')
    await page.getByRole('link', { name: /^Inputs/ }).click()
    await page.getByText('required', { exact: true }).waitFor()
    expect(await page.getByLabel('Block to paste').textContent()).toContain('/default/network/aws"')
    const module = page.url()

    await page.getByText('Deprecate this version').click()
    await page.getByLabel('Reason').fill('Use 2.0.0.')
    await press('Deprecate 1.0.0')
    await page.getByText('Version 1.0.0 is deprecated: Use 2.0.0.').waitFor()

    // What checks accessibility is a script itself. The copy buttons are there only with one.
    const seen = await openWindow(browser)
    const paths = ['', '/modules/network/aws', '/modules/network/aws?tab=versions']
    for (const path of javaScriptEnabled ? paths : [])
      await seen.page.goto(`${server.url}/app/default/registry${path}`).then(() => seen.isAccessible())
    await seen.page.goto(module)
    await seen.page.getByRole('button', { name: 'Copy' }).first().waitFor()

    await page.getByRole('link', { name: /^Versions/ }).click()
    await page.getByText('Delete the module').first().click()
    await page.getByLabel('Type network/aws to confirm').fill('network')
    await press('Delete the module')
    await page.getByText('This does not match.').waitFor()
    await page.getByLabel('Type network/aws to confirm').fill('network/aws')
    await press('Delete the module')
    await page.getByText('The module network/aws was deleted.').waitFor()

    const { keyId, asciiArmor } = createSigningKey()
    await page.getByRole('link', { name: 'Signing keys' }).click()
    await page.getByLabel('Public key').fill(asciiArmor)
    await press('Add the key')
    await page.getByText(`The key ${keyId} was added.`).waitFor()
    if (javaScriptEnabled) await seen.page.goto(page.url()).then(() => seen.isAccessible())
  },
)

test.skipIf(browser === undefined).each([true, false])(
  'a provider is found with its platforms, checksums and the key that signs it, and is deleted (JavaScript: %s)',
  async (javaScriptEnabled) => {
    const face = await startSsoFace()
    const { name, shasum, key } = await publishBoth(face)
    const olga = await face.person('olga')
    await face.policy('default', (all) => bind(all, { role: 'owner', to: `user:${olga.id}` }))
    const { page, isAccessible } = await openWindow(browser, { javaScriptEnabled })
    await page.context().addCookies([await face.browserCookie(olga)])

    await page.goto(`http://127.0.0.1:${face.port}/app/default/registry/providers`)
    await page.locator('tbody').getByRole('link', { name }).first().click()
    await page.getByRole('heading', { level: 1, name }).waitFor()
    const platform = page.getByRole('table', { name: 'Platforms' }).locator('tbody tr')
    expect(await platform.innerText()).toMatch(new RegExp(`linux[\\s\\S]*amd64[\\s\\S]*${shasum}`))
    expect(await page.getByRole('link', { name: key.keyId }).count()).toBe(1)
    expect(await page.getByLabel('Block to paste').textContent()).toContain(`/default/${name}"`)
    if (javaScriptEnabled) await isAccessible()

    await page.getByText('Delete the provider').first().click()
    await page.getByLabel(`Type ${name} to confirm`).fill(name)
    await page.getByRole('button', { name: 'Delete the provider' }).click()
    await page.getByText(`The provider ${name} was deleted.`).waitFor()
  },
)
