import { expect, test } from 'vitest'
import { castOfPeople as cast } from '../../../../../test/rig/people-cast.ts'
import { createTestBrowser, startWebFace } from '../../../../../test/rig/web-face.ts'

const PATH = '/app/default/people'

test('members have their roles and teams, and those who were invited are among them', async () => {
  const { browse, olga } = await cast()
  const owner = await browse(olga)

  const { status, text } = await owner.get(PATH)
  const csv = await owner.get(`${PATH}?format=csv`)

  expect(status).toBe(200)
  expect(text).toContain('taco access ls')
  expect(text).toContain('operator on dev/** (team ops)')
  expect(text).toContain('new@example.com')
  expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8')
  expect(csv.text.split('\r\n').map((line) => line.split(',').slice(0, 4).join(','))).toEqual([
    'name,email,roles,teams',
    'ann,,auditor,',
    'bob,,operator on dev/** (team ops),ops',
    'new@example.com,new@example.com,operator on dev/** (team ops),ops',
    'olga,,owner,owners',
    '',
  ])
})

test('teams show members and groups, roles what they allow in words', async () => {
  const { browse, olga } = await cast()
  const owner = await browse(olga)

  const teams = await owner.get(`${PATH}?tab=teams`)
  const roles = await owner.get(`${PATH}?tab=roles`)

  for (const word of ['ops', 'on call', 'bob', 'hub/platform', 'taco team ls'])
    expect(teams.text).toContain(word)
  expect(roles.text).toContain('may not write states on prod/**')
  expect(roles.text).toContain('built in')
})

test('the page says why someone may do something', async () => {
  const { browse, olga } = await cast()
  const owner = await browse(olga)

  const yes = await owner.get(`${PATH}?who=bob&action=state%3Awrite&unit=dev%2Fapp`)
  const no = await owner.get(`${PATH}?who=bob&action=state%3Awrite&unit=prod%2Fapp`)

  expect([yes.status, no.status]).toEqual([200, 200])
  expect(yes.text).toMatch(/class="why look-ok"[^]*the role operator, through team:ops/i)
  expect(yes.text).toContain('taco access explain bob state:write dev/app')
  expect(no.text).toContain('class="why look-fail"')
})

test.each([
  ['who=nobody&action=state%3Awrite', 'who', 'There is no nobody'],
  ['who=bob&action=state%3A%2A', 'action', 'state:* is several actions.'],
  ['who=bob&action=', 'action', ''],
])('a question that cannot be answered (%s) says so at %s', async (query, field, message) => {
  const { browse, olga } = await cast()
  const owner = await browse(olga)

  const { status, text } = await owner.get(`${PATH}?${query}`)

  expect(status).toBe(400)
  expect(text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`))
  expect(text).toContain(message)
  expect(text).toMatch(/id="who"[^>]*value="(nobody|bob)"/)
})

test('a role is given and taken away, and only that grant of it', async () => {
  const { face, browse, olga, eve } = await cast()
  const owner = await browse(olga)
  await owner.get(`${PATH}?tab=grants`)

  for (const units of ['', 'dev/** test/**']) {
    const given = await owner.submit(`${PATH}/grant`, { to: 'user:eve', role: 'reader', units })
    expect([given.status, given.location]).toEqual([303, `${PATH}?tab=grants`])
  }
  const shown = await owner.get(`${PATH}?tab=grants`)
  expect(shown.text).toContain('user:eve has the role reader now.')
  const revoked = await owner.submit(`${PATH}/revoke`, { to: `user:${eve.id}`, role: 'reader', units: '' })

  expect(revoked.status).toBe(303)
  const { bindings } = await face.deps.orgAccess.get('default', {
    principal: { kind: 'system', name: 'opentaco' },
  })
  expect(bindings.filter(({ to }) => to === `user:${eve.id}`)).toEqual([
    { role: 'reader', to: `user:${eve.id}`, units: ['dev/**', 'test/**'] },
  ])
})

test.each([
  [{ to: 'user:nobody', role: 'reader', units: '' }, 'to', 'There is no person nobody.'],
  [{ to: 'team:none', role: 'reader', units: '' }, 'to', 'There is no team none'],
  [{ to: 'bob', role: 'reader', units: '' }, 'to', 'does not name a person'],
  [{ to: 'user:bob', role: 'boss', units: '' }, 'role', 'There is no role boss.'],
  [{ to: 'user:bob', role: 'reader', units: 'prod/[' }, 'units', ''],
])('the grant %j is refused at %s, and what was typed is kept', async (fields, field, message) => {
  const { browse, olga } = await cast()
  const owner = await browse(olga)
  await owner.get(`${PATH}?tab=grants`)

  const { status, text } = await owner.submit(`${PATH}/grant`, fields)

  expect(status).toBe(400)
  expect(text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`))
  expect(text).toContain(message)
  expect(text).toContain(`value="${fields.to}"`)
})

