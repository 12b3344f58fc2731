import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { LockInfo, type PendingRead, type Receipt, UnitDocument } from '../documents/model.ts'
import { deedOf, takeReads, takeReadsOfRun } from './receipts.ts'
import { keysUnder, openControl, push, stateText } from '../../../test/support/state.ts'

/** What a status makes of a receipt: the value that counts, and a question mark where that is not certain. */
function said(receipt: Receipt | null): string {
  if (receipt === null) return 'nothing known'
  const reads = receipt.reads.map(({ from, digests, doubted }) =>
    Object.entries(digests ?? { '?': '?' })
      .map(([name, digest]) => {
        const isDoubted = doubted === null || doubted?.includes(name)
        return `${from}.${name}=${digest}${isDoubted ? '?' : ''}`
      })
      .join(' '),
  )
  return reads.join(' ') || 'nothing'
}

const bucket = openMemoryBucket()
const control = await openControl(bucket)
await push(control, 'app', stateText(1))
await control.close()
const key = (await keysUnder(bucket, '.taco/orgs/default/units/'))[0] ?? ''
const found = await bucket.get(key)
const applied = UnitDocument.parse(JSON.parse((await found?.bytes())?.toString() ?? ''))

type Change = Partial<PendingRead>
const read = (commit: number, value: string, change: Change = {}): PendingRead => ({
  from: 'net',
  names: null,
  commit,
  digests: { x: value },
  at: commit,
  lock: null,
  ...change,
})
/** By `terraform_remote_state` under the lock that writes, under that of a plan, and under none. */
const own = (commit: number, value: string, change: Change = {}) =>
  read(commit, value, { engine: true, lock: 'L', ...change })
const planned = (commit: number, value: string, change: Change = {}) =>
  own(commit, value, { lock: 'P', plan: true, ...change })
const unlocked = (commit: number, value: string) => own(commit, value, { lock: null, plan: true })
/** By a program that may do anything with it, such as `taco inputs`. */
const fetched = (commit: number, value: string, change: Change = {}) => read(commit, value, change)

function doc(
  operation: string,
  pendingReads: readonly PendingRead[],
  change: Partial<UnitDocument> = {},
): UnitDocument {
  const info = LockInfo.parse({ ID: 'L', Operation: operation })
  return {
    ...applied,
    lock: { id: 'L', epoch: 1, info, by: 'alice', at: 0 },
    // Made from `old`, under another lock.
    receipt: { lock: 'K', reads: [{ from: 'net', names: null, commit: 1, digests: { x: 'old' }, at: 1 }] },
    pendingReads: [...pendingReads],
    ...change,
  }
}

const apply = 'OperationTypeApply'
const given = read(2, 'b', { run: 'R', at: 100 })
const declared = { on: 'net', name: 'net', outputs: null, source: 'declared' as const, inputs: {} }
/** Fetched before, and taken up by an apply. */
const kept = (value: string): Partial<UnitDocument> => ({
  fetched: [{ from: 'net', names: null, commit: 1, digests: { x: value }, at: 1 }],
})

