import { expect, test } from 'vitest'
import { type Rollout, Step, type StepStatus } from '../model.ts'
import { claim, renew } from './claims.ts'
import * as change from './transitions.ts'

const result = {
  version: 'sv-1',
  commitBefore: 1,
  commitAfter: 2,
  changed: ['a'],
  exitCode: 0,
  ms: 10,
  engineMs: 9,
}
const proof = { kind: 'fingerprint' as const, fingerprint: 'f', version: 'sv-1' }

function step(name: string, needs: readonly string[], more: Partial<Step> = {}): Step {
  return {
    unit: { id: name, name },
    needs: [...needs],
    isRoot: false,
    status: 'waiting',
    attempts: 0,
    ...more,
  }
}

/** a ← b ← c, and d beside them. */
function rollout(statuses: Partial<Record<'a' | 'b' | 'c' | 'd', StepStatus>> = {}): Rollout {
  const due = 'it is due'
  const claim = { worker: 'w', until: 100, token: 't', lock: 'l' }
  const make = (name: 'a' | 'b' | 'c' | 'd', needs: readonly string[]) => {
    const status = statuses[name] ?? 'waiting'
    return step(name, needs, { due, status, ...(status === 'running' ? { claim, attempts: 1 } : {}) })
  }
  return {
    v: 1,
    rev: 1,
    nonce: 'n',
    id: 'ro-1',
    org: 'default',
    createdAt: 0,
    by: 'alice',
    status: 'active',
    roots: ['a', 'd'],
    outbox: [],
    steps: [make('a', []), make('b', ['a']), make('c', ['b']), make('d', [])],
  }
}

const take = (from: Rollout, now = 0, most = 9) => {
  let count = 0
  return claim(from, {
    worker: 'w2',
    now,
    leaseMs: 30,
    most,
    canDo: () => true,
    token: () => `t${++count}`,
    lock: () => `l${count}`,
    before: () => ({ commit: 1, version: 'sv-0' }),
  })
}
const names = (steps: readonly Step[]) => steps.map(({ unit }) => unit.name)
const statusOf = (from: Rollout, unit: string) => change.stepOf(from, unit).status

test.each([
  ['nothing is settled', {}, ['a', 'd']],
  ['a need is applied', { a: 'applied' }, ['b', 'd']],
  ['a need is skipped', { a: 'skipped', d: 'applied' }, ['b']],
  ['a need is running', { a: 'running', d: 'applied' }, []],
  ['a need failed: others go on', { a: 'failed' }, ['d']],
  ['everything is settled', { a: 'applied', b: 'applied', c: 'skipped', d: 'applied' }, []],
] as const)('what is ready when %s', (_, statuses, expected) => {
  expect(names(take(rollout(statuses)).claimed)).toEqual(expected)
})

test('a claim names its worker, its end and its token, and no more than asked for are made', () => {
  const { rollout: next, claimed } = take(rollout(), 50, 1)

  expect(names(claimed)).toEqual(['a'])
  expect(change.stepOf(next, 'a')).toMatchObject({
    status: 'running',
    claim: { worker: 'w2', until: 80, token: 't1' },
    attempts: 1,
    startedAt: 50,
    before: { commit: 1, version: 'sv-0' },
  })
})

test('a step of which nobody knows yet whether it is due is not claimed.', () => {
  const from = rollout({ a: 'applied', d: 'applied' })
  const steps = from.steps.map((one) => {
    const { due: _, ...rest } = one
    return rest.unit.name === 'b' ? rest : one
  })

  expect(take({ ...from, steps }).claimed).toEqual([])
  expect(names(change.undecided({ ...from, steps }, 0))).toEqual(['b'])
})

test.each(['paused', 'cancelled', 'done'] as const)('nothing is claimed while it is %s', (status) => {
  expect(take({ ...rollout(), status }).claimed).toEqual([])
})

test('a step of a dead worker can be taken once its lease is over, and the old lock is kept', () => {
  const from = rollout({ a: 'running' })

  expect(names(take(from, 99).claimed)).toEqual(['d'])
  const { rollout: next, claimed } = take(from, 100)
  expect(names(claimed)).toEqual(['a', 'd'])
  expect(change.stepOf(next, 'a')).toMatchObject({
    attempts: 2,
    earlier: ['l'],
    claim: { token: 't1', lock: 'l1' },
  })
  expect(() => change.finish(next, 'a', { token: 't', now: 101, result })).toThrow('has taken the step over')
})

