import { expect, test } from 'vitest'
import { browserOf, startSsoFace } from '../../../../test/rig/sso-face.ts'
import { createTestBrowser, startWebFace } from '../../../../test/rig/web-face.ts'
import { breakableBucket } from '../../../../test/support/breakable-bucket.ts'
import { push, stateText } from '../../../../test/support/state.ts'
import { bind, putRole } from '../../../access/index.ts'
import { createLastPages } from './last-pages.ts'

const MARK = 'The bucket does not answer. This is the page as it was at'

async function startOutage() {
  const { bucket, setDown } = breakableBucket()
  const face = await startSsoFace({ bucket })
  await push(face.deps.control, 'dev/app', stateText(1))
  await push(face.deps.control, 'prod/secret', stateText(1))
  return { face, setDown }
}

/** Every place of an organization, and pages below them. */
const pages = [
  '/app',
  '/app/default',
  '/app/default?view=table',
  '/app/default/rollouts',
  '/app/default/activity',
  '/app/default/units/dev--app',
  '/app/default/units/dev--app/history',
  '/app/default/variables',
  '/app/default/people',
  '/app/default/audit',
  '/app/default/settings',
]

test('while the bucket does not answer, a page that was open before is shown as it was', async () => {
  const { face, setDown } = await startOutage()
  const browser = await browserOf(face, 'alice', 'all')
  for (const path of pages) expect([path, (await browser.get(path)).status]).toEqual([path, 200])
  setDown(true)

  // What was read a moment ago is current.
  await expect.poll(async () => (await browser.get('/app/default/audit')).text).toContain(MARK)
  for (const path of pages) {
    const { status, text } = await browser.get(path)
    expect([path, status, text.includes(MARK)]).toEqual([path, 503, true])
    expect(text).toContain('<nav class="side"')
  }
  const unseen = await browser.get('/app/default/units/prod--secret')
  expect([unseen.status, unseen.text.includes(MARK)]).toEqual([503, false])
  const refused = await browser.submit('/app/default/units/dev--app/lock', { reason: 'x' })
  expect(refused.status).toBe(503)
  const part = await browser.get('/app/default/activity', { 'hx-request': 'true' })
  expect([part.status, part.text]).toEqual([503, ''])

  setDown(false)
  await expect.poll(async () => (await browser.get('/app/default/activity')).status).toBe(200)
})

test('without sign-in too, what is kept is shown without asking a bucket that did not answer a moment ago', async () => {
  const { bucket, setDown, failures } = breakableBucket()
  const face = await startWebFace({ bucket })
  await push(face.deps.control, 'dev/app', stateText(1))
  const browser = createTestBrowser(face)
  for (const path of pages) await browser.get(path)
  setDown(true)

  await expect.poll(async () => (await browser.get('/app/default/audit')).text).toContain(MARK)
  const before = failures()
  for (const path of pages)
    expect([path, (await browser.get(path)).text.includes(MARK)]).toEqual([path, true])
  expect(failures()).toBe(before)
})

test('what one person was shown is shown to no other, nor after they signed out', async () => {
  const { face, setDown } = await startOutage()
  const [alice, bob] = [await browserOf(face, 'alice', 'all'), await browserOf(face, 'bob', ['dev/**'])]
  await alice.get('/app/default/activity')
  const stolen = alice.cookies.get('taco') ?? ''
  const path = '/app/default/units/prod--secret'
  expect((await alice.get(path)).status).toBe(200)
  setDown(true)

  await expect.poll(async () => (await alice.get(path)).text).toContain(MARK)
  for (const { text } of [await bob.get(path), await bob.get('/app/default/activity')])
    expect(text).not.toContain(MARK)

  setDown(false)
  await expect.poll(async () => (await alice.get(path)).status).toBe(200)
  await alice.submit('/sign-out')
  alice.cookies.set('taco', stolen)
  setDown(true)
  await expect.poll(async () => (await alice.get(path)).status).toBe(503)
  expect((await alice.get(path)).text).not.toContain(MARK)
})

test('nothing is shown to a session that was ended elsewhere', async () => {
  const { face, setDown } = await startOutage()
  const alice = await face.person('alice')
  await face.policy('default', (all) => bind(all, { role: 'owner', to: `user:${alice.id}` }))
  const [here, stolen] = [createTestBrowser(face), createTestBrowser(face)]
  for (const browser of [here, stolen])
    browser.cookies.set('taco', (await face.session(alice))['cookie']?.replace('taco=', '') ?? '')
  const path = '/app/default/units/prod--secret'
  expect((await stolen.get(path)).status).toBe(200)
  await here.get('/account/sessions')
  expect((await here.submit('/account/sessions/end-all')).status).toBe(303)
  setDown(true)

  await expect.poll(async () => (await stolen.get(path)).status).toBe(503)
  expect((await stolen.get(path)).text).not.toContain(MARK)
})

test('after a page was refused, nothing is shown that the person saw before', async () => {
  const { face, setDown } = await startOutage()
  const alice = await browserOf(face, 'alice', 'all')
  const paths = ['/app/default/units/prod--secret', '/app/default/activity']
  for (const path of paths) expect((await alice.get(path)).status).toBe(200)
  await face.policy('default', (all) =>
    putRole(all, { name: 'alice', rules: [{ effect: 'allow', actions: ['*'], units: ['dev/**'] }] }),
  )
  await expect.poll(async () => (await alice.get(paths[0] ?? '')).status).toBe(404)
  setDown(true)

  for (const path of paths) {
    await expect.poll(async () => (await alice.get(path)).status).toBe(503)
    expect((await alice.get(path)).text).not.toContain(MARK)
  }
})

test('pages are kept for an hour, in a bounded memory, and what does not answer is asked again', () => {
  let now = 0
  const pages = createLastPages({ now: () => now })
  pages.keep('a', '/x', 'one')
  expect([pages.find('a', '/x')?.html, pages.find('b', '/x'), pages.find('a', '/y')]).toEqual([
    'one',
    undefined,
    undefined,
  ])
  pages.keep('a', '/large', 'x'.repeat(5_000_000))
  expect(pages.find('a', '/large')).toBeUndefined()
  for (const [waited, shown] of [
    [5, 2_000],
    [20_000, 20_000],
    [90_000, 30_000],
  ] as const) {
    pages.noteDown(waited)
    now += shown - 1
    expect(pages.isDown()).toBe(true)
    now += 1
    expect(pages.isDown()).toBe(false)
  }
  now += 3_600_000
  expect(pages.find('a', '/x')).toBeUndefined()
})
