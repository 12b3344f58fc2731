import { expect, test } from 'vitest'
import { castOfPeople } from '../../../../../../test/rig/people-cast.ts'
import { readRule } from './role-form.ts'

const PATH = '/app/default/people/roles'
const etagIn = (text: string) => /name="etag" value="([^"]*)"/.exec(text)?.[1] ?? ''
const words = (text: string) => /id="words-1"[^>]*>([^<]*)/.exec(text)?.[1] ?? ''

const RULES = { effect: 'allow', actions: 'state:read outputs:read', units: 'prod/**', labels: 'env=prod' }

test('a role is typed with a preview in words, saved, changed and deleted', async () => {
  const { browse, olga, policy } = await castOfPeople()
  const owner = await browse(olga)
  await owner.get(PATH)

  const preview = await owner.submit(PATH, { name: 'reads', ...RULES, do: 'preview' })
  expect(preview.status).toBe(200)
  expect(words(preview.text)).toContain('may read states and read outputs on prod/** with env=prod')
  expect((await policy()).roles.map(({ name }) => name)).toEqual(['freeze'])

  const saved = await owner.submit(PATH, { name: 'reads', description: 'who looks', ...RULES, do: 'save' })
  expect(saved.location).toBe(`${PATH}/reads`)
  const page = await owner.get(`${PATH}/reads`)
  expect(page.text).toContain('taco role show reads')
  const rules = [
    { effect: 'allow', actions: ['state:read', 'outputs:read'], units: ['prod/**'], labels: { env: 'prod' } },
  ]
  expect((await policy()).roles[1]).toEqual({ name: 'reads', description: 'who looks', rules })

  const changed = { name: 'reads', was: 'reads', etag: etagIn(page.text), ...RULES, labels: '', do: 'save' }
  expect((await owner.submit(PATH, changed)).status).toBe(303)
  expect((await policy()).roles[1]?.rules[0]).not.toHaveProperty('labels')
  await owner.submit(`${PATH}/reads/delete`, { confirm: 'reads' })
  expect((await policy()).roles.map(({ name }) => name)).toEqual(['freeze'])
})

test('typing in a rule fetches only its words', async () => {
  const { browse, olga } = await castOfPeople()
  const owner = await browse(olga)
  await owner.get(PATH)

  const { status, text } = await owner.submit(
    PATH,
    { ...RULES, actions: 'state:reed' },
    { 'hx-request': 'true' },
  )

  expect(status).toBe(200)
  expect(text).toMatch(/^<p class="rule-words error" id="words-1"/)
  expect(text).toContain('state:read')
  expect(text).not.toContain('<html')
})

test('rules are added and removed without losing what was typed', async () => {
  const { browse, olga } = await castOfPeople()
  const owner = await browse(olga)
  await owner.get(PATH)

  const added = await owner.submit(PATH, { name: 'reads', ...RULES, do: 'add' })
  const removed = await owner.submit(PATH, { name: 'reads', ...RULES, do: 'remove-0' })

  expect(added.text).toMatch(/id="rule-2"/)
  expect(added.text).toMatch(/id="actions-1"[^>]*value="state:read outputs:read"/)
  expect(removed.text).toContain('so it allows nothing')
  expect(removed.text).toMatch(/id="name"[^>]*value="reads"/)
})

test('a change of a role that someone else has changed is not saved, and both are shown', async () => {
  const { browse, olga, policy } = await castOfPeople()
  const [owner, other] = [await browse(olga), await browse(olga)]
  const etag = etagIn((await owner.get(`${PATH}/freeze`)).text)
  const freeze = { name: 'freeze', was: 'freeze', effect: 'deny', units: '', labels: '', do: 'save' }
  const seen = etagIn((await other.get(`${PATH}/freeze`)).text)
  await other.submit(PATH, { ...freeze, etag: seen, actions: 'state:delete' })

  const late = await owner.submit(PATH, { ...freeze, etag, actions: 'unit:delete' })

  expect(late.status).toBe(409)
  expect(late.text).toContain('<li>may not delete states</li>')
  expect(late.text).toMatch(/id="actions-1"[^>]*value="unit:delete"/)
  expect((await policy()).roles[0]?.rules[0]?.actions).toEqual(['state:delete'])
})

test('a new role does not replace one of the same name', async () => {
  const { browse, olga, policy } = await castOfPeople()
  const owner = await browse(olga)
  await owner.get(PATH)

  const { status, text } = await owner.submit(PATH, { name: 'freeze', ...RULES, do: 'save' })

  expect(status).toBe(400)
  expect(text).toContain('The role freeze exists already.')
  expect((await policy()).roles[0]?.rules[0]?.effect).toBe('deny')
})

test.each([
  [{ ...RULES, name: 'No' }, 'name', 'is not a valid role name'],
  [{ ...RULES, name: 'owner' }, 'name', 'is a built-in role'],
  [{ ...RULES, name: 'x', actions: '' }, 'actions-1', 'Name at least one action'],
  [{ ...RULES, name: 'x', actions: 'state:reed' }, 'actions-1', 'state:read'],
  [{ ...RULES, name: 'x', units: '/prod' }, 'units-1', 'has an empty'],
  [{ ...RULES, name: 'x', labels: 'prod' }, 'labels-1', 'name=value'],
])('the role %j is refused at %s', async (fields, field, message) => {
  const { browse, olga, policy } = await castOfPeople()
  const owner = await browse(olga)
  await owner.get(PATH)

  const { status, text } = await owner.submit(PATH, { ...fields, do: 'save' })

  expect(status).toBe(400)
  expect(text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`))
  expect(text).toContain(message)
  expect((await policy()).roles).toHaveLength(1)
})

test('a role in use is not deleted, and a built-in one can be copied', async () => {
  const { browse, olga, eve } = await castOfPeople()
  const owner = await browse(olga)
  await owner.get('/app/default/people?tab=grants')
  await owner.submit('/app/default/people/grant', { to: 'user:eve', role: 'freeze' })

  const kept = await owner.submit(`${PATH}/freeze/delete`, { confirm: 'freeze' })
  const reader = await owner.get(`${PATH}/reader`)
  const copy = await owner.get(`${PATH}?from=reader`)

  expect(kept.status).toBe(400)
  expect(kept.text).toContain('The role freeze is still in use.')
  expect((await owner.get(`${PATH}/freeze`)).text).toContain(`user:${eve.login}`)
  expect(reader.text).toContain('Copy as a new role')
  expect(reader.text).not.toContain('Save the role')
  expect(copy.text).toMatch(/id="name"[^>]*value=""/)
  expect(copy.text).toMatch(/id="actions-1"[^>]*value="[^"]+"/)
  expect((await owner.get(`${PATH}/none`)).status).toBe(404)
})

test('an auditor reads roles and cannot change them', async () => {
  const { browse, ann } = await castOfPeople()
  const auditor = await browse(ann)

  const page = await auditor.get(`${PATH}/freeze`)

  expect(page.text).toContain('may not write states on prod/**')
  expect(page.text).not.toContain('Save the role')
  expect((await auditor.get(PATH)).status).toBe(403)
  expect((await auditor.submit(PATH, { name: 'x', ...RULES, do: 'save' })).status).toBe(403)
})

test('an empty rule says what it needs', () => {
  expect(readRule({ effect: 'allow', actions: ' ', units: '', labels: '' }).words).toBeUndefined()
  expect(readRule({ effect: 'deny', actions: '*', units: '', labels: '' }).words).toBe('may not do anything')
})
