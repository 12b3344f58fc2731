import { expect, test } from 'vitest'
import { browserOf, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { createTestBrowser, startWebFace } from '../../../../../test/rig/web-face.ts'
import { push, stateText } from '../../../../../test/support/state.ts'

test('an organization is created once, and a wrong name is refused at its field', async () => {
  const face = await startWebFace()
  const browser = createTestBrowser(face)
  const { text } = await browser.get('/app')
  const once = /name="once" value="([^"]+)"/.exec(text)?.[1] ?? ''

  const wrong = await browser.submit('/app', { name: 'Not A Name', prefix: 'kept/', once: 'a' })
  expect(wrong.status).toBe(400)
  expect(wrong.text).toMatch(/value="Not A Name"[^>]*aria-invalid="true"/)
  expect(wrong.text).toContain('value="kept/"')
  const made = await browser.submit('/app', { name: 'acme', once })
  const again = await browser.submit('/app', { name: 'acme', once })
  expect([made.status, made.location, again.status, again.location]).toEqual([
    303,
    '/app/acme',
    303,
    '/app/acme',
  ])
  const taken = await browser.submit('/app', { name: 'acme', once: 'b' })
  expect([taken.status, taken.text.includes('aria-invalid')]).toEqual([400, true])
})

test('deleted organizations are listed apart and restored', async () => {
  const face = await startWebFace()
  const browser = createTestBrowser(face)
  const headers = { 'content-type': 'application/json' }
  await face.send('/v1/orgs', { method: 'POST', headers, body: '{"name":"acme"}' })
  await face.send('/v1/orgs/acme', { method: 'DELETE', headers: {} })

  expect((await browser.get('/app')).text).not.toContain('acme')
  const { text } = await browser.get('/app?deleted=yes')
  expect(text).toContain('action="/app/acme/restore"')
  expect((await browser.get('/app?deleted=yes&format=json')).json()).toMatchObject([{ name: 'acme' }])
  expect((await browser.submit('/app/acme/restore')).location).toBe('/app/acme')
  expect((await browser.get('/app/acme')).text).toContain('Restored acme.')
})

test('units are counted for those who see all of them, and forms are for those who may use them', async () => {
  const face = await startSsoFace()
  const { control } = face.deps
  await push(control, 'dev/app', stateText(1))
  await push(control, 'prod/secret', stateText(1))
  const [bob, alice] = [await browserOf(face, 'bob', ['dev/**']), await browserOf(face, 'alice', 'all')]
  await alice.get('/app/default')
  const unitsFor = async (who: typeof bob) => (await who.get('/app?format=json')).json()

  expect(await unitsFor(alice)).toMatchObject([{ name: 'default', units: 2 }])
  expect(await unitsFor(bob)).toMatchObject([{ name: 'default', units: null }])
  expect((await bob.get('/app')).text).not.toContain('New organization')
})
