import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { type OidcPeer, startOidc } from '../../peers/oidc.ts'
import { openWindow } from '../../rig/browser.ts'
import { type Child, endedWithTest, startChild } from '../../rig/child.ts'
import { engines } from '../../rig/engines.ts'
import { httpBackend, oneResource } from '../../rig/hcl.ts'
import { type SignInServer, startSignInServer } from '../../rig/sign-in-server.ts'
import { runTaco, startTaco } from '../../rig/taco.ts'
import { tempFolder } from '../../rig/temp.ts'
import { eventually } from '../../rig/wait.ts'
import { workdir } from '../../rig/workdir.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

let peer: OidcPeer
beforeAll(async () => {
  peer = await startOidc({
    users: { alice: { name: 'Alice A.', email: 'alice@example.com', email_verified: true, groups: [] } },
  })
  return peer.dispose
})

/** A person at a computer: a home, and a browser that programs open by `xdg-open`. */
async function person({ isSecure }: { readonly isSecure: boolean }) {
  const home = await tempFolder()
  const { issuer, clientId, clientSecret } = peer
  const provider = { kind: 'oidc', id: 'peer', label: 'Peer', issuer, clientId, clientSecret }
  const server = await startSignInServer([provider], isSecure ? { home } : {})
  const opened = join(home, 'opened')
  const programs = join(home, 'bin')
  await mkdir(programs)
  await writeFile(join(programs, 'xdg-open'), `#!/bin/sh\nprintf '%s\\n' "$1" >> '${opened}'\n`)
  await chmod(join(programs, 'xdg-open'), 0o755)
  const caFile = join(home, '.local/share/opentaco/tls/ca.crt')
  const env = {
    HOME: home,
    PATH: `${programs}:${process.env['PATH'] ?? ''}`,
    CHECKPOINT_DISABLE: '1',
    ...(isSecure ? { SSL_CERT_FILE: caFile } : {}),
  }
  let seen = 0
  /** The address that a program has opened since the last one. */
  const nextPage = (child: Child) =>
    eventually(
      () => `a page to be opened; it said: ${child.output()}`,
      async () => {
        const all = (await readFile(opened, 'utf8').catch(() => '')).split('\n').filter(Boolean)
        const url = all[seen]
        if (url !== undefined) seen++
        return url ?? (child.isRunning() ? undefined : 'about:blank')
      },
    )
  return {
    home,
    server,
    env,
    nextPage,
    taco: (...args: readonly string[]) => runTaco(args, { cwd: home, env }),
  }
}

async function signIn(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Sign in with Peer' }).click()
  await page.getByLabel('Name').fill('alice')
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Alice administers the server, so that she may write states. */
async function promote({ url, rootToken }: SignInServer): Promise<void> {
  const subject = encodeURIComponent('email:alice@example.com')
  const reply = await fetch(`${url}/v1/server/administrators/${subject}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${rootToken}` },
  })
  expect(reply.status, await reply.text()).toBe(200)
}

test.skipIf(browser === undefined)(
  'over TLS, a person signs in with taco, Terraform and OpenTofu, and each keeps its own token',
  async () => {
    const { home, server, env, nextPage, taco } = await person({ isSecure: true })
    const { page, isAccessible } = await openWindow(browser, { ignoreHTTPSErrors: true })

    const login = startTaco(['login', server.publicUrl], { cwd: home, env })
    await page.goto(await nextPage(login))
    await signIn(page)
    await page.getByRole('heading', { name: 'Allow taco on this computer to act as alice?' }).waitFor()
    await isAccessible()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Signed in' }).waitFor()
    expect(await login.finished).toMatchObject({
      code: 0,
      stdout: `signed in to ${server.publicUrl} as alice\n`,
    })

    const host = new URL(server.publicUrl).host
    for (const engine of engines()) {
      const child = endedWithTest(
        startChild(engine.path, ['login', host], { cwd: home, env, input: 'yes\n' }),
      )
      await page.goto(await nextPage(child))
      await page.getByRole('heading', { name: 'Allow Terraform or OpenTofu on this computer' }).waitFor()
      await page.getByRole('button', { name: 'Allow' }).click()
      const { code, output } = await child.finished
      expect([engine.name, code, output]).toEqual([engine.name, 0, expect.stringMatching(/success/i)])
      const file = join(home, '.terraform.d/credentials.tfrc.json')
      const { credentials } = JSON.parse(await readFile(file, 'utf8')) as {
        credentials: Record<string, { token: string }>
      }
      const token = credentials[host]?.token ?? ''
      const who = await runTaco(['whoami', '--json', '--server', server.publicUrl], {
        cwd: home,
        env: { ...env, TACO_TOKEN: token },
      })
      const name = engine.name.startsWith('tofu') ? 'tofu login' : 'terraform login'
      expect(JSON.parse(who.stdout)).toMatchObject({ principal: 'user:alice', token: { name } })
    }
    const tokens = await taco('token', 'ls', '--json')
    expect(tokens.output).toContain('taco login (')
    expect(server.output()).not.toMatch(/taco_pat_|code=|code_verifier/)
  },
  90_000,
)

