import { request } from 'node:http'
import { expect, test } from 'vitest'
import { archiveOf } from '../../../../../test/support/archives.ts'
import { type SsoFace, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { type Resource, linkTo, newUnit, tfcAs } from '../../../../../test/rig/tfc-calls.ts'

const type = 'configuration-versions'
const archive = archiveOf([{ path: 'main.tf', content: 'locals {}' }])

async function open() {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const workspace = await newUnit(face, 'prod/vpc')
  const of = `workspaces/${workspace}/${type}`
  return {
    face,
    ask,
    workspace,
    of,
    async create(attributes = {}) {
      return (await ask('POST', of, { type, attributes })).data
    },
    download: (id: string) => face.send(`/api/v2/${type}/${id}/download`, { headers: face.root }),
    status: async (id: string) => (await ask('GET', `${type}/${id}`)).data.attributes['status'],
  }
}

const urlOf = ({ attributes }: Resource) => String(attributes['upload-url'])

/** As clients do it: without a token. */
async function put(face: SsoFace, url: string, body: Buffer) {
  return face.send(new URL(url).pathname, { method: 'PUT', body })
}

test('a configuration version is created, uploaded, shown and downloaded', async () => {
  const { face, ask, create, download } = await open()

  const made = await create({ 'auto-queue-runs': false, speculative: true, provisional: true })
  expect(made).toMatchObject({
    type,
    attributes: {
      status: 'pending',
      'auto-queue-runs': false,
      speculative: true,
      provisional: true,
      source: 'tfe-api',
      error: null,
      'error-message': null,
    },
    relationships: { 'ingress-attributes': { data: null } },
  })
  expect((await download(made.id)).status).toBe(404)
  expect((await put(face, urlOf(made), archive)).status).toBe(200)

  const { data } = await ask('GET', `${type}/${made.id}?include=ingress_attributes`)
  expect(data.attributes).toMatchObject({ status: 'uploaded', 'upload-url': null })
  expect(Object.keys(data.attributes['status-timestamps'] as object)).toEqual(['queued-at', 'finished-at'])
  const downloaded = await download(made.id)
  expect([downloaded.status, downloaded.headers['content-type']]).toEqual([200, 'application/gzip'])
  expect(downloaded.bytes).toEqual(archive)
})

test('attributes that are left out have defaults, and wrong ones are refused', async () => {
  const { ask, create, of } = await open()
  expect((await create()).attributes).toMatchObject({
    'auto-queue-runs': true,
    speculative: false,
    provisional: false,
  })
  expect(await ask('POST', of, { type, attributes: { speculative: 'yes' } })).toMatchObject({
    status: 422,
    pointer: '/data/attributes/speculative',
  })
})

test('they are listed in pages, newest first', async () => {
  const { ask, create, of } = await open()
  const ids: string[] = []
  for (let i = 0; i < 3; i++) ids.unshift((await create()).id)
  const first = await ask('GET', `${of}?page[size]=2`)
  expect(first.all.map(({ id }) => id)).toEqual(ids.slice(0, 2))
  expect(first.json['meta']).toMatchObject({ pagination: { 'total-count': 3, 'next-page': 2 } })
  const second = await ask('GET', `${of}?page[size]=2&page[number]=2`)
  expect(second.all.map(({ id }) => id)).toEqual(ids.slice(2))
})

test('an upload that was not answered can be repeated, and other bytes are refused', async () => {
  const { face, create, download } = await open()
  const made = await create()
  const other = archiveOf([{ path: 'other.tf', content: 'locals {}' }])
  const statuses: number[] = []
  for (const bytes of [archive, archive, other]) statuses.push((await put(face, urlOf(made), bytes)).status)
  expect(statuses).toEqual([200, 200, 409])
  expect((await download(made.id)).bytes).toEqual(archive)
})

test('of two uploads at the same time, one wins', async () => {
  const { face, create, download } = await open()
  const made = await create()
  const archives = [1, 2].map((n) => archiveOf([{ path: `${n}.tf`, content: 'locals {}' }]))
  const answers = await Promise.all(archives.map((bytes) => put(face, urlOf(made), bytes)))
  const statuses = answers.map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([200, 409]))
  expect((await download(made.id)).bytes).toEqual(archives[statuses.indexOf(200)])
})

