import { expect, test } from 'vitest'
import { createRolloutMarks } from './rollout-marks.ts'
import type { RolloutView } from './rollout-services.ts'

function rollout(status: RolloutView['status'], steps: Readonly<Record<string, string>>): RolloutView {
  const made = Object.entries(steps).map(([id, step]) => ({ unit: { id, name: id }, status: step }))
  return { status, steps: made } as unknown as RolloutView
}

test('running and failed steps of rollouts under way mark their units, read at most once a second', async () => {
  let now = 0
  let reads = 0
  const all = [
    rollout('active', { a: 'running', b: 'failed', c: 'applied' }),
    rollout('done', { d: 'failed' }),
  ]
  const list = () => Promise.resolve((reads++, all))
  const marksOf = createRolloutMarks({ list }, { now: () => now })

  expect([...(await marksOf('default'))]).toEqual([
    ['a', ['running']],
    ['b', ['failed']],
  ])
  await marksOf('default')
  expect(reads).toBe(1)
  now = 1000
  await marksOf('default')
  expect(reads).toBe(2)
})
