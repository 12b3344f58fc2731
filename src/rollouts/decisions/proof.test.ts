import { expect, test } from 'vitest'
import type { GraphFacts } from '../../state/index.ts'
import { judge } from './proof.ts'
import { walkFrom } from './walk.ts'

type Head = NonNullable<GraphFacts['head']>

function unit(name: string, more: Partial<GraphFacts> = {}): GraphFacts {
  return {
    id: name,
    name,
    head: head({}),
    dependencies: [],
    reads: null,
    locked: false,
    fingerprint: null,
    ...more,
  }
}

function head(outputs: Readonly<Record<string, string>> | null, commit = 4): Head {
  const digests =
    outputs === null
      ? null
      : Object.entries(outputs).map(([name, digest]) => ({ name, digest, sensitive: false, since: 3 }))
  return { commit, version: 'sv-1', at: 0, by: 'alice', who: null, outputs: digests }
}

const on = (name: string, outputs: string[] | null) => ({
  on: name,
  name,
  outputs,
  source: 'declared' as const,
  inputs: {},
})
const read = (from: string, names: string[] | null, digests: Record<string, string> | null) => ({
  from,
  names,
  commit: 2,
  digests,
  at: 0,
})

const network = unit('network', { head: head({ vpc_id: 'd1', cidr: 'd2' }) })

test.each([
  ['what it uses is what it read', { reads: [read('network', ['vpc_id'], { vpc_id: 'd1' })] }],
  ['it read everything, but uses one', { reads: [read('network', null, { vpc_id: 'd1', cidr: 'other' })] }],
  ['what it uses is gone', { dependencies: [on('gone', ['x'])], reads: [] }],
])('a unit is skipped when %s', (_, more) => {
  const app = unit('app', { dependencies: [on('network', ['vpc_id'])], ...more })

  expect(judge(app, (id) => (id === 'network' ? network : undefined))).toMatchObject({ kind: 'skip' })
})

test('the proof names outputs, digests and commits', () => {
  const app = unit('app', { reads: [read('network', ['vpc_id'], { vpc_id: 'd1' })] })

  expect(judge(app, () => network)).toEqual({
    kind: 'skip',
    proof: {
      kind: 'inputs',
      upstream: [{ unit: { id: 'network', name: 'network' }, outputs: { vpc_id: 'd1' }, read: 2, now: 4 }],
    },
  })
})

test.each([
  ['it was never applied', { head: null }, 'never applied'],
  ['its state is missing', { missing: 1 }, 'its state is missing'],
  ['its last apply failed', { failed: { at: 1, rollout: 'ro-1' } }, 'its last apply failed'],
  [
    'an output changed',
    { reads: [read('network', ['vpc_id'], { vpc_id: 'd0' })] },
    'changed vpc_id at commit 3',
  ],
  ['an output appeared', { reads: [read('network', ['vpc_id'], {})] }, 'has a new output vpc_id'],
  ['nobody knows what it read', { reads: [] }, 'it is unknown'],
  ['it read something else', { reads: [read('network', ['cidr'], { cidr: 'd2' })] }, 'it is unknown'],
  ['what it read cannot be known', { reads: [read('network', null, null)] }, 'encrypted'],
])('a unit runs when %s', (_, more, why) => {
  const app = unit('app', { dependencies: [on('network', ['vpc_id'])], reads: [], ...more })

  const verdict = judge(app, () => network)

  expect(verdict.kind === 'run' ? verdict.why : 'skipped').toContain(why)
})

test.each([
  ['an output is gone', ['old'], { old: 'd' }, 'network no longer has old'],
  [
    'two outputs changed',
    ['vpc_id', 'cidr'],
    { vpc_id: 'x', cidr: 'x' },
    'network changed vpc_id at commit 3 and 1 more',
  ],
  ['one output changed', ['vpc_id', 'cidr'], { vpc_id: 'd1', cidr: 'x' }, 'network changed cidr at commit 3'],
])('the reason to run says it all when %s', (_, outputs, digests, why) => {
  const app = unit('app', { dependencies: [on('network', outputs)], reads: [read('network', null, digests)] })

  expect(judge(app, () => network)).toEqual({ kind: 'run', why })
})

test('outputs that were not read are named, and without a receipt there are none to name', () => {
  const app = unit('app', { dependencies: [on('network', ['vpc_id', 'cidr'])] })
  const some = { ...app, reads: [read('network', ['vpc_id'], { vpc_id: 'd1' })] }

  expect(judge(some, () => network)).toEqual({
    kind: 'run',
    why: 'it is unknown what it read of network: cidr',
  })
  expect(judge(app, () => network)).toEqual({ kind: 'run', why: 'it is unknown what it read of network' })
})

test('an upstream unit whose state is missing is not called encrypted', () => {
  const app = unit('app', { dependencies: [on('network', ['vpc_id'])], reads: [read('network', null, {})] })
  const sealed = unit('network', { head: head(null) })

  expect(judge(app, () => sealed)).toEqual({ kind: 'run', why: 'the outputs of network are encrypted' })
  expect(judge(app, () => ({ ...sealed, missing: 1 }))).toEqual({
    kind: 'run',
    why: 'the state of network is missing',
  })
})

test('an upstream unit without a state has no outputs, and an edge for the order alone proves nothing of them', () => {
  const bare = unit('network', { head: null })
  const ordered = unit('app', { dependencies: [on('network', [])] })
  const reader = unit('app', { reads: [read('network', null, {})] })
  const proof = (readAt: number, now: number) => ({
    kind: 'skip',
    proof: {
      kind: 'inputs',
      upstream: [{ unit: { id: 'network', name: 'network' }, outputs: {}, read: readAt, now }],
    },
  })

  expect(judge(reader, () => bare)).toEqual(proof(2, 0))
  expect(judge(ordered, () => bare)).toEqual(proof(0, 0))
  expect(judge(ordered, () => network)).toEqual(proof(4, 4))
})

test('a unit that was stale for another reason is not skipped', () => {
  const dns = unit('dns', { head: head({ zone: 'new' }) })
  const app = unit('app', {
    dependencies: [on('network', ['vpc_id']), on('dns', ['zone'])],
    reads: [read('network', ['vpc_id'], { vpc_id: 'd1' }), read('dns', ['zone'], { zone: 'old' })],
  })

  expect(judge(app, (id) => (id === 'dns' ? dns : network))).toMatchObject({ kind: 'run' })
})

test('the walk goes downstream through declarations and reads, each after what it needs', () => {
  const units = [
    unit('z', { dependencies: [on('m', null)] }),
    unit('m', { reads: [read('a', null, {})] }),
    unit('b', { dependencies: [on('a', null), on('m', null)] }),
    unit('a'),
    unit('beside', { dependencies: [on('elsewhere', null)] }),
    unit('elsewhere'),
  ]

  const steps = walkFrom(units, ['a'])

  expect(steps.map((step) => [step.unit.name, step.needs, step.isRoot])).toEqual([
    ['a', [], true],
    ['m', ['a'], false],
    ['b', ['a', 'm'], false],
    ['z', ['m'], false],
  ])
})

test('units that read each other are told apart by name', () => {
  const units = [unit('a', { reads: [read('b', null, {})] }), unit('b', { reads: [read('a', null, {})] })]

  expect(() => walkFrom(units, ['a'])).toThrow('a → b → a')
})
