import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { GraphFacts } from '../../state/index.ts'
import { createLiveGraph } from './live-graph.ts'
import { modelStatus } from '../../../test/support/status-oracle.ts'
import { asUnits, dependsOn, factsOf, headOf, readOf } from '../../../test/support/graph.ts'

function statuses(all: readonly GraphFacts[]): Record<string, string> {
  const live = createLiveGraph()
  live.update(asUnits(all))
  return said(live)
}

function said(live: ReturnType<typeof createLiveGraph>): Record<string, string> {
  return Object.fromEntries(
    live.nodes().map(({ facts, status, isReady }) => [facts.id, isReady ? 'stale, ready' : status]),
  )
}

const network = factsOf('network', { head: headOf({ vpc: '2' }, 2), reads: [] })
const readOld = { head: headOf({}), reads: [readOf('network', { vpc: '1' })] }

test('an apply that began before the upstream change stays stale', () => {
  const app = factsOf('app', { head: headOf({}, 9), reads: [readOf('network', { vpc: '1' })] })

  expect(statuses([network, app])).toEqual({ network: 'up-to-date', app: 'stale, ready' })
})

test('what is below a stale unit waits; a stale one below another is not ready', () => {
  const app = factsOf('app', { ...readOld, head: headOf({ url: 'x' }) })
  const dns = factsOf('dns', { head: headOf({}), reads: [readOf('app', { url: 'x' })] })
  const both = factsOf('both', {
    head: headOf({}),
    reads: [readOf('app', { url: 'x' }), readOf('network', { vpc: '1' })],
  })

  expect(statuses([network, app, dns, both])).toEqual({
    network: 'up-to-date',
    app: 'stale, ready',
    dns: 'waiting',
    both: 'stale',
  })
})

test('a unit whose state is encrypted is unknown, unless more is known', () => {
  const encrypted = { commit: 0, version: 'sv-1', at: 1, by: 'alice', who: null, outputs: null }
  const alone = factsOf('alone', { head: encrypted })
  const stale = factsOf('stale', { ...readOld, head: encrypted })

  expect(statuses([network, alone, stale])).toEqual({
    network: 'up-to-date',
    alone: 'unknown',
    stale: 'stale, ready',
  })
})

test('a cycle makes its units unknown and says so, and ends', () => {
  const a = factsOf('a', { head: headOf({}), dependencies: [dependsOn('b')] })
  const b = factsOf('b', { head: headOf({}), dependencies: [dependsOn('c')] })
  const c = factsOf('c', { head: headOf({}), dependencies: [dependsOn('a')] })
  const below = factsOf('below', { head: headOf({}), reads: [readOf('a', {})] })
  const live = createLiveGraph()

  live.update(asUnits([a, b, c, below]))

  expect(said(live)).toEqual({ a: 'unknown', b: 'unknown', c: 'unknown', below: 'unknown' })
  expect(live.node('b')?.cycle).toEqual(['b', 'c', 'a', 'b'])
  expect(live.node('below')?.cycle).toBeNull()
})

test('what is below a cycle waits for what is above it, and goes on when that is done', () => {
  const above = factsOf('above', { head: headOf({ o: '1' }) })
  const a = factsOf('a', { head: headOf({}), dependencies: [dependsOn('b'), dependsOn('above')] })
  const b = factsOf('b', { head: headOf({}), dependencies: [dependsOn('a')] })
  const below = factsOf('below', { head: headOf({}), reads: [readOf('b', {})] })
  const live = createLiveGraph()

  live.update(asUnits([above, a, b, below]))
  expect(said(live)).toMatchObject({ a: 'unknown', b: 'unknown', below: 'unknown' })
  live.update(asUnits([{ ...above, head: null }, a, b, below]))
  expect(said(live)).toMatchObject({ a: 'unknown', b: 'unknown', below: 'waiting' })
  live.update(asUnits([above, a, b, below]))
  expect(said(live)).toMatchObject({ a: 'unknown', b: 'unknown', below: 'unknown' })
  live.update(asUnits([above, a, { ...b, head: null }, below]))
  expect(said(live)).toMatchObject({ a: 'unknown', b: 'never-applied', below: 'waiting' })
})