test.each<[string, UnitDocument, string, number]>([
  ['an apply counts with what it read', doc(apply, [own(2, 'a')]), 'net.x=a', 0],
  [
    'an apply may be that of a plan that saw another value, with a deferred read',
    doc(apply, [planned(1, 'a'), own(2, 'b')]),
    'net.x=b?',
    0,
  ],
  ['a plan that saw the same raises no doubt', doc(apply, [planned(1, 'a'), own(2, 'a')]), 'net.x=a', 0],
  [
    'an apply does not use what one read that wrote nothing',
    doc(apply, [own(1, 'a', { lock: 'M' }), own(2, 'b')]),
    'net.x=b',
    0,
  ],
  ['an apply may use what was fetched before', doc(apply, [fetched(1, 'a'), own(2, 'b')]), 'net.x=a?', 0],
  [
    'nor is a fetch beside it the apply’s own',
    doc(apply, [planned(1, 'a'), fetched(2, 'b', { lock: 'L' })]),
    'net.x=a?',
    0,
  ],
  ['one that agrees raises no doubt', doc(apply, [fetched(1, 'a'), own(2, 'a')]), 'net.x=a', 0],
  [
    'fetched of one unit, read of another',
    doc(apply, [fetched(1, 'a', { from: 'db' }), own(2, 'b')]),
    'db.x=a net.x=b',
    0,
  ],
  [
    'a saved plan reads the rest when it is applied',
    doc(apply, [planned(1, 'a', { from: 'db' }), own(2, 'b')]),
    'db.x=a net.x=b',
    0,
  ],
  ['a saved plan was made from the only read', doc(apply, [planned(1, 'a')]), 'net.x=a', 0],
  ['a saved plan counts with the oldest', doc(apply, [planned(1, 'a'), planned(2, 'b')]), 'net.x=a?', 0],
  [
    'there and back again is in doubt',
    doc(apply, [planned(1, 'a'), planned(2, 'b'), planned(3, 'a')]),
    'net.x=a?',
    0,
  ],
  ['an apply that reads nothing was made from nothing', doc(apply, []), 'nothing', 0],
  [
    'unless a file of variables still holds what was fetched before',
    doc(apply, [], { ...kept('a'), dependencies: [declared] }),
    'net.x=a',
    0,
  ],
  ['of a unit that is not declared any more it holds nothing', doc(apply, [], kept('a')), 'nothing', 0],
  [
    'a newer fetch takes its place',
    doc(apply, [fetched(2, 'b')], { ...kept('a'), dependencies: [declared] }),
    'net.x=b',
    0,
  ],
  [
    'so does what the engine reads',
    doc(apply, [own(2, 'b')], { ...kept('a'), dependencies: [declared] }),
    'net.x=b',
    0,
  ],
  [
    'a newer fetch of other outputs leaves the rest',
    doc(apply, [fetched(2, '', { names: ['y'], digests: { y: 'b' } })], {
      ...kept('a'),
      dependencies: [declared],
    }),
    'net.x=a net.y=b',
    0,
  ],
  [
    'what a run that never told was given does not displace the file',
    doc(apply, [given], { ...kept('a'), dependencies: [declared] }),
    'net.x=a?',
    1,
  ],
  [
    'the next write of the same apply adds to the first',
    doc(apply, [own(3, 'c', { from: 'db' })], { receipt: { lock: 'L', reads: [read(2, 'b')] } }),
    'net.x=b db.x=c',
    0,
  ],
  [
    'what is read after the first write of a saved plan is in doubt',
    doc(apply, [own(3, 'c')], { receipt: { lock: 'L', reads: [read(2, 'b')] } }),
    'net.x=b?',
    0,
  ],
  [
    'a run knows exactly what it was given',
    doc(apply, [fetched(1, 'a'), planned(1, 'a'), read(2, 'b', { run: 'L', lock: 'L' })]),
    'net.x=b',
    0,
  ],
  ['a refresh carries nothing out', doc('OperationTypeRefresh', [own(2, 'b')]), 'net.x=old', 1],
  ['neither does moving things about', doc('state-mv', [planned(2, 'b')]), 'net.x=old', 1],
  ['a pushed state may be made from anything', doc('state-push', [planned(2, 'b')]), 'net.x=old?', 1],
  [
    'the first state that is pushed was made from what was read',
    doc('push', [fetched(2, 'b')], { head: null, receipt: null }),
    'net.x=b',
    1,
  ],
  ['without a lock it may be an apply', doc('backend', [unlocked(2, 'b')]), 'net.x=b?', 0],
  ['without a lock, from the same values', doc('backend', [unlocked(2, 'old')]), 'net.x=old', 0],
  [
    'without a lock and without reads, what an engine read stands: it would have read it again',
    doc('backend', [], { receipt: { lock: 'K', reads: [read(1, 'old', { engine: true })] } }),
    'net.x=old',
    0,
  ],
  ['but what was given as a file may have come from an older one', doc('backend', []), 'net.x=old?', 0],
  [
    'and so it may beside what is read again',
    doc('backend', [unlocked(2, 'b')], {
      receipt: { lock: 'K', reads: [read(1, 'old'), read(1, 'old', { from: 'db' })] },
    }),
    'net.x=b? db.x=old?',
    0,
  ],
  [
    'what both an engine and a program read may have come from a file',
    doc('backend', [], {
      receipt: takeReads(doc(apply, [own(1, 'a'), fetched(1, 'a')])).receipt,
    }),
    'net.x=a?',
    0,
  ],
  [
    'without a lock, over what nobody knows',
    doc('backend', [unlocked(2, 'b')], { receipt: null }),
    'net.x=b?',
    0,
  ],
  [
    'the first state without a lock',
    doc('backend', [unlocked(2, 'b')], { head: null, receipt: null }),
    'net.x=b',
    0,
  ],
  [
    'without a lock, something new is read',
    doc('backend', [unlocked(2, 'b')], { receipt: { lock: 'K', reads: [] } }),
    'net.x=b?',
    0,
  ],
  ['a lock taken by hand says nothing', doc('taco lock', [own(2, 'b')]), 'net.x=b?', 0],
])('%s', (_name, written, receipt, left) => {
  const taken = takeReads(written)

  expect(said(taken.receipt)).toBe(receipt)
  expect(taken.pendingReads).toHaveLength(left)
})

