import { expect, test, vi } from 'vitest'
import { bearer, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { newUnit, tfcAs } from '../../../../../test/rig/tfc-calls.ts'
import { bind } from '../../../../access/organization/transitions.ts'

const trail = 'organization/audit-trail'

interface Entry {
  readonly id: string
  readonly timestamp: string
  readonly resource: { readonly action: string; readonly id: string; readonly type: string }
}

async function start() {
  const face = await startSsoFace()
  const made = await tfcAs(face, face.root)(
    'POST',
    'organizations/default/authentication-token?token=audit-trails',
  )
  return { face, ask: tfcAs(face, bearer(String(made.data.attributes['token']))) }
}

/** Events reach the journal a moment after the change. */
async function recorded(ask: ReturnType<typeof tfcAs>, units: readonly string[]): Promise<readonly Entry[]> {
  return vi.waitFor(
    async () => {
      const entries = (await ask('GET', trail)).json['data'] as Entry[]
      const ids = new Set(entries.map(({ resource }) => resource.id))
      if (!units.every((unit) => ids.has(unit))) throw new Error('not yet')
      return entries
    },
    { timeout: 20_000 },
  )
}

test('the audit trail token reads what happened in its organization', async () => {
  const { face, ask } = await start()
  const unit = await newUnit(face, 'prod/app')
  const entries = await recorded(ask, [unit])
  const { status, headers } = await ask('GET', trail)

  expect([status, headers['content-type']]).toEqual([200, expect.stringContaining('application/json')])
  expect(entries.find(({ resource }) => resource.id === unit)).toMatchObject({
    version: '0',
    type: 'Resource',
    auth: { description: 'token:root', type: 'Client', impersonator_id: null, organization_id: 'default' },
    request: { id: expect.any(String) },
    resource: { type: 'workspace', action: 'unit.created', meta: { name: 'prod/app', result: 'done' } },
  })
  expect(entries.map(({ resource }) => resource.action)).toContain('token.created')
})

test('it comes in pages, and since a time', async () => {
  const { face, ask } = await start()
  const units: string[] = []
  for (let i = 0; i < 5; i++) units.push(await newUnit(face))
  await recorded(ask, units)
  const pages: Entry[] = []
  let number: unknown = 1
  while (typeof number === 'number') {
    const { json } = await ask('GET', `${trail}?page[size]=2&page[number]=${number}`)
    pages.push(...(json['data'] as Entry[]))
    const { pagination } = json as { pagination: { next_page: number | null } }
    number = pagination.next_page
  }
  const all = (await ask('GET', trail)).json['data'] as Entry[]

  expect(pages.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
  expect(all.map(({ id }) => id)).toEqual(
    all
      .map(({ id }) => id)
      .toSorted()
      .toReversed(),
  )
  const { timestamp } = all[2] as Entry
  const later = (await ask('GET', `${trail}?since=${timestamp}`)).json['data'] as Entry[]
  expect(later.length).toBeGreaterThanOrEqual(3)
  expect(later.length).toBeLessThan(all.length)
  expect((await ask('GET', `${trail}?since=yesterday`)).status).toBe(400)
})

test('a person who may read the audit of one organization need not name it, and others are refused', async () => {
  const { face } = await start()
  const [auditor, reader] = [await face.person('auditor'), await face.person('reader')]
  await face.policy('default', (all) => bind(all, { role: 'auditor', to: `user:${auditor.id}` }))
  await face.policy('default', (all) => bind(all, { role: 'reader', to: `user:${reader.id}` }))
  await face.send('/v1/orgs', {
    method: 'POST',
    headers: { ...face.root, 'content-type': 'application/json' },
    body: '{"name":"elsewhere"}',
  })
  const ask = tfcAs(face, auditor.token)

  expect((await ask('GET', trail)).status).toBe(200)
  expect((await ask('GET', `${trail}?org=elsewhere`)).status).toBe(404)
  expect((await tfcAs(face, reader.token)('GET', trail)).status).toBe(403)
  expect((await tfcAs(face, face.root)('GET', trail)).status).toBe(400)
  expect((await tfcAs(face, face.root)('GET', `${trail}?org=elsewhere`)).status).toBe(200)
})

test('the audit is always on', async () => {
  const { face } = await start()
  const ask = tfcAs(face, face.root)
  const path = 'organizations/default/audit-configuration'
  const shown = await ask('GET', path)

  expect(shown.data).toMatchObject({
    type: 'audit-configurations',
    attributes: { 'audit-trails': { enabled: true }, 'hcp-audit-log-streaming': { enabled: false } },
  })
  expect((await ask('PATCH', path, { attributes: { 'audit-trails': { enabled: true } } })).data).toEqual(
    shown.data,
  )
  const off = await ask('PATCH', path, { attributes: { 'audit-trails': { enabled: false } } })
  expect([off.status, off.pointer]).toEqual([422, '/data/attributes/audit-trails'])
})
