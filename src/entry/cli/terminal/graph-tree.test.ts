import { expect, test } from 'vitest'
import type { GraphAnswer } from '../api/graph-answers.ts'
import { treeLines } from './graph-tree.ts'

const plain = (_style: string, text: string) => text

function graphOf(uses: Readonly<Record<string, readonly string[]>>): GraphAnswer {
  const node = { status: 'up-to-date', ready: false, marks: [] }
  return {
    asOf: '',
    nodes: Object.keys(uses).map((name) => ({ id: name, name, ...node })),
    edges: Object.entries(uses).flatMap(([from, all]) =>
      all.map((to) => ({
        from,
        to,
        name: to,
        outputs: null,
        source: 'declared',
        state: 'fresh',
        changed: [],
      })),
    ),
  }
}

function drawn(uses: Readonly<Record<string, readonly string[]>>): string[] {
  return [...treeLines(graphOf(uses), plain)].map((line) => line.replaceAll('  up to date', ''))
}

test('what hangs below a unit with several parents is shown once, then pointed at', () => {
  expect(drawn({ a: [], b: ['a'], c: ['a'], d: ['b', 'c'], e: ['d'] })).toEqual([
    '✓ a',
    '├── ✓ b',
    '│   └── ✓ d',
    '│       └── ✓ e',
    '└── ✓ c',
    '    └── ✓ d  (see above)',
  ])
})

test('a cycle is drawn once round', () => {
  expect(drawn({ a: ['c'], b: ['a'], c: ['b'], d: [] })).toEqual([
    '✓ d',
    '✓ a',
    '└── ✓ b',
    '    └── ✓ c',
    '        └── ✓ a  (see above)',
  ])
})

test('a chain of many thousand units is drawn without overflowing anything', () => {
  const names = Array.from({ length: 3000 }, (_, i) => `u${String(i).padStart(5, '0')}`)
  const chain = Object.fromEntries(names.map((name, i) => [name, names.slice(Math.max(0, i - 1), i)]))

  expect(drawn(chain)).toHaveLength(3000)
})

test('names from a server cannot steer the terminal', () => {
  expect(drawn({ 'a\u001b[2J': [] })).toEqual(['✓ a [2J'])
})
