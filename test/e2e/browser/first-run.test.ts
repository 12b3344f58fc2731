import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { startOidc } from '../../peers/oidc.ts'
import { openWindow } from '../../rig/browser.ts'
import { type Child, endedWithTest, startChild } from '../../rig/child.ts'
import { engines } from '../../rig/engines.ts'
import { startServer } from '../../rig/server.ts'
import { startSignInServer } from '../../rig/sign-in-server.ts'
import { executable } from '../../rig/taco.ts'
import { tempFolder } from '../../rig/temp.ts'
import { eventually } from '../../rig/wait.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

const token = '0123456789abcdef'.repeat(4)

/** What the three steps say to type, in their order. */
const commandsOf = (page: Page) =>
  page.locator('.steps > section:nth-of-type(-n+3) > .stack > .command code').allInnerTexts()

/** A person at a terminal in an empty folder, with `taco` and this engine on the PATH, and a browser. */
async function terminal(engine: string) {
  const home = await tempFolder()
  const [code, bin, opened] = [join(home, 'code'), join(home, 'bin'), join(home, 'opened')]
  await mkdir(code)
  await mkdir(bin)
  await symlink(executable, join(bin, 'taco'))
  await symlink(engine, join(bin, 'tofu'))
  await writeFile(join(bin, 'xdg-open'), `#!/bin/sh\nprintf '%s' "$1" > '${opened}'\n`)
  await chmod(join(bin, 'xdg-open'), 0o755)
  const env = { HOME: home, PATH: `${bin}:${process.env['PATH'] ?? ''}`, CHECKPOINT_DISABLE: '1' }
  return {
    start: (commands: readonly string[], typed: readonly string[]): Child =>
      endedWithTest(
        startChild('bash', ['-ec', commands.join('\n')], { cwd: code, env, input: `${typed.join('\n')}\n` }),
      ),
    /** The page that a program opened. */
    opened: (child: Child) =>
      eventually(
        () => `a page to be opened; it said: ${child.output()}`,
        async () =>
          (await readFile(opened, 'utf8').catch(() => undefined)) ??
          (child.isRunning() ? undefined : 'about:blank'),
      ),
  }
}

async function arrives(page: Page, unit: string): Promise<void> {
  await page.getByRole('link', { name: `${unit}:` }).waitFor()
  await page.getByRole('heading', { name: 'Next steps' }).waitFor()
}

const [tofu, ...others] = engines()
const last = others.at(-1) ?? tofu
const isMissing = browser === undefined || tofu === undefined || last === undefined

test.skipIf(isMissing)('the commands of an empty estate lead to the first state as they are', async () => {
  const server = await startServer()
  const { page, isAccessible } = await openWindow(browser)
  await page.goto(server.url)
  await page.getByText('Coming from somewhere else?').waitFor()
  for (const more of await page.locator('.steps details').all()) await more.locator('summary').click()
  await isAccessible()

  await page.getByLabel('Name of the unit').fill('stage/a b')
  await page.getByRole('button', { name: 'Fill in' }).click()
  await page.getByText('taco backend "stage/a b" --write').waitFor()
  await page.locator('html[data-is-live]').waitFor()

  const { start } = await terminal(tofu?.path ?? '')
  const { code, output } = await start(await commandsOf(page), ['yes']).finished

  expect([code, output]).toEqual([0, expect.stringContaining('Apply complete')])
  await arrives(page, 'stage/a b')
})

test.skipIf(isMissing)('they do with a root token', async () => {
  const server = await startServer({ args: ['--auth', 'token'], env: { TACO_ROOT_TOKEN: token } })
  const { page } = await openWindow(browser)
  await page.goto(server.url)
  await page.getByLabel('Root token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('html[data-is-live]').waitFor()

  const { start } = await terminal(last?.path ?? '')
  const { code, output } = await start(await commandsOf(page), [token, 'yes']).finished

  expect([code, output]).toEqual([0, expect.stringContaining('Apply complete')])
  await arrives(page, 'prod/network')
})

test.skipIf(isMissing)(
  'they do for a person who signs in, in an organization of their own',
  async () => {
    const peer = await startOidc({
      users: { ann: { name: 'Ann', email: 'ann@example.com', email_verified: true, groups: [] } },
    })
    const { issuer, clientId, clientSecret } = peer
    const server = await startSignInServer([
      { kind: 'oidc', id: 'peer', label: 'Peer', issuer, clientId, clientSecret },
    ])
    const headers = { authorization: `Bearer ${server.rootToken}`, 'content-type': 'application/json' }
    await fetch(`${server.url}/v1/server/administrators/email%3Aann%40example.com`, {
      method: 'PUT',
      headers,
    })
    await fetch(`${server.url}/v1/orgs`, { method: 'POST', headers, body: '{"name":"acme"}' })
    const { page } = await openWindow(browser)
    await page.goto(`${server.publicUrl}/app/acme`)
    await page.getByRole('link', { name: 'Sign in with Peer' }).click()
    await page.getByLabel('Name').fill('ann')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.locator('html[data-is-live]').waitFor()

    const { start, opened } = await terminal(tofu?.path ?? '')
    const typing = start(await commandsOf(page), ['yes'])
    const consent = await page.context().newPage()
    await consent.goto(await opened(typing))
    await consent.getByRole('button', { name: 'Allow' }).click()
    const { code, output } = await typing.finished

    expect([code, output]).toEqual([0, expect.stringContaining('Apply complete')])
    await page.bringToFront()
    await arrives(page, 'prod/network')
    await peer.dispose()
  },
  90_000,
)