test.each([
  ['climbs', archiveOf([{ path: '../main.tf', content: 'x' }]), 'is outside'],
  ['links out', archiveOf([{ path: 'a', type: 'SymbolicLink', linkpath: '/etc' }]), 'leads to'],
  ['is cut off', archive.subarray(0, -10), 'damaged'],
  ['is none', Buffer.from('locals {}'), 'gzip'],
])('an archive that %s makes it errored for good', async (_, bytes, why) => {
  const { face, ask, create, download } = await open()
  const made = await create()
  const refused = await put(face, urlOf(made), bytes)
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining(why)])
  expect((await ask('GET', `${type}/${made.id}`)).data.attributes).toMatchObject({
    status: 'errored',
    error: 'invalid-archive',
    'error-message': expect.stringContaining(why) as string,
  })
  expect((await put(face, urlOf(made), archive)).status).toBe(409)
  expect((await download(made.id)).status).toBe(404)
})

test('an upload that breaks off leaves it pending', async () => {
  const { face, create, status } = await open()
  const made = await create()
  await new Promise<void>((resolve) => {
    const { pathname: path } = new URL(urlOf(made))
    const headers = { 'content-length': archive.length + 1 }
    const call = request({ port: face.port, host: '127.0.0.1', path, method: 'PUT', headers })
    call.on('error', () => {})
    call.on('close', () => resolve())
    call.write(archive, () => call.destroy())
  })
  expect(await status(made.id)).toBe('pending')
  expect((await put(face, urlOf(made), archive)).status).toBe(200)
})

test('an address opens only what it was made for', async () => {
  const { face, create, status } = await open()
  const [one, two] = [urlOf(await create()), await create()]
  const path = one.slice(0, one.lastIndexOf('/') + 1)
  const parts = (url: string) => url.slice(path.length).split('.')
  const mixed = [parts(urlOf(two))[0], ...parts(one).slice(1)].join('.')
  for (const wrong of [`${path}${mixed}`, `${path}x`, one.slice(0, -3)])
    expect((await put(face, wrong, archive)).status).toBe(403)
  expect(await status(two.id)).toBe('pending')
})

test('archiving removes the content, but not that of the current one', async () => {
  const { face, ask, create, download, status, workspace } = await open()
  const [old, current, waiting] = [await create(), await create(), await create()]
  for (const made of [old, current]) await put(face, urlOf(made), archive)
  const archived = async ({ id }: Resource) => (await ask('POST', `${type}/${id}/actions/archive`)).status

  expect([await archived(waiting), await archived(current)]).toEqual([409, 409])
  expect([await archived(old), await archived(old)]).toEqual([202, 202])
  expect([await status(old.id), (await download(old.id)).status]).toEqual(['archived', 410])
  expect((await put(face, urlOf(old), archive)).status).toBe(409)
  const shown = await ask('GET', `workspaces/${workspace}?include=current_configuration_version`)
  expect(shown.data.relationships['current-configuration-version']).toEqual(linkTo(type, current.id))
  expect(shown.json['included']).toMatchObject([{ id: current.id, attributes: { status: 'uploaded' } }])
})

test('what is not there is not found', async () => {
  const { face, ask, create, workspace } = await open()
  const made = await create()
  const unknown = ['cv-1', 'cv-0123456789abcdef0123456789abcdef', `${made.id.slice(0, -3)}111`, workspace]
  for (const id of unknown) expect((await ask('GET', `${type}/${id}`)).status).toBe(404)
  expect((await ask('GET', `workspaces/ws-0000000000000000/${type}`)).status).toBe(404)
  const removed = await face.send('/v1/units/prod%2Fvpc', { method: 'DELETE', headers: face.root })
  expect(removed.status).toBe(200)
  expect((await ask('GET', `${type}/${made.id}`)).status).toBe(404)
  expect((await put(face, urlOf(made), archive)).status).toBe(404)
})
