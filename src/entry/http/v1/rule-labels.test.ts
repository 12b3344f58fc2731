import { expect, test } from 'vitest'
import { startSsoFace } from '../../../../test/rig/sso-face.ts'
import { bind, putRole } from '../../../access/organization/transitions.ts'

/** A person with every right on `a/**` that an editor needs, but not `unit:admin`. A rule goes by the label env. */
async function open(actions: readonly string[]) {
  const face = await startSsoFace()
  const { token, id } = await face.person('editor')
  const to = `user:${id}`
  await face.policy('default', (policy) =>
    [
      { name: 'editor', rules: [{ effect: 'allow' as const, actions: [...actions], units: ['a/**'] }] },
      { name: 'frozen', rules: [{ effect: 'deny' as const, actions: ['state:*'], labels: { env: 'prod' } }] },
    ].reduce((all, role) => bind(putRole(all, role), { role: role.name, to }), policy),
  )
  const send =
    (who: Readonly<Record<string, string>>) => async (method: string, path: string, body: unknown) => {
      const headers = { ...who, 'content-type': 'application/json' }
      return (await face.send(path, { method, headers, body: JSON.stringify(body) })).status
    }
  await send(face.root)('POST', '/v1/units', { name: 'a/b', labels: { env: 'prod', team: 'x' } })
  return send(token)
}

const sync = (labels: Readonly<Record<string, string>>, name = 'a/b', dryRun = false) =>
  ['POST', '/v1/sync', { dryRun, units: [{ name, labels }] }] as const
const create = (name: string, labels: Readonly<Record<string, string>>) =>
  ['POST', '/v1/units', { name, labels }] as const
const patch = (labels: Readonly<Record<string, string | null>>) =>
  ['PATCH', '/v1/units/a--b', { labels }] as const

/** [call, without unit:admin, with it]. In this order: the calls that are let in change the unit. */
const table = [
  [patch({ env: null }), 403, 200],
  [patch({ env: 'prod', team: 'y' }), 200, 200],
  [patch({ env: 'dev' }), 403, 200],
  [create('a/c', { team: 'x' }), 201, 201],
  [create('a/d', { env: 'dev' }), 403, 201],
  [sync({ env: 'test' }, 'a/b', true), 200, 200],
  [sync({ env: 'test' }), 403, 200],
  [sync({ team: 'z' }), 200, 200],
  [sync({ env: 'test' }, 'a/new'), 403, 200],
] as const

test('changing a label that rules go by takes unit:admin', async () => {
  const editor = await open(['unit:read', 'unit:create', 'unit:update', 'graph:write'])
  const admin = await open(['unit:read', 'unit:create', 'unit:update', 'graph:write', 'unit:admin'])
  for (const [call, toEditor, toAdmin] of table) {
    const [method, path, body] = call
    const found = [await editor(method, path, body), await admin(method, path, body)]
    expect([call, ...found]).toEqual([call, toEditor, toAdmin])
  }
})