test('a cycle that is taken apart leaves nothing behind', () => {
  const a = factsOf('a', { head: headOf({}), reads: [readOf('b', {})] })
  const b = factsOf('b', { head: headOf({}), reads: [readOf('a', {})] })
  const live = createLiveGraph()

  live.update(asUnits([a, b]))
  expect(said(live)).toEqual({ a: 'unknown', b: 'unknown' })
  live.update(asUnits([a, { ...b, reads: [] }]))
  expect(said(live)).toEqual({ a: 'up-to-date', b: 'up-to-date' })
  expect([...live.reach('a', 'down')]).toEqual([])
})

test('a chain of fifty thousand units does not overflow anything', () => {
  const chain = Array.from({ length: 50_000 }, (_, i) =>
    factsOf(`u${i}`, {
      head: i === 0 ? null : headOf({ o: '1' }),
      reads: i === 0 ? null : [readOf(`u${i - 1}`, { o: '1' })],
    }),
  )

  const found = statuses(chain)

  expect([found['u0'], found['u1'], found['u49999']]).toEqual(['never-applied', 'stale', 'waiting'])
})

type Mapping = Readonly<Record<string, string>>

/** One thing that may happen to an estate. Numbers are taken modulo what there is. */
type Step =
  | {
      /** `apply` reads what it declares first, as a plain apply does; `write` reads nothing by itself. */
      readonly kind: 'write' | 'apply'
      readonly unit: number
      readonly outputs: Readonly<Record<string, string>>
      readonly encrypted: boolean
    }
  | {
      readonly kind: 'read'
      readonly unit: number
      readonly from: number
      readonly names: readonly string[] | null
      readonly inputs?: Mapping
      /** As a remote state, not by a program that may pass it on. */
      readonly engine?: boolean
      /** What nobody knows for certain, as after a refresh or a push. */
      readonly doubted?: readonly string[] | null | undefined
    }
  | {
      readonly kind: 'depend'
      readonly unit: number
      readonly on: number
      readonly outputs: readonly string[] | null
      readonly inputs: Mapping
    }
  | {
      readonly kind: 'independent' | 'rename' | 'remove' | 'restore' | 'rollback' | 'forget' | 'lose'
      readonly unit: number
    }

const UNITS = 6
const unit = fc.nat(UNITS - 1)
const names = fc.option(fc.subarray(['x', 'y', 'z']))
const outputs = fc.dictionary(fc.constantFrom('x', 'y', 'z'), fc.constantFrom('1', '2'), {
  noNullPrototype: true,
})
/** Which of two variables takes which output: none at all more often than not. */
const inputs = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.constantFrom('v', 'w'), fc.constantFrom('x', 'y'), { noNullPrototype: true }),
  },
)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constantFrom('apply' as const, 'apply' as const, 'apply' as const, 'write' as const),
      unit,
      outputs,
      encrypted: fc.nat(19).map((n) => n === 0),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      unit,
      from: unit,
      names,
      engine: fc.boolean(),
      doubted: fc.option(names, { nil: undefined, freq: 5 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('depend' as const), unit, on: unit, outputs: names, inputs }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'independent' as const,
        'rename' as const,
        'remove' as const,
        'restore' as const,
        'rollback' as const,
        'forget' as const,
        'lose' as const,
      ),
      unit,
    }),
  },
)

