import { expect, test } from 'vitest'
import { startHookReceiver } from '../../../../../../test/peers/hook-receiver.ts'
import { type Person, startSsoFace } from '../../../../../../test/rig/sso-face.ts'
import { createTestBrowser } from '../../../../../../test/rig/web-face.ts'
import { push, stateText } from '../../../../../../test/support/state.ts'
import { bind } from '../../../../../access/index.ts'

const PATH = '/app/default/settings/notifications'
const OFF = {
  name: 'alerts',
  destination: 'generic',
  scope: 'organization',
  of: '',
  url: 'https://hooks.example.com/services/secret',
  triggers: 'lock:held',
}

async function cast() {
  const face = await startSsoFace()
  for (const unit of ['prod/app', 'dev/app']) await push(face.deps.control, unit, stateText(1))
  const [olga, dan, eve] = [await face.person('olga'), await face.person('dan'), await face.person('eve')]
  await face.policy('default', (policy) => {
    const owned = bind(policy, { role: 'owner', to: `user:${olga.id}` })
    const some = bind(owned, { role: 'admin', to: `user:${dan.id}`, units: ['dev/**'] })
    return bind(some, { role: 'reader', to: `user:${eve.id}` })
  })
  async function browse(person: Person) {
    const browser = createTestBrowser(face)
    const { cookie = '' } = await face.session(person)
    browser.cookies.set('taco', cookie.replace('taco=', ''))
    await browser.get('/account/tokens')
    return browser
  }
  return { face, owner: await browse(olga), dan: await browse(dan), eve: await browse(eve) }
}

const etagIn = ({ text }: { readonly text: string }) => /name="etag" value="([^"]+)"/.exec(text)?.[1] ?? ''

test('a notification is created, tested, changed, disabled and deleted', async () => {
  const { owner } = await cast()
  const receiver = await startHookReceiver()
  const made = await owner.submit(PATH, { ...OFF, url: receiver.url, enabled: 'on', token: 'very-secret' })
  const path = made.location ?? ''
  expect([made.status, path]).toEqual([303, expect.stringMatching(/\/notifications\/nc-\w+$/)])
  expect(receiver.got).toHaveLength(1)

  receiver.answer.status = 503
  receiver.answer.body = 'out to lunch'
  expect((await owner.submit(`${path}/test`)).location).toBe(path)
  const refused = await owner.get(path)
  expect(refused.text).toContain('The destination did not accept the test.')
  expect(refused.text).toMatch(/503[^]*out to lunch/)
  expect(refused.text).toContain('A token is stored. It is never shown.')
  expect((await owner.get(PATH)).text).toContain('not accepted')

  const kept = { ...OFF, name: 'renamed', url: receiver.url, enabled: 'on', etag: etagIn(refused) }
  const saved = await owner.submit(path, kept)
  expect([saved.status, receiver.got.length]).toEqual([303, 2])
  const signature = receiver.got[1]?.headers['x-tfe-notification-signature']
  receiver.answer.status = 200
  await owner.submit(`${path}/test`)
  expect(signature).toMatch(/^[0-9a-f]{128}$/)
  expect((await owner.get(path)).text).toContain('The destination accepted a test (200).')

  await owner.submit(`${path}/enabled`, { enabled: '' })
  expect((await owner.get(PATH)).text).toContain('disabled')
  const wrong = await owner.submit(`${path}/delete`, { confirm: 'other' })
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('Type renamed to confirm.')])
  expect((await owner.submit(`${path}/delete`, { confirm: 'renamed' })).location).toBe(PATH)
  const empty = await owner.get(PATH)
  expect(empty.text).toContain('No notifications')
  for (const { text } of [refused, wrong, empty]) expect(text).not.toContain('very-secret')
})

