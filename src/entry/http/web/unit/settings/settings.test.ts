import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../../../test/rig/sso-face.ts'
import { createTestBrowser, startWebFace } from '../../../../../../test/rig/web-face.ts'
import { named, push, stateText, withResources } from '../../../../../../test/support/state.ts'
import { type Action, addGuard, bind, putRole, systemCaller } from '../../../../../access/index.ts'
import { projectIdOf, settingsOf } from '../../../../../projects/index.ts'
import { changeOf, labelsIn, retentionIn } from './inputs.ts'

const system = systemCaller('opentaco')
const page = (tab = '/settings', unit = 'prod--app') => `/app/default/units/${unit}${tab}`
const ref = named('prod/app')

async function startUnit() {
  const face = await startWebFace()
  const { control } = face.deps
  await push(control, 'prod/app', stateText(1))
  return { face, control, browser: createTestBrowser(face) }
}

/** A person who may do these things on the units of these patterns. */
async function startPerson(rules: Readonly<Record<string, readonly (Action | '*')[]>>) {
  const face = await startSsoFace()
  for (const unit of ['prod/app', 'prod/db']) await push(face.deps.control, unit, stateText(1))
  const bob = await face.person('bob')
  const allow = Object.entries(rules).map(([unit, actions]) => ({
    effect: 'allow' as const,
    actions: [...actions],
    units: [unit],
  }))
  await face.policy('default', (all) =>
    bind(putRole(all, { name: 'some', rules: allow }), { role: 'some', to: `user:${bob.id}` }),
  )
  const browser = createTestBrowser(face)
  browser.cookies.set('taco', (await face.session(bob))['cookie']?.replace('taco=', '') ?? '')
  await browser.get('/account/tokens')
  return { face, control: face.deps.control, browser }
}

/** The tag in the form that goes there. */
function seenIn(text: string, action: string): string {
  const [, tag = ''] = new RegExp(`action="${action}"[^]*?name="seen" value="([^"]*)"`).exec(text) ?? []
  return tag
}

test('labels are one on each line; what is missing is removed', () => {
  expect(labelsIn(' a=1 \r\n\nteam = x=y')).toEqual({ a: '1', team: 'x=y' })
  expect(() => labelsIn('nothing')).toThrow('does not have the form')
  expect(changeOf({ a: '1', b: '2' }, { b: '3' })).toEqual({ a: null, b: '3' })
})

test('a rule of its own without numbers keeps everything', () => {
  expect(retentionIn({ rule: 'own', count: '', days: '' })).toEqual({})
  expect(retentionIn({ rule: 'own', count: '5', days: '' })).toEqual({ count: 5 })
  expect(retentionIn({ rule: 'organization', count: '5', days: '1' })).toBeNull()
})

test('settings keep what was typed when they are refused, and show both when someone else was faster', async () => {
  const { browser, control } = await startUnit()
  const seen = seenIn((await browser.get(page())).text, page())
  const mine = { description: 'Mine', labels: 'env=prod', seen }

  const wrong = await browser.submit(page(), { ...mine, labels: 'env' })
  expect([wrong.status, wrong.text.includes('value="Mine"')]).toEqual([400, true])
  expect(wrong.text).toMatch(/id="labels"[^>]*aria-invalid="true"/)
  await control.units.update(ref, { description: 'Theirs' }, system)
  const late = await browser.submit(page(), mine)
  expect(late.status).toBe(409)
  expect(late.text).toContain('value="Mine"')
  expect(late.text).toContain('<dd>Theirs</dd>')
  const saved = await browser.submit(page(), { ...mine, seen: seenIn(late.text, page()) })
  expect(saved.status).toBe(303)
  expect(await control.units.get(ref, system)).toMatchObject({ description: 'Mine', labels: { env: 'prod' } })
})

test('a new state or a lock while the page is open does not refuse its forms', async () => {
  const { browser, control } = await startUnit()
  const seen = seenIn((await browser.get(page())).text, page())
  await push(control, 'prod/app', stateText(2))

  expect((await browser.submit(page(), { description: 'd', labels: '', seen })).status).toBe(303)
})

