import fc from 'fast-check'
import { expect, test } from 'vitest'
import { baseFor, chainAfter } from './codec/levels.ts'
import { versionObject } from './layout.ts'
import type { RetentionInput, StoredVersion } from './retention.ts'
import { planRetention } from './retention.ts'

const DAY = 86_400_000
const NOW = 1_000 * DAY

/** A history as the version store would write it, one version a day, the newest today. */
function history(length: number): { stored: StoredVersion[]; chain: string[] } {
  const stored: StoredVersion[] = []
  let chain: Parameters<typeof chainAfter>[0] = {}
  for (let seq = 1; seq <= length; seq++) {
    const { level, base } = baseFor(seq, chain)
    const id = `sv-${String(seq).padStart(16, '0')}`
    const object = versionObject({ seq, baseSeq: base?.seq ?? 0, id })
    stored.push({ seq, baseSeq: base?.seq ?? 0, id, object, size: 1, modifiedAt: NOW - (length - seq) * DAY })
    chain = chainAfter(chain, { seq, id: object }, { level, kind: base === undefined ? 'full' : 'delta' })
  }
  return { stored, chain: [chain.full?.id, chain.mid?.id].filter((link) => link !== undefined) }
}

function plan(length: number, changes: Partial<RetentionInput>) {
  const { stored, chain } = history(length)
  return planRetention({
    stored,
    newest: length,
    historyFrom: 1,
    kept: [],
    chain,
    policy: undefined,
    committed: new Set(),
    now: NOW,
    ...changes,
  })
}

test('without a policy nothing goes', () => {
  expect(plan(500, {})).toMatchObject({ historyFrom: 1, remove: [], pruned: 0 })
})

test.each([
  [{ count: 10 }, 91],
  [{ days: 5 }, 96],
  [{ count: 3, days: 5 }, 96],
  [{ count: 10, days: 5 }, 91],
  [{ count: 1000 }, 1],
])('of 100 versions, one a day, %j keeps from number %i on', (policy, historyFrom) => {
  expect(plan(100, { policy }).historyFrom).toBe(historyFrom)
})

test('nothing is removed that a kept version needs, whatever the policy', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 450 }),
      fc.integer({ min: 1, max: 60 }),
      fc.array(fc.nat(449)),
      (length, count, pins) => {
        const { stored, chain } = history(length)
        const kept = pins
          .filter((pin) => pin < length)
          .map((pin) => ({ seq: pin + 1, id: stored[pin]?.object ?? '', by: length }))
        const result = plan(length, { policy: { count }, kept })
        const left = new Set(
          stored.filter((version) => !result.remove.includes(version)).map(({ seq }) => seq),
        )
        const pinned = new Set(result.kept.map(({ seq }) => seq))

        for (const version of stored) {
          const stays =
            version.seq >= result.historyFrom || pinned.has(version.seq) || chain.includes(version.object)
          if (stays) expect(left).toContain(version.seq)
          if (left.has(version.seq) && version.baseSeq !== 0) expect(left).toContain(version.baseSeq)
        }
      },
    ),
  )
})

test('an attempt that lost its race goes after a day, not before', () => {
  const attempt = (modifiedAt: number): StoredVersion => {
    const id = 'sv-lost000000000000'
    return { seq: 3, baseSeq: 0, id, object: versionObject({ seq: 3, baseSeq: 0, id }), size: 1, modifiedAt }
  }
  const { stored } = history(5)
  const committed = new Set([stored[2]?.id ?? ''])
  const young = attempt(NOW - DAY / 2)
  const old = attempt(NOW - 2 * DAY)

  expect(plan(5, { stored: [...stored, young], committed }).remove).toEqual([])
  expect(plan(5, { stored: [...stored, old], committed }).remove).toEqual([old])
})

test('what a rollback refers to stays as long as the rollback', () => {
  const { stored } = history(50)
  const kept = [{ seq: 4, id: stored[3]?.object ?? '', by: 45 }]

  expect(plan(50, { policy: { count: 10 }, kept }).kept).toEqual(kept)
  expect(plan(50, { policy: { count: 3 }, kept }).kept).toEqual([])
})

test('a version that stays because a later one refers to it is not counted as removed, until that one goes', () => {
  const { stored } = history(10)
  const kept = [{ seq: 2, id: stored[1]?.object ?? '', by: 9 }]

  const first = plan(10, { policy: { count: 3 }, kept })
  expect(first).toMatchObject({ historyFrom: 8, pruned: 6, kept })
  expect(plan(10, { policy: { count: 1 }, kept: first.kept, historyFrom: 8 })).toMatchObject({
    historyFrom: 10,
    pruned: 3,
    kept: [],
  })
})
