import { expect, test } from 'vitest'
import { type Person, browserOf, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { createTestBrowser } from '../../../../../test/rig/web-face.ts'
import { push, stateText } from '../../../../../test/support/state.ts'
import { bind, putRole } from '../../../../access/index.ts'
import { ownerOf } from '../../../../variables/index.ts'

const PATH = '/app/default/variables'
const UNIT = '/app/default/units/prod--app/variables'
const SET = { name: 'aws', description: 'for all', units: '', global: 'on' }

async function cast() {
  const face = await startSsoFace()
  for (const unit of ['prod/app', 'dev/app']) await push(face.deps.control, unit, stateText(1))
  const [olga, dan, eve] = [await face.person('olga'), await face.person('dan'), await face.person('eve')]
  await face.policy('default', (policy) => {
    const owned = bind(policy, { role: 'owner', to: `user:${olga.id}` })
    return bind(owned, { role: 'operator', to: `user:${dan.id}`, units: ['dev/**'] })
  })
  async function browse(person: Person) {
    const browser = createTestBrowser(face)
    const { cookie = '' } = await face.session(person)
    browser.cookies.set('taco', cookie.replace('taco=', ''))
    await browser.get('/account/tokens')
    return browser
  }
  const owner = await browse(olga)
  async function create(fields: Record<string, string>): Promise<string> {
    const made = await owner.submit(PATH, { ...SET, ...fields })
    expect(made.status).toBe(303)
    return made.location ?? ''
  }
  return { face, owner, create, browse, dan, eve }
}

const editIn = ({ text }: { readonly text: string }) => /[?&;]edit=(var-[\w-]+)/.exec(text)?.[1] ?? ''
const hidden = ({ text }: { readonly text: string }, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''

test('a set is created with variables, changed and deleted', async () => {
  const { owner, create } = await cast()
  const path = await create({})

  const added = await owner.submit(`${path}/variables`, {
    key: 'region',
    category: 'terraform',
    value: 'a\r\nb',
    hcl: '',
  })
  expect([added.status, added.location]).toEqual([303, path])
  const page = await owner.get(path)
  expect(page.text).toContain('region was saved.')
  expect(page.text).toContain('taco var ls --set aws')
  const id = editIn(page)
  const edit = await owner.get(`${path}?edit=${id}`)
  const version = hidden(edit, 'version')
  expect(edit.text).toContain('Change region')
  expect(edit.text).toMatch(/<textarea id="value"[^>]*>\na\nb<\/textarea>/)
  await owner.submit(`${path}/variables`, { id, version, key: 'zone', category: 'terraform', value: 'c' })
  const changed = await owner.get(path)
  expect(changed.text).toContain('zone')
  expect(changed.text).not.toContain('region</span>')

  const settings = async (fields: Record<string, string>) => {
    const tag = hidden(await owner.get(`${path}?tab=settings`), 'tag')
    return owner.submit(`${path}/settings`, { ...SET, name: 'gcp', tag, ...fields })
  }
  expect((await settings({ units: 'prod/app' })).status).toBe(303)
  expect((await owner.get(PATH)).text).toContain('every unit, prod/app')
  const units = await owner.get(`${path}?tab=units&format=csv`)
  expect(units.text.split('\r\n')).toEqual(['unit,because', 'dev/app,global', 'prod/app,unit', ''])
  await settings({ units: '' })
  expect((await owner.get(PATH)).text).not.toContain('every unit, prod/app')

  const now = hidden(await owner.get(`${path}?edit=${id}`), 'version')
  const unsure = await owner.submit(`${path}/variables/delete`, { id, version: now, confirm: 'region' })
  expect(unsure.status).toBe(400)
  expect(unsure.text).toContain('Type zone to confirm.')
  const removal = { id, version: now, confirm: 'zone' }
  expect((await owner.submit(`${path}/variables/delete`, removal)).location).toBe(path)
  expect((await owner.get(path)).text).toContain('The set has no variables yet.')
  expect((await owner.submit(`${path}/delete`, { confirm: 'aws' })).status).toBe(400)
  expect((await owner.submit(`${path}/delete`, { confirm: 'gcp' })).location).toBe(PATH)
  expect((await owner.get(PATH)).text).toContain('No variable sets')
})

test('a change of a set or a variable that was overtaken changes nothing and shows both', async () => {
  const { owner, create, face } = await cast()
  const path = await create({})
  await owner.submit(`${path}/variables`, { key: 'region', category: 'terraform', value: 'eu' })
  const id = editIn(await owner.get(path))
  const version = hidden(await owner.get(`${path}?edit=${id}`), 'version')
  const tag = hidden(await owner.get(`${path}?tab=settings`), 'tag')
  const change = { id, version, key: 'region', category: 'terraform' }
  await owner.submit(`${path}/variables`, { ...change, value: 'theirs' })
  await owner.submit(`${path}/settings`, { ...SET, tag, description: 'their set' })

  const variable = await owner.submit(`${path}/variables`, { ...change, value: 'mine' })
  const removed = await owner.submit(`${path}/variables/delete`, { id, version, confirm: 'region' })
  const settings = await owner.submit(`${path}/settings`, { ...SET, tag, description: 'my set' })

  expect([variable.status, removed.status, settings.status]).toEqual([409, 409, 409])
  expect(variable.text).toContain('theirs')
  expect(variable.text).toContain('mine</textarea>')
  expect(settings.text).toContain('their set')
  expect(settings.text).toContain('value="my set"')
  const set = await face.deps.variableSets.get('default', 'aws')
  expect(set.description).toBe('their set')
  expect(await face.deps.variables.list(ownerOf('default', set))).toMatchObject([{ value: 'theirs' }])

  // What the page shows now can be saved.
  const again = { ...change, version: hidden(variable, 'version'), value: 'mine' }
  expect((await owner.submit(`${path}/variables`, again)).status).toBe(303)
  expect(
    (await owner.submit(`${path}/settings`, { ...SET, tag: hidden(settings, 'tag'), description: 'my set' }))
      .status,
  ).toBe(303)
})

test('units stay attached if the form does not name any, and hidden ones if it does', async () => {
  const { owner, create, face } = await cast()
  const path = await create({ global: '', units: 'prod/app dev/app' })
  const tag = hidden(await owner.get(`${path}?tab=settings`), 'tag')
  const { units: _, ...fields } = { ...SET, tag }

  expect((await owner.submit(`${path}/settings`, fields)).status).toBe(303)
  expect((await face.deps.variableSets.get('default', 'aws')).units).toHaveLength(2)

  const limited = await browserOf(face, 'mia', ['dev/**'])
  const id = (await face.signIn.people.get('mia', face.setUp)).id
  const rules = [{ effect: 'allow' as const, actions: ['vars:read', 'vars:write', 'org:read'] }]
  await face.policy('default', (all) =>
    bind(putRole(all, { name: 'varsets', rules }), { role: 'varsets', to: `user:${id}` }),
  )
  const shown = await limited.get(`${path}?tab=settings`)
  expect(shown.text).not.toContain('prod/app')
  const sent = { ...SET, units: '', tag: hidden(shown, 'tag') }
  expect((await limited.submit(`${path}/settings`, sent)).status).toBe(303)
  const left = (await face.deps.variableSets.get('default', 'aws')).units
  const prod = await face.deps.control.units.get({ org: 'default', unit: 'prod/app' }, face.setUp)
  expect(left).toEqual([prod.id])
})

test('a variable that was deleted meanwhile is created again only on purpose', async () => {
  const { owner, create } = await cast()
  const path = await create({})
  await owner.submit(`${path}/variables`, { key: 'region', category: 'terraform', value: 'eu' })
  const id = editIn(await owner.get(path))
  const version = hidden(await owner.get(`${path}?edit=${id}`), 'version')
  await owner.submit(`${path}/variables/delete`, { id, version, confirm: 'region' })

  const fields = { key: 'region', category: 'terraform', value: 'us' }
  const lost = await owner.submit(`${path}/variables`, { id, version, ...fields })

  expect(lost.status).toBe(409)
  expect(lost.text).toContain('Someone deleted the variable')
  expect(hidden(lost, 'id')).toBe('')
  expect((await owner.submit(`${path}/variables`, { id: '', version: '', ...fields })).status).toBe(303)
})

test('a sensitive value is never shown again, and stays when it is left empty', async () => {
  const { owner, create, face } = await cast()
  const path = await create({})
  const secret = 'correct-horse'

  const wrong = await owner.submit(`${path}/variables`, {
    key: '1x',
    category: 'env',
    value: secret,
    sensitive: 'on',
  })
  expect(wrong.status).toBe(400)
  await owner.submit(`${path}/variables`, { key: 'KEY', category: 'env', value: secret, sensitive: 'on' })
  const page = await owner.get(path)
  const id = editIn(page)
  const edit = await owner.get(`${path}?edit=${id}`)
  const change = { id, key: 'KEY2', category: 'env', version: hidden(edit, 'version') }
  await owner.submit(`${path}/variables`, { ...change, value: '', sensitive: 'on' })
  const version = hidden(await owner.get(`${path}?edit=${id}`), 'version')
  const open = await owner.submit(`${path}/variables`, { ...change, version, value: 'x' })
  const race = await owner.submit(`${path}/variables`, { ...change, value: secret, sensitive: 'on' })

  const csv = await owner.get(`${path}?format=csv`)
  for (const { text } of [wrong, page, edit, open, race, csv, await owner.get(UNIT)])
    expect(text).not.toContain(secret)
  expect([open.status, race.status]).toEqual([400, 409])
  expect(open.text).toContain('A sensitive variable stays sensitive.')
  const found = await face.deps.unitVariables.find({ org: 'default', unit: 'prod/app' }, face.setUp)
  expect((await face.deps.unitVariables.forRun(found)).items).toMatchObject([{ key: 'KEY2', value: secret }])
})

test('the box leads to what a unit gets, and what it overrides', async () => {
  const { owner, create } = await cast()
  const [wide, strong] = [await create({}), await create({ name: 'law', priority: 'on' })]
  for (const path of [wide, strong])
    await owner.submit(`${path}/variables`, { key: 'region', category: 'terraform', value: path.slice(-4) })

  expect((await owner.get(`${PATH}?unit=prod%2Fapp`)).location).toBe(UNIT)
  const { status, text } = await owner.get(UNIT)

  expect(status).toBe(200)
  expect(text.indexOf(`>${strong.slice(-4)}</code>`)).toBeLessThan(text.indexOf(`>${wide.slice(-4)}</code>`))
  expect((await owner.get(`${PATH}?unit=no%2Fsuch`)).text).toContain('There is no unit no/such')
})

test.each([
  [{ name: '' }, 'name', 'needs a name'],
  [{ name: 'aws' }, 'name', ''],
  [{ name: 'x', units: 'prod/app no/such' }, 'units', 'There is no unit no/such.'],
  [{ name: 'x', owner: 'prj-none' }, 'owner', 'There is no project prj-none.'],
])('the set %j is refused at %s, and what was typed is kept', async (fields, field, message) => {
  const { owner, create } = await cast()
  await create({})

  const { status, text } = await owner.submit(PATH, { ...SET, description: 'kept', ...fields })

  expect(status).toBe(400)
  expect(text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`))
  expect(text).toContain(message)
  expect(text).toContain('value="kept"')
})

test('a variable that exists is refused at its key', async () => {
  const { owner, create } = await cast()
  const path = await create({})
  const fields = { key: 'region', category: 'terraform', value: 'eu' }
  await owner.submit(`${path}/variables`, fields)

  const { status, text } = await owner.submit(`${path}/variables`, { ...fields, value: 'typed' })

  expect(status).toBe(400)
  expect(text).toContain('There is already a variable region.')
  expect(text).toContain('typed</textarea>')
})

test('a person sees the sets of units whose variables they may read, and changes none', async () => {
  const { owner, create, browse, dan, eve } = await cast()
  const prod = await create({ name: 'only-prod', global: '', units: 'prod/app' })
  const all = await create({ name: 'shared', units: 'prod/app' })
  await owner.get(all)
  const developer = await browse(dan)

  const list = await developer.get(PATH)
  expect(list.status).toBe(200)
  expect(list.text).toContain('shared')
  for (const hidden of ['only-prod', 'prod/app', 'Create a variable set'])
    expect(list.text).not.toContain(hidden)
  expect((await developer.get(prod)).status).toBe(404)
  expect((await developer.get(all)).text).not.toContain('Save the set')
  expect((await developer.get(`${all}?tab=units&format=csv`)).text).toBe('unit,because\r\ndev/app,global\r\n')
  expect((await developer.get(`${PATH}?unit=dev%2Fapp`)).location).toContain('dev--app/variables')
  expect((await developer.get(`${PATH}?unit=prod%2Fapp`)).text).toContain('There is no unit prod/app')
  expect((await developer.submit(`${all}/delete`)).status).toBe(403)
  expect((await owner.submit(`${all}/delete`, { csrf: 'x' })).status).toBe(403)
  expect((await owner.get(all)).status).toBe(200)
  expect((await (await browse(eve)).get(PATH)).status).toBe(404)
})
