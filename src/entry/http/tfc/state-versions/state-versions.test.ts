import { expect, test } from 'vitest'
import { bearer, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { linkTo, newUnit, tfcAs } from '../../../../../test/rig/tfc-calls.ts'
import { stateText, versionBody, writeInline } from '../../../../../test/rig/tfc-states.ts'
import { bind, unbind } from '../../../../access/organization/transitions.ts'

async function open() {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const id = await newUnit(face, 'app')
  const put = async (url: unknown, body: string) =>
    (await face.send(new URL(String(url)).pathname, { method: 'PUT', body })).status
  const lock = () => ask('POST', `workspaces/${id}/actions/lock`)
  const create = (text: string, attributes?: Readonly<Record<string, unknown>>) =>
    ask('POST', `workspaces/${id}/state-versions`, versionBody(text, attributes))
  const download = async (version: string) =>
    face.send(`/api/v2/state-versions/${version}/download`, { headers: face.root })
  return { face, ask, id, put, lock, create, download }
}

const first = stateText({ serial: 1 })
const second = stateText({ serial: 2, outputs: { a: { value: 1, type: 'number' } } })

test('a state is uploaded to an address that needs no token, and is current when that answers', async () => {
  const { face, ask, id, put, lock, create, download } = await open()
  expect((await ask('GET', `workspaces/${id}/current-state-version`)).status).toBe(404)
  await lock()
  const pending = await create(first)
  expect(pending).toMatchObject({ status: 201, data: { attributes: { status: 'pending', serial: 1 } } })
  expect(pending.headers['x-terraform-snapshot-interval']).toBe('20')
  const { attributes } = pending.data
  expect((await ask('GET', `workspaces/${id}/current-state-version`)).status).toBe(404)

  expect(await put(attributes['hosted-json-state-upload-url'], '{}')).toBe(200)
  expect(await put(attributes['hosted-state-upload-url'], first)).toBe(200)
  const shown = await ask('GET', `state-versions/${pending.data.id}`)
  expect(shown.data).toMatchObject({
    id: pending.data.id,
    attributes: {
      status: 'finalized',
      serial: 1,
      'hosted-state-upload-url': null,
      'terraform-version': '1.9.0',
    },
    relationships: { workspace: linkTo('workspaces', id) },
  })
  const current = await ask('GET', `workspaces/${id}/current-state-version`)
  expect([current.data, current.headers['x-terraform-snapshot-interval']]).toEqual([shown.data, '20'])
  expect((await download(pending.data.id)).text).toBe(first)
  // Under the same lock, and written for the native API as well.
  expect((await face.send('/v1/backend/default/app', { headers: face.root })).text).toBe(first)
  expect((await ask('POST', `workspaces/${id}/actions/unlock`)).status).toBe(200)
})

test('an upload is only for the very bytes, can be repeated, and is of no use to anything else', async () => {
  const { face, ask, id, put, lock, create } = await open()
  await lock()
  const one = (await create(first)).data.attributes['hosted-state-upload-url']
  const json = (await create(first)).data.attributes['hosted-json-state-upload-url']
  expect(await put(one, second)).toBe(422)
  expect(await put(`${String(one)}x`, first)).toBe(403)
  expect(await put(String(json).replace('json-states', 'states'), first)).toBe(403)
  expect(await put(one, first)).toBe(200)
  expect(await put(one, first)).toBe(200)
  const two = (await create(second)).data.attributes['hosted-state-upload-url']
  expect(await put(two, second)).toBe(200)
  // A late repetition of the first changes nothing.
  expect(await put(one, first)).toBe(200)
  const current = await ask('GET', `workspaces/${id}/current-state-version`)
  expect(current.data.attributes['serial']).toBe(2)

  // Once the lock is gone, so is the permission.
  const late = (await create(stateText({ serial: 3 }))).data.attributes['hosted-state-upload-url']
  await ask('POST', `workspaces/${id}/actions/unlock`)
  expect(await put(late, stateText({ serial: 3 }))).toBe(409)
  await face.send(`/api/v2/workspaces/${id}/actions/lock`, { method: 'POST', headers: face.root })
  expect(await put(late, stateText({ serial: 3 }))).toBe(409)
})

test('who has lost the right to write cannot upload with an address from before', async () => {
  const { face, id, put } = await open()
  const person = await face.person('olga')
  const binding = { role: 'operator', to: `user:${person.id}` }
  await face.policy('default', (policy) => bind(policy, binding))
  const olga = tfcAs(face, person.token)
  await olga('POST', `workspaces/${id}/actions/lock`)
  const { data } = await olga('POST', `workspaces/${id}/state-versions`, versionBody(first))
  await face.policy('default', (policy) => unbind(policy, binding))
  await expect
    .poll(() => put(data.attributes['hosted-state-upload-url'], first), { timeout: 15_000, interval: 500 })
    .toBe(404)
})

test('what does not follow the current state is a conflict', async () => {
  const { ask, id, lock, create } = await open()
  expect((await create(first)).status).toBe(409)
  await writeInline(ask, id, { serial: 5 })
  await lock()
  expect((await create(stateText({ serial: 4 }))).status).toBe(409)
  expect((await create(stateText({ serial: 6, lineage: 'other' }))).status).toBe(409)
  const inline = (text: string, more = {}) =>
    create(text, { state: Buffer.from(text).toString('base64'), ...more })
  // The same serial with other content, and the very same state again.
  expect((await inline(stateText({ serial: 5, outputs: { a: { value: 1, type: 'number' } } }))).status).toBe(
    409,
  )
  expect((await inline(stateText({ serial: 5 }))).status).toBe(201)
  expect((await inline(stateText({ serial: 1, lineage: 'other' }), { force: true })).status).toBe(201)
})

test.each([
  ['md5', { md5: undefined }],
  ['md5', { md5: 'x' }],
  ['serial', { serial: undefined }],
  ['serial', { serial: '1' }],
  ['md5', { md5: '0'.repeat(32), state: Buffer.from(first).toString('base64') }],
  ['serial', { serial: 7, state: Buffer.from(first).toString('base64') }],
  ['lineage', { lineage: 'x', state: Buffer.from(first).toString('base64') }],
])('a wrong %s is refused with a pointer: %j', async (attribute, attributes) => {
  const { lock, create } = await open()
  await lock()
  expect(await create(first, attributes)).toMatchObject({
    status: 422,
    pointer: `/data/attributes/${attribute}`,
  })
})

test('force needs the right to it, unless there is no state yet', async () => {
  const { face, id } = await open()
  const person = await face.person('olga')
  await face.policy('default', (policy) => bind(policy, { role: 'operator', to: `user:${person.id}` }))
  const olga = tfcAs(face, person.token)
  const write = (text: string) =>
    olga(
      'POST',
      `workspaces/${id}/state-versions`,
      versionBody(text, { force: true, state: Buffer.from(text).toString('base64') }),
    )
  await olga('POST', `workspaces/${id}/actions/lock`)
  expect((await write(first)).status).toBe(201)
  expect((await write(second)).status).toBe(403)
})

test('an upload that was allowed to force while there was no state needs the right to it later', async () => {
  const { face, id, put } = await open()
  const person = await face.person('olga')
  await face.policy('default', (policy) => bind(policy, { role: 'operator', to: `user:${person.id}` }))
  const olga = tfcAs(face, person.token)
  await olga('POST', `workspaces/${id}/actions/lock`)
  const address = async (text: string) => {
    const body = versionBody(text, { force: true })
    const { data } = await olga('POST', `workspaces/${id}/state-versions`, body)
    return data.attributes['hosted-state-upload-url']
  }
  const other = stateText({ serial: 1, lineage: 'other' })
  const [toSecond, toOther] = [await address(second), await address(other)]
  expect(await put(toSecond, second)).toBe(200)
  expect(await put(toOther, other)).toBe(403)
  // The answer to an upload may get lost.
  expect(await put(toSecond, second)).toBe(200)
})

test('old versions are listed, read and downloaded, and can be rolled back to', async () => {
  const { ask, id, download } = await open()
  const ids = []
  for (const serial of [1, 2, 3]) ids.push(await writeInline(ask, id, { serial }))
  const path = 'state-versions?filter[organization][name]=default&filter[workspace][name]=app'
  const list = await ask('GET', `${path}&page[size]=2`)
  expect(list.all.map((one) => one.id)).toEqual([ids[2], ids[1]])
  expect(list.json['meta']).toMatchObject({ pagination: { 'total-pages': 2, 'total-count': 3 } })
  expect((await ask('GET', `${path}&page[size]=2&page[number]=2`)).all.map((one) => one.id)).toEqual([ids[0]])
  expect((await ask('GET', `${path}x`)).status).toBe(404)

  expect((await ask('GET', `state-versions/${ids[0]}`)).data.attributes['serial']).toBe(1)
  expect((await download(ids[0] ?? '')).text).toBe(stateText({ serial: 1 }))
  const back = await ask('PATCH', `workspaces/${id}/state-versions`, {
    type: 'state-versions',
    relationships: { 'rollback-state-version': linkTo('state-versions', ids[0] ?? '') },
  })
  expect(back).toMatchObject({ status: 201, data: { attributes: { serial: 4 } } })
  for (const wrong of ['sv-x', `sv-${'0'.repeat(26)}`, id])
    expect((await ask('GET', `state-versions/${wrong}`)).status).toBe(404)
})

test('outputs keep every digit, and sensitive values are only given one by one', async () => {
  const { face, ask, id, lock } = await open()
  expect((await ask('GET', `workspaces/${id}/current-state-version-outputs`)).all).toEqual([])
  await lock()
  const text =
    '{"version":4,"serial":1,"lineage":"L","outputs":{"big":{"value":12345678901234567890.5,"type":"number"},' +
    '"key":{"value":"s3cret","type":"string","sensitive":true},"ids":{"value":["a"],"type":["list","string"]}},"resources":[]}'
  const made = await ask(
    'POST',
    `workspaces/${id}/state-versions`,
    versionBody(text, { state: Buffer.from(text).toString('base64') }),
  )
  const listed = await face.send(`/api/v2/workspaces/${id}/current-state-version-outputs`, {
    headers: face.root,
  })
  expect(listed.text).toContain('"value":12345678901234567890.5')
  expect(listed.text).not.toContain('s3cret')
  const { all } = await ask('GET', `state-versions/${made.data.id}/outputs`)
  expect(all.map(({ attributes }) => attributes)).toMatchObject([
    { name: 'big', type: 'number', 'detailed-type': 'number' },
    { name: 'ids', type: 'array', 'detailed-type': ['list', 'string'], value: ['a'] },
    { name: 'key', sensitive: true, value: null },
  ])
  const key = `state-version-outputs/${all[2]?.id}`
  expect((await ask('GET', key)).data.attributes['value']).toBe('s3cret')

  // Of that version, also when there is a newer one.
  const next = stateText({ serial: 2 })
  await ask(
    'POST',
    `workspaces/${id}/state-versions`,
    versionBody(next, { state: Buffer.from(next).toString('base64') }),
  )
  expect((await ask('GET', key)).data.attributes['value']).toBe('s3cret')
  expect((await ask('GET', `state-versions/${made.data.id}/outputs`)).all).toHaveLength(3)
  expect((await ask('GET', `workspaces/${id}/current-state-version-outputs`)).all).toEqual([])
})

test('an encrypted state stays opaque', async () => {
  const { face, ask, id, lock, create, download } = await open()
  const text = '{"serial":1,"lineage":"L","meta":{},"encrypted_data":"eA==","encryption_version":"v0"}'
  const outputs = Buffer.from('{"key":{"sensitive":true,"type":"string","value":"s3cret"}}').toString(
    'base64',
  )
  await lock()
  const { data } = await create(text, {
    state: Buffer.from(text).toString('base64'),
    'json-state-outputs': outputs,
  })
  expect((await download(data.id)).text).toBe(text)
  const path = `/api/v2/workspaces/${id}/current-state-version-outputs`
  expect((await ask('GET', path.slice('/api/v2/'.length))).all).toEqual([])
  const asTofu = await face.send(path, { headers: { ...face.root, 'user-agent': 'OpenTofu/1.12.6' } })
  expect(asTofu.json()).toMatchObject({ data: [{ attributes: { value: null } }] })
  expect(asTofu.text).not.toContain('detailed-type')
  expect((await ask('GET', `workspaces/${id}/resources`)).all).toEqual([])
})

test('a run reads and writes its own workspace, and its reads of others are recorded', async () => {
  const { face, ask, id } = await open()
  await writeInline(ask, id, { serial: 1, outputs: { vpc: { value: 'v', type: 'string' } } })
  const own = await newUnit(face, 'consumer')
  const headers = { ...face.root, 'content-type': 'application/json' }
  const issued = await face.send('/v1/units/consumer/run-tokens', { method: 'POST', headers, body: '{}' })
  const run = tfcAs(face, bearer(String(issued.json()['token'])))

  expect((await run('GET', 'organizations/default/entitlement-set')).data.attributes['operations']).toBe(
    false,
  )
  expect((await run('GET', 'organizations/default/workspaces/consumer')).status).toBe(200)
  expect((await run('GET', 'organizations/default/projects?filter[names]=x')).all).toEqual([])
  expect((await run('POST', `workspaces/${own}/actions/lock`)).status).toBe(200)
  const { data } = await run('GET', `workspaces/${id}/current-state-version`)
  const read = await face.send(`/api/v2/state-versions/${data.id}/download`, {
    headers: bearer(String(issued.json()['token'])),
  })
  expect(read.status).toBe(200)
  const made = await run('POST', `workspaces/${own}/state-versions`, versionBody(first))
  expect(made.status).toBe(201)
  const upload = new URL(String(made.data.attributes['hosted-state-upload-url'])).pathname
  expect((await face.send(upload, { method: 'PUT', body: first })).status).toBe(200)
  expect((await run('POST', `workspaces/${own}/actions/unlock`)).status).toBe(200)
  const { units } = await face.deps.control.graph.units('default', {}, face.setUp)
  const facts = units.map((unit) => unit.facts()).find(({ name }) => name === 'consumer')
  expect(facts?.reads).toMatchObject([{ from: id, commit: 1 }])

  for (const [method, path] of [
    ['POST', `workspaces/${id}/actions/lock`],
    ['DELETE', `workspaces/${own}`],
    ['GET', 'organizations'],
  ] as const)
    expect([path, (await run(method, path)).status]).toEqual([path, 403])
  const other = { type: 'workspaces', attributes: { name: 'another' } }
  expect((await run('POST', 'organizations/default/workspaces', other)).status).toBe(403)
})
