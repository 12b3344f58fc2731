import { expect, test } from 'vitest'
import { castOfPeople } from '../../../../../test/rig/people-cast.ts'

/** Olga administers the server. */
async function started() {
  const cast = await castOfPeople()
  const { settings } = cast.face.signIn
  await settings.addAdministrator(`user:${cast.olga.id}`, cast.face.setUp)
  const admin = await cast.browse(cast.olga)
  await admin.get('/server')
  return { ...cast, admin, settings }
}

const etagIn = (text: string) => /name="etag" value="([^"]*)"/.exec(text)?.[1] ?? ''

test('administrators have a way to the pages of the server, others have neither the way nor the pages', async () => {
  const { admin, browse, bob } = await started()
  const other = await browse(bob)

  for (const path of ['/app/default', '/app', '/account/tokens'])
    expect((await admin.get(path)).text).toContain('href="/server"')
  for (const path of ['/app/default', '/account/tokens'])
    expect((await other.get(path)).text).not.toContain('href="/server"')
  for (const path of ['/server', '/server/providers', '/server/people', '/server/people/olga'])
    expect([path, (await admin.get(path)).status, (await other.get(path)).status]).toEqual([path, 200, 403])
})

test('administrators are added and removed, and the root token is turned off last', async () => {
  const { admin, settings, face, bob } = await started()
  const now = () => settings.get(face.setUp)

  expect((await admin.submit('/server/administrators', { subject: 'user:bob' })).location).toBe('/server')
  expect((await now()).administrators).toContain(`user:${bob.id}`)
  expect((await admin.get('/server')).text).toContain('user:bob')
  await admin.submit('/server/administrators/remove', { subject: `user:${bob.id}` })
  expect((await now()).administrators).not.toContain(`user:${bob.id}`)
  const wrong = await admin.submit('/server/administrators', { subject: 'user:none' })
  expect([wrong.status, wrong.text.includes('There is no person none.')]).toEqual([400, true])
  await admin.submit('/server/settings', { orgCreators: 'everyone' })
  expect((await now()).orgCreators).toBe('everyone')
  expect((await admin.submit('/server/root-token', { off: 'yes', confirm: '' })).status).toBe(400)
  expect((await now()).rootTokenOff).toBeUndefined()
  expect((await admin.submit('/server/root-token', { off: 'yes', confirm: 'root token' })).status).toBe(303)
  expect((await now()).rootTokenOff).toMatchObject({ by: 'user:olga' })
  const last = (await now()).administrators[0] ?? ''
  expect((await admin.submit('/server/administrators/remove', { subject: last })).status).toBe(400)
})

test('people are searched, suspended and signed out', async () => {
  const { admin, browse, bob, face } = await started()
  const other = await browse(bob)
  await browse(bob)

  const found = await admin.get('/server/people?search=BO&format=csv')
  expect(found.text.split('\r\n').map((line) => line.split(',')[0])).toEqual(['login', 'bob', ''])
  const page = await admin.get('/server/people/bob')
  const sessions = [...page.text.matchAll(/name="session" value="([^"]+)"/g)].map(([, id = '']) => id)
  expect(sessions).toHaveLength(2)
  await admin.submit('/server/people/bob/sessions/end', { session: sessions[0] ?? '' })
  expect((await admin.get('/server/people/bob')).text).not.toContain(sessions[0])
  await admin.submit('/server/people/bob/sessions/end', { session: '' })
  expect((await admin.get('/server/people/bob')).text).toContain('bob is not signed in anywhere.')
  expect((await other.get('/app')).location).toContain('/sign-in')

  expect((await admin.submit('/server/people/bob/suspend', { suspended: 'yes', confirm: 'b' })).status).toBe(
    400,
  )
  await admin.submit('/server/people/bob/suspend', { suspended: 'yes', confirm: 'bob' })
  expect(await face.signIn.people.get('bob', face.setUp)).toHaveProperty('suspended')
  expect((await admin.get('/server/people?suspended=yes')).text).toContain('/server/people/bob')
  const own = await admin.submit('/server/people/olga/suspend', { suspended: 'yes', confirm: 'olga' })
  expect([own.status, own.text.includes('You cannot suspend yourself.')]).toEqual([400, true])
  await admin.submit('/server/people/bob/suspend', { suspended: 'no' })
  expect(await face.signIn.people.get('bob', face.setUp)).not.toHaveProperty('suspended')
})

