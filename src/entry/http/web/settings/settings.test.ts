import { expect, test } from 'vitest'
import { type Person, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { createTestBrowser } from '../../../../../test/rig/web-face.ts'
import { bind, systemCaller } from '../../../../access/index.ts'

const PATH = '/app/default/settings'
const NO_LIMITS = { units: '', versions: '', bytes: '' }

async function cast() {
  const face = await startSsoFace()
  const [olga, rita] = [await face.person('olga'), await face.person('rita')]
  await face.policy('default', (policy) => {
    const owned = bind(policy, { role: 'owner', to: `user:${olga.id}` })
    return bind(owned, { role: 'reader', to: `user:${rita.id}` })
  })
  async function browse(person: Person) {
    const browser = createTestBrowser(face)
    const { cookie = '' } = await face.session(person)
    browser.cookies.set('taco', cookie.replace('taco=', ''))
    await browser.get('/account/tokens')
    return browser
  }
  const org = () => face.deps.control.orgs.get('default', systemCaller('opentaco'))
  return { face, org, owner: await browse(olga), reader: await browse(rita) }
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
  expect(lost.text).toMatch(/<dt>Most units<\/dt><dd>7<\/dd>/)
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