test.each<[string, UnitDocument, string]>([
  [
    'what it read counts beside what was read before',
    doc('OperationTypeRefresh', [own(2, 'b')], {
      receipt: { lock: 'K', reads: [read(1, 'a', { engine: true })] },
    }),
    'net.x=a?',
  ],
  [
    'the same again is no doubt',
    doc('OperationTypeRefresh', [own(2, 'a')], {
      receipt: { lock: 'K', reads: [read(1, 'a', { engine: true })] },
    }),
    'net.x=a',
  ],
  ['what came from a file may have come from an older one', doc('OperationTypeRefresh', []), 'net.x=old?'],
  ['whatever it is called', doc('OperationTypeInvalid', [own(2, 'b')]), 'net.x=old?'],
])('a refresh that changes outputs: %s', (_name, written, receipt) => {
  expect(said(takeReads(written, { changesOutputs: true }).receipt)).toBe(receipt)
})

test('what an apply took up is remembered as what a file may hold, and a run does not change that', () => {
  const first = takeReads(doc(apply, [fetched(1, 'a')], { dependencies: [declared] }))
  const pendingReads = [read(2, 'b', { run: 'L', lock: 'L' })]
  const receipt = { lock: 'K', reads: first.receipt?.reads ?? [] }
  const byRun = takeReads(doc(apply, [], { ...first, receipt, pendingReads, dependencies: [declared] }))
  const info = LockInfo.parse({ ID: 'N', Operation: apply })
  const lock = { id: 'N', epoch: 2, info, by: 'alice', at: 0 }
  const last = takeReads({ ...doc(apply, []), ...byRun, lock, dependencies: [declared] })

  expect([first, byRun, last].map((taken) => said(taken.receipt))).toEqual(['net.x=a', 'net.x=b', 'net.x=a'])
})

test('encrypted outputs stay unknown, and names that only one read has are kept', () => {
  const names = (commit: number, name: string, value: string) =>
    planned(commit, '', { names: [name], digests: { [name]: value } })

  expect(said(takeReads(doc(apply, [names(1, 'x', 'a'), names(2, 'y', 'b')])).receipt)).toBe(
    'net.x=a net.y=b',
  )
  expect(said(takeReads(doc(apply, [planned(1, 'a'), planned(2, 'b', { digests: null })])).receipt)).toBe(
    'net.?=?',
  )
  expect(said(takeReads(doc(apply, [planned(1, 'a'), names(2, 'y', 'b')])).receipt)).toBe('net.x=a')
})

test('a pushed state is one even under the lock of an apply', () => {
  expect(said(takeReads(doc(apply, [own(2, 'b')]), { how: 'push' }).receipt)).toBe('net.x=old?')
})

test('unknown operations are not applies', () => {
  expect([deedOf('state-shred'), deedOf('constructor'), deedOf('')]).toEqual(Array(3).fill('nobody knows'))
})

const run = { run: 'R', since: 100, now: 200 }

test('a run whose engine took its own lock counts with what it was given, once it has reported', () => {
  const written = takeReads(doc(apply, [fetched(1, 'a'), given, own(2, 'c', { from: 'db', at: 120 })]))
  expect(said(written.receipt)).toBe('net.x=a? db.x=c')
  const after = { ...doc(apply, []), ...written, lock: null, released: [{ id: 'L', at: 150 }] }

  const told = takeReadsOfRun(after, run)

  expect(said(told.receipt)).toBe('net.x=b db.x=c')
  expect(told).toMatchObject({ isCertain: true, pendingReads: [], receipt: { at: 200 } })
})

