import { expect, test } from 'vitest'
import type { GraphFacts } from '../../state/index.ts'
import { createLiveGraph } from './live-graph.ts'
import { asUnits, dependsOn, factsOf, headOf, readOf } from '../../../test/support/graph.ts'
import { reasonsOf } from './reasons.ts'

function why(all: readonly GraphFacts[], id: string): string[] {
  const live = createLiveGraph()
  live.update(asUnits(all))
  const node = live.node(id)
  if (node === undefined) throw new Error(`there is no ${id}`)
  return reasonsOf(node, (other) => live.node(other)).map(({ says }) => says)
}

const applied = (outputs: Readonly<Record<string, string>>, commit = 1) => ({ head: headOf(outputs, commit) })

test('a stale unit names each output, the commits, and what it still waits for', () => {
  const network = factsOf('network', applied({ vpc: '2', zone: '1' }, 4))
  const base = factsOf('base')
  const app = factsOf('app', {
    ...applied({}),
    reads: [readOf('network', { vpc: '1', old: '1' }, { commit: 3 })],
    dependencies: [dependsOn('network'), dependsOn('base', ['x'])],
  })

  expect(why([network, base, app], 'app')).toEqual([
    'vpc of network changed at commit 4; it was read at commit 3',
    'zone of network appeared at commit 4; it was read at commit 3',
    'old of network disappeared; it was read at commit 3',
    'base was never applied',
  ])
})

test('a unit says that its own state is encrypted, and what waits for one says that it waits', () => {
  const encrypted = { commit: 0, version: 'v', at: 1, by: 'alice', who: null, outputs: null }
  const network = factsOf('network', applied({ vpc: '2' }, 2))
  const secret = factsOf('secret', { head: encrypted, reads: [readOf('network', { vpc: '2' })] })
  const stale = factsOf('stale', { head: encrypted, reads: [readOf('network', { vpc: '1' })] })
  const app = factsOf('app', { ...applied({}), dependencies: [dependsOn('stale')] })

  expect(why([network, secret], 'secret')).toEqual(['its state is encrypted, so its outputs are unknown'])
  expect(why([network, stale, app], 'app')).toEqual(['stale is stale'])
})

test('an unknown unit says what is not known, and of whom', () => {
  const locked = factsOf('locked', {
    head: { commit: 1, version: 'v', at: 1, by: 'a', who: null, outputs: null },
  })
  const open = factsOf('open', applied({ x: '1', y: '1' }))
  const vague = factsOf('vague', { ...applied({ z: '1' }), dependencies: [dependsOn('open')] })
  const app = factsOf('app', {
    ...applied({}),
    reads: [
      readOf('locked', { x: '1' }),
      readOf('open', { x: '1' }, { names: ['x'] }),
      readOf('vague', { z: '1' }),
    ],
    dependencies: [dependsOn('locked'), dependsOn('open', ['x', 'y']), dependsOn('vague'), dependsOn('gone')],
  })

  expect(why([locked, open, vague, app], 'app')).toEqual([
    'the outputs of locked are encrypted',
    'it is unknown which y of open its state was made from',
    'vague is unknown',
    'gone is gone',
  ])
})

test('a unit of a cycle spells the cycle out', () => {
  const a = factsOf('a', { ...applied({}), dependencies: [dependsOn('b')] })
  const b = factsOf('b', { ...applied({}), dependencies: [dependsOn('a')] })

  expect(why([a, b], 'a')).toEqual(['it is part of a cycle: a → b → a'])
})

test('a unit that is fine, or was never applied, needs no reason', () => {
  const network = factsOf('network', applied({ vpc: '1' }))
  const app = factsOf('app', { dependencies: [dependsOn('network')] })

  expect(why([network, app], 'network')).toEqual([])
  expect(why([network, app], 'app')).toEqual([])
})
