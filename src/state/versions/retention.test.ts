import fc from 'fast-check'
import { expect, test } from 'vitest'
import { baseFor, chainAfter } from '../codec/levels.ts'
import { versionObject } from '../documents/layout.ts'
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

/** What is left of a history, by number. */
function leftOf(stored: readonly StoredVersion[], { remove }: { remove: readonly StoredVersion[] }) {
  const removed = new Set(remove)
  // A plan for other objects would remove none of these, and every expectation about what is left would hold.
  expect(remove.every((version) => stored.includes(version))).toBe(true)
  return new Set(stored.filter((version) => !removed.has(version)).map(({ seq }) => seq))
}

/** Numbers of the versions that this one is stored against, directly or not. */
function basesOf(stored: readonly StoredVersion[], seq: number): number[] {
  const base = stored[seq - 1]?.baseSeq ?? 0
  return base === 0 ? [] : [base, ...basesOf(stored, base)]
}

test('exactly that stays which a kept version needs, whatever the policy', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 450 }),
      fc.integer({ min: 1, max: 60 }),
      fc.array(fc.nat(449), { maxLength: 4 }),
      (length, count, pins) => {
        const { stored, chain } = history(length)
        const kept = pins
          .filter((pin) => pin < length)
          .map((pin) => ({ seq: pin + 1, id: stored[pin]?.object ?? '', by: length }))

        const result = plan(length, { stored, chain, policy: { count }, kept })

        const needed = stored
          .filter(
            ({ seq, object }) =>
              seq > length - count || kept.some((one) => one.seq === seq) || chain.includes(object),
          )
          .flatMap(({ seq }) => [seq, ...basesOf(stored, seq)])
        const inOrder = (numbers: Iterable<number>) => [...new Set(numbers)].sort((a, b) => a - b)
        expect(inOrder(leftOf(stored, result))).toEqual(inOrder(needed))
      },
    ),
  )
})

test('the version that a rollback refers to stays with all that it is stored against', () => {
  const { stored } = history(300)
  const source = stored.find(({ seq }) => basesOf(stored, seq).length > 1 && seq > 100)?.seq ?? 0
  const kept = [{ seq: source, id: stored[source - 1]?.object ?? '', by: 300 }]

  const left = leftOf(stored, plan(300, { stored, chain: [], policy: { count: 1 }, kept }))

  expect(basesOf(stored, source).length).toBeGreaterThan(1)
  for (const seq of [source, ...basesOf(stored, source)]) expect(left).toContain(seq)
  expect(left).not.toContain(source + 1)
})

test('what coming versions will be stored against stays, though no kept version needs it', () => {
  const { stored } = history(300)
  const link = stored.find(({ seq, baseSeq }) => seq > 100 && baseSeq !== 0)
  const chain = [link?.object ?? '']

  const left = leftOf(stored, plan(300, { stored, chain, policy: { count: 1 } }))

  for (const seq of [link?.seq ?? 0, link?.baseSeq ?? 0]) expect(left).toContain(seq)
  expect(leftOf(stored, plan(300, { stored, chain: [], policy: { count: 1 } }))).not.toContain(link?.seq)
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

test('an uncommitted attempt at the next number is also removed after a day', () => {
  const { stored } = history(6)
  const before = { stored, newest: 5, chain: [], now: NOW }
  const next = stored[5]
  const committed = new Set([next?.id ?? ''])

  expect(plan(6, before).remove).toEqual([])
  expect(plan(6, { ...before, now: NOW + DAY - 1 }).remove).toEqual([])
  expect(plan(6, { ...before, now: NOW + DAY }).remove).toEqual([next])
  expect(plan(6, { ...before, now: NOW + DAY, committed }).remove).toEqual([])
})

test('the newest version stays, whatever its age and the policy', () => {
  expect(plan(5, { policy: { days: 1 }, now: NOW + 100 * DAY })).toMatchObject({ historyFrom: 5, pruned: 4 })
})

test('a policy that keeps more than there is brings nothing back', () => {
  expect(plan(5, { policy: { count: 100 }, historyFrom: 3 })).toMatchObject({ historyFrom: 3, pruned: 0 })
  expect(plan(5, { policy: {}, historyFrom: 3 }).historyFrom).toBe(3)
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
