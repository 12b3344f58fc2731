import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../../../test/rig/sso-face.ts'
import { createTestBrowser, startWebFace } from '../../../../../../test/rig/web-face.ts'
import { push, stateText } from '../../../../../../test/support/state.ts'
import { type Action, bind, putRole } from '../../../../../access/index.ts'
import { type Source, ownerOf } from '../../../../../variables/index.ts'
import { isShown, rowsOf } from './rows.ts'

const page = (unit = 'prod--app') => `/app/default/units/${unit}/variables`

async function startPerson(actions: readonly Action[]) {
  const face = await startSsoFace()
  for (const unit of ['prod/app', 'dev/app']) await push(face.deps.control, unit, stateText(1))
  const bob = await face.person('bob')
  const rules = [{ effect: 'allow' as const, actions: [...actions], units: ['prod/**'] }]
  await face.policy('default', (all) =>
    bind(putRole(all, { name: 'some', rules }), { role: 'some', to: `user:${bob.id}` }),
  )
  const browser = createTestBrowser(face)
  browser.cookies.set('taco', (await face.session(bob))['cookie']?.replace('taco=', '') ?? '')
  await browser.get('/account/tokens')
  const { variables, variableSets, unitVariables } = face.deps
  const owner = await unitVariables.find({ org: 'default', unit: 'prod/app' }, face.setUp)
  async function set(name: string, value: string, priority = false) {
    const made = await variableSets.create('default', { name, global: true, priority }, face.setUp)
    const one = { key: 'region', category: 'terraform' as const, value }
    await variables.create(ownerOf('default', made), one, face.setUp)
  }
  return { face, browser, owner, set }
}

const WRITER: readonly Action[] = ['unit:read', 'vars:read', 'vars:write']
const REGION = { key: 'region', category: 'terraform', value: 'eu-1' }
const editIn = (text: string) => /[?&;]edit=(var-[\w-]+)/.exec(text)?.[1] ?? ''
const versionIn = (text: string) => /name="version" value="([^"]*)"/.exec(text)?.[1] ?? ''

test('rows show what applies and what it overrides, and are filtered without looking at values', () => {
  const variable = {
    id: 'var-1',
    key: 'region',
    category: 'terraform',
    value: 'secretive',
    sensitive: false,
    hcl: false,
    description: 'Where it runs',
    versionId: 'v',
    createdAt: 0,
    updatedAt: 0,
    createdBy: 'x',
  }
  const set = {
    kind: 'set',
    id: 's',
    name: 'all',
    scope: 'global',
    priority: false,
    isOfProject: false,
  } as const
  const rows = rowsOf([{ variable, source: { kind: 'unit' }, overrides: [{ variable, source: set }] }], [])

  expect(rows.map(({ overriddenBy }) => overriddenBy?.kind)).toEqual([undefined, 'unit'])
  const input = { kind: 'dependency', variable: 'region', unit: 'prod/net', output: 'region' } as const
  const by = (source: Source, category: string) =>
    rowsOf([{ variable: { ...variable, category }, source, overrides: [] }], [input])[0]?.overriddenBy
  expect(by({ kind: 'unit' }, 'terraform')).toBe(input)
  expect(by({ kind: 'unit' }, 'env')).toBeUndefined()
  expect(by({ ...set, priority: true }, 'terraform')).toBeUndefined()
  const count = (filter: object) => rows.filter((row) => isShown(row, { search: '', ...filter })).length
  expect(count({ search: 'RUNS' })).toBe(2)
  expect(count({ search: 'secretive' })).toBe(0)
  expect(count({ kind: 'env' })).toBe(0)
  expect(count({ from: 'sets' })).toBe(1)
})

test('a variable of a unit is added, changed, overtaken and deleted', async () => {
  const { browser, face, owner } = await startPerson(WRITER)
  const { variables } = face.deps

  expect(await browser.submit(page(), REGION)).toMatchObject({ status: 303, location: page() })
  const shown = await browser.get(page())
  expect(shown.text).toContain('region was saved.')
  const id = editIn(shown.text)
  const version = versionIn((await browser.get(`${page()}?edit=${id}`)).text)
  await variables.update(owner, id, { value: 'theirs' }, face.setUp)
  const late = await browser.submit(page(), { ...REGION, id, version, value: 'mine' })
  expect(late.status).toBe(409)
  expect(late.text).toContain('theirs')
  expect(late.text).toContain('mine</textarea>')
  expect(await variables.list(owner)).toMatchObject([{ value: 'theirs' }])

  const now = versionIn(late.text)
  const lateRemoval = await browser.submit(`${page()}/delete`, { id, version, confirm: 'region' })
  const unsure = await browser.submit(`${page()}/delete`, { id, version: now, confirm: '' })
  expect([lateRemoval.status, unsure.status]).toEqual([409, 400])
  expect((await browser.submit(`${page()}/delete`, { id, version: now, confirm: 'region' })).status).toBe(303)
  expect(await variables.list(owner)).toEqual([])
})