test('what a run was given is no doubt about an apply for which the same was fetched', () => {
  expect(said(takeReads(doc(apply, [given, fetched(2, 'b')])).receipt)).toBe('net.x=b')
})

test('a run that wrote nothing leaves the reads of others, whose plans can still be applied', () => {
  const after = doc(apply, [planned(1, 'a'), given], { lock: null, released: [{ id: 'L', at: 150 }] })

  const told = takeReadsOfRun(after, run)

  expect(said(told.receipt)).toBe('net.x=b')
  expect(told.pendingReads).toEqual([planned(1, 'a')])
})

test.each([
  ['another apply', { id: 'M', at: 160 }, false],
  ['a plan', { id: 'M', at: 160, idle: true }, true],
  ['an apply that had ended before', { id: 'M', at: 99 }, true],
  ['a lock of its own that it did not use', { id: 'R', at: 101 }, true],
])('the word of a run beside %s', (_name, other, isCertain) => {
  const after = doc(apply, [given], { lock: null, released: [{ id: 'L', at: 150 }, other] })

  const told = takeReadsOfRun(after, run)

  expect(told.isCertain).toBe(isCertain)
  expect(said(told.receipt)).toBe(isCertain ? 'net.x=b' : 'net.x=old')
})

test.each([
  ['every lock that is remembered was released since it began', 16, 100, false],
  ['one that is remembered was released before', 16, 99, true],
  ['there were too few locks to forget one', 15, 100, true],
])('the word of a run when %s', (_name, count, firstAt, isCertain) => {
  const released = Array.from({ length: count }, (_, i) => ({
    id: `P${i}`,
    at: i === 0 ? firstAt : 150,
    idle: true,
  }))
  const after = doc(apply, [given], { lock: null, released })

  expect(takeReadsOfRun(after, run).isCertain).toBe(isCertain)
})

test.each([
  ['another apply', apply, 1, false],
  ['another apply that may be the only one', apply, 0, true],
  ['a plan, which writes nothing', 'OperationTypePlan', 1, true],
])('the word of a run while %s holds the lock', (_name, operation, ended, isCertain) => {
  const released = Array.from({ length: ended }, () => ({ id: 'K', at: 150 }))

  expect(takeReadsOfRun(doc(operation, [given], { released }), run).isCertain).toBe(isCertain)
})

test('a run that holds the lock itself counts with all that it was given and read under it', () => {
  const info = LockInfo.parse({ ID: 'R', Operation: apply })
  const lock = { id: 'R', epoch: 1, info, by: 'alice', at: 0 }
  const others = planned(1, 'a')
  const pending = [others, given, own(3, 'c', { from: 'db', lock: 'R' }), own(3, 'd', { from: 'dns' })]
  const other = [read(1, 'other', { from: 'old' })]

  const told = takeReadsOfRun(doc(apply, pending, { lock, receipt: { lock: 'K', reads: other } }), run)
  expect(said(told.receipt)).toBe('net.x=b db.x=c')
  expect(told).toMatchObject({ isCertain: true, receipt: { lock: 'R', at: 200 } })
  expect(told.pendingReads).toEqual([others, pending[3]])

  const went = takeReadsOfRun(doc(apply, pending, { lock, receipt: { lock: 'R', reads: other } }), run)
  expect(said(went.receipt)).toBe('old.x=other net.x=b db.x=c')
  expect(said(takeReadsOfRun(doc(apply, [given], { lock, receipt: null }), run).receipt)).toBe('net.x=b')
})

test('what a run was given before anything was known is all that is known', () => {
  const after = doc(apply, [given], { lock: null, receipt: null })

  expect(takeReadsOfRun(after, run)).toMatchObject({ isCertain: true, receipt: { lock: '', at: 200 } })
})

test('what an engine read as the run began is the run’s, and what it read before is not', () => {
  const at = (time: number) => own(3, 'c', { from: 'db', lock: null, at: time })
  const told = (time: number) => takeReadsOfRun(doc(apply, [given, at(time)], { lock: null }), run)

  expect(said(told(100).receipt)).toBe('net.x=b db.x=c')
  expect(said(told(99).receipt)).toBe('net.x=b')
  expect(told(99).pendingReads).toEqual([at(99)])
})

