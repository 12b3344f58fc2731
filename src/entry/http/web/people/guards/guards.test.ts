import { expect, test } from 'vitest'
import { castOfPeople } from '../../../../../../test/rig/people-cast.ts'
import { bind } from '../../../../../access/index.ts'

const PATH = '/app/default/people/guards'
const json = { 'content-type': 'application/json' }

test('units are guarded and released', async () => {
  const { browse, olga, policy } = await castOfPeople()
  const owner = await browse(olga)
  await owner.get(PATH)

  const set = await owner.submit(PATH, { units: 'prod/** live/**', reason: 'runs only' })
  expect(set.location).toBe(PATH)
  const shown = await owner.get(PATH)
  for (const word of ['prod/** live/**', 'runs only', '<td>olga</td>', 'taco guard ls'])
    expect(shown.text).toContain(word)
  const [guard] = (await policy()).guards
  await owner.submit(`${PATH}/end`, { guard: guard?.id ?? '' })
  expect((await policy()).guards).toEqual([])
})

test.each([
  [{}, 'Name units, or choose the whole organization.'],
  [{ units: 'a', isWhole: 'yes' }, 'Leave this empty'],
  [{ units: '/a' }, 'has an empty'],
])('the guard %j is refused at its field', async (fields, message) => {
  const { browse, olga, policy } = await castOfPeople()
  const owner = await browse(olga)
  await owner.get(PATH)

  const { status, text } = await owner.submit(PATH, { ...fields, reason: 'kept' })

  expect(status).toBe(400)
  expect(text).toMatch(/id="units"[^>]*aria-invalid="true"/)
  expect(text).toContain(message)
  expect(text).toContain('value="kept"')
  expect((await policy()).guards).toEqual([])
})

test('who broke a guard is shown, but not on units that are hidden', async () => {
  const { browse, olga, eve, face } = await castOfPeople()
  const headers = { ...face.root, ...json }
  for (const unit of ['prod/app', 'dev/app']) {
    await face.send('/v1/units', { method: 'POST', headers, body: JSON.stringify({ name: unit }) })
    const body = JSON.stringify({ reason: `for ${unit}` })
    await face.send(`/v1/units/${unit.replace('/', '--')}/break-glass`, { method: 'POST', headers, body })
  }
  await face.policy('default', (policy) => {
    const rules = [
      { effect: 'allow' as const, actions: ['org:read'] },
      { effect: 'allow' as const, actions: ['unit:read'], units: ['dev/**'] },
    ]
    const roles = { ...policy, roles: [...policy.roles, { name: 'dev', rules }] }
    return bind(roles, { role: 'dev', to: `user:${eve.id}` })
  })

  const all = await (await browse(olga)).get(PATH)
  const some = await (await browse(eve)).get(PATH)

  expect(all.text).toContain('for prod/app')
  expect(some.status).toBe(200)
  expect(some.text).toContain('for dev/app')
  expect(some.text).not.toContain('prod/app')
  expect(some.text).not.toContain('Guard units')
})