test.each([
  [{ key: '1x', category: 'env', value: 'v' }, 'key'],
  [{ key: 'A', category: 'env', value: 'v', hcl: 'on' }, 'hcl'],
  [REGION, 'key'],
])('%j is refused at %s, and what was typed is kept', async (fields, field) => {
  const { browser } = await startPerson(WRITER)
  await browser.submit(page(), REGION)

  const { status, text } = await browser.submit(page(), { ...fields, description: 'kept' })

  expect(status).toBe(400)
  expect(text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`))
  expect(text).toContain('value="kept"')
})

test('the page says what overrides what, and exports it', async () => {
  const { browser, set } = await startPerson(WRITER)
  await browser.submit(page(), REGION)
  await set('usual', 'from-usual')
  await set('law', 'from-law', true)

  const { text } = await browser.get(page())
  const csv = await browser.get(`${page()}?format=csv&from=unit`)

  expect(text).toMatch(/from-law<\/code>[^]*eu-1<\/code><\/s>[^]*from-usual<\/code><\/s>/)
  expect(text).toContain('which overrides everything')
  const [head = '', row = ''] = csv.text.split('\r\n')
  const cells = Object.fromEntries(head.split(',').map((name, at) => [name, row.split(',')[at]]))
  expect(cells).toMatchObject({ key: 'region', value: 'eu-1', from: 'unit', overridden_by: 'set law' })
})

test('outputs of dependencies are stronger than variables, and hidden units are not named', async () => {
  const { browser, face } = await startPerson([...WRITER, 'graph:read'])
  const { control, graph } = face.deps
  await push(control, 'prod/net', stateText(1))
  await push(control, 'dev/net', stateText(1))
  const ref = { org: 'default', unit: 'prod/app' }
  await graph.dependencies.add(ref, { on: 'prod/net', inputs: { region: 'value' } }, face.setUp)
  await graph.dependencies.add(ref, { on: 'dev/net', inputs: { hidden: 'value' } }, face.setUp)
  await browser.submit(page(), REGION)

  const { text } = await browser.get(page())

  expect(text).toMatch(/From dependencies[^]*value[^]*prod\/net/)
  expect(text).toMatch(/<s class="faint"><code class="value">eu-1/)
  for (const hidden of ['dev/net', 'hidden']) expect(text).not.toContain(`>${hidden}<`)
})

test('a sensitive value is in no answer', async () => {
  const { browser } = await startPerson(WRITER)
  const secret = 'correct-horse'
  const fields = { key: 'TOKEN', category: 'env', value: secret, sensitive: 'on' }
  const wrong = await browser.submit(page(), { ...fields, key: '1' })
  const saved = await browser.submit(page(), fields)
  const shown = await browser.get(page())
  const edit = await browser.get(`${page()}?edit=${editIn(shown.text)}`)
  const json = await browser.get(`${page()}?format=json`)

  expect(saved.status).toBe(303)
  for (const { text, headers } of [wrong, saved, shown, edit, json])
    expect(text + JSON.stringify(headers)).not.toContain(secret)
})

test('a server without a secret key says so at the field', async () => {
  const face = await startWebFace()
  await push(face.deps.control, 'prod/app', stateText(1))
  const browser = createTestBrowser(face)
  await browser.get(page())

  const fields = { key: 'TOKEN', category: 'env', value: 'correct-horse', sensitive: 'on' }
  const { status, text } = await browser.submit(page(), fields)

  expect(status).toBe(400)
  expect(text).toMatch(/id="sensitive"[^>]*aria-invalid="true"/)
  expect(text).toContain('no secret key')
  expect(text).not.toContain('correct-horse')
})

test('variables are changed by those who may, on units that they see', async () => {
  const { browser, owner, face } = await startPerson(['unit:read', 'vars:read'])

  const { text } = await browser.get(page())
  expect(text).not.toContain('Add a variable')
  expect((await browser.submit(page(), REGION)).status).toBe(403)
  expect((await browser.submit(`${page()}/delete`, { id: 'var-1' })).status).toBe(403)
  expect((await browser.submit(page('dev--app'), REGION)).status).toBe(404)
  expect(await face.deps.variables.list(owner)).toEqual([])
})
