import { expect, test } from 'vitest'
import { createRolloutMarks } from './marks.ts'

test('steps that a worker keeps mark their units as running, read at most once a second', async () => {
  let now = 0
  let reads = 0
  let all = [
    { id: 'ro-2', running: ['a'], left: [{ unit: 'c', at: 5 }] },
    { id: 'ro-1', running: ['d'], left: [] },
  ]
  const unfinished = () => Promise.resolve((reads++, { rollouts: all, damaged: [] }))
  const marksOf = createRolloutMarks({ unfinished }, { now: () => now })

  const { marks, failed } = await marksOf('default')
  expect([...marks.keys()]).toEqual(['a', 'd'])
  expect([...failed]).toEqual([['c', { at: 5, rollout: 'ro-2' }]])
  await marksOf('default')
  expect(reads).toBe(1)
  all = all.slice(0, 1)
  now = 1000
  expect([...(await marksOf('default')).marks]).toEqual([['a', ['running']]])
  expect(reads).toBe(2)
})
