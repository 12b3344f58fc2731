import { afterAll, expect, test } from 'vitest'
import { startChromium } from '../../peers/chromium.ts'
import { openWindow } from '../../rig/browser.ts'
import { startServer } from '../../rig/server.ts'
import { stateText } from '../../support/state.ts'

const browser = await startChromium()
afterAll(() => browser?.close())

async function startUnits() {
  const server = await startServer()
  const send = async (method: string, path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await fetch(server.url + path, { method, headers, body: text })
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`)
    return (await answer.json().catch(() => ({}))) as { claims?: { token: string }[] }
  }
  for (const unit of ['prod--net', 'prod--app', 'dev--other'])
    await send('PUT', `/v1/units/${unit}/state`, stateText(1))
  await send('POST', '/v1/units/prod--app/dependencies', { on: 'prod/net', outputs: ['value'] })
  return { url: server.url, send }
}

test.skipIf(browser === undefined)(
  'a rollout is started from the estate, followed while workers run it, and controlled',
  async () => {
    const { url, send } = await startUnits()
    const { page, isAccessible } = await openWindow(browser)
    const chip = (text: string) => page.locator('#rollout .bar .chip', { hasText: text })

    await page.goto(`${url}/app/default?unit=prod/net`)
    await page.getByRole('link', { name: 'Roll out from here' }).click()
    await page.getByText('1 unit follows').waitFor()
    await isAccessible()
    await page.getByRole('button', { name: 'Start the rollout' }).click()
    await chip('active').waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    await isAccessible()

    // The page follows what workers do.
    await page.locator('html[data-is-live]').waitFor()
    const claim = { worker: 'alice@laptop' }
    const { claims = [] } = await send('POST', `/v1/rollouts/${id}/claims`, claim)
    const end = { kind: 'failed', reason: 'no quota', exitCode: 1, engineMs: 5 }
    await send('POST', `/v1/rollouts/${id}/steps/prod--net/end`, { token: claims[0]?.token, end })
    await page.getByRole('cell', { name: 'no quota' }).waitFor()
    await chip('failed').waitFor()
    await page.locator('svg .node.look-fail').waitFor()
    await page.getByRole('button', { name: 'Zoom in' }).waitFor()
    await isAccessible()

    await page.getByRole('link', { name: 'Skip prod/net' }).click()
    await page.getByLabel('Reason').fill('made by hand')
    await isAccessible()
    await page.getByRole('button', { name: 'Skip the step' }).click()
    await page.getByText('By hand: made by hand').waitFor()
    expect(await page.locator('.notice').innerText()).toBe('Skipped prod/net.')
    await page.getByRole('button', { name: 'Pause' }).click()
    await chip('paused').waitFor()

    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.waitForURL('**/app/default/rollouts')
    await isAccessible()

    await page.keyboard.press('g')
    await page.keyboard.press('a')
    await page.waitForURL('**/app/default/activity')
    await page.getByText('No unit is locked.').waitFor()
    await page.locator('html[data-is-live]').waitFor()
    await send('POST', '/v1/units/dev--other/lock', { reason: 'at work' })
    await page.locator('#locks', { hasText: 'dev/other' }).waitFor()
    await page.locator('#feed li', { hasText: '“at work”' }).waitFor()
    await isAccessible()
  },
)

test.skipIf(browser === undefined)('the pages fit a phone and work without JavaScript', async () => {
  const { url } = await startUnits()
  const { page } = await openWindow(browser, {
    javaScriptEnabled: false,
    viewport: { width: 360, height: 740 },
  })
  const fits = async () => {
    const box = await page.locator('main').boundingBox()
    expect([page.url(), box?.width]).toEqual([page.url(), 360])
  }

  await page.goto(`${url}/app/default/rollouts/new`)
  await page.getByLabel('Unit', { exact: true }).fill('prod/net')
  await page.getByRole('button', { name: 'Preview' }).click()
  await fits()
  await page.getByRole('button', { name: 'Start the rollout' }).click()
  await fits()
  await page.getByRole('link', { name: 'Skip prod/net' }).click()
  await page.getByLabel('Reason').fill('made by hand')
  await page.getByRole('button', { name: 'Skip the step' }).click()
  expect(await page.locator('.notice').innerText()).toBe('Skipped prod/net.')
  const chip = page.locator('#rollout .bar .chip')
  for (const [button, state] of [
    ['Pause', 'paused'],
    ['Resume', 'active'],
    ['Cancel', 'cancelled'],
  ] as const) {
    await page.getByRole('button', { name: button }).click()
    expect(await chip.innerText()).toBe(state)
  }
  await page.goto(`${url}/app/default/rollouts`)
  await page.getByRole('link', { name: 'Active', exact: true }).click()
  expect(await page.locator('tbody tr').count()).toBe(0)
  await page.getByRole('link', { name: 'Cancelled', exact: true }).click()
  expect(await page.locator('tbody tr').count()).toBe(1)

  await page.goto(`${url}/app/default/activity`)
  await page.getByLabel('Type').selectOption('rollout')
  await page.getByRole('button', { name: 'Filter' }).click()
  expect(await page.locator('#feed').innerText()).toMatch(/cancelled ro-/)
  expect(await page.locator('#feed').innerText()).not.toContain('wrote the state')
  await fits()
})
