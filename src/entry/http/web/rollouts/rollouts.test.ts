import { expect, test } from 'vitest'
import { type Person, type SsoFace, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { createTestBrowser, startWebFace } from '../../../../../test/rig/web-face.ts'
import { push, stateText } from '../../../../../test/support/state.ts'
import { systemCaller } from '../../../../access/index.ts'
import { bind, putRole } from '../../../../access/organization/transitions.ts'
import type { Proof, Rollouts, StepView } from '../../../../rollouts/index.ts'
import type { StateControl } from '../../../../state/index.ts'

const caller = systemCaller('opentaco')
const org = 'default'

/** net ← data ← app, and other by itself. */
async function seed(
  control: StateControl,
  graph: { dependencies: SsoFace['deps']['graph']['dependencies'] },
) {
  for (const unit of ['prod/net', 'prod/data', 'prod/app', 'dev/other'])
    await push(control, unit, stateText(1))
  for (const [unit, on] of [
    ['prod/data', 'prod/net'],
    ['prod/app', 'prod/data'],
  ] as const)
    await graph.dependencies.add({ org, unit }, { on, outputs: ['value'] }, caller)
}

async function startPages() {
  const face = await startWebFace()
  const { control, graph, rollouts } = face.deps
  await seed(control, graph)
  return { face, rollouts, browser: createTestBrowser(face) }
}

const claimOf = (rollouts: Rollouts, id: string) =>
  rollouts.claim({ org, id }, { worker: 'alice@laptop', most: 1, leaseMs: 60_000, begin: false }, caller)

test('a preview shows the walk in its order and what is not touched; the form starts it', async () => {
  const { browser, rollouts } = await startPages()

  const { status, text } = await browser.get('/app/default/rollouts/new?from=prod/net')

  expect(status).toBe(200)
  expect(text.indexOf('starts here')).toBeGreaterThan(0)
  for (const name of ['prod/net', 'prod/data', 'prod/app']) expect(text).toContain(name)
  expect(text).toContain('2 units follow, each only if an output that it reads has changed by then.')
  expect(text).toMatch(/1 unit will not be touched: .*dev\/other/)
  expect(text).toContain('taco rollout plan --from prod/net')
  expect((await rollouts.list(org, { limit: 10 }, caller)).items, 'a preview starts nothing').toEqual([])

  const started = await browser.submit('/app/default/rollouts', { from: 'prod/net' })
  const { items } = await rollouts.list(org, { limit: 10 }, caller)
  expect([started.status, started.location]).toEqual([303, `/app/default/rollouts/${items[0]?.id}`])
  expect((await browser.get(String(started.location))).text).toContain('Started, with 3 steps')
})

test('a start that is sent twice starts one rollout', async () => {
  const { browser, rollouts } = await startPages()
  const { text } = await browser.get('/app/default/rollouts/new?from=prod/net')
  const once = /name="once" value="([^"]+)"/.exec(text)?.[1] ?? ''

  const first = await browser.submit('/app/default/rollouts', { from: 'prod/net', once })
  const second = await browser.submit('/app/default/rollouts', { from: 'prod/net', once })

  expect([second.status, second.location]).toEqual([303, first.location])
  expect((await rollouts.list(org, { limit: 10 }, caller)).items).toHaveLength(1)
})

test('names that are wrong are told at the field', async () => {
  const { browser } = await startPages()

  const empty = await browser.get('/app/default/rollouts/new')
  const unknown = await browser.get('/app/default/rollouts/new?from=%3Cb%3E')
  const started = await browser.submit('/app/default/rollouts', { from: 'nothing' })
  const none = await browser.submit('/app/default/rollouts', { from: ' , ' })

  expect(empty.status).toBe(200)
  expect([unknown.status, started.status, none.status]).toEqual([400, 400, 400])
  expect(unknown.text).toContain('There is no unit &lt;b&gt;.')
  expect(unknown.text).toContain('aria-invalid="true"')
  expect(started.text).toContain('There is no unit nothing.')
})

