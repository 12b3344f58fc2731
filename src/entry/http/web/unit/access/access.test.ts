import { expect, test } from 'vitest'
import { type SsoFace, browserOf, startSsoFace } from '../../../../../../test/rig/sso-face.ts'
import { createTestBrowser, startWebFace } from '../../../../../../test/rig/web-face.ts'
import { named, push, stateText } from '../../../../../../test/support/state.ts'
import { addGuard, addTeam, addTeamMember, bind, putRole } from '../../../../../access/index.ts'
import { settingsChange } from '../../../../../projects/index.ts'

const page = (tab = '', unit = 'prod--app') => `/app/default/units/${unit}/access${tab}`
const TEAM = { id: 'team-1111111111111111', name: 'ops', members: [], groups: [], createdAt: 0 }
const policyOf = (face: SsoFace) => face.deps.orgAccess.get('default', face.setUp)

/** An owner, and an operator of prod who may not see who has which role. */
async function cast() {
  const face = await startSsoFace()
  const { control, projects } = face.deps
  for (const unit of ['prod/app', 'prod/db', 'dev/app']) await push(control, unit, stateText(1))
  const project = await projects.create('default', { name: 'shop', description: '', labels: {} }, face.setUp)
  const section = settingsChange((settings) => ({ ...settings, project: project.id }))
  await control.units.update(named('prod/app'), { section }, face.setUp)
  const bob = await face.person('bob')
  await face.policy('default', (all) => {
    const teams = addTeamMember(addTeam(all, TEAM), TEAM.id, bob.id)
    const roles = putRole(teams, {
      name: 'freeze',
      rules: [{ effect: 'deny', actions: ['state:write'], units: ['prod/**'] }],
    })
    const operating = bind(roles, { role: 'operator', to: `team:${TEAM.id}`, project: project.id })
    const frozen = bind(operating, { role: 'freeze', to: `user:${bob.id}` })
    return bind(frozen, { role: 'reader', to: 'everyone', units: ['dev/**'] })
  })
  const { id } = await control.units.get(named('prod/app'), face.setUp)
  const owner = await browserOf(face, 'olga')
  const olga = (await face.signIn.people.get('olga', face.setUp)).id
  await face.policy('default', (all) => bind(all, { role: 'owner', to: `user:${olga}` }))
  await owner.get('/account/tokens')
  return { face, owner, bob, id }
}

test('the page shows which roles apply, from where, and what they come to', async () => {
  const { owner } = await cast()

  const { status, text } = await owner.get(page())
  const csv = await owner.get(page('?format=csv'))

  expect(status).toBe(200)
  const [head = '', ...rows] = csv.text.trimEnd().split('\r\n')
  const at = (row: string | undefined, column: string) => row?.split(',')[head.split(',').indexOf(column)]
  expect(rows.map((row) => row.split(',').slice(0, 2).join(' '))).toEqual([
    'team:ops operator',
    'user:bob freeze',
    'user:olga owner',
  ])
  expect(at(rows[0], 'where')).toBe('in the project shop')
  expect(['unit:read', 'state:write', 'unit:admin'].map((one) => at(rows[0], one))).toEqual([
    'allowed',
    'allowed',
    'nothing',
  ])
  expect(at(rows[1], 'state:write')).toBe('denied')
  expect(text).toContain('in the project shop')
  expect(text).toContain('Not guarded')
  expect(text).not.toContain('dev/**')
})

test('the page says what someone may do, and which rules decide', async () => {
  const { owner } = await cast()

  const { text } = await owner.get(page('?who=bob'))
  const wrong = await owner.get(page('?who=nobody'))

  expect(text).toContain('bob may</h3>')
  expect(text).toMatch(/bob may not<\/h3>[^]*write states[^]*the role freeze, given directly, denies/)
  expect(text).toContain('taco access explain bob state:write prod/app')
  expect(wrong.status).toBe(400)
  expect(wrong.text).toMatch(/id="who"[^>]*aria-invalid="true"/)
})

test('a role is given on this unit alone, and revoked', async () => {
  const { owner, face, id } = await cast()

  const given = await owner.submit(page('/grant'), { to: 'group:hub/web', role: 'planner' })
  expect([given.status, given.location]).toEqual([303, page()])
  const shown = await owner.get(page())
  expect(shown.text).toContain('group:hub/web has the role planner on this unit.')
  expect(shown.text).toContain('on this unit')
  expect((await policyOf(face)).bindings).toContainEqual({
    role: 'planner',
    to: 'group:hub/web',
    units: [id],
  })
  expect((await owner.get(page('', 'prod--db'))).text).not.toContain('group:hub/web')

  const fields = { to: 'group:hub/web', role: 'planner' }
  expect((await owner.submit(page('/revoke'), fields)).status).toBe(303)
  expect((await policyOf(face)).bindings.some(({ to }) => to === 'group:hub/web')).toBe(false)
  await owner.get(page())
  await owner.submit(page('/revoke'), fields)
  expect((await owner.get(page())).text).toContain('Someone else revoked it first.')
})

