import { expect, test } from 'vitest'
import { page, startPerson, startUnit, system } from '../../../../../test/rig/unit-pages.ts'

const org = 'default'
const from = ['prod/data/orders']

test('runs are the steps of rollouts on the unit, with their state, reason and rollout', async () => {
  const { browser, face } = await startUnit()
  const { rollouts } = face.deps
  expect((await browser.get(page('/runs'))).text).toContain('No rollout has reached this unit.')
  const old = await rollouts.start(org, { from }, system)
  await rollouts.skip({ org, id: old.id }, 'prod/data/orders', 'made by hand', system)
  const now = await rollouts.start(org, { from: ['prod/apps/shop', ...from] }, system)
  const other = await rollouts.start(org, { from: ['prod/apps/shop'] }, system)

  const { text } = await browser.get(page('/runs'))
  expect(text.indexOf(now.id)).toBeGreaterThan(0)
  expect(text.indexOf(old.id)).toBeGreaterThan(text.indexOf(now.id))
  expect(text).toContain('By hand: made by hand')
  expect(text).toContain('What an engine applied by itself is in the history')
  expect(text).not.toContain(other.id)
  const skipped = await browser.get(page('/runs?state=skipped'))
  expect([skipped.text.includes(old.id), skipped.text.includes(now.id)]).toEqual([true, false])
  expect((await browser.get(page('/runs?state=applied'))).text).toContain('There are no such runs.')
  expect((await browser.get(page('/runs?state=skipped&format=json'))).json()).toMatchObject([
    { state: 'skipped', why: 'made by hand', rollout: old.id },
  ])
})

test('a rollout that reaches a hidden unit is not shown', async () => {
  const { browser, face } = await startPerson(['*'], 'prod/data/**')
  const wide = await face.deps.rollouts.start(org, { from }, system)

  const { text } = await browser.get(page('/runs'))

  expect(text).not.toContain(wide.id)
  expect(text).not.toContain('shop')
})
