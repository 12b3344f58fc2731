import { expect, test } from 'vitest'
import { castOfPeople } from '../../../../../../test/rig/people-cast.ts'

const PATH = '/app/default/people/tokens'
const tokenIn = (text: string) => /taco_[a-z]+_[\w.-]+/.exec(text)?.[0] ?? ''

async function started() {
  const cast = await castOfPeople()
  const owner = await cast.browse(cast.olga)
  await owner.get(PATH)
  return { ...cast, owner, tokens: cast.face.signIn.tokens }
}

test.each([
  [{ kind: 'organization', roles: 'reader' }, { kind: 'token', use: 'organization' }, 'reader'],
  [{ kind: 'team', team: 'ops' }, { kind: 'team', name: 'ops' }, 'team ops'],
  [{ kind: 'agent', roles: 'operator' }, { kind: 'token', use: 'agent' }, 'operator'],
])('a token %j is shown once, works, and is revoked', async (fields, principal, shown) => {
  const { owner, tokens } = await started()

  const created = await owner.submit(PATH, { ...fields, name: 'ci', days: 'never', units: 'dev/**' })
  const text = tokenIn(created.text)
  const listed = await owner.get(PATH)

  expect(created.status).toBe(200)
  expect(created.headers['cache-control']).toBe('no-store')
  expect(await tokens.check(text)).toMatchObject(principal)
  expect(listed.text).not.toContain(text)
  for (const word of ['ci', 'on dev/**', 'never', shown]) expect(listed.text).toContain(word)
  const [, id = ''] = /name="token" value="([^"]+)"/.exec(listed.text) ?? []
  expect((await owner.submit(`${PATH}/revoke`, { token: id })).location).toBe(PATH)
  expect(await tokens.check(text)).toMatchObject({ kind: 'revoked' })
})

test('the list is filtered by the address and exported, without secrets', async () => {
  const { owner } = await started()
  await owner.submit(PATH, { kind: 'organization', roles: 'reader', name: 'one', days: '7' })
  await owner.submit(PATH, { kind: 'team', team: 'ops', name: 'two', days: '7' })

  const csv = await owner.get(`${PATH}?kind=team&format=csv`)
  const none = await owner.get(`${PATH}?status=revoked`)

  expect(csv.text.split('\r\n').map((line) => line.split(',').slice(0, 3).join(','))).toEqual([
    'name,of,status',
    'two,team ops,active',
    '',
  ])
  expect(none.text).toContain('There are none.')
})

test.each([
  [{ kind: 'organization', roles: 'reader', name: '' }, 'Give the token a name.'],
  [{ kind: 'organization', name: 'x' }, 'Choose at least one role'],
  [{ kind: 'organization', roles: 'boss', name: 'x' }, 'There is no role boss.'],
  [{ kind: 'team', name: 'x' }, 'Choose the team'],
  [{ kind: 'team', team: 'none', name: 'x' }, 'There is no team none'],
  [{ kind: 'agent', roles: 'reader', name: 'x', actions: 'state:reed' }, 'state:read'],
])('the token %j is refused with what is wrong, and what was typed is kept', async (fields, message) => {
  const { owner, tokens, face } = await started()

  const { status, text } = await owner.submit(PATH, { days: '7', units: 'kept/**', ...fields })

  expect(status).toBe(400)
  expect(text).toContain(message)
  expect(text).toContain('value="kept/**"')
  expect(await tokens.list({ org: 'default' }, face.setUp)).toEqual([])
})

test('tokens are for those who may manage them', async () => {
  const { browse, ann, bob } = await castOfPeople()
  const auditor = await browse(ann)

  expect((await auditor.get('/app/default/people')).text).not.toContain(PATH)
  expect((await auditor.get(PATH)).status).toBe(403)
  expect((await (await browse(bob)).get(PATH)).status).toBe(403)
})