test('what is wrong is shown at its field, and what was typed stays, but for the token', async () => {
  const { owner } = await cast()
  for (const [fields, field, words] of [
    [{ name: '' }, 'name', 'The name is empty.'],
    [{ url: 'ftp://x' }, 'url', 'not an http or https address'],
    [{ triggers: '' }, 'triggers', 'There is no trigger'],
    [{ destination: 'email', emails: 'nobody' }, 'emails', 'not an e-mail address'],
    [{ destination: 'email', users: 'nobody' }, 'users', 'nobody'],
    [{ scope: 'unit', of: 'none' }, 'of', 'none'],
    [{ scope: 'team', of: '' }, 'of', 'Which team?'],
    [{ scope: 'project', of: 'none' }, 'of', 'There is no project none.'],
    [{ destination: 'pigeon' }, 'destination', 'There is no such destination.'],
  ] as const) {
    const answer = await owner.submit(PATH, { ...OFF, token: 'very-secret', ...fields })
    expect(answer.status, field).toBe(400)
    expect(answer.text).toMatch(new RegExp(`id="${field}-error">[^<]*${words}`))
    expect(answer.text).not.toContain('very-secret')
    expect(answer.text).toContain('value="lock:held"')
  }
  const { triggers: _, ...none } = OFF
  expect((await owner.submit(PATH, none)).text).toContain('No event is selected.')
})

test('a change that was overtaken saves nothing and shows both versions', async () => {
  const { owner } = await cast()
  const path = (await owner.submit(PATH, OFF)).location ?? ''
  const etag = etagIn(await owner.get(path))
  expect((await owner.submit(path, { ...OFF, name: 'theirs', etag })).status).toBe(303)

  const late = await owner.submit(path, { ...OFF, name: 'mine', etag })
  expect([late.status, late.text]).toEqual([409, expect.stringContaining('Nothing was saved.')])
  expect(late.text).toMatch(/theirs[^]*value="mine"/)
  expect((await owner.get(path)).text).not.toContain('mine')
  expect((await owner.submit(path, { ...OFF, name: 'mine', etag: etagIn(late) })).status).toBe(303)
})

test('people see and manage the notifications of their units, and URLs only if they may change them', async () => {
  const { owner, dan, eve } = await cast()
  const create = async (name: string, scope: string, of: string) =>
    (await owner.submit(PATH, { ...OFF, name, scope, of })).location ?? ''
  const [whole, ofProd, ofDev] = [
    await create('whole', 'organization', ''),
    await create('of-prod', 'unit', 'prod/app'),
    await create('of-dev', 'unit', 'dev/app'),
  ]
  const list = await dan.get(PATH)
  expect(list.text).toContain('of-dev')
  for (const word of ['whole</a>', 'of-prod', 'prod/app']) expect(list.text).not.toContain(word)
  const exported = await dan.get(`${PATH}?format=json`)
  expect(JSON.parse(exported.text)).toMatchObject([{ name: 'of-dev', about: 'dev/app', state: 'disabled' }])
  expect([(await dan.get(ofDev)).status, (await dan.get(ofDev)).text]).toEqual([
    200,
    expect.stringContaining('services/secret'),
  ])
  for (const path of [whole, ofProd]) {
    expect((await dan.get(path)).status).toBe(404)
    expect((await dan.submit(`${path}/delete`, { confirm: 'whole' })).status).toBe(404)
  }
  expect((await dan.submit(PATH, { ...OFF, scope: 'unit', of: 'dev/app' })).status).toBe(303)
  for (const [of, words] of [
    ['prod/app', 'There is no unit prod/app'],
    ['prod/none', 'There is no unit prod/none'],
  ] as const) {
    const hidden = await dan.submit(PATH, { ...OFF, scope: 'unit', of })
    expect([hidden.status, hidden.text]).toEqual([400, expect.stringContaining(words)])
  }
  expect((await dan.submit(PATH, OFF)).text).toContain('You may not manage notifications of this.')

  const seen = await eve.get(whole)
  expect([seen.status, seen.text.includes('services/secret'), seen.text.includes('Send a test')]).toEqual([
    200,
    false,
    false,
  ])
  expect((await eve.submit(`${whole}/test`)).status).toBe(403)
  expect((await eve.get(`${PATH}?scope=unit&of=dev%2Fapp`)).text).not.toContain('of-prod')
})