test('renewing moves the end of the lease, and tells which claims are lost', () => {
  const renewed = renew(rollout({ a: 'running' }), ['t', 'gone'], { now: 90, leaseMs: 30 })

  expect(change.stepOf(renewed.rollout, 'a').claim?.until).toBe(120)
  expect(renewed.lost).toEqual(['gone'])
})

test.each([
  ['finish', (from: Rollout) => change.finish(from, 'a', { token: 't', now: 5, result }), 'applied'],
  ['fail', (from: Rollout) => change.fail(from, 'a', { token: 't', now: 5, reason: 'no' }), 'failed'],
  ['give back', (from: Rollout) => change.giveBack(from, 'a', 't'), 'waiting'],
  [
    'skip by proof',
    (from: Rollout) => change.skipByProof(from, 'a', { token: 't', now: 5, proof }),
    'skipped',
  ],
] as const)('%s ends a claim', (_, end, expected) => {
  const after = end(rollout({ a: 'running' }))

  expect(statusOf(after, 'a')).toBe(expected)
  expect(change.stepOf(after, 'a').claim).toBeUndefined()
  expect(() => end(rollout())).toThrow('has taken the step over')
  expect(() => end(after)).toThrow('has taken the step over')
})

test('the last step that is settled ends the rollout', () => {
  const last = rollout({ a: 'running', b: 'applied', c: 'skipped', d: 'applied' })

  expect(change.finish(last, 'a', { token: 't', now: 5, result })).toMatchObject({
    status: 'done',
    endedAt: 5,
  })
  expect(change.fail(last, 'a', { token: 't', now: 5, reason: 'no' }).status).toBe('active')
})

test('a whole branch is skipped by proof, and what must run is told why', () => {
  const verdicts = new Map([
    ['a', { kind: 'run', why: 'new' }],
    ['d', { kind: 'skip', proof }],
  ] as const)

  const after = change.decide(rollout(), verdicts, 5)

  expect(change.stepOf(after, 'a')).toMatchObject({ status: 'waiting', due: 'new' })
  expect(change.stepOf(after, 'd')).toMatchObject({ status: 'skipped', proof, endedAt: 5 })
})

test.each([
  ['waiting', 0, 'skipped'],
  ['failed', 0, 'skipped'],
  ['running', 100, 'skipped'],
] as const)('a person may skip a step that is %s', (status, now, expected) => {
  const after = change.skipByHand(rollout({ a: status }), 'a', { reason: 'by hand', now })

  expect(change.stepOf(after, 'a')).toMatchObject({ status: expected, reason: 'by hand' })
})

test.each([
  ['applied', 'is already applied'],
  ['skipped', 'is already skipped'],
  ['running', 'is being applied by w'],
] as const)('nobody skips a step that is %s', (status, message) => {
  expect(() => change.skipByHand(rollout({ a: status }), 'a', { reason: 'x', now: 0 })).toThrow(message)
})

test('pausing, resuming and cancelling', () => {
  const paused = change.pause(rollout({ a: 'failed', d: 'applied' }))
  const resumed = change.resume(paused)
  const cancelled = change.cancel(resumed, 7)

  expect(paused.status).toBe('paused')
  expect(resumed.status).toBe('active')
  expect(statusOf(resumed, 'a')).toBe('waiting')
  expect(statusOf(resumed, 'd')).toBe('applied')
  expect(cancelled).toMatchObject({ status: 'cancelled', endedAt: 7 })
  expect(change.cancel(cancelled, 9).endedAt).toBe(7)
  expect(() => change.resume(cancelled)).toThrow('is cancelled')
  expect(() => change.cancel({ ...rollout(), status: 'done' }, 9)).toThrow('is done')
})

test('what runs while it is cancelled may still end', () => {
  const cancelled = change.cancel(rollout({ a: 'running' }), 7)

  expect(change.finish(cancelled, 'a', { token: 't', now: 8, result })).toMatchObject({ status: 'cancelled' })
})

test.each([
  ['finish', (from: Rollout) => change.finish(from, 'a', { token: 't', now: 8, result })],
  ['skip by proof', (from: Rollout) => change.skipByProof(from, 'a', { token: 't', now: 8, proof })],
  ['decide', (from: Rollout) => change.decide(from, new Map([['a', { kind: 'skip' as const, proof }]]), 8)],
])('a cancelled rollout does not end as done when its last step ends: %s', (_, end) => {
  const last = rollout({ a: 'running', b: 'applied', c: 'skipped', d: 'applied' })

  expect(end(last)).toMatchObject({ status: 'done', endedAt: 8 })
  expect(end(change.cancel(last, 7))).toMatchObject({ status: 'cancelled', endedAt: 7 })
})

