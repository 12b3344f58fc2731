import { expect, test } from 'vitest'
import { HIDDEN, startHiddenWorld } from '../../../test/rig/hidden-world.ts'
import { callOf, nameOf } from '../../../test/rig/route-calls.ts'
import { v1Routes } from './v1/face.ts'

test('no answer names a unit that the caller may not see', async () => {
  const { face, ids, limited, rollouts } = await startHiddenWorld()
  const secrets = [...HIDDEN, 'dev--', ids['dev/secret'], ids['dev/user'], ...rollouts].map(String)
  const paths = [
    '/v1/units',
    '/v1/units?search=secret',
    '/v1/units?prefix=dev',
    '/v1/units?label=env=dev',
    '/v1/units/prod--web',
    '/v1/units/prod--web/dependencies',
    '/v1/units/prod--web/inputs',
    '/v1/units/prod--web/versions',
    '/v1/units/prod--web/lock',
    '/v1/units/prod--wep',
    '/v1/units/dev--secre',
    '/v1/graph',
    '/v1/graph?format=svg',
    '/v1/graph?format=dot',
    '/v1/graph?format=mermaid',
    '/v1/graph?unit=prod/web',
    '/v1/graph?unit=prod/wep',
    '/v1/graph?at=2026-01-01',
    '/v1/status',
    '/v1/status?attention=true',
    '/v1/status?unit=prod/web&direction=both',
    '/v1/status?unit=dev/secre',
    '/v1/rollouts',
    '/v1/rollouts/plan',
    '/v1/rollouts/plan?from=prod/web',
    '/v1/rollouts/plan?from=prod/db&downstream=false',
    '/v1/rollouts/plan?from=dev/secre',
    '/v1/events?org=default',
    '/v1/events?org=default&order=desc',
    '/v1/events?org=default&unit=prod/web',
    '/v1/events',
    '/v1/events?order=desc',
    '/v1/orgs',
    '/v1/orgs/default',
    '/v1/orgs/default/usage',
    '/v1/orgs/default/guards',
    '/v1/orgs/default/bindings',
    '/v1/orgs/default/teams',
    '/v1/orgs/default/roles',
    '/v1/orgs/default/workloads',
    '/v1/orgs/default/tokens',
    '/v1/orgs/default/access/explain?who=everyone&action=lock&unit=dev/secret',
    '/v1/audit?org=default',
    '/v1/audit',
    '/v1/audit/verify?org=default',
    '/v1/whoami',
    '/v1/server',
  ]
  const leaks: string[] = []
  for (const [who, credential] of Object.entries(limited))
    for (const path of paths) {
      const { status, text } = await face.send(path, { headers: credential })
      expect([path, status]).toEqual([path, expect.toBeOneOf([200, 403, 404])])
      for (const secret of secrets)
        if (text.includes(secret) && !path.includes(secret)) leaks.push(`${who}: ${path} says ${secret}`)
    }

  expect(leaks).toEqual([])
  const { text } = await face.send('/v1/units', { headers: limited['a role by label'] ?? {} })
  expect(text).toContain('"name":"prod/web"')
})

test('someone without a role reads no events', async () => {
  const { face } = await startHiddenWorld()
  const { token } = await face.person('none')

  for (const path of ['/v1/events', '/v1/events?order=desc'])
    expect((await face.send(path, { headers: token })).json()).toMatchObject({ items: [] })
})

test('deleting a unit does not name the hidden units that use it', async () => {
  const { face, limited, ids } = await startHiddenWorld()
  const headers = limited['a binding with units'] ?? {}

  const answer = await face.send('/v1/units/prod--web', { method: 'DELETE', headers })

  expect(answer.json()).toMatchObject({ warnings: ['prod/web is used by units that you cannot see'] })
  for (const secret of ['dev/user', ids['dev/user']]) expect(answer.text).not.toContain(secret)
})

test('a cycle through hidden units is refused without naming them', async () => {
  const { face, limited, ids, asRoot } = await startHiddenWorld()
  await asRoot('DELETE', '/v1/units/prod--web/dependencies?on=prod/db')
  await asRoot('POST', '/v1/units/dev--secret/dependencies', { on: 'prod/db' })
  const headers = { ...limited['a role by label'], 'content-type': 'application/json' }

  const path = '/v1/units/prod--db/dependencies'
  const answer = await face.send(path, { method: 'POST', headers, body: '{"on":"prod/web"}' })

  expect([answer.status, answer.json()['detail']]).toEqual([409, expect.stringContaining('cycle')])
  for (const secret of ['dev/secret', ids['dev/secret']]) expect(answer.text).not.toContain(secret)
})

