import { expect, test } from 'vitest'
import { drawGraph } from './picture.ts'
import type { GraphView } from '../views.ts'

const node = (name: string, status: GraphView['nodes'][number]['status'], ready = false) => ({
  id: `ws-${name}`,
  name,
  status,
  ready,
  marks: [],
  commit: 1,
  at: null,
  by: null,
  who: null,
})

const view: Pick<GraphView, 'nodes' | 'edges'> = {
  nodes: [node('network', 'up-to-date'), node('a"<b>', 'stale', true)],
  edges: [
    {
      from: 'ws-a"<b>',
      to: 'ws-network',
      name: 'network',
      outputs: ['vpc', 'cidr'],
      source: 'declared',
      state: 'changed',
      changed: ['vpc'],
    },
    {
      from: 'ws-network',
      to: 'ws-old',
      name: 'old',
      outputs: null,
      source: 'reads',
      state: 'dangling',
      changed: [],
    },
  ],
}

test('dot names every unit, the gone ones too, and quotes what needs it', async () => {
  const { text } = await drawGraph(view, 'dot')

  expect(text).toContain('"ws-network" -> "ws-a\\"<b>" [label="vpc"')
  expect(text).toContain('label="a\\"<b>\\nstale, ready"')
  expect(text).toContain('label="old\\ngone"')
})

test('mermaid numbers units, so that no name can break it', async () => {
  const { text } = await drawGraph(view, 'mermaid')

  expect(text.split('\n').slice(0, 6)).toEqual([
    'flowchart LR',
    '  u0["network<br/><small>up to date</small>"]:::up_to_date',
    '  u1["a&quot;&lt;b&gt;<br/><small>stale, ready</small>"]:::stale_ready',
    '  u2["old<br/><small>gone</small>"]:::unknown',
    '  u0 ==>|"vpc"| u1',
    '  u2 -.-> u0',
  ])
})

test('the picture is an SVG with all names in it, and too many units are refused', async () => {
  const { text, type } = await drawGraph(view, 'svg')

  expect(type).toMatch(/^image\/svg\+xml/)
  expect(text).toMatch(/<svg [^]*font-weight="bold"[^>]*>network<[^]*<\/svg>/)
  const many = { nodes: Array.from({ length: 700 }, (_, i) => node(`u${i}`, 'stale')), edges: [] }
  await expect(drawGraph(many, 'svg')).rejects.toMatchObject({ code: 'BAD_REQUEST' })
})