test('a rollout shows who works on what, why each step has its state, and the proof of each skip', async () => {
  const { browser, rollouts } = await startPages()
  const { id } = await rollouts.start(org, { from: ['prod/net'] }, caller)
  const path = `/app/default/rollouts/${id}`
  const { claims } = await claimOf(rollouts, id)

  const running = await browser.get(path)
  expect(running.text).toMatch(/<dt>alice@laptop<\/dt><dd>.*prod\/net/)
  expect(running.text).toMatch(/Waits for .*prod\/net/)
  expect(running.text).toContain(`taco rollout status ${id}`)
  expect(running.text).toContain('aria-label="prod/net: running"')

  const end = { kind: 'failed', reason: 'no <quota>', exitCode: 1, engineMs: 1 } as const
  await rollouts.end({ org, id }, 'prod/net', { token: claims[0]?.token ?? '', end }, caller)
  const failed = await browser.get(path)
  expect(failed.text).toContain('no &lt;quota&gt;')
  expect(failed.text).toContain('Resume, retry failed')
  expect((await browser.get('/app/default/rollouts?state=failed')).text).toContain(id)
  expect((await browser.get('/app/default/rollouts?state=done')).text).toContain(
    'No rollout is in this state',
  )

  await rollouts.skip({ org, id }, 'prod/net', 'made by hand', caller)
  await claimOf(rollouts, id)
  const skipped = await browser.get(path)
  expect(skipped.text).toContain('By hand: made by hand')
  const part = await browser.get(`${path}?part=rollout&step=skipped`)
  expect(part.text).toMatch(/^<div id="rollout"/)
  expect(part.text).not.toContain('part=rollout&amp;part')
})

test('the proof of each skip is told in words', async () => {
  const step = (name: string, proof: Proof): StepView => ({
    unit: { id: `ws-${name}`, name },
    needs: [],
    isRoot: false,
    status: 'skipped',
    attempts: 0,
    worker: null,
    leaseUntil: null,
    startedAt: null,
    endedAt: null,
    due: null,
    reason: null,
    result: null,
    proof,
  })
  const net = { id: 'ws-net', name: 'prod/net' }
  const reads = { unit: net, outputs: { vpc_id: 'abcdef0123456789' }, read: 3 }
  const steps = [
    step('same', { kind: 'inputs', upstream: [{ ...reads, now: 3 }] }),
    step('later', { kind: 'inputs', upstream: [{ ...reads, now: 5 }] }),
    step('nothing', { kind: 'inputs', upstream: [] }),
    step('code', { kind: 'fingerprint', fingerprint: 'f'.repeat(40), version: 'sv-1' }),
    step('newer', { kind: 'other' } as Proof),
  ]
  const rollout = { id: 'ro-1', org, by: 'user:alice', who: null, roots: ['prod/net'], steps }
  const at = '2026-03-01T12:00:00.000Z'
  const get = () => Promise.resolve({ ...rollout, status: 'done', createdAt: at, endedAt: at })
  const browser = createTestBrowser(await startWebFace({ rollouts: { get } as unknown as Rollouts }))

  const { text } = await browser.get('/app/default/rollouts/ro-1')

  const words = text.replaceAll(/<[^>]*>/g, '')
  for (const sentence of [
    'It read vpc_id of prod/net at commit 3; no later commit exists. abcdef01',
    'It read vpc_id of prod/net at commit 3; at commit 5, the current one, nothing of it changed.',
    'It uses no outputs',
    'Its code and inputs are those of version sv-1 (fingerprint ffffffffffff).',
    'Proven in a way that only a newer version',
  ])
    expect(words).toContain(sentence)
})