test('a dependency on a hidden unit is not there to be removed', async () => {
  const { face, limited, asRoot } = await startHiddenWorld()

  for (const [who, headers] of Object.entries(limited)) {
    const path = '/v1/units/prod--web/dependencies?on=dev/secret'
    const { status } = await face.send(path, { method: 'DELETE', headers })
    expect([who, status]).toEqual([who, 404])
  }
  const { uses } = await asRoot('GET', '/v1/units/prod--web/dependencies')
  expect(uses).toHaveLength(2)
})

test('what a limited caller may not start or follow is refused without names', async () => {
  const { face, limited, ids, rollouts } = await startHiddenWorld()
  const secrets = ['dev/secret', 'dev/user', ids['dev/secret'], ids['dev/user']]
  const [rollout = ''] = rollouts
  const calls = [
    ['POST', '/v1/rollouts', { from: ['prod/web'] }],
    ['POST', '/v1/rollouts', { from: ['prod/db'] }],
    ['GET', `/v1/rollouts/${rollout}`, undefined],
    ['POST', `/v1/rollouts/${rollout}/cancel`, {}],
    ['POST', `/v1/rollouts/${rollout}/claims`, { worker: 'w' }],
    ['POST', `/v1/rollouts/${rollout}/steps/prod--web/skip`, { reason: 'r' }],
    ['POST', `/v1/rollouts/${rollout}/steps/prod--web/begin`, { token: 't' }],
    ['POST', '/v1/sync', { units: [{ name: 'prod/web', dependencies: [] }] }],
    ['PATCH', '/v1/units/prod--web', { description: 'd' }],
  ] as const
  const leaks: string[] = []
  for (const [who, credential] of Object.entries(limited))
    for (const [method, path, body] of calls) {
      const headers = { ...credential, 'content-type': 'application/json' }
      const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
      const { text, status } = await face.send(path, sent)
      for (const secret of secrets)
        if (text.includes(String(secret))) leaks.push(`${who}: ${method} ${path}: ${status} ${text}`)
    }

  expect(leaks).toEqual([])
})

test('a hidden unit to start a rollout from is answered like one that does not exist', async () => {
  const { face, limited } = await startHiddenWorld()
  for (const credential of Object.values(limited)) {
    const headers = { ...credential, 'content-type': 'application/json' }
    const planned = async (unit: string) => {
      const { status, text } = await face.send(`/v1/rollouts/plan?from=${unit}`, { headers })
      return [status, text.replaceAll(unit, 'UNIT').replace(/"requestId":"[^"]+"/, '')]
    }
    expect(await planned('dev/secret')).toEqual(await planned('dev/absent'))
  }
})

test('what is hidden is answered like what does not exist', async () => {
  const { face, limited, ids, person } = await startHiddenWorld()
  const differing: string[] = []
  const pairs = [
    ['dev--secret', 'dev--absent'],
    [String(ids['dev/secret']), 'ws-1111111111111111'],
  ]
  for (const route of v1Routes.filter(({ pattern }) => pattern.includes('{unit}'))) {
    // Nothing of it is used up: all of these calls are refused.
    const call = await callOf(face, route, person, { unit: 'UNIT' })
    for (const [who, credential] of Object.entries(limited))
      for (const units of pairs) {
        const answers = units.map(async (unit) => {
          const headers = { ...call.headers, ...credential }
          const path = call.path.replace('UNIT', unit)
          const { status, text } = await face.send(path, { ...call, headers })
          return `${status} ${withoutNames(text, unit)}`
        })
        const [hidden = '', missing] = await Promise.all(answers)
        if (hidden !== missing) differing.push(`${who} ${nameOf(route)}: ${hidden} instead of ${missing}`)
        // Engines take 404 as "there is no state yet", and a token's own scope is no secret to its bearer.
        const is403 = route.pattern.startsWith('/v1/backend/') || who === 'the scope of a token'
        if (!hidden.startsWith(is403 ? '403' : '404')) differing.push(`${who} ${nameOf(route)}: ${hidden}`)
      }
  }

  expect(differing).toEqual([])
}, 120_000)

function withoutNames(text: string, unit: string): string {
  return text
    .replaceAll(unit, '{unit}')
    .replaceAll(unit.replace('--', '/'), '{unit}')
    .replace(/"requestId":"[^"]*"/, '')
}
