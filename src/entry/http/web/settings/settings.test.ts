import { expect, test } from 'vitest'
import { type Person, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { createTestBrowser } from '../../../../../test/rig/web-face.ts'
import { push, stateText } from '../../../../../test/support/state.ts'
import { bind, systemCaller } from '../../../../access/index.ts'

const PATH = '/app/default/settings'
const NO_LIMITS = { units: '', versions: '', bytes: '' }

async function cast() {
  const face = await startSsoFace()
  const [olga, rita, dan] = [await face.person('olga'), await face.person('rita'), await face.person('dan')]
  await face.policy('default', (policy) => {
    const owned = bind(policy, { role: 'owner', to: `user:${olga.id}` })
    const read = bind(owned, { role: 'reader', to: `user:${rita.id}` })
    const rules = [
      { effect: 'allow' as const, actions: ['org:read'] },
      { effect: 'allow' as const, actions: ['unit:read'], units: ['dev/**'] },
    ]
    const roles = [...read.roles, { name: 'dev', rules }]
    return bind({ ...read, roles }, { role: 'dev', to: `user:${dan.id}` })
  })
  async function browse(person: Person) {
    const browser = createTestBrowser(face)
    const { cookie = '' } = await face.session(person)
    browser.cookies.set('taco', cookie.replace('taco=', ''))
    await browser.get('/account/tokens')
    return browser
  }
  const org = () => face.deps.control.orgs.get('default', systemCaller('opentaco'))
  const write = async (unit: string, times: number) => {
    for (let serial = 1; serial <= times; serial++) await push(face.deps.control, unit, stateText(serial))
  }
  return { face, org, write, owner: await browse(olga), reader: await browse(rita), dev: await browse(dan) }
}

const etagIn = (text: string) => /name="etag" value="([^"]+)"/.exec(text)?.[1] ?? ''

test('limits are saved; what is wrong is said at its field, and what was typed stays', async () => {
  const { owner, org } = await cast()
  const etag = etagIn((await owner.get(PATH)).text)
  const limits = { units: '300', versions: '', bytes: '20GB' }

  const wrong = await owner.submit(`${PATH}/limits`, { ...limits, versions: '0', bytes: '20 apples', etag })
  expect(wrong.status).toBe(400)
  expect(wrong.text).toContain('&quot;0&quot; is not a whole number from 1 on.')
  expect(wrong.text).toContain('value="20 apples"')
  expect((await org()).limits).toEqual({})

  expect(await owner.submit(`${PATH}/limits`, { ...limits, etag })).toMatchObject({
    status: 303,
    location: PATH,
  })
  expect((await org()).limits).toEqual({ units: 300, bytes: 20_000_000_000 })
  const page = await owner.get(PATH)
  expect(page.text).toContain('The limits were saved.')
  expect(page.text).toContain('value="20GB"')
  await owner.submit(`${PATH}/limits`, { ...NO_LIMITS, etag: etagIn(page.text) })
  expect((await org()).limits).toEqual({})
})

test('a change that was overtaken saves nothing and shows both versions', async () => {
  const { owner, org, face } = await cast()
  const etag = etagIn((await owner.get(PATH)).text)
  await face.deps.control.orgs.update('default', { limits: { units: 7 } }, systemCaller('opentaco'))

  const lost = await owner.submit(`${PATH}/limits`, { ...NO_LIMITS, units: '9', etag })
  expect(lost.status).toBe(409)
  expect(lost.text).toContain('Nothing was saved.')
  expect(lost.text).toMatch(/<dt>Units<\/dt><dd>7<\/dd>/)
  expect(lost.text).toContain('value="9"')
  expect((await owner.submit(`${PATH}/name`, { name: 'apex', etag })).status).toBe(409)
  expect(await org()).toMatchObject({ name: 'default', limits: { units: 7 } })

  const again = await owner.submit(`${PATH}/limits`, { ...NO_LIMITS, units: '9', etag: etagIn(lost.text) })
  expect([again.status, (await org()).limits]).toEqual([303, { units: 9 }])
})

test('renaming leads to the new address; a name that is taken is said at the field', async () => {
  const { owner, face } = await cast()
  await face.deps.control.orgs.create({ name: 'taken' }, systemCaller('opentaco'))
  const etag = etagIn((await owner.get(PATH)).text)

  const taken = await owner.submit(`${PATH}/name`, { name: 'taken', etag })
  expect(taken.status).toBe(400)
  expect(taken.text).toContain('The name taken belongs to another organization')
  expect((await owner.submit(`${PATH}/name`, { name: 'No Name!', etag })).status).toBe(400)
  const renamed = await owner.submit(`${PATH}/name`, { name: 'apex', etag })
  expect(renamed.location).toBe('/app/apex/settings')
  expect((await owner.get('/app/apex/settings')).text).toContain('The organization is called apex now.')
  expect((await owner.get(PATH)).text).toContain('<dd>apex</dd>')
})

