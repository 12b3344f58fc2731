import { expect, test } from 'vitest'
import { castOfPeople } from '../../../../../../test/rig/people-cast.ts'

const PATH = '/app/default/people/workloads'
const etagIn = (text: string) => /name="etag" value="([^"]*)"/.exec(text)?.[1] ?? ''
const GITHUB = {
  name: 'ci',
  issuer: 'https://token.actions.githubusercontent.com',
  claims: 'repository=acme/infra\r\nref=refs/heads/main\r\nref=refs/tags/*',
  roles: 'operator',
  minutes: '20',
}

async function started() {
  const cast = await castOfPeople()
  const owner = await cast.browse(cast.olga)
  await owner.get(PATH)
  return { ...cast, owner }
}

test('a rule is added, changed and deleted', async () => {
  const { owner, policy } = await started()

  const added = await owner.submit(PATH, { ...GITHUB, units: 'prod/**' })
  expect(added.location).toBe(PATH)
  expect((await policy()).workloads).toEqual([
    {
      name: 'ci',
      issuer: GITHUB.issuer,
      claims: { repository: ['acme/infra'], ref: ['refs/heads/main', 'refs/tags/*'] },
      roles: ['operator'],
      scope: { units: ['prod/**'] },
      ttlMs: 1_200_000,
    },
  ])
  const listed = await owner.get(`${PATH}?edit=ci`)
  for (const word of ['ref=refs/tags/*', 'operator', 'only on prod/**', '20 min', 'taco workload ls'])
    expect(listed.text).toContain(word)
  const changed = { ...GITHUB, was: 'ci', etag: etagIn(listed.text), roles: 'reader' }
  expect((await owner.submit(PATH, changed)).status).toBe(303)
  expect((await policy()).workloads[0]).toMatchObject({ roles: ['reader'] })
  expect((await owner.submit(`${PATH}/ci/delete`, { confirm: 'no' })).status).toBe(400)
  expect((await owner.submit(`${PATH}/ci/delete`, { confirm: 'ci' })).status).toBe(303)
  expect((await policy()).workloads).toEqual([])
})

test('a change of a rule that someone else has changed is not saved, and both are shown', async () => {
  const { owner, policy } = await started()
  await owner.submit(PATH, GITHUB)
  const etag = etagIn((await owner.get(`${PATH}?edit=ci`)).text)
  const change = { ...GITHUB, was: 'ci', etag }
  await owner.submit(PATH, { ...change, minutes: '30' })

  const late = await owner.submit(PATH, { ...change, minutes: '40' })

  expect(late.status).toBe(409)
  expect(late.text).toContain('<dd>30 min</dd>')
  expect(late.text).toMatch(/id="minutes"[^>]*value="40"/)
  expect((await policy()).workloads[0]?.ttlMs).toBe(1_800_000)
  const again = await owner.submit(PATH, GITHUB)
  expect(again.status).toBe(400)
  expect(again.text).toContain('The workload rule ci exists already.')
})

test.each([
  [{ ...GITHUB, name: 'A b' }, 'name'],
  [{ ...GITHUB, issuer: 'http://evil.example' }, 'issuer'],
  [{ ...GITHUB, claims: 'repository' }, 'claims'],
  [{ ...GITHUB, claims: 'repository=*' }, 'claims'],
  [{ ...GITHUB, minutes: '61' }, 'minutes'],
  [{ ...GITHUB, units: '/x' }, 'units'],
])('the rule %j is refused at %s', async (fields, field) => {
  const { owner, policy } = await started()

  const { status, text } = await owner.submit(PATH, fields)

  expect(status).toBe(400)
  expect(text).toMatch(new RegExp(`id="${field}"[^>]*aria-invalid="true"`))
  expect((await policy()).workloads).toEqual([])
})

test('an auditor sees the rules without a form', async () => {
  const { owner, browse, ann } = await started()
  await owner.submit(PATH, GITHUB)
  const auditor = await browse(ann)

  const { status, text } = await auditor.get(PATH)

  expect(status).toBe(200)
  expect(text).toContain('acme/infra')
  expect(text).not.toContain('Save the rule')
  expect((await auditor.submit(PATH, GITHUB)).status).toBe(403)
})