/** An estate as documents, carried on by steps; what is pending becomes the receipt of the next write. */
function estate() {
  const present = new Map<string, GraphFacts>()
  const removed = new Map<string, GraphFacts>()
  const pending = new Map<string, NonNullable<GraphFacts['reads']>>()
  const heads = new Map<string, GraphFacts['head'][]>()
  let commit = 0

  for (let i = 0; i < UNITS; i++) present.set(`u${i}`, factsOf(`u${i}`))

  function change(id: string, changes: Partial<GraphFacts>): void {
    const facts = present.get(id)
    if (facts !== undefined) present.set(id, { ...facts, ...changes })
  }

  function take(given: Step): void {
    const id = `u${given.unit}`
    const facts = present.get(id)
    if (given.kind === 'restore') {
      const back = removed.get(id)
      if (back === undefined) return
      removed.delete(id)
      present.set(id, back)
      return
    }
    if (facts === undefined) return
    switch (given.kind) {
      case 'apply':
      case 'write': {
        if (given.kind === 'apply') {
          for (const { on, outputs: used, inputs: mapping } of facts.dependencies) {
            const taken = Object.values(mapping)
            const isMapped = taken.length > 0
            const wanted = isMapped ? [...(used ?? []), ...taken] : used
            const read = { kind: 'read', unit: given.unit, from: Number(on.slice(1)), names: wanted } as const
            take(isMapped ? { ...read, inputs: mapping } : read)
          }
        }
        const made = headOf(given.outputs, ++commit)
        const head = made === null || !given.encrypted ? made : { ...made, outputs: null }
        heads.set(id, [...(heads.get(id) ?? []), head])
        change(id, { head, reads: pending.get(id) ?? [] })
        pending.delete(id)
        return
      }
      case 'read': {
        const from = present.get(`u${given.from}`)
        if (from?.head == null || from.id === id) return
        const has = from.head.outputs?.filter(({ name }) => given.names?.includes(name) ?? true)
        const digests =
          has === undefined ? null : Object.fromEntries(has.map(({ name, digest }) => [name, digest]))
        const read = readOf(from.id, digests, {
          names: given.names === null ? null : [...given.names],
          ...(given.inputs === undefined ? {} : { inputs: given.inputs }),
          ...(given.engine === true ? { engine: true } : {}),
          ...(given.doubted == null ? {} : { doubted: [...given.doubted] }),
          ...(given.doubted === null ? { doubted: null } : {}),
        })
        pending.set(id, [...(pending.get(id) ?? []).filter((known) => known.from !== from.id), read])
        return
      }
      case 'depend':
        // Now and then on itself, and on units that are gone: no rule of the graph may rest on good manners.
        return change(id, {
          dependencies: [
            ...facts.dependencies,
            { ...dependsOn(`u${given.on}`, given.outputs), inputs: given.inputs },
          ],
        })
      case 'independent':
        return change(id, { dependencies: [] })
      case 'rename':
        return change(id, { name: `${facts.name}'` })
      case 'remove':
        removed.set(id, facts)
        return void present.delete(id)
      case 'rollback':
        return change(id, { head: heads.get(id)?.at(-2) ?? facts.head })
      case 'forget':
        // Whoever accepts that there is no state ends the alarm.
        return change(id, { head: null, missing: undefined } as Partial<GraphFacts>)
      case 'lose':
        return facts.head === null
          ? undefined
          : change(id, { head: { ...facts.head, outputs: null }, missing: 1 })
    }
  }

  return { take, facts: () => [...present.values()].sort((a, b) => (a.name < b.name ? -1 : 1)) }
}

test('after any history the status is what the model says, computed step by step or at once', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 60, size: 'max' }), (steps) => {
      const live = createLiveGraph()
      const world = estate()
      for (const one of steps) {
        world.take(one)
        live.update(asUnits(world.facts()))

        const expected = modelStatus(world.facts())
        expect(said(live)).toEqual(expected)
      }
      expect(statuses(world.facts())).toEqual(modelStatus(world.facts()))
    }),
    { numRuns: 300 },
  )
})

test('what a unit reaches is what the edges lead to', () => {
  const live = createLiveGraph()
  live.update(
    asUnits([
      factsOf('a'),
      factsOf('b', { dependencies: [dependsOn('a')] }),
      factsOf('c', { dependencies: [dependsOn('b'), dependsOn('gone')] }),
      factsOf('d'),
    ]),
  )

  expect([...live.reach('a', 'down')]).toEqual(['b', 'c'])
  expect([...live.reach('c', 'up')]).toEqual(['b', 'a'])
  expect([...live.reach('nobody', 'up')]).toEqual([])
})

test('an update without a change changes nothing', () => {
  const live = createLiveGraph()
  const units = asUnits([network])
  live.update(units)
  const before = live.revision()

  live.update([...units])

  expect(live.revision()).toBe(before)
})

test('units of a large group that use each other share one cycle, and a unit is asked for its own only in a small one', () => {
  const ring = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      factsOf(`u${i}`, { head: headOf({}), dependencies: [dependsOn(`u${(i + 1) % count}`)] }),
    )
  const cyclesOf = (count: number) => {
    const live = createLiveGraph()
    live.update(asUnits(ring(count)))
    return new Set(live.nodes().map(({ cycle }) => cycle))
  }

  expect(cyclesOf(100).size).toBe(100)
  expect(cyclesOf(101).size).toBe(1)
  expect([...cyclesOf(101)][0]).toHaveLength(102)
})