test.each(['done', 'cancelled'] as const)(
  'a rollout that is %s is neither paused, resumed nor skipped in',
  (status) => {
    const over = { ...rollout(), status }
    const refusal = expect.objectContaining({
      code: 'CONFLICT',
      hint: 'Start another with `taco rollout start`.',
    })

    expect(() => change.pause(over)).toThrow(refusal)
    expect(() => change.resume(over)).toThrow(refusal)
    expect(() => change.skipByHand(over, 'a', { reason: 'x', now: 0 })).toThrow(refusal)
  },
)

test('a step of a dead worker is left until its unit says so', () => {
  const from = rollout({ a: 'running' })
  const left = change.stepOf(from, 'a')

  expect([99, 100].map((now) => change.isLeft(left, now))).toEqual([false, true])
  const after = change.abandon(from, [left])
  expect(change.isLeft(change.stepOf(after, 'a'), 100)).toBe(false)
  expect(change.stepOf(after, 'b')).toBe(change.stepOf(from, 'b'))
})

test('steps are found by the id and the name of their unit, which follows a rename', () => {
  const from = rollout()
  const renamed = change.rename(from, new Map([['a', 'prod/a']]))

  expect(change.stepOf(renamed, 'prod/a').unit).toEqual({ id: 'a', name: 'prod/a' })
  expect(change.stepOf(renamed, 'a').unit.name).toBe('prod/a')
  expect(renamed.steps.slice(1)).toEqual(from.steps.slice(1))
  expect(change.rename(from, new Map([['a', 'a']]))).toBe(from)
})

test('whoever told the end of a step is known until another takes it', () => {
  const after = change.finish(rollout({ a: 'running' }), 'a', { token: 't', now: 5, result })

  expect(change.hasTold(after, 'a', 't')).toBe(true)
  expect(change.hasTold(after, 'a', 'other')).toBe(false)
})

test('a failure keeps what it left, and another try forgets it', () => {
  const end = { token: 't', now: 5, reason: 'no' }
  const failed = change.fail(rollout({ a: 'running' }), 'a', { ...end, result })

  expect(change.stepOf(failed, 'a')).toMatchObject({ reason: 'no', result, endedAt: 5 })
  expect(change.stepOf(change.fail(rollout({ a: 'running' }), 'a', end), 'a')).not.toHaveProperty('result')
  const again = change.stepOf(change.resume(failed), 'a')
  for (const field of ['reason', 'result', 'endedAt', 'startedAt']) expect(again).not.toHaveProperty(field)
})

test('a decided step is not asked about again, nor one that has to wait', () => {
  const { due: _, ...open } = change.stepOf(rollout(), 'a')
  const from = change.withSteps(rollout(), [open])

  expect(names(change.undecided(from, 0))).toEqual(['a'])
  expect(names(change.undecided(rollout(), 0))).toEqual([])
  const { due: _b, ...waiting } = change.stepOf(rollout(), 'b')
  expect(names(change.undecided(change.withSteps(rollout(), [waiting]), 0))).toEqual([])
})

test('a unit that is no part of it is refused with the nearest that is', () => {
  const from = change.rename(rollout(), new Map([['a', 'prod/network']]))

  expect(() => change.stepOf(from, 'prod/netwrok')).toThrow(
    expect.objectContaining({
      code: 'NOT_FOUND',
      facts: expect.objectContaining({ nearest: 'prod/network', known: ['prod/network', 'b', 'c', 'd'] }),
      hint: 'Did you mean prod/network? See `taco rollout status ro-1`.',
    }),
  )
  expect(() => change.stepOf(from, 'entirely-other')).toThrow(
    expect.objectContaining({
      facts: expect.not.objectContaining({ nearest: expect.anything() }),
      hint: 'See `taco rollout status ro-1`.',
    }),
  )
})

test('a unit that is no part of it is refused by name', () => {
  expect(() => change.stepOf(rollout(), 'zzz')).toThrow('zzz is not part of the rollout ro-1.')
})

test('a step that an older server took over is read with the one lock that it noted', () => {
  const old = { ...step('a', []), earlier: 'l' }

  expect(Step.parse(old).earlier).toEqual(['l'])
})
