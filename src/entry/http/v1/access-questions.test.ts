import { expect, test } from 'vitest'
import { startFace } from '../../../../test/rig/http-face.ts'
import { alice } from '../../../../test/support/caller.ts'

const json = { 'content-type': 'application/json' }

async function open() {
  const face = await startFace()
  await face.deps.orgAccess.change(
    'default',
    {
      type: 'role.granted',
      data: {},
      transition: (policy) => ({
        ...policy,
        bindings: [{ role: 'operator', to: 'group:okta/web', units: ['dev/**'] }],
      }),
    },
    alice,
  )
  await face.send('/v1/units', { method: 'POST', headers: json, body: '{"name":"dev/app"}' })
  return face
}

test('a decision is explained with the rules behind it', async () => {
  const face = await open()
  const ask = async (unit: string) => {
    const query = `who=group:okta/web&action=state:write&unit=${unit}`
    return (await face.send(`/v1/orgs/default/access/explain?${query}`)).json()
  }

  expect(await ask('dev%2Fapp')).toMatchObject({
    allowed: true,
    lines: [
      'allowed: group:okta/web may write states on dev/app (state:write)',
      'the role operator, through group:okta/web, allows state:write on dev/**',
    ],
    because: [{ role: 'operator', through: 'group:okta/web', units: ['dev/**'], rule: { effect: 'allow' } }],
  })
  expect(await ask('prod%2Fapp')).toMatchObject({ allowed: false, because: [] })
})

test('a file of expectations is checked, and its faults have line numbers', async () => {
  const face = await open()
  const send = (text: string, org = 'default') =>
    face.send(`/v1/orgs/${org}/access/test`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ text, path: 'a.yaml' }),
    })

  const met = 'expectations:\n- { who: group:okta/web, action: lock, unit: [dev/app, x], expect: allow }'
  expect((await send(met)).json()).toMatchObject({
    failed: 1,
    items: [
      { line: 2, unit: 'dev/app', isMet: true },
      { line: 2, unit: 'x', isMet: false, expected: 'allow' },
    ],
  })
  const wrong = await send('expectations:\n- { who: a, action: lokc, expect: deny }')
  expect([wrong.status, wrong.text]).toEqual([
    400,
    expect.stringContaining('a.yaml:2:21: There is no action lokc.'),
  ])
  expect((await send(met, 'none')).status).toBe(404)
})
