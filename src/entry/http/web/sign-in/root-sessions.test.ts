import { expect, test } from 'vitest'
import { createTestBrowser, rootToken, startWebFace } from '../../../../../test/rig/web-face.ts'
import { TestProvider, signInWorld } from '../../../../../test/support/sign-in.ts'
import { systemClock } from '../../../../base/clock.ts'
import { tokenGuard } from '../../auth/auth.ts'
import { createRootSessions } from './root-sessions.ts'

test('the root token opens the pages, until the person signs out', async () => {
  const browser = createTestBrowser(await startWebFace({ auth: 'token' }))
  expect((await browser.get('/app/default?view=tree')).location).toBe(
    '/sign-in?return_to=%2Fapp%2Fdefault%3Fview%3Dtree',
  )

  await browser.get('/sign-in')
  const signedIn = await browser.submit('/sign-in', { token: ` ${rootToken} `, return_to: '/app/default' })
  expect([signedIn.status, signedIn.location]).toEqual([303, '/app/default'])
  expect(browser.cookies.get('taco')).not.toContain(rootToken)
  const page = await browser.get('/app/default')
  expect([page.status, page.text.includes('Sign out')]).toEqual([200, true])
  expect((await browser.get('/sign-in?return_to=/app')).location).toBe('/app')

  await browser.submit('/sign-out')
  expect((await browser.get('/app/default')).status).toBe(303)
})

test('a wrong token is refused at the field and not repeated, and many of them for a while', async () => {
  const browser = createTestBrowser(await startWebFace({ auth: 'token' }))
  await browser.get('/sign-in')

  const wrong = await browser.submit('/sign-in', { token: 'wrong-token-of-this-test', return_to: '/app' })
  expect(wrong.status).toBe(401)
  expect(wrong.text).toContain('The token is wrong.')
  expect(wrong.text).not.toContain('wrong-token-of-this-test')
  expect(wrong.text).toContain('name="return_to" value="/app"')
  expect((await browser.submit('/sign-in', { token: 'ü' })).status).toBe(401)
  expect((await browser.submit('/sign-in', {})).status).toBe(401)

  const statuses: number[] = []
  for (let i = 0; i < 30; i++) statuses.push((await browser.submit('/sign-in', { token: 'no' })).status)
  expect(statuses).toContain(429)
  expect((await browser.submit('/sign-in', { token: rootToken })).status).toBe(429)
})

test('where people sign in, the root token opens the pages until there is a sign-in provider', async () => {
  const providers: TestProvider[] = []
  const world = signInWorld({ providers })
  let isOff = false
  const guard = tokenGuard({ token: rootToken, clock: systemClock, isOff: () => isOff })
  const rootSessions = createRootSessions(rootToken, guard, systemClock)
  const face = await startWebFace({
    auth: 'sso',
    publicUrl: 'http://localhost:7000',
    signIn: world,
    rootSessions,
  })
  const browser = createTestBrowser(face)

  const asked = await browser.get('/sign-in')
  expect(asked.text).toContain('Set up sign-in')
  expect(asked.text).toContain('name="return_to" value="/server/providers"')
  const wrong = await browser.submit('/sign-in', { token: 'wrong-token-of-this-test' })
  expect([wrong.status, wrong.text.includes('The token is wrong.')]).toEqual([401, true])
  const signedIn = await browser.submit('/sign-in', { token: rootToken, return_to: '/server/providers' })
  expect([signedIn.status, signedIn.location]).toEqual([303, '/server/providers'])
  expect((await browser.get('/server/providers')).status).toBe(200)

  isOff = true
  expect((await browser.get('/server/providers')).location).toContain('/sign-in')
  isOff = false
  expect(browser.cookies.has('taco'), 'the cookie is gone').toBe(false)

  providers.push(new TestProvider())
  const later = await browser.get('/sign-in')
  expect(later.text).toContain('Sign in with Corp')
  expect(later.text).not.toContain('Root token')
  expect((await browser.submit('/sign-in', { token: rootToken })).status).toBe(404)
})

test('signing in leads to pages of this server only', async () => {
  const browser = createTestBrowser(await startWebFace({ auth: 'token' }))
  await browser.get('/sign-in')

  const answer = await browser.submit('/sign-in', { token: rootToken, return_to: '//evil.example' })

  expect(answer.location).toBe('/')
})

test('a session ends after its time, and with the token that it was begun with', async () => {
  const time = { now: Date.parse('2026-03-01T00:00:00Z') }
  const clock = { now: () => time.now }
  const [one, two] = ['the-first-root-token-0123456789', 'the-other-root-token-0123456789']
  const sessionsOf = (token: string) =>
    createRootSessions(token, tokenGuard({ token, clock: systemClock }), clock)
  const { value } = await sessionsOf(one).begin(one, '::1')

  const [end = '', signature = ''] = value.split('.')
  expect(await sessionsOf(one).open(value, '::1')).toMatchObject({ use: 'root' })
  expect(await sessionsOf(`${two},${one}`).open(value, '::1')).toMatchObject({ use: 'root' })
  expect(sessionsOf(two).open(value, '::1'), 'another token').toBeUndefined()
  for (const forged of [`${Number(end) + 1}.${signature}`, `.${signature}`, `${end}.`, '', 'x'.repeat(5000)])
    expect(sessionsOf(one).open(forged, '::1')).toBeUndefined()
  time.now += 12 * 3_600_000
  expect(sessionsOf(one).open(value, '::1'), 'after 12 hours').toBeUndefined()
})
