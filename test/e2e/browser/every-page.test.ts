import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { bind } from '../../../src/access/organization/transitions.ts'
import { webRoutes } from '../../../src/entry/http/web/face.ts'
import { startChromium } from '../../peers/chromium.ts'
import { openWindow } from '../../rig/browser.ts'
import { callOf, nameOf } from '../../rig/route-calls.ts'
import { startSsoFace } from '../../rig/sso-face.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

/** Files, streams, and what only leads elsewhere. */
const NO_PAGE =
  /^\/assets\/|^\/(?:theme|sign-out|favicon)|\/(?:live|changes)$|\/callback$|^\/sign-in\/|^\/oauth\/|^\/$/

const pages = webRoutes.filter(({ method, pattern }) => method === 'GET' && !NO_PAGE.test(pattern))

/** What a page shows when something that is not a text was put into it. */
const SLIPS = /\bundefined\b|\[object Object\]|\bNaN\b|\bInvalid Date\b/

const script = <T>(page: Page, text: string) => page.evaluate(text) as Promise<T>

async function expectWellMade(page: Page, name: string): Promise<void> {
  const width = await script<number>(page, 'document.documentElement.scrollWidth')
  const headings = await page.locator('h1').count()
  const [slip] = SLIPS.exec(await page.locator('body').innerText()) ?? []
  const isOfOrg = new URL(page.url()).pathname.startsWith('/app/default')
  const commands = isOfOrg ? await page.locator('.command').count() : 1
  expect.soft({ name, width, headings, slip, hasCommand: commands > 0 }).toEqual({
    name,
    width: page.viewportSize()?.width,
    headings: 1,
    slip: undefined,
    hasCommand: true,
  })
}

test.skipIf(browser === undefined)(
  'every page fits a phone, names its command, and can be used with assistive technology',
  { timeout: 900_000 },
  async () => {
    const face = await startSsoFace()
    const owner = await face.person('owner')
    await face.policy('default', (all) => bind(all, { role: 'owner', to: `user:${owner.id}` }))
    await face.signIn.settings.addAdministrator(`user:${owner.id}`, face.setUp)
    await face.send('/v1/units/base/state', {
      method: 'PUT',
      headers: { ...face.root, 'content-type': 'application/json' },
      body: JSON.stringify({ version: 4, serial: 1, lineage: 'l', outputs: {}, resources: [] }),
    })
    const url = `http://127.0.0.1:${face.port}`
    const { page, isAccessible } = await openWindow(browser)
    await page.context().addCookies([await face.browserCookie(owner)])

    for (const of of pages) {
      const { path } = await callOf(face, of, owner)
      await page.setViewportSize({ width: 1280, height: 900 })
      const answer = await page.goto(url + path)
      expect.soft([nameOf(of), answer?.status()]).toEqual([nameOf(of), 200])
      await expectWellMade(page, nameOf(of))
      await expect.soft(isAccessible()).resolves.toBeUndefined()
      await page.setViewportSize({ width: 360, height: 740 })
      await expectWellMade(page, nameOf(of))
    }
  },
)
