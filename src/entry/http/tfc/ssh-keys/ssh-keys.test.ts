import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { linkTo, newUnit, tfcAs } from '../../../../../test/rig/tfc-calls.ts'

const type = 'ssh-keys'
const value = '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----'

test('SSH keys are created, shown, changed, listed and deleted, and their values never shown', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const of = 'organizations/default/ssh-keys'

  const made = await ask('POST', of, { type, attributes: { name: 'modules', value } })
  expect([made.status, made.data.type, made.data.attributes]).toEqual([201, type, { name: 'modules' }])
  expect(made.data.id).toMatch(/^sshkey-/)
  const path = `ssh-keys/${made.data.id}`
  expect((await ask('GET', path)).data).toEqual(made.data)
  const renamed = await ask('PATCH', path, { type, attributes: { name: 'all modules' } })
  expect([renamed.status, renamed.data.attributes]).toEqual([200, { name: 'all modules' }])
  const listed = await ask('GET', `${of}?page%5Bsize%5D=1`)
  expect([listed.all, listed.json['meta']]).toEqual([
    [renamed.data],
    { pagination: expect.objectContaining({ 'total-count': 1 }) },
  ])
  expect((await ask('DELETE', path)).status).toBe(204)
  expect((await ask('GET', path)).status).toBe(404)
})

test('wrong keys are refused with a pointer, and so is a name that is taken', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const of = 'organizations/default/ssh-keys'
  for (const [attributes, attribute] of [
    [{ value }, 'name'],
    [{ name: '', value }, 'name'],
    [{ name: 'n' }, 'value'],
    [{ name: 'n', value: 1 }, 'value'],
  ] as const) {
    const refused = await ask('POST', of, { type, attributes })
    expect([refused.status, refused.pointer]).toEqual([422, `/data/attributes/${attribute}`])
  }
  await ask('POST', of, { type, attributes: { name: 'n', value } })
  const taken = await ask('POST', of, { type, attributes: { name: 'N', value } })
  expect([taken.status, taken.pointer]).toEqual([422, '/data/attributes/name'])
})

test('a key is assigned to a workspace and taken away, also when it is deleted', async () => {
  const face = await startSsoFace()
  const ask = tfcAs(face, face.root)
  const unit = await newUnit(face)
  const { id } = (
    await ask('POST', 'organizations/default/ssh-keys', { type, attributes: { name: 'n', value } })
  ).data
  const assign = (key: string | null) =>
    ask('PATCH', `workspaces/${unit}/relationships/ssh-key`, { type: 'workspaces', attributes: { id: key } })
  const assigned = async () => (await ask('GET', `workspaces/${unit}`)).data.relationships['ssh-key']

  const answer = await assign(id)
  expect([answer.status, answer.data.id, await assigned()]).toEqual([200, unit, linkTo('ssh-keys', id)])
  expect((await assign(null)).data.relationships['ssh-key']).toEqual({ data: null })
  await assign(id)
  await ask('DELETE', `ssh-keys/${id}`)
  expect(await assigned()).toEqual({ data: null })
  const gone = await assign(id)
  expect([gone.status, gone.pointer]).toEqual([422, '/data/attributes/id'])
})