const OKTA = {
  kind: 'oidc',
  id: 'okta',
  label: 'Okta',
  issuer: 'https://example.okta.com',
  clientId: 'taco',
  clientSecret: 'first-secret',
  groupsClaim: 'groups',
  allowedGroups: 'platform\r\nall staff',
  requiredClaims: 'hd=example.com\nhd=example.org',
}

test('a provider is added, changed without its secret, and removed; no page shows the secret', async () => {
  const { admin, settings } = await started()

  const added = await admin.submit('/server/providers', OKTA)
  expect(added.location).toBe('/server/providers/okta')
  const page = await admin.get('/server/providers/okta')
  const stored = await settings.currentProvider('okta')
  expect(stored?.settings).toMatchObject({
    clientSecret: 'first-secret',
    allowedGroups: ['platform', 'all staff'],
    requiredClaims: { hd: ['example.com', 'example.org'] },
    loginClaim: 'preferred_username',
  })
  expect(page.text).not.toContain('first-secret')
  expect(page.text).toContain('http://localhost:7000/sign-in/okta/callback')
  const { kind: _, id: __, clientSecret: ___, ...fields } = OKTA
  const change = { ...fields, label: 'Okta EU', clientSecret: '', etag: etagIn(page.text) }
  expect((await admin.submit('/server/providers/okta/settings', change)).status).toBe(303)
  expect((await settings.currentProvider('okta'))?.settings).toMatchObject({
    label: 'Okta EU',
    clientSecret: 'first-secret',
  })
  expect((await admin.get('/server/providers')).text).toContain('Okta EU')
  expect((await admin.submit('/server/providers/okta/delete', { confirm: 'x' })).status).toBe(400)
  expect((await admin.submit('/server/providers/okta/delete', { confirm: 'okta' })).status).toBe(303)
  expect(await settings.currentProvider('okta')).toBeUndefined()
})

test('a change of a provider that someone else has changed is not saved, and keeps no secret', async () => {
  const { admin, settings } = await started()
  await admin.submit('/server/providers', OKTA)
  const etag = etagIn((await admin.get('/server/providers/okta')).text)
  const { id: _, clientSecret: __, ...fields } = OKTA
  await admin.submit('/server/providers/okta/settings', {
    ...fields,
    etag,
    label: 'Theirs',
    clientSecret: 'theirs',
  })

  const late = await admin.submit('/server/providers/okta/settings', {
    ...fields,
    etag,
    label: 'Mine',
    clientSecret: 'my-secret',
  })
  const again = await admin.submit('/server/providers', { ...OKTA, label: 'Again' })

  expect(late.status).toBe(409)
  expect(late.text).toContain('<dd class="mono">Theirs</dd>')
  expect(late.text).toMatch(/id="label"[^>]*value="Mine"/)
  expect(late.text).not.toContain('my-secret')
  expect(again.status).toBe(400)
  expect((await settings.currentProvider('okta'))?.settings).toMatchObject({
    label: 'Theirs',
    clientSecret: 'theirs',
  })
})

test('what is wrong with a provider is said at each field, and the secret is not repeated', async () => {
  const { admin, settings, face } = await started()

  const { status, text } = await admin.submit('/server/providers', {
    ...OKTA,
    id: 'Okta!',
    issuer: 'http://example.com',
    clientId: '',
    authorizationParameters: 'state=x',
  })

  expect(status).toBe(400)
  for (const field of ['id', 'issuer', 'clientId', 'authorizationParameters'])
    expect(text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`))
  expect(text).not.toContain('first-secret')
  expect(text).toContain('value="http://example.com"')
  const unpaired = await admin.submit('/server/providers', { ...OKTA, requiredClaims: 'example.com' })
  expect(unpaired.text).toMatch(/id="requiredClaims"[^>]*aria-invalid="true"/)
  expect(unpaired.text).toContain('does not have the form name=value.')
  expect((await settings.get(face.setUp)).providers).toEqual([])
})

test('the check shows what the provider answers, or why it does not', async () => {
  const { admin } = await started()
  // Nothing listens there.
  await admin.submit('/server/providers', { ...OKTA, issuer: 'http://localhost:9' })

  const failed = await admin.submit('/server/providers/okta/check')

  expect(failed.status).toBe(200)
  expect(failed.text).toContain('role="alert"')
  expect(failed.text).toContain('localhost:9')
})
