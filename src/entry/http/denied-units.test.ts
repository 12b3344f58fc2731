import { expect, test } from 'vitest'
import { startSsoFace } from '../../../test/rig/sso-face.ts'
import { createTestBrowser } from '../../../test/rig/web-face.ts'
import { stateText } from '../../../test/support/state.ts'
import { type Rule, bind, putRole } from '../../access/index.ts'

const json = { 'content-type': 'application/json' }

/** vault/keys uses dev/db, and a rollout goes through both. */
async function open() {
  const face = await startSsoFace()

  async function asRoot(method: string, path: string, body: unknown): Promise<Record<string, unknown>> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const answer = await face.send(path, { method, headers: { ...face.root, ...json }, body: text })
    if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.text}`)
    return answer.json()
  }

  /** Someone who may do everything but this. */
  async function except(denied: Omit<Rule, 'effect'>) {
    const person = await face.person(face.fresh('person'))
    const role = face.fresh('role')
    const rules: Rule[] = [
      { effect: 'allow', actions: ['*'] },
      { effect: 'deny', ...denied },
    ]
    await face.policy('default', (all) =>
      bind(putRole(all, { name: role, rules }), { role, to: `user:${person.id}` }),
    )
    const browser = createTestBrowser(face)
    browser.cookies.set('taco', (await face.session(person))['cookie']?.replace('taco=', '') ?? '')
    await browser.get('/account/tokens')
    const call = (method: string, path: string, body?: unknown) =>
      face.send(path, {
        method,
        headers: { ...person.token, ...json },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    return { browser, call }
  }

  for (const name of ['dev/db', 'vault/keys']) {
    await asRoot('POST', '/v1/units', { name, labels: { zone: name.split('/')[0] } })
    await asRoot('PUT', `/v1/units/${name.replace('/', '--')}/state`, stateText(1, 'value', name))
  }
  await asRoot('POST', '/v1/units/vault--keys/dependencies', { on: 'dev/db' })
  const { id } = await asRoot('POST', '/v1/rollouts', { from: ['dev/db'] })
  return { except, rollout: String(id) }
}

test.each<[string, Omit<Rule, 'effect'>]>([
  ['by name', { actions: ['*'], units: ['vault/**'] }],
  ['by label', { actions: ['*'], labels: { zone: 'vault' } }],
])('a rollout does not show units that a rule hides %s', async (_, denied) => {
  const { except, rollout } = await open()
  const { browser, call } = await except(denied)

  const answers = [
    await call('GET', '/v1/rollouts/plan?from=dev/db'),
    await call('POST', '/v1/rollouts', { from: ['dev/db'] }),
    await call('POST', `/v1/rollouts/${rollout}/pause`, {}),
    await call('POST', `/v1/rollouts/${rollout}/claims`, { worker: 'w', most: 2 }),
    await browser.get('/app/default/rollouts/new?from=dev/db'),
    await browser.submit('/app/default/rollouts', { from: 'dev/db' }),
    await browser.submit(`/app/default/rollouts/${rollout}/pause`),
  ]

  expect(answers.map(({ status }) => status)).toEqual([403, 403, 404, 404, 403, 403, 404])
  for (const { text } of answers) expect(text).not.toContain('vault')
})

test.each<[string, Omit<Rule, 'effect'>]>([
  ['by name', { actions: ['rollout:start', 'rollout:control'], units: ['vault/**'] }],
  ['by label', { actions: ['rollout:start', 'rollout:control'], labels: { zone: 'vault' } }],
])('a rule that denies rollouts for some units %s holds for those that reach them', async (_, denied) => {
  const { except, rollout } = await open()
  const { browser, call } = await except(denied)

  const page = await browser.get('/app/default/rollouts/new?from=dev/db')
  const refused = [
    await call('POST', '/v1/rollouts', { from: ['dev/db'] }),
    await call('POST', `/v1/rollouts/${rollout}/cancel`, {}),
    await browser.submit('/app/default/rollouts', { from: 'dev/db' }),
    await browser.submit(`/app/default/rollouts/${rollout}/cancel`),
  ]

  expect([page.status, page.text.includes('vault/keys')]).toEqual([200, true])
  expect(page.text).not.toContain('Start the rollout')
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  const { state } = (await call('GET', `/v1/rollouts/${rollout}`)).json()
  expect(state).not.toBe('cancelled')
})

test('a worker gets no steps on units on which it may not work', async () => {
  const { except, rollout } = await open()
  const { call } = await except({ actions: ['rollout:work'], units: ['dev/**'] })

  const claimed = await call('POST', `/v1/rollouts/${rollout}/claims`, { worker: 'w', most: 2, begin: true })
  const started = await call('POST', '/v1/rollouts', { from: ['dev/db'], claim: { worker: 'w', most: 2 } })

  expect([claimed.status, claimed.json()['claims']]).toEqual([200, []])
  expect([started.status, started.json()['claims']]).toEqual([201, []])
})
