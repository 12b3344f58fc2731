import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'

const PHONE = { width: 400, height: 800 }

export interface Look {
  readonly page: Page
  /** Fails on what people with assistive technology would stumble over, in light and in dark, and on a phone. */
  isAccessible(): Promise<void>
}

/**
 * A new window of its own, closed with the test. Whatever the browser complains about fails the test: violations of the
 * content security policy, scripts that throw, files that are missing.
 */
export async function openWindow(
  browser: Browser | undefined,
  options: BrowserContextOptions = {},
  /** Answers that the test makes fail. */
  expected: readonly number[] = [],
): Promise<Look> {
  if (browser === undefined) throw new Error('there is no browser: skip this test')
  const context = await browser.newContext(options)
  const page = await context.newPage()
  const complaints = complaintsOf(page, expected)
  onTestFinished(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })

  async function check(how: string, rules?: string[]): Promise<void> {
    const isThere = await page.evaluate(() => 'axe' in globalThis)
    if (!isThere) await page.evaluate(axe.source)
    const violations = await page.evaluate(async (runOnly) => {
      const { axe: checker } = globalThis as unknown as { axe: typeof axe }
      const { violations: found } = await checker.run(runOnly === undefined ? {} : { runOnly })
      return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
    }, rules)
    expect([page.url(), how, violations]).toEqual([page.url(), how, []])
  }

  async function checkColours(width: string): Promise<void> {
    await page.emulateMedia({ colorScheme: 'light' })
    await check(`${width}, light`)
    // The rest of the page is the same in the dark.
    await page.emulateMedia({ colorScheme: 'dark' })
    await check(`${width}, dark`, ['color-contrast', 'link-in-text-block'])
    await page.emulateMedia({ colorScheme: null })
  }

  async function isAccessible(): Promise<void> {
    const size = page.viewportSize()
    if (size === null || size.width > PHONE.width) await checkColours('desktop')
    if (size !== null && size.width > PHONE.width) await page.setViewportSize(PHONE)
    await checkColours('phone')
    // Nothing but what scrolls by itself is wider than the screen.
    expect([page.url(), await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
      page.url(),
      page.viewportSize()?.width,
    ])
    if (size !== null) await page.setViewportSize(size)
  }

  return { page, isAccessible }
}

/** Whatever the browser complains about while it shows this page. It grows. */
export function complaintsOf(page: Page, expected: readonly number[] = []): readonly string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    const isComplaint = message.type() === 'error' || message.type() === 'warning'
    // A page may be an error page; whether its files are there, the responses say.
    if (isComplaint && !message.text().startsWith('Failed to load resource')) complaints.push(message.text())
  })
  page.on('response', (response) => {
    const isExpected = response.status() < 400 || expected.includes(response.status())
    if (!isExpected && response.request().resourceType() !== 'document')
      complaints.push(`${response.status()} ${response.url()}`)
  })
  page.on('pageerror', (error) => void complaints.push(String(error)))
  return complaints
}
