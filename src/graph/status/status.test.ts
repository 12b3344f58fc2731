import { expect, test } from 'vitest'
import type { Edge } from './edges.ts'
import { compareDependency, decideStatus, type OutputsNow } from './status.ts'
import { readOf } from '../../../test/support/graph.ts'

function now(outputs: Readonly<Record<string, string>>): OutputsNow {
  return Object.entries(outputs).map(([name, digest]) => ({ name, digest, sensitive: false, since: 2 }))
}

function edge(outputs: Edge['outputs'], read: Edge['read']): Edge {
  return { on: 'network', name: 'network', outputs, source: 'declared', read }
}

const all = (digests: Record<string, string> | null) => readOf('network', digests)
const doubted = (digests: Record<string, string> | null, names: string[] | null) =>
  readOf('network', digests, { doubted: names })
const some = (digests: Record<string, string>) => readOf('network', digests, { names: Object.keys(digests) })
const given = (digests: Record<string, string>, inputs: Record<string, string>) =>
  readOf('network', digests, { names: Object.keys(digests), inputs })

test.each<[string, Edge, OutputsNow, string, readonly string[]]>([
  ['the same digests are fresh', edge(null, all({ a: '1', b: '2' })), now({ a: '1', b: '2' }), 'fresh', []],
  ['another digest is changed', edge(null, all({ a: '1' })), now({ a: '9' }), 'changed', ['a changed']],
  ['one that appeared is changed', edge(null, all({})), now({ a: '1' }), 'changed', ['a appeared']],
  ['one that disappeared is changed', edge(null, all({ a: '1' })), now({}), 'changed', ['a disappeared']],
  [
    'others do not count when it names some',
    edge(['a'], all({ a: '1', b: '2' })),
    now({ a: '1', b: '9' }),
    'fresh',
    [],
  ],
  [
    'others do not count when the read names some',
    edge(null, some({ a: '1' })),
    now({ a: '1', b: '9' }),
    'fresh',
    [],
  ],
  ['a named one that appeared is changed', edge(['a'], all({})), now({ a: '1' }), 'changed', ['a appeared']],
  [
    'a named one that was not read is unknown',
    edge(['a', 'b'], some({ a: '1' })),
    now({ a: '1', b: '2' }),
    'unknown',
    [],
  ],
  [
    'a change counts more than an unread one',
    edge(['a', 'b'], some({ a: '1' })),
    now({ a: '9' }),
    'changed',
    ['a changed'],
  ],
  ['a read of no output is no receipt', edge(null, some({})), now({ a: '1' }), 'unknown', []],
  ['without a receipt it is unknown', edge(['a'], undefined), now({ a: '1' }), 'unknown', []],
  ['encrypted outputs are unknown', edge(['a'], all({ a: '1' })), null, 'unknown', []],
  ['what nobody knows at all is unknown', edge(null, doubted(null, null)), now({ a: '1' }), 'unknown', []],
  ['what was read encrypted is unknown', edge(['a'], all(null)), now({ a: '1' }), 'unknown', []],
  [
    'a value that is in doubt is unknown',
    edge(null, doubted({ a: '1', b: '2' }, ['b'])),
    now({ a: '1', b: '2' }),
    'unknown',
    [],
  ],
  [
    'a doubt about what is not used is none',
    edge(['a'], doubted({ a: '1', b: '2' }, ['b'])),
    now({ a: '1', b: '2' }),
    'fresh',
    [],
  ],
  [
    'a change counts more than a doubt',
    edge(null, doubted({ a: '1' }, null)),
    now({ a: '9' }),
    'changed',
    ['a changed'],
  ],
  ['all is in doubt, even that there is nothing', edge(null, doubted({}, null)), now({}), 'unknown', []],
  ['a unit that is gone is dangling', edge(['a'], all({ a: '1' })), undefined, 'dangling', []],
  ['an edge for the order alone needs no receipt', edge([], undefined), null, 'fresh', []],
  [
    'an output that a variable takes is used, and unknown if it was not read',
    { ...edge(null, some({ a: '1' })), inputs: { v: 'b' } },
    now({ a: '1', b: '2' }),
    'unknown',
    [],
  ],
  [
    'a variable that takes another output that was read, too, is unknown',
    { ...edge(null, given({ a: '1', b: '2' }, { v: 'a', w: 'b' })), inputs: { v: 'b', w: 'a' } },
    now({ a: '1', b: '2' }),
    'unknown',
    [],
  ],
  [
    'a variable that takes an output which only an engine read is unknown',
    { ...edge(null, readOf('network', { a: '1' }, { engine: true })), inputs: { v: 'a' } },
    now({ a: '1' }),
    'unknown',
    [],
  ],
  [
    'a variable that takes an output which some program fetched is fresh',
    { ...edge(null, all({ a: '1' })), inputs: { v: 'a' } },
    now({ a: '1' }),
    'fresh',
    [],
  ],
  [
    'a variable that was given what it takes is fresh',
    { ...edge(null, given({ a: '1', b: '2' }, { v: 'a', w: 'b' })), inputs: { v: 'a' } },
    now({ a: '1', b: '2' }),
    'fresh',
    [],
  ],
  [
    'a name that objects have by themselves is no digest',
    edge(['constructor'], all({})),
    now({}),
    'fresh',
    [],
  ],
])('%s', (_name, given, outputs, state, changes) => {
  const compared = compareDependency(given, outputs)

  expect(compared.state).toBe(state)
  expect(compared.changes.map(({ output, change }) => `${output} ${change}`)).toEqual(changes)
})

test('many outputs are found as well as few', () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`o${i}`, 'd']))

  expect(compareDependency(edge(null, all(many)), now(many)).state).toBe('fresh')
  expect(compareDependency(edge(['o39'], all(many)), now({ ...many, o39: 'e' })).state).toBe('changed')
})

test('the first status that fits is the one', () => {
  const calm = {
    isStateMissing: false,
    hasState: true,
    isInCycle: false,
    hasChanged: false,
    hasUnknown: false,
    isUpstreamMoving: false,
    isUpstreamUnknown: false,
  }
  const worst = {
    isStateMissing: false,
    hasState: false,
    isInCycle: true,
    hasChanged: true,
    hasUnknown: true,
    isUpstreamMoving: true,
    isUpstreamUnknown: true,
  }

  expect(decideStatus({ ...worst, isStateMissing: true })).toBe('state-missing')
  expect(decideStatus(worst)).toBe('never-applied')
  expect(decideStatus({ ...worst, hasState: true })).toBe('unknown')
  expect(decideStatus({ ...worst, hasState: true, isInCycle: false })).toBe('stale')
  expect(decideStatus({ ...worst, hasState: true, isInCycle: false, hasChanged: false })).toBe('waiting')
  expect(decideStatus({ ...calm, hasUnknown: true })).toBe('unknown')
  expect(decideStatus({ ...calm, isUpstreamUnknown: true })).toBe('unknown')
  expect(decideStatus(calm)).toBe('up-to-date')
})
