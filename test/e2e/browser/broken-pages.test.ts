import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { complaintsOf, openWindow } from '../../rig/browser.ts'
import { startWebFace } from '../../rig/web-face.ts'

/** The tests of pages rely on `openWindow` to say what is wrong with a page. Here it meets pages that are broken. */

const browser = await startChromium()
afterAll(() => browser?.close())

let policy = ''
let url = ''
beforeAll(async () => {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://own.invalid')
    response.setHeader('content-security-policy', policy)
    if (pathname === '/faint.css') {
      response.setHeader('content-type', 'text/css')
      return response.end(
        '@media (prefers-color-scheme: dark) and (max-width: 400px) { p { color: #ccc; background: #ddd } }',
      )
    }
    if (pathname !== '/') return response.writeHead(404).end()
    response.setHeader('content-type', 'text/html; charset=utf-8')
    const head = '<link rel="icon" href="/?"><title>t</title>'
    return response.end(
      `<!doctype html><html lang="en">${head}<main><h1>t</h1>${searchParams.get('content') ?? ''}</main></html>`,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`
  return () => new Promise<void>((resolve) => server.close(() => resolve()))
})

/** A page with this content under the policy of the real pages. */
async function pageWith(content: string): Promise<string> {
  const face = await startWebFace()
  const { headers } = await face.send('/app/default', { headers: { accept: 'text/html' } })
  policy = String(headers['content-security-policy'])
  return `${url}?content=${encodeURIComponent(content)}`
}

test.skipIf(browser === undefined).each([
  ['an inline script', '<script>document.title = "run"</script>', true, /script-src/],
  ['a handler in an attribute', '<img alt="" onerror="document.title = 1" src="/">', true, /script-src/],
  ['an inline style', '<p style="color: red">t</p>', false, /style-src/],
  ['a picture of another server', '<img alt="" src="http://127.0.0.1:9/t.png">', false, /img-src/],
  ['a script of another server', '<script src="http://127.0.0.1:9/t.js"></script>', true, /script-src/],
  ['a missing file', '<link rel="stylesheet" href="/none.css">', false, /^404 .*none\.css$/],
])('%s is a complaint', async (_, content, javaScriptEnabled, complaint) => {
  const context = await browser?.newContext({ javaScriptEnabled })
  const page = await context?.newPage()
  if (page === undefined) return
  const complaints = complaintsOf(page)
  await page.goto(await pageWith(content))
  await context?.close()
  expect(complaints.join('\n')).toMatch(complaint)
})

test.skipIf(browser === undefined).fails('a test that opens such a page fails', async () => {
  const { page } = await openWindow(browser)
  const answer = await page.goto(await pageWith('<p style="color: red">t</p>'))
  expect(answer?.status()).toBe(200)
})

test.skipIf(browser === undefined)('a sound page passes', async () => {
  const { page, isAccessible } = await openWindow(browser)
  await page.goto(await pageWith('<p>t</p>'))
  await expect(isAccessible()).resolves.toBeUndefined()
})

test.skipIf(browser === undefined).each([
  ['a picture without a text', '<img src="/">', /desktop, light.*image-alt/],
  [
    'a text that is faint on a phone in dark colours',
    '<link rel="stylesheet" href="/faint.css"><p>faint</p>',
    /phone, dark.*color-contrast/,
  ],
  ['a text that is wider than a phone', `<pre>${'t'.repeat(100)}</pre>`, /",\d\d\d\]$/],
])('%s is not accessible', async (_, content, violation) => {
  const { page, isAccessible } = await openWindow(browser)
  await page.goto(await pageWith(content))
  const error: unknown = await isAccessible().catch((reason: unknown) => reason)
  expect(JSON.stringify((error as { actual?: unknown } | undefined)?.actual)).toMatch(violation)
})
