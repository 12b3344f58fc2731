import { expect, test } from 'vitest'
import { edgesOf } from './edges.ts'
import { dependsOn, factsOf, readOf } from '../../../test/support/graph.ts'

test('declarations of one unit are one edge; whoever names outputs narrows who does not', () => {
  const edges = edgesOf(
    factsOf('app', {
      dependencies: [
        dependsOn('a'),
        { ...dependsOn('a', ['x']), source: 'code' },
        dependsOn('b', ['x']),
        dependsOn('b', ['x', 'y']),
      ],
    }),
  )

  expect(edges.map(({ on, outputs, source }) => [on, outputs, source])).toEqual([
    ['a', ['x'], 'declared'],
    ['b', ['x', 'y'], 'declared'],
  ])
})

test('who declares only the order takes nothing away from who uses outputs, nor from what was read', () => {
  const reads = [readOf('c', { x: '1' }), readOf('d', { x: '1' }, { names: ['x'] })]
  const dependencies = [
    dependsOn('a'),
    dependsOn('a', []),
    dependsOn('b', []),
    dependsOn('b', ['x']),
    dependsOn('b'),
    dependsOn('c', []),
    dependsOn('d', []),
    dependsOn('e', []),
    dependsOn('e', []),
  ]

  expect(edgesOf(factsOf('app', { dependencies, reads })).map(({ on, outputs }) => [on, outputs])).toEqual([
    ['a', null],
    ['b', ['x']],
    ['c', null],
    ['d', ['x']],
    ['e', []],
  ])
})

test('a read makes an edge only where none is declared, and never to the unit itself', () => {
  const reads = [readOf('a', {}), readOf('b', { x: '1' }, { names: ['x'] }), readOf('app', {})]
  const edges = edgesOf(factsOf('app', { dependencies: [dependsOn('a', ['y'])], reads }))

  expect(edges.map(({ on, outputs, source, read }) => [on, outputs, source, read?.from])).toEqual([
    ['a', ['y'], 'declared', 'a'],
    ['b', ['x'], 'reads', 'b'],
  ])
})

test('of very many dependencies each is looked at a few times, and many are one edge as few are', () => {
  const count = 3000
  let looks = 0
  const counted = Array.from({ length: count }, (_, i) => {
    const dependency = dependsOn(`u${i % (count / 2)}`, [`o${i}`])
    return new Proxy(dependency, {
      get(target, field) {
        looks++
        return Reflect.get(target, field) as unknown
      },
    })
  })

  const edges = edgesOf(
    factsOf('app', { dependencies: counted, reads: [readOf('u7', {}), readOf('new', {})] }),
  )

  expect(edges).toHaveLength(count / 2 + 1)
  expect(edges[7]).toMatchObject({ on: 'u7', outputs: ['o7', `o${7 + count / 2}`], read: { from: 'u7' } })
  expect(edges.at(-1)).toMatchObject({ on: 'new', source: 'reads' })
  expect(looks).toBeLessThanOrEqual(10 * count)
})