test('who may only look has no forms, who may not has no page', async () => {
  const { browse, ann, bob, eve } = await cast()
  const auditor = await browse(ann)
  const operator = await browse(bob)

  const grants = await auditor.get(`${PATH}?tab=grants`)
  expect(grants.status).toBe(200)
  expect(grants.text).toContain('<td>olga</td>')
  expect(grants.text).not.toContain('people/grant')
  expect(grants.text).not.toContain('people/revoke')
  expect((await auditor.submit(`${PATH}/grant`, { to: 'user:ann', role: 'owner' })).status).toBe(403)

  expect((await operator.get(PATH)).status).toBe(403)
  const estate = await operator.get('/app/default')
  expect(estate.status).toBe(200)
  expect(estate.text).not.toContain('/app/default/people')
  expect((await (await browse(eve)).get(PATH)).status).toBe(404)
})

test('without the token of its page, no role is given', async () => {
  const { browse, olga, face } = await cast()
  const owner = await browse(olga)
  await owner.get(`${PATH}?tab=grants`)

  const answer = await owner.submit(`${PATH}/grant`, { csrf: 'x', to: 'everyone', role: 'owner' })

  expect(answer.status).toBe(403)
  const { bindings } = await face.deps.orgAccess.get('default', {
    principal: { kind: 'system', name: 'opentaco' },
  })
  expect(bindings.some(({ to }) => to === 'everyone')).toBe(false)
})

test('a server without sign-in shows the page', async () => {
  const browser = createTestBrowser(await startWebFace())

  const { status, text } = await browser.get(PATH)

  expect(status).toBe(200)
  expect(text).toContain('People')
})

test('a role is given in a project and revoked there', async () => {
  const { face, browse, olga, policy, eve } = await cast()
  const fields = { name: 'shop', description: '', labels: {} }
  const { id } = await face.deps.projects.create('default', fields, face.setUp)
  const owner = await browse(olga)
  expect((await owner.get(`${PATH}?tab=grants`)).text).toContain(`<option value="${id}"`)

  await owner.submit(`${PATH}/grant`, { to: 'user:eve', role: 'reader', project: id })
  const shown = await owner.get(`${PATH}?tab=grants`)
  const wrong = await owner.submit(`${PATH}/grant`, { to: 'user:eve', role: 'reader', project: 'prj-none' })

  expect((await policy()).bindings).toContainEqual({ role: 'reader', to: `user:${eve.id}`, project: id })
  expect(shown.text).toContain('in the project shop')
  expect(wrong.status).toBe(400)
  expect(wrong.text).toMatch(/id="project"[^>]*aria-invalid="true"/)
  await owner.submit(`${PATH}/revoke`, { to: `user:${eve.id}`, role: 'reader', project: id })
  expect((await policy()).bindings.some(({ to }) => to === `user:${eve.id}`)).toBe(false)
})
