import { expect, test } from 'vitest'
import { castOfPeople } from '../../../../../../test/rig/people-cast.ts'
import { bind } from '../../../../../access/index.ts'

const PEOPLE = '/app/default/people'
const PATH = `${PEOPLE}/teams/ops`
const etagIn = (text: string) => /name="etag" value="([^"]*)"/.exec(text)?.[1] ?? ''

test('a team is created, filled, renamed and deleted', async () => {
  const { browse, olga, eve, policy } = await castOfPeople()
  const owner = await browse(olga)
  await owner.get(`${PEOPLE}?tab=teams`)

  const made = await owner.submit(`${PEOPLE}/teams`, { name: 'web', groups: 'hub/web\r\nhub/front end' })
  expect(made.location).toBe(`${PEOPLE}/teams/web`)
  await owner.submit(`${PEOPLE}/teams/web/members`, { person: 'eve' })
  const page = await owner.get(`${PEOPLE}/teams/web`)
  for (const word of ['eve is in the team now.', 'hub/front end', 'taco team show web'])
    expect(page.text).toContain(word)
  const renamed = await owner.submit(`${PEOPLE}/teams/web/settings`, {
    etag: etagIn(page.text),
    name: 'site',
    description: 'the site',
    groups: 'hub/web',
  })
  expect(renamed.location).toBe(`${PEOPLE}/teams/site`)
  expect((await policy()).teams.find(({ name }) => name === 'site')).toMatchObject({
    members: [eve.id],
    groups: ['hub/web'],
    description: 'the site',
  })
  await owner.submit(`${PEOPLE}/teams/site/members/remove`, { person: eve.id })
  expect((await owner.submit(`${PEOPLE}/teams/site/delete`, { confirm: 'nope' })).status).toBe(400)
  expect((await policy()).teams.find(({ name }) => name === 'site')?.members).toEqual([])
  expect((await owner.submit(`${PEOPLE}/teams/site/delete`, { confirm: 'site' })).status).toBe(303)
  expect((await policy()).teams.map(({ name }) => name)).toEqual(['ops'])
})

test('a change of a team that someone else has changed is not saved, and both are shown', async () => {
  const { browse, olga, policy } = await castOfPeople()
  const [owner, other] = [await browse(olga), await browse(olga)]
  const etag = etagIn((await owner.get(PATH)).text)
  const seen = etagIn((await other.get(PATH)).text)
  const fields = { name: 'ops', groups: 'hub/platform' }
  await other.submit(`${PATH}/settings`, { ...fields, etag: seen, description: 'theirs' })

  const late = await owner.submit(`${PATH}/settings`, { ...fields, etag, description: 'mine' })

  expect(late.status).toBe(409)
  expect(late.text).toContain('<dd>theirs</dd>')
  expect(late.text).toMatch(/id="description"[^>]*value="mine"/)
  expect((await policy()).teams[0]?.description).toBe('theirs')
  const again = { ...fields, etag: etagIn(late.text), description: 'mine' }
  expect((await owner.submit(`${PATH}/settings`, again)).status).toBe(303)
})

test.each([
  [{ name: 'a b' }, 'name', 'is not a valid team name'],
  [{ name: 'OPS' }, 'name', 'There is already a team'],
  [{ name: 'web', groups: 'platform' }, 'groups', 'does not name a group'],
])('the new team %j is refused at %s, and what was typed is kept', async (fields, field, message) => {
  const { browse, olga } = await castOfPeople()
  const owner = await browse(olga)
  await owner.get(`${PEOPLE}?tab=teams`)

  const { status, text } = await owner.submit(`${PEOPLE}/teams`, fields)

  expect(status).toBe(400)
  expect(text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`))
  expect(text).toContain(message)
  expect(text).toContain(`value="${fields.name}"`)
})

test('the last owner stays, and the owners keep their name', async () => {
  const { browse, olga } = await castOfPeople()
  const owner = await browse(olga)
  const { text } = await owner.get(`${PEOPLE}/teams/owners`)

  const removed = await owner.submit(`${PEOPLE}/teams/owners/members/remove`, { person: olga.id })
  const renamed = await owner.submit(`${PEOPLE}/teams/owners/settings`, {
    etag: etagIn(text),
    name: 'bosses',
  })

  expect([removed.status, renamed.status]).toEqual([400, 400])
  expect(removed.text).toContain('would have no owner')
  expect(text).not.toContain('/teams/owners/delete')
})

test('who may change teams but not roles cannot fill a team that gives roles', async () => {
  const { browse, eve, face } = await castOfPeople()
  await face.policy('default', (policy) => {
    const role = {
      name: 'teams',
      rules: [{ effect: 'allow' as const, actions: ['team:manage', 'access:read', 'org:read'] }],
    }
    const roles = { ...policy, roles: [...policy.roles, role] }
    return bind(roles, { role: 'teams', to: `user:${eve.id}` })
  })
  const manager = await browse(eve)
  await manager.get(`${PEOPLE}/teams/owners`)

  expect((await manager.submit(`${PEOPLE}/teams/owners/members`, { person: 'eve' })).status).toBe(403)
  expect((await manager.submit(`${PATH}/members`, { person: 'eve' })).status).toBe(303)
})

test('who may only look sees a team without forms', async () => {
  const { browse, ann } = await castOfPeople()
  const auditor = await browse(ann)

  const { status, text } = await auditor.get(PATH)

  expect(status).toBe(200)
  expect(text).toContain('bob')
  expect(text).not.toContain('/members')
  expect((await auditor.submit(`${PATH}/members`, { person: 'ann' })).status).toBe(403)
  expect((await auditor.get(`${PEOPLE}/teams/none`)).status).toBe(404)
})