test('a unit is renamed, moved to a project, and gets rules of its own', async () => {
  const { browser, control, face } = await startUnit()
  const fields = { name: 'shop', description: '', labels: {} }
  const project = await face.deps.projects.create('default', fields, system)
  const shown = await browser.get(page())
  const send = (form: string, values: Record<string, string>) =>
    browser.submit(page(`/settings/${form}`), {
      ...values,
      seen: seenIn(shown.text, page(`/settings/${form}`)),
    })

  expect((await send('project', { project: project.id })).status).toBe(303)
  expect((await send('retention', { rule: 'own', count: '5', days: '' })).status).toBe(303)
  expect((await send('encryption', { allowDecrypt: 'on' })).status).toBe(303)
  const execution = {
    executionMode: 'local',
    terraformVersion: '1.11.4',
    workingDirectory: '',
    autoApply: 'on',
  }
  expect((await send('execution', execution)).location).toBe(page())
  const renamed = await send('name', { name: 'prod/shop' })

  expect(renamed.location).toBe(page('/settings', 'prod--shop'))
  const unit = await control.units.get(named('prod/shop'), system)
  expect(unit).toMatchObject({ retention: { count: 5 }, allowDecrypt: true })
  expect(projectIdOf(unit)).toBe(project.id)
  expect(settingsOf(unit)).toEqual({
    project: project.id,
    executionMode: 'local',
    terraformVersion: '1.11.4',
    autoApply: true,
  })
  expect((await browser.get(page('/settings', 'prod--shop'))).text).toContain('Saved.')
})