test('pause, resume, skip and cancel do what they say, and what cannot be done any more is told', async () => {
  const { browser, rollouts } = await startPages()
  const { id } = await rollouts.start(org, { from: ['prod/net'] }, caller)
  const path = `/app/default/rollouts/${id}`
  const statusNow = async () => (await rollouts.get({ org, id }, caller)).status
  await browser.get(path)

  expect((await browser.submit(`${path}/pause`)).location).toBe(path)
  expect(await statusNow()).toBe('paused')
  expect((await browser.get(path)).text).toContain('Paused. Steps that run now finish.')
  await browser.submit(`${path}/resume`)
  expect(await statusNow()).toBe('active')

  const form = await browser.get(`${path}?skip=prod/net`)
  expect(form.text).toContain(`action="${path}/steps/prod--net/skip"`)
  const without = await browser.submit(`${path}/steps/prod--net/skip`, { reason: ' ' })
  expect([without.status, without.text.includes('A reason is needed.')]).toEqual([400, true])
  const long = await browser.submit(`${path}/steps/prod--net/skip`, { reason: 'x'.repeat(501) })
  expect([long.status, long.text.includes('At most 500 characters.')]).toEqual([400, true])
  expect((await browser.submit(`${path}/steps/prod--net/skip`, { reason: 'done' })).status).toBe(303)
  expect((await rollouts.get({ org, id }, caller)).steps[0]).toMatchObject({
    status: 'skipped',
    reason: 'done',
  })

  await browser.submit(`${path}/cancel`)
  expect(await statusNow()).toBe('cancelled')
  await browser.submit(`${path}/pause`)
  expect((await browser.get(path)).text).toContain('is cancelled.')
  expect((await browser.get(path)).text).not.toContain('>Cancel<')
})

test('a form with a wrong token changes nothing', async () => {
  const { browser, rollouts } = await startPages()
  const { id } = await rollouts.start(org, { from: ['prod/net'] }, caller)
  const path = `/app/default/rollouts/${id}`
  await browser.get(path)

  const answers = [
    await browser.submit('/app/default/rollouts', { csrf: 'wrong', from: 'prod/net' }),
    await browser.submit(`${path}/pause`, { csrf: 'wrong' }),
    await browser.submit(`${path}/cancel`, { csrf: '' }),
    await browser.submit(`${path}/steps/prod--net/skip`, { csrf: 'wrong', reason: 'x' }),
  ]

  expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403])
  expect((await rollouts.get({ org, id }, caller)).status).toBe('active')
  expect((await rollouts.list(org, { limit: 10 }, caller)).items).toHaveLength(1)
})

test('the list is paged and exported whole, and a wrong address is answered with its fault', async () => {
  const { browser, rollouts } = await startPages()
  const empty = await browser.get('/app/default/rollouts')
  const ids: string[] = []
  for (let i = 0; i < 27; i++) ids.push((await rollouts.start(org, { from: ['dev/other'] }, caller)).id)

  const first = await browser.get('/app/default/rollouts')
  const next = /rel="next" href="([^"]+)"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const second = await browser.get(next)
  const idsIn = (text: string) => new Set(text.match(/ro-[0-9A-Z]{26}/g))

  expect(empty.text).toContain('No rollouts yet')
  expect([...idsIn(first.text)].toSorted()).toEqual(ids.toSorted().slice(2))
  expect(idsIn(second.text)).toContain(ids.toSorted()[0])
  expect((await browser.get('/app/default/rollouts?format=json')).json()).toHaveLength(27)
  const csv = (await browser.get('/app/default/rollouts?format=csv&state=done')).text
  expect(csv).toBe('id,state,from,settled,failed,by,startedAt,steps,endedAt\r\n')
  const steps = await browser.get(`/app/default/rollouts/${ids[0]}?format=json`)
  expect(steps.json()).toMatchObject([{ unit: 'dev/other', state: 'waiting' }])
  expect((await browser.get('/app/default/rollouts?cursor=x')).status).toBe(400)
  expect((await browser.get('/app/default/rollouts/x')).status).toBe(400)
  expect((await browser.get('/app/default/rollouts/ro-01J9Z3K7M8Q2W5N4T6R1X0C3VB')).status).toBe(404)
})

