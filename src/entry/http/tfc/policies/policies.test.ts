import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { linkTo, tfcAs } from '../../../../../test/rig/tfc-calls.ts'

const type = 'policies'
const of = `organizations/default/${type}`

async function open() {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  return {
    face,
    ask,
    create: async (attributes: object) =>
      (await ask('POST', of, { type, attributes: { ...attributes } })).data,
    upload: (id: string, body: string | Buffer) =>
      face.send(`/api/v2/${type}/${id}/upload`, { method: 'PUT', headers: face.root, body }),
    download: (id: string) => face.send(`/api/v2/${type}/${id}/download`, { headers: face.root }),
  }
}

test('policies are created, shown, changed, listed and deleted', async () => {
  const { ask, create } = await open()
  const made = await create({
    name: 'tags',
    description: 'all are tagged',
    'enforcement-level': 'hard-mandatory',
  })
  expect(made).toMatchObject({
    type,
    attributes: {
      name: 'tags',
      kind: 'sentinel',
      query: null,
      description: 'all are tagged',
      enforce: [{ path: 'tags.sentinel', mode: 'hard-mandatory' }],
      'enforcement-level': 'hard-mandatory',
      'policy-set-count': 0,
    },
    relationships: { organization: linkTo('organizations', 'default') },
  })
  expect((await ask('GET', `${type}/${made.id}`)).data).toEqual(made)
  const changed = await ask('PATCH', `${type}/${made.id}`, {
    type,
    attributes: { description: null, 'enforcement-level': 'advisory' },
  })
  expect([changed.status, changed.data.attributes]).toMatchObject([
    200,
    { description: '', 'enforcement-level': 'advisory', enforce: [{ mode: 'advisory' }] },
  ])
  expect((await ask('GET', of)).all).toEqual([changed.data])
  expect((await ask('DELETE', `${type}/${made.id}`)).status).toBe(204)
  expect((await ask('GET', of)).all).toEqual([])
  expect((await ask('GET', `${type}/${made.id}`)).status).toBe(404)
})

test('each language has its levels and its defaults', async () => {
  const { create } = await open()
  const levelOf = async (attributes: object) => (await create(attributes)).attributes['enforcement-level']
  expect(await levelOf({ name: 'a' })).toBe('soft-mandatory')
  expect(await levelOf({ name: 'b', kind: 'opa', query: 'data.deny' })).toBe('advisory')
  expect(await levelOf({ name: 'c', kind: 'tfpolicy' })).toBe('advisory')
  const enforce = [{ path: 'other.sentinel', mode: 'advisory' }]
  expect((await create({ name: 'd', enforce })).attributes['enforce']).toEqual(enforce)
})

test.each<readonly [string, object, string]>([
  ['a name that is taken', { name: 'TAGS' }, 'name'],
  ['a name with a space', { name: 'a b' }, 'name'],
  ['no name', {}, 'name'],
  ['an unknown kind', { name: 'x', kind: 'rego' }, 'kind'],
  ['a level of another kind', { name: 'x', 'enforcement-level': 'mandatory' }, 'enforcement-level'],
  ['an unknown level', { name: 'x', 'enforcement-level': 'always' }, 'enforcement-level'],
  ['OPA without a query', { name: 'x', kind: 'opa' }, 'query'],
  ['a wrong type', { name: 'x', description: 1 }, 'description'],
])('%s is refused with a pointer', async (_, attributes, field) => {
  const { ask, create } = await open()
  await create({ name: 'tags' })
  expect(await ask('POST', of, { type, attributes: { ...attributes } })).toMatchObject({
    status: 422,
    pointer: `/data/attributes/${field}`,
  })
})

test('the text is uploaded, replaced and downloaded', async () => {
  const { ask, create, upload, download } = await open()
  const { id } = await create({ name: 'tags' })
  expect((await download(id)).status).toBe(404)
  for (const text of ['main = rule { true }', 'main = rule { false }']) {
    expect((await upload(id, text)).status).toBe(200)
    expect(await download(id)).toMatchObject({ status: 200, text })
  }
  expect((await upload(id, Buffer.alloc(2 ** 20 + 1))).status).toBe(413)
  expect((await download(id)).text).toBe('main = rule { false }')
  await ask('DELETE', `${type}/${id}`)
  expect((await download(id)).status).toBe(404)
  expect((await upload(id, 'x')).status).toBe(404)
})

test('they are listed in pages, by name and by kind', async () => {
  const { ask, create } = await open()
  for (const name of ['a1', 'a2', 'b1']) await create({ name })
  await create({ name: 'a3', kind: 'opa', query: 'data.deny' })
  const names = async (query: string) =>
    (await ask('GET', `${of}?${query}`)).all.map(({ attributes }) => attributes['name'])
  expect(await names('search[name]=A')).toEqual(['a1', 'a2', 'a3'])
  expect(await names('filter[kind]=opa')).toEqual(['a3'])
  expect(await names('page[size]=3&page[number]=2')).toEqual(['a3'])
  expect((await ask('GET', `${of}?page[size]=3`)).json['meta']).toMatchObject({
    pagination: { 'total-count': 4, 'total-pages': 2, 'next-page': 2 },
  })
  expect((await ask('GET', `${of}?page[size]=0`)).status).toBe(400)
})

test('what is not there is not found', async () => {
  const { ask } = await open()
  for (const path of [`${type}/pol-0000000000000000`, `${type}/x`, 'organizations/none/policies'])
    expect((await ask('GET', path)).status).toBe(404)
})