test('those who may only read see the limits and no forms', async () => {
  const { reader, org } = await cast()

  const page = await reader.get(PATH)
  expect(page.status).toBe(200)
  expect(page.text).toContain('no limit')
  expect(page.text).not.toContain('name="etag"')
  expect((await reader.submit(`${PATH}/limits`, { ...NO_LIMITS, units: '1' })).status).toBe(403)
  expect((await reader.submit(`${PATH}/name`, { name: 'apex' })).status).toBe(403)
  expect(await org()).toMatchObject({ name: 'default', limits: {} })
})

test('a preview says what would go by what was typed, and saves and removes nothing', async () => {
  const { owner, org, write, face } = await cast()
  await write('prod/app', 5)
  await write('dev/app', 2)
  const path = `${PATH}/retention`
  const etag = etagIn((await owner.get(path)).text)

  const wrong = await owner.submit(path, { count: 'x', days: '', eventDays: '', etag, do: 'preview' })
  expect(wrong.status).toBe(400)
  expect(wrong.text).toContain('&quot;x&quot; is not a whole number from 1 on.')
  const preview = await owner.submit(path, { count: '2', days: '', eventDays: '', etag, do: 'preview' })
  expect(preview.status).toBe(200)
  expect(preview.text).toContain('3 versions and 0 events')
  expect(preview.text).toContain('href="/app/default/units/prod--app/history"')
  expect(preview.text).not.toContain('dev--app')
  expect(preview.text).toContain('value="2"')
  expect((await org()).retention).toBeNull()
  const versions = () =>
    face.deps.control.versions.list(
      { org: 'default', unit: 'prod/app' },
      { limit: 100 },
      systemCaller('upkeep'),
    )
  expect((await versions()).items).toHaveLength(5)

  expect((await owner.submit(path, { count: '2', days: '', eventDays: '90', etag })).status).toBe(303)
  expect(await org()).toMatchObject({ retention: { count: 2 }, eventRetention: { days: 90 } })
  expect((await owner.get(path)).text).toContain('taco org set default --keep-versions 2 --keep-events 90d')
  expect((await owner.submit(path, { count: '1', days: '', eventDays: '', etag })).status).toBe(409)
  expect((await org()).retention).toEqual({ count: 2 })

  const unconfirmed = await owner.submit(`${path}/apply`, { confirm: 'other' })
  expect(unconfirmed.status).toBe(400)
  expect((await versions()).items).toHaveLength(5)
  expect((await owner.submit(`${path}/apply`, { confirm: 'default' })).location).toBe(path)
  expect((await owner.get(path)).text).toContain('Removed: 3 versions and 0 events')
  expect((await versions()).items).toHaveLength(2)
})

test('usage counts units, versions and bytes, against limits, and only of units that one may see', async () => {
  const { owner, dev, write, face } = await cast()
  await write('prod/secret', 3)
  await write('dev/app', 2)
  await face.deps.control.orgs.update('default', { limits: { units: 4 } }, systemCaller('opentaco'))
  const path = `${PATH}/usage`

  const whole = await owner.get(path)
  expect(whole.text).toContain('aria-label="Units: 2 of 4"')
  expect(whole.text).toMatch(/Versions<\/span><b class="num">5</)
  expect(whole.text.indexOf('prod/secret')).toBeLessThan(whole.text.indexOf('dev/app'))
  expect((await owner.get(`${path}?search=DEV`)).text).not.toContain('prod/secret')
  expect((await owner.get(`${path}?format=csv`)).text).toMatch(/^unit,versions,.*\r\nprod\/secret,3,/)

  const some = await dev.get(path)
  expect(some.status).toBe(200)
  expect(some.text).toContain('aria-label="Units: 1 of 4"')
  expect(some.text).toMatch(/Versions<\/span><b class="num">2</)
  expect(some.text).not.toContain('secret')
  expect((await dev.get(`${path}?format=json`)).text).not.toContain('secret')
})

test('deleting takes the name, and a tick while units are locked; restoring brings it back', async () => {
  const { owner, reader, org, write, face } = await cast()
  await write('prod/app', 1)
  const info = { ID: '1', Operation: 'plan', Info: '', Who: 'w', Version: '', Created: '', Path: '' }
  const unit = { org: 'default', unit: 'prod/app' }
  await face.deps.control.locks.lock(unit, info, {}, systemCaller('opentaco'))
  const path = `${PATH}/delete`
  const etag = etagIn((await owner.get(PATH)).text)

  expect((await reader.submit(path, { confirm: 'default', etag })).status).toBe(403)
  expect((await owner.submit(path, { confirm: 'defautl', etag })).text).toContain('This does not match.')
  const locked = await owner.submit(path, { confirm: 'default', etag })
  expect(locked.status).toBe(400)
  expect(locked.text).toContain('name="force"')
  expect((await owner.submit(path, { confirm: 'default', force: 'on', etag: 'other' })).status).toBe(409)
  expect((await org()).deleted).toBeNull()
  expect((await owner.submit(path, { confirm: 'default', force: 'on', etag })).location).toBe('/app')
  expect((await org()).deleted).not.toBeNull()

  const gone = await owner.get(PATH)
  expect(gone.text).toContain('The organization was deleted')
  expect(gone.text).not.toContain('name="limits"')
  expect((await owner.submit(`${PATH}/restore`)).location).toBe('/app/default')
  expect((await org()).deleted).toBeNull()
})