async function withRole(face: SsoFace, person: Person, role: string) {
  const rules = [{ effect: 'allow' as const, actions: ['*'], units: ['dev/**', 'prod/net'] }]
  await face.policy(org, (all) =>
    bind(putRole(all, { name: 'own', rules }), { role, to: `user:${person.id}` }),
  )
  const browser = createTestBrowser(face)
  browser.cookies.set('taco', (await face.session(person))['cookie']?.replace('taco=', '') ?? '')
  return browser
}

test('a person sees and starts only rollouts whose units are all theirs', async () => {
  const face = await startSsoFace()
  const { control, graph, rollouts } = face.deps
  await seed(control, graph)
  const hidden = await rollouts.start(org, { from: ['prod/net'] }, caller)
  const own = await rollouts.start(org, { from: ['dev/other'] }, caller)
  const bob = await withRole(face, await face.person('bob'), 'own')
  const base = '/app/default/rollouts'

  for (const query of ['', '?state=active', '?format=json', '?format=csv', '?part=list']) {
    const { text } = await bob.get(base + query)
    expect([query, text.includes(own.id), text.includes(hidden.id)]).toEqual([query, true, false])
  }
  expect((await bob.get(`${base}/${hidden.id}`)).status).toBe(404)
  expect((await bob.get(`${base}/${own.id}`)).status).toBe(200)
  expect((await bob.submit(`${base}/${hidden.id}/steps/prod--net/skip`, { reason: 'x' })).status).toBe(404)
  expect((await rollouts.get({ org, id: hidden.id }, caller)).steps[0]?.status).toBe('waiting')

  // A hidden unit is answered like one that does not exist.
  for (const unit of ['prod/data', 'nothing'])
    for (const answer of [await bob.get(`${base}/new?from=${unit}`), await bob.submit(base, { from: unit })])
      expect([answer.status, answer.text.includes(`There is no unit ${unit}`)]).toEqual([400, true])
  const reaching = await bob.get(`${base}/new?from=prod/net`)
  expect([reaching.status, reaching.text.includes('prod/data')]).toEqual([403, false])
  expect((await bob.submit(base, { from: 'prod/net' })).status).toBe(403)
  const preview = await bob.get(`${base}/new?from=dev/other`)
  expect(preview.text).toContain('Start the rollout')
  expect(preview.text).toContain('1 unit will not be touched')
  expect((await bob.submit(base, { from: 'dev/other' })).status).toBe(303)
})

test('someone who may only look gets no buttons, and forms are refused', async () => {
  const face = await startSsoFace()
  const { control, graph, rollouts } = face.deps
  await seed(control, graph)
  const { id } = await rollouts.start(org, { from: ['prod/net'] }, caller)
  const eve = await withRole(face, await face.person('eve'), 'reader')
  const path = `/app/default/rollouts/${id}`

  const { status, text } = await eve.get(`${path}?skip=prod/net`)
  expect(status).toBe(200)
  for (const offered of ['Pause', 'Skip…', 'Skip the step']) expect(text).not.toContain(`${offered}</`)
  expect((await eve.get('/app/default/rollouts/new?from=prod/net')).text).not.toContain('Start the rollout')
  for (const what of ['pause', 'resume', 'cancel', 'steps/prod--net/skip'])
    expect([what, (await eve.submit(`${path}/${what}`, { reason: 'x' })).status]).toEqual([what, 403])
  expect((await eve.submit('/app/default/rollouts', { from: 'prod/net' })).status).toBe(403)
})

test('the panel of the estate leads to the preview', async () => {
  const { browser } = await startPages()

  const { text } = await browser.get('/app/default?unit=prod/net')

  expect(text).toContain('href="/app/default/rollouts/new?from=prod%2Fnet"')
  const past = await browser.get(`/app/default?unit=prod/net&at=${new Date(Date.now() - 1).toISOString()}`)
  expect(past.text).toContain('The estate as it was')
  expect(past.text).toContain('taco status prod/net')
  expect(past.text).not.toContain('rollouts/new')
})