test('a role of all units is not revoked on the page of one', async () => {
  const { owner, face, bob } = await cast()

  const answer = await owner.submit(page('/revoke'), { to: `user:${bob.id}`, role: 'freeze' })

  expect(answer.status).toBe(303)
  expect((await policyOf(face)).bindings.some(({ role }) => role === 'freeze')).toBe(true)
})

test.each([
  [{ to: 'user:nobody', role: 'reader' }, 'to', 'There is no person nobody.'],
  [{ to: 'bob', role: 'reader' }, 'to', 'does not name a person'],
  [{ to: 'user:bob', role: 'boss' }, 'role', 'There is no role boss.'],
])('the grant %j is refused at %s, and what was typed is kept', async (fields, field, message) => {
  const { owner } = await cast()

  const { status, text } = await owner.submit(page('/grant'), fields)

  expect(status).toBe(400)
  expect(text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`))
  expect(text).toContain(message)
  expect(text).toContain(`value="${fields.to}"`)
})

test('a unit is guarded, the glass is broken with a reason for a while, and the guard is ended', async () => {
  const { owner, face, id } = await cast()

  expect((await owner.submit(page('/guard'), { reason: 'by pull request' })).status).toBe(303)
  const guarded = await owner.get(page())
  expect(guarded.text).toContain('Guarded: only runs may change its state.')
  expect(guarded.text).toContain('by pull request')
  const [, guard = ''] = /name="guard" value="([^"]+)"/.exec(guarded.text) ?? []
  expect((await policyOf(face)).guards).toMatchObject([{ id: guard, units: [id] }])
  await owner.submit(page('/guard'), { reason: 'again' })
  expect((await owner.get(page())).text).toContain('Someone else guarded it first.')
  expect((await policyOf(face)).guards).toHaveLength(1)
  const long = await owner.submit(page('/guard', 'prod--db'), { reason: 'x'.repeat(501) })
  expect(long.status).toBe(400)
  expect(long.text).toMatch(/id="guard-reason"[^>]*aria-invalid="true"/)

  const silent = await owner.submit(page('/break'), { reason: ' ', minutes: '15' })
  expect(silent.status).toBe(400)
  expect(silent.text).toMatch(/id="break-reason"[^>]*aria-invalid="true"/)
  expect((await owner.submit(page('/break'), { reason: 'runner down', minutes: '15' })).status).toBe(303)
  const [broken] = (await policyOf(face)).brokenGlass
  expect(broken).toMatchObject({ unit: id, by: 'user:olga', reason: 'runner down' })
  expect((broken?.until ?? 0) - (broken?.at ?? 0)).toBe(15 * 60_000)
  expect((await owner.get(page())).text).toContain('runner down')

  expect((await owner.submit(page('/unguard'), { guard })).status).toBe(303)
  expect((await policyOf(face)).guards).toEqual([])
})

test('who may not see roles sees their own rights and the guard, and nothing of other units', async () => {
  const { face } = await cast()
  const guard = { id: 'guard-1', units: ['prod/**', 'dev/secret'], reason: 'law', at: 0, by: 'user:olga' }
  await face.policy('default', (all) => addGuard(all, guard))
  const limited = await browserOf(face, 'eve', ['prod/app'])

  const { status, text } = await limited.get(page())
  const csv = await limited.get(page('?format=csv'))

  expect(status).toBe(200)
  expect(text).toContain('What you may do here')
  expect(text).toContain('law')
  for (const hidden of ['dev/secret', 'team:ops', 'user:bob', 'Who may do what here', 'Give a role'])
    expect(text).not.toContain(hidden)
  expect(csv.text.split('\r\n')[1]).toBe('')
  // Every right on one unit is none on the organization: as in the API.
  for (const form of ['/grant', '/revoke', '/guard', '/unguard'])
    expect([form, (await limited.submit(page(form), { to: 'everyone', role: 'owner' })).status]).toEqual([
      form,
      403,
    ])
  expect((await limited.submit(page('/break'), { reason: 'x', minutes: '15' })).status).toBe(303)
  expect((await limited.get(page('', 'prod--db'))).status).toBe(404)
  expect((await limited.submit(page('/break', 'prod--db'), { reason: 'x' })).status).toBe(404)
})

test('a server without sign-in shows the page', async () => {
  const face = await startWebFace()
  await push(face.deps.control, 'prod/app', stateText(1))

  const { status, text } = await createTestBrowser(face).get(page())

  expect(status).toBe(200)
  expect(text).toContain('Everything that can be done with a unit.')
})