test.each([
  ['name', { name: 'prod/db' }, 'name', 'prod/db'],
  ['name', { name: 'a//b' }, 'name', 'a//b'],
  ['project', { project: 'prj-none' }, 'project', ''],
  ['retention', { rule: 'own', count: 'many', days: '3' }, 'count', 'many'],
])('the form %s with %j is refused at %s', async (form, values, field, kept) => {
  const { browser, control } = await startUnit()
  await push(control, 'prod/db', stateText(1))
  const path = page(`/settings/${form}`)
  const seen = seenIn((await browser.get(page())).text, path)

  const { status, text } = await browser.submit(path, { ...values, seen })

  expect(status).toBe(400)
  expect(text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`))
  expect(text).toContain(kept)
  expect((await control.units.get(ref, system)).retention).toBeNull()
})

test('a unit gets no name, and no project, that the person has no right to', async () => {
  const { browser, control, face } = await startPerson({ 'prod/app': ['*'] })
  const project = await face.deps.projects.create(
    'default',
    { name: 'shop', description: '', labels: {} },
    system,
  )
  await face.policy('default', (all) => {
    const denied = { effect: 'deny' as const, actions: ['unit:create'], units: ['**'] }
    return bind(putRole(all, { name: 'no', rules: [denied] }), {
      role: 'no',
      to: 'everyone',
      project: project.id,
    })
  })
  const { text } = await browser.get(page())
  expect(text).not.toContain('>shop<')
  const send = (form: string, values: Record<string, string>) =>
    browser.submit(page(`/settings/${form}`), { ...values, seen: seenIn(text, page(`/settings/${form}`)) })

  const renamed = await send('name', { name: 'dev/app' })
  const moved = await send('project', { project: project.id })

  expect([renamed.status, moved.status]).toEqual([403, 403])
  expect(renamed.text).toMatch(/id="name"[^>]*aria-invalid="true"/)
  expect(moved.text).toMatch(/id="project"[^>]*aria-invalid="true"/)
  const unit = await control.units.get(ref, system)
  expect([unit.name, settingsOf(unit)]).toEqual(['prod/app', {}])
})

test('forms are there for those who may use them', async () => {
  const { browser } = await startPerson({ '**': ['unit:read', 'unit:update'] })

  const { text } = await browser.get(page())

  expect(text).toContain(`action="${page()}"`)
  for (const form of ['name', 'project', 'retention', 'encryption'])
    expect(text).not.toContain(page(`/settings/${form}`))
  expect(text).not.toContain(page('/delete'))
  expect(text).toContain('Default Project')
  for (const form of ['name', 'project', 'retention', 'encryption'])
    expect((await browser.submit(page(`/settings/${form}`), { name: 'x' })).status).toBe(403)
  for (const way of ['/delete', '/restore']) expect((await browser.get(page(way))).status).toBe(403)
})

test('a unit is deleted by its name, not while it has resources, and restored', async () => {
  const { browser, control, face } = await startUnit()
  await push(control, 'prod/app', withResources(2, 3))
  await push(control, 'prod/user', stateText(1))
  await face.deps.graph.dependencies.add(named('prod/user'), { on: 'prod/app' }, system)
  const asked = await browser.get(page('/delete'))
  expect(asked.text).toContain('prod/user')
  const seen = seenIn(asked.text, page('/delete'))

  const unsure = await browser.submit(page('/delete'), { confirm: 'prod/other', seen })
  const refused = await browser.submit(page('/delete'), { confirm: 'prod/app', seen })
  await push(control, 'prod/app', withResources(3, 4))
  const late = await browser.submit(page('/delete'), { confirm: 'prod/app', force: 'on', seen })

  expect([unsure.status, refused.status, late.status]).toEqual([400, 409, 409])
  expect(refused.text).toMatch(/id="force"[^>]*aria-invalid="true"/)
  expect((await control.units.get(ref, system)).deleted).toBeNull()
  const again = seenIn(late.text, page('/delete'))
  const done = await browser.submit(page('/delete'), { confirm: 'prod/app', force: 'on', seen: again })
  const { items } = await control.units.list({ org: 'default', limit: 10, deleted: 'only' }, system)
  const restore = page('/restore', items[0]?.id)
  expect([done.status, done.location]).toEqual([303, restore])

  const gone = await browser.get(restore)
  expect(gone.text).toContain('prod/app was deleted.')
  expect(gone.text).toContain('version 3')
  await push(control, 'prod/new', stateText(1))
  const taken = await browser.submit(restore, { name: 'prod/new' })
  expect(taken.status).toBe(409)
  expect(taken.text).toMatch(/id="name"[^>]*aria-invalid="true"/)
  expect((await browser.submit(restore, { name: 'prod/app' })).location).toBe(page(''))
  expect((await control.units.get(ref, system)).state?.resources).toBe(4)
  expect((await browser.get(restore)).status).toBe(404)
})

test('without the right to force, a unit with resources is not deleted', async () => {
  const { browser, control } = await startPerson({ '**': ['unit:read', 'unit:delete'] })
  await push(control, 'prod/app', withResources(2, 3))
  const { text } = await browser.get(page('/delete'))
  expect(text).not.toContain('id="force"')

  const fields = { confirm: 'prod/app', force: 'on', seen: seenIn(text, page('/delete')) }
  const { status } = await browser.submit(page('/delete'), fields)

  expect(status).toBe(409)
  expect((await control.units.get(ref, system)).deleted).toBeNull()
})

test('a guarded unit is not renamed', async () => {
  const { browser, face, control } = await startPerson({ '**': ['*'] })
  const seen = seenIn((await browser.get(page())).text, page('/settings/name'))
  const guard = { id: 'guard-1', units: ['prod/**'], at: 0, by: 'system:opentaco' }
  await face.policy('default', (all) => addGuard(all, guard))

  const { text } = await browser.get(page())
  expect(text).toContain('so it is neither renamed nor deleted')
  expect(text).not.toContain(page('/settings/name'))
  expect(text).not.toContain(page('/delete'))
  expect((await browser.submit(page('/settings/name'), { name: 'prod/x', seen })).status).toBe(403)
  expect((await control.units.get(ref, system)).name).toBe('prod/app')
})