test('a run that cannot be certain leaves the receipt, and its reads are gone', () => {
  const released = [
    { id: 'L', at: 100 },
    { id: 'M', at: 100 },
  ]

  const told = takeReadsOfRun(doc(apply, [given, planned(1, 'a')], { lock: null, released }), run)

  expect(said(told.receipt)).toBe('net.x=old')
  expect(told).toMatchObject({ isCertain: false, pendingReads: [planned(1, 'a')] })
})

test('an apply ends an earlier failure, unless that was under its own lock', () => {
  const failed = (locks?: string[]) =>
    doc(apply, [], { failed: { at: 1, rollout: 'ro-1', ...(locks === undefined ? {} : { locks }) } })

  expect(takeReads(failed())).toHaveProperty('failed', undefined)
  expect(takeReads(failed(['K']))).toHaveProperty('failed', undefined)
  expect(takeReads(failed(['K', 'L']))).not.toHaveProperty('failed')
  expect(takeReads(doc('state-mv', []))).not.toHaveProperty('failed')
})

test('without a lock nothing is taken up', () => {
  const pending = [own(2, 'b')]
  const free = doc(apply, pending, { lock: null })

  expect(takeReads(free)).toEqual({ receipt: free.receipt, pendingReads: pending })
})

test('a state that is pushed where none was read before leaves what is known', () => {
  expect(takeReads(doc('push', [], { receipt: null })).receipt).toBeNull()
  expect(said(takeReads(doc('push', [])).receipt)).toBe('net.x=old?')
})

test('the first state after a deletion was made from what was read', () => {
  const { head } = applied
  const deleted = { head: head && { ...head, tag: null }, receipt: null }

  expect(said(takeReads(doc('push', [fetched(2, 'b')], deleted)).receipt)).toBe('net.x=b')
  expect(said(takeReads(doc('backend', [unlocked(2, 'b')], deleted)).receipt)).toBe('net.x=b')
})

test('a run that first held its own lock and released it for the engine’s lock knows what it was given', () => {
  const released = [
    { id: 'R', at: 101 },
    { id: 'L', at: 160 },
  ]
  const after = doc(apply, [{ ...given, lock: 'R' }, given], { lock: null, released })

  expect(said(takeReadsOfRun(after, run).receipt)).toBe('net.x=b')
})

test('a run that lost its lock to another apply cannot tell whose state is current', () => {
  const released = [
    { id: 'R', at: 150 },
    { id: 'L', at: 160 },
  ]
  const after = doc(apply, [{ ...given, lock: 'R' }], { lock: null, released })

  expect(takeReadsOfRun(after, run)).toMatchObject({ isCertain: false, receipt: { lock: 'K' } })
})

test.each([
  ['did not use its own lock', ['K', 'L'], true],
  ['wrote before it lost its lock to another', ['K', 'R', 'L'], false],
  ['may have written before so many writes of another that its own are forgotten', Array(8).fill('L'), false],
  ['can have written nothing that is forgotten', ['K', ...Array<string>(7).fill('L')], true],
])('the word of a run without inputs that %s', (_name, writers, isCertain) => {
  const released = [
    { id: 'K', at: 50 },
    { id: 'R', at: 150 },
    { id: 'L', at: 160 },
  ]
  const recent = writers.map((lock: string, i) => ({ id: `sv-${i}`, hash: '', lock, landed: true }))
  const after = doc(apply, [], { lock: null, released, recent })

  expect(takeReadsOfRun(after, run).isCertain).toBe(isCertain)
})

test('the reads of a run that never reported do not count for the next apply', () => {
  const written = takeReads(doc(apply, [given]))
  const info = LockInfo.parse({ ID: 'N', Operation: apply })
  const lock = { id: 'N', epoch: 2, info, by: 'alice', at: 0 }
  const next = takeReads({ ...doc(apply, []), ...written, lock })

  expect(said(written.receipt)).toBe('net.x=b?')
  expect(said(next.receipt)).toBe('nothing')
  expect(next.pendingReads).toEqual([])
})
