import { mkdirSync, writeFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { startChromium } from '../../test/peers/chromium.ts'
import { withPalette } from './palette.ts'
import { startStoryServer } from './server.ts'
import { tellStory } from './story.ts'

/**
 * Takes the pictures of the documentation: `npm run screenshots [folder] [name…]`. They are looked at before they are
 * committed.
 */

interface Shot {
  readonly name: string
  /** After `/app/acme`. */
  readonly path: string
  readonly isDark?: true
  readonly isPhone?: true
  readonly height?: number
}

const [folder = 'docs', ...names] = process.argv.slice(2)

const shots = (rollout: string): readonly Shot[] => {
  const unit = '/units/prod--data--postgres--orders'
  return [
    { name: 'estate', path: '?unit=prod/data/postgres/orders' },
    { name: 'estate-dark', path: '?unit=prod/data/postgres/invoices', isDark: true, height: 1000 },
    { name: 'estate-graph', path: '?view=graph', height: 720 },
    { name: 'unit', path: unit, height: 1040 },
    { name: 'unit-phone', path: unit, isPhone: true },
    { name: 'unit-diff', path: `${unit}/diff?from=2&to=3`, height: 680 },
    { name: 'rollout', path: `/rollouts/${rollout}`, height: 1040 },
    { name: 'role', path: '/people/roles/on-call', height: 1020 },
    { name: 'module', path: '/registry/modules/network/aws' },
  ]
}

async function take(browser: Browser, url: string, cookie: string, shot: Shot): Promise<void> {
  const { isPhone = false, isDark = false, height = isPhone ? 800 : 900 } = shot
  const context = await browser.newContext({
    viewport: { width: isPhone ? 400 : 1440, height },
    colorScheme: isDark ? 'dark' : 'light',
    bypassCSP: true,
  })
  await context.addCookies([{ name: 'taco', value: cookie, url }])
  const page = await context.newPage()
  const answer = await page.goto(`${url}/app/acme${shot.path}`)
  if (answer?.status() !== 200 || page.url().includes('/sign-in'))
    throw new Error(`${shot.path} answered ${answer?.status()} at ${page.url()}`)
  // Most people have a narrower font than the one that Debian calls system-ui.
  await page.addStyleTag({ content: ':root { --sans: "Liberation Sans" }' })
  writeFileSync(`${folder}/${shot.name}.png`, withPalette(await page.screenshot()))
  await context.close()
}

const browser = await startChromium()
if (browser === undefined) throw new Error('Chromium is missing. Set TACO_CHROMIUM to its path.')
mkdirSync(folder, { recursive: true })
const now = Date.now()
const server = await startStoryServer(now - 31 * 86_400_000)
try {
  const { alex, rollout } = await tellStory(server, now)
  const cookie = await server.session(alex)
  for (const shot of shots(rollout))
    if (names.length === 0 || names.includes(shot.name)) await take(browser, server.url, cookie, shot)
} finally {
  await browser.close()
  await server.close()
}
