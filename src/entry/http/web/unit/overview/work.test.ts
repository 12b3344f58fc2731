import { expect, test } from 'vitest'
import { page, startPerson, startUnit, system } from '../../../../../../test/rig/unit-pages.ts'
import type { Rollouts } from '../../../../../rollouts/index.ts'

const org = 'default'
const ERROR = 'Error: creating RDS DB Instance'

async function fail(rollouts: Rollouts): Promise<string> {
  const { id } = await rollouts.start(org, { from: ['prod/data/orders'] }, system)
  const options = { worker: 'ci-1', most: 1, leaseMs: 60_000, begin: false }
  const { claims } = await rollouts.claim({ org, id }, options, system)
  const end = { kind: 'failed', reason: ERROR, exitCode: 1, engineMs: 1, begun: true } as const
  await rollouts.end({ org, id }, 'prod/data/orders', { token: claims[0]?.token ?? '', end }, system)
  return id
}

test('a failed unit shows what the engine said, with a link to the rollout', async () => {
  const { browser, face } = await startUnit()
  const id = await fail(face.deps.rollouts)

  const { text } = await browser.get(page())

  expect(text).toContain('Why it failed')
  expect(text).toContain(`href="/app/default/rollouts/${id}"`)
  expect(text).toContain(ERROR)
})

test('what a rollout said is hidden from those who may not see the rollout', async () => {
  for (const [actions, units] of [
    [['unit:read', 'graph:read'], '**'],
    [['*'], 'prod/data/**'],
  ] as const) {
    const { browser, face } = await startPerson(actions, units)
    await fail(face.deps.rollouts)

    const { text } = await browser.get(page())

    expect(text).toContain('Why it failed')
    expect(text).not.toContain(ERROR)
  }
})

test('a lock is told before everything else, with its reason', async () => {
  const { browser, control } = await startUnit()
  const info = {
    ID: 'x',
    Operation: 'apply',
    Info: '',
    Who: 'maria@laptop',
    Version: '',
    Created: '',
    Path: '',
  }
  await control.locks.lock({ org, unit: 'prod/data/orders' }, info, { reason: 'migrating' }, system)

  const { text } = await browser.get(page())

  expect(text).toMatch(/Locked by .*\(apply\): migrating\. No one else can write the state\./s)
})

test('the part that a live page fetches has no frame around it', async () => {
  const { browser } = await startUnit()

  for (const tab of ['', '/runs']) {
    const { text } = await browser.get(page(`${tab}?part=unit`))
    expect(text).toMatch(/^<div id="unit"/)
    expect(text).not.toContain('<main')
  }
})
