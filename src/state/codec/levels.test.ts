import fc from 'fast-check'
import { expect, test } from 'vitest'
import { baseFor, chainAfter, type Chain } from './levels.ts'

/** Reads needed for each version when these numbers are stored one after the other. */
function readsOf(
  seqs: readonly number[],
  isFull: (seq: number) => boolean = () => false,
): { reads: Map<number, number>; fulls: number } {
  const reads = new Map<number, number>()
  let chain: Chain = {}
  let fulls = 0
  for (const seq of seqs) {
    const { level, base } = baseFor(seq, chain)
    const kind = base === undefined || isFull(seq) ? 'full' : 'delta'
    if (kind === 'full') fulls++
    reads.set(seq, kind === 'full' || base === undefined ? 1 : 1 + (reads.get(base.seq) ?? Infinity))
    chain = chainAfter(chain, { seq, id: `v${seq}` }, { level, kind })
  }
  return { reads, fulls }
}

test('versions in a row: one whole in 196, and three reads at most', () => {
  const { reads, fulls } = readsOf(Array.from({ length: 1000 }, (_, i) => i + 1))

  expect(fulls).toBe(6)
  expect(Math.max(...reads.values())).toBe(3)
})

test('the levels are at multiples of 14 and 196', () => {
  const chain = { full: { seq: 196, id: 'f' }, mid: { seq: 210, id: 'm' } }

  expect(baseFor(196, {})).toEqual({ level: 'full', base: undefined })
  expect(baseFor(197, { full: chain.full })).toEqual({ level: 'leaf', base: chain.full })
  expect(baseFor(210, { full: chain.full })).toEqual({ level: 'mid', base: chain.full })
  expect(baseFor(223, chain)).toEqual({ level: 'leaf', base: chain.mid })
  expect(baseFor(224, chain)).toEqual({ level: 'mid', base: chain.full })
  expect(baseFor(392, chain)).toEqual({ level: 'full', base: undefined })
})

test('gaps and self-contained versions never make a read longer than three', () => {
  const steps = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 200 })

  fc.assert(
    fc.property(steps, fc.func(fc.boolean()), (gaps, isFull) => {
      let seq = 0
      const { reads } = readsOf(
        gaps.map((gap) => (seq += gap)),
        isFull,
      )
      expect(Math.max(...reads.values())).toBeLessThanOrEqual(3)
    }),
  )
})

test('a version is never stored against itself or a later one', () => {
  const chain = { full: { seq: 20, id: 'f' }, mid: { seq: 28, id: 'm' } }

  expect(baseFor(20, chain).base).toBeUndefined()
  expect(baseFor(5, chain).base).toBeUndefined()
  expect(baseFor(28, chain).base).toEqual(chain.full)
})