test.skipIf(browser === undefined)(
  'without TLS on localhost, taco signs in, gives the token to engines, and takes everything away again',
  async () => {
    const { home, server, env, nextPage, taco } = await person({ isSecure: false })
    await promote(server)
    const { page } = await openWindow(browser)
    const login = startTaco(['login', server.publicUrl], { cwd: home, env })
    await page.goto(await nextPage(login))
    await signIn(page)
    await page.getByRole('button', { name: 'Allow' }).click()
    expect(await login.finished).toMatchObject({ code: 0 })

    const who = JSON.parse((await taco('whoami', '--json')).stdout) as object
    expect(who).toMatchObject({
      principal: 'user:alice',
      name: 'Alice A.',
      email: 'alice@example.com',
      orgs: [{ org: 'default', roles: ['owner'] }],
    })

    const [engine] = engines().slice(-1)
    if (engine === undefined) return
    const own = await workdir(engine, httpBackend(server.url, 'prod/app') + oneResource('first'))
    const password = (await taco('whoami', '--token')).stdout.trim()
    const backend = { TF_HTTP_USERNAME: 'taco', TF_HTTP_PASSWORD: password }
    await own.must(['init'], backend)
    await own.must(['apply', '-auto-approve'], backend)

    const through = await workdir(engine, `terraform {\n  backend "http" {}\n}\n${oneResource('second')}`)
    for (const args of [['init'], ['apply', '-auto-approve']]) {
      const done = await runTaco(['exec', 'prod/other', '--', engine.path, ...args], {
        cwd: through.folder,
        env: { ...through.env, ...env },
      })
      expect(done.code, done.output).toBe(0)
    }
    expect((await taco('unit', 'ls', '--json')).stdout).toMatch(/prod\/app[\s\S]*prod\/other/)
    expect((await taco('state', 'versions', 'prod/app', '--json')).stdout).toContain('user:alice')

    const host = new URL(server.publicUrl).host
    const again = endedWithTest(startChild(engine.path, ['login', host], { cwd: home, env, input: 'yes\n' }))
    await page.goto(await nextPage(again))
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByRole('heading', { name: 'Denied' }).waitFor()
    expect(again.isRunning()).toBe(true)
    again.signal('SIGKILL')
    await again.finished

    expect(await taco('logout')).toMatchObject({ code: 0, stdout: `signed out of ${server.publicUrl}\n` })
    const after = await fetch(`${server.url}/v1/whoami`, { headers: { authorization: `Bearer ${password}` } })
    expect(after.status).toBe(401)
    expect(await readFile(join(home, '.terraform.d/credentials.tfrc.json'), 'utf8')).not.toContain('taco_pat')
  },
  90_000,
)

test.skipIf(browser === undefined)(
  'a machine without a browser is signed in from another one',
  async () => {
    const { home, server, env, taco } = await person({ isSecure: false })
    const { page, isAccessible } = await openWindow(browser)
    const login = startTaco(['login', server.publicUrl, '--device'], { cwd: home, env })
    const code = await eventually(
      () => `a code: ${login.output()}`,
      async () => /\b[A-Z]{4}-[A-Z]{4}\b/.exec(login.output())?.[0],
    )
    await page.goto(`${server.publicUrl}/device`)
    await signIn(page)
    await isAccessible()
    await page.getByLabel('Code').fill('BCDF-BCDF')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('No device waits with this code').waitFor()
    await isAccessible()
    await page.getByLabel('Code').fill(code.toLowerCase())
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(code).waitFor()
    await isAccessible()
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'Device signed in' }).waitFor()

    expect(await login.finished).toMatchObject({ code: 0 })
    expect((await taco('whoami')).stdout).toContain('user:alice')
  },
  60_000,
)
