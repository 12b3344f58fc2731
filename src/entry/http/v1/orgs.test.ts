import { expect, test } from 'vitest'
import { type TestFace, startFace } from '../../../../test/rig/http-face.ts'
import { stateText } from '../../../../test/support/state.ts'

const json = { 'content-type': 'application/json' }
const post = (body: unknown) => ({ method: 'POST', headers: json, body: JSON.stringify(body) })
const lock = (ID: string) => ({
  method: 'LOCK',
  body: JSON.stringify({ ID, Operation: 'OperationTypeApply', Info: '', Who: 'w', Version: '', Path: '' }),
})

async function withState(face: TestFace): Promise<void> {
  expect((await face.send('/v1/orgs', post({ name: 'acme' }))).status).toBe(201)
  const written = await face.send('/v1/backend/acme/app', { method: 'POST', body: stateText(1) })
  expect(written.status).toBe(200)
}

test('every name of a renamed organization works, in paths and in queries, and it is one organization', async () => {
  const face = await startFace()
  await withState(face)
  const renamed = await face.send('/v1/orgs/acme/rename', post({ name: 'apex' }))
  expect(renamed.json()).toMatchObject({ id: 'acme', name: 'apex' })

  for (const name of ['acme', 'apex']) {
    expect((await face.send(`/v1/backend/${name}/app`)).text).toBe(stateText(1))
    expect((await face.send(`/v1/units/app?org=${name}`)).json()).toMatchObject({ org: 'acme', name: 'app' })
    expect((await face.send(`/v1/orgs/${name}`)).json()).toMatchObject({ id: 'acme', name: 'apex' })
    expect((await face.send(`/v1/graph?org=${name}`)).status).toBe(200)
    expect((await face.send(`/v1/rollouts?org=${name}`)).status).toBe(200)
    expect((await face.send(`/v1/events?org=${name}`)).text).toContain('org.renamed')
  }
  const started = await face.send('/v1/rollouts?org=apex', post({ from: ['app'] }))
  expect(started.status).toBe(201)
  const { id } = started.json() as { id: string }
  expect((await face.send(`/v1/rollouts/${id}?org=acme`)).status).toBe(200)
  expect((await face.send('/v1/backend/apex/app', lock('l'))).status).toBe(200)
  expect((await face.send('/v1/backend/acme/app', lock('other'))).status).toBe(423)
})

test('If-Match protects a rename and a deletion', async () => {
  const face = await startFace()
  await withState(face)
  const etag = String((await face.send('/v1/orgs/acme')).headers['etag'])
  const rename = (name: string) => ({ ...post({ name }), headers: { ...json, 'if-match': etag } })

  expect((await face.send('/v1/orgs/acme/rename', rename('apex'))).status).toBe(200)
  expect((await face.send('/v1/orgs/acme/rename', rename('summit'))).status).toBe(412)
  const remove = { method: 'DELETE', headers: { 'if-match': etag } }
  expect((await face.send('/v1/orgs/acme', remove)).status).toBe(412)
})

test('an engine learns that its organization is deleted or unknown, and never that there is no state', async () => {
  const face = await startFace()
  await withState(face)
  expect((await face.send('/v1/orgs/acme', { method: 'DELETE' })).json()).toMatchObject({
    deleted: { by: 'anonymous' },
  })

  const read = await face.send('/v1/backend/acme/app')
  expect(read.status).toBe(409)
  expect(read.json()).toMatchObject({
    code: 'ORG_DELETED',
    hint: expect.stringContaining('restore') as string,
  })
  const locked = await face.send('/v1/backend/acme/app', lock('l'))
  expect(locked.status).toBe(409)
  // Engines show the lock info and nothing else.
  expect(locked.json()['Info']).toContain('was deleted')
  const written = await face.send('/v1/backend/acme/app', { method: 'POST', body: stateText(2) })
  expect(written.status).toBe(409)
  const unknown = await face.send('/v1/backend/nowhere/app')
  expect(unknown.status).toBe(400)
  expect(unknown.json()).toMatchObject({ field: 'org' })

  const { items } = (await face.send('/v1/orgs?deleted=true')).json() as { items: unknown[] }
  expect(items).toMatchObject([{ name: 'acme' }])
  expect((await face.send('/v1/orgs/acme/restore', post({}))).json()).toMatchObject({ deleted: null })
  expect((await face.send('/v1/backend/acme/app')).text).toBe(stateText(1))
})

test('teams and roles of a renamed organization are those that it had', async () => {
  const face = await startFace()
  await withState(face)
  expect((await face.send('/v1/orgs/acme/teams', post({ name: 'ops' }))).status).toBe(201)
  await face.send('/v1/orgs/acme/rename', post({ name: 'apex' }))

  for (const name of ['acme', 'apex'])
    expect((await face.send(`/v1/orgs/${name}/teams`)).json()).toMatchObject({ items: [{ name: 'ops' }] })
})
