import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RankQueue } from './rank-queue.ts'

test('nodes come out by rank, each once', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { minLength: 1 }), fc.array(fc.nat(99)), (ranks, picks) => {
      const queue = new RankQueue(Int32Array.from(ranks))
      const added = picks.map((pick) => pick % ranks.length)
      for (const node of added) queue.add(node)

      const taken: number[] = []
      for (let node = queue.take(); node !== undefined; node = queue.take()) taken.push(node)

      expect(taken.toSorted((a, b) => a - b)).toEqual([...new Set(added)].toSorted((a, b) => a - b))
      const order = taken.map((node) => ranks[node] ?? 0)
      expect(order).toEqual(order.toSorted((a, b) => a - b))
    }),
  )
})
