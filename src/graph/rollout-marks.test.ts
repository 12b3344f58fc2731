import { expect, test } from 'vitest'
import { createRolloutMarks } from './rollout-marks.ts'
import type { RolloutView } from './rollout-services.ts'

function rollout(steps: Readonly<Record<string, readonly [string, number?]>>): RolloutView {
  const made = Object.entries(steps).map(([id, [status, until]]) => ({
    unit: { id, name: id },
    status,
    leaseUntil: until === undefined ? null : new Date(until).toISOString(),
  }))
  return { status: 'active', steps: made } as unknown as RolloutView
}

test('steps that a worker keeps mark their units as running, read at most once a second', async () => {
  let now = 0
  let reads = 0
  const all = [
    rollout({ a: ['running', 1500], b: ['failed'], c: ['applied'] }),
    rollout({ d: ['running', 500] }),
  ]
  const unfinished = () => Promise.resolve((reads++, all))
  const marksOf = createRolloutMarks({ unfinished }, { now: () => now })

  expect([...(await marksOf('default')).keys()]).toEqual(['a', 'd'])
  await marksOf('default')
  expect(reads).toBe(1)
  now = 1000
  expect([...(await marksOf('default'))]).toEqual([['a', ['running']]])
  expect(reads).toBe(2)
})
