import { expect, test } from 'vitest'
import { neighboursOf, outputLabel, sharedFolder } from './neighbours.ts'

const node = (id: string, status: 'up-to-date' | 'stale') => ({
  id,
  name: `prod/${id}`,
  status,
  ready: false,
  marks: [],
  commit: 1,
  at: null,
  by: null,
  who: null,
})
const use = (id: string, state: 'fresh' | 'changed' | 'dangling', outputs: string[] | null) => ({
  on: { id, name: `prod/${id}` },
  outputs,
  source: 'declared' as const,
  inputs: {},
  state,
  changed: state === 'changed' ? ['x'] : [],
  read: null,
})

test('each neighbour is there once, with what changed first', () => {
  const view = {
    unit: { id: 'u', name: 'u' },
    uses: [
      use('a', 'fresh', ['x']),
      use('a', 'fresh', ['y', 'x']),
      use('gone', 'dangling', null),
      use('c', 'changed', ['x', 'y']),
      use('b', 'fresh', null),
    ],
    usedBy: [],
  }
  const { uses } = neighboursOf(view, [node('a', 'up-to-date'), node('b', 'stale'), node('c', 'up-to-date')])

  expect(uses.map(({ id, outputs, look }) => [id, outputs, look])).toEqual([
    ['c', ['x'], 'ok'],
    ['gone', null, 'missing'],
    ['b', null, 'stale'],
    ['a', ['x', 'y'], 'ok'],
  ])
})

test('names are shown without the folders that all of them share', () => {
  expect(sharedFolder(['prod/data/a', 'prod/data/b', 'prod/net'])).toBe('prod/')
  expect(sharedFolder(['prod/data/a', 'prod/data/b'])).toBe('prod/data/')
  expect(sharedFolder(['a', 'prod/b'])).toBe('')
  expect(sharedFolder(['prod/a', 'production/b'])).toBe('')
})

test('outputs are named in a few letters', () => {
  expect(outputLabel(null, 15)).toBe('all outputs')
  expect(outputLabel([], 15)).toBe('order only')
  expect(outputLabel(['a', 'b', 'c'], 15)).toBe('a +2')
  expect(outputLabel(['a_very_long_output_name', 'b'], 15)).toBe('a_very_long… +1')
})
