import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { type Lock, LockInfo, UnitDocument } from './model.ts'
import { keysUnder, openControl, push, stateText } from '../../../test/support/state.ts'
import * as change from './transitions.ts'

const bucket = openMemoryBucket()
const control = await openControl(bucket)
await push(control, 'app', stateText(1))
await control.close()
const [key = ''] = await keysUnder(bucket, '.taco/orgs/default/units/')
const found = await bucket.get(key)
/** A unit with one version, and nobody holds its lock. */
const free = {
  ...UnitDocument.parse(JSON.parse(String(await found?.bytes()))),
  write: null,
  lock: null,
  released: [],
  recent: [],
}
const head = free.head
if (head === null) throw new Error('the unit has no state')

const lock = (id: string, Operation = 'OperationTypeApply', epoch = free.epoch + 1): Lock => ({
  id,
  epoch,
  info: LockInfo.parse({ ID: id, Operation }),
  by: 'alice',
  at: 0,
})
const held: UnitDocument = { ...free, lock: lock('L') }
const next = {
  ...head,
  tag: null,
  version: { ...head.version, id: 'sv-next', hash: 'next', seq: free.seq + 1 },
}
const reads = { receipt: null, pendingReads: [] }
const bob = { at: 3, by: 'bob' }
const writing = change.applied(held, change.commitWrite(held, next, 'from', reads))
const deleting = change.applied(held, change.commitDelete(held, 'from', bob))

/** One lock after the other, each released before the next. */
function afterLocks(count: number, from: UnitDocument = free): UnitDocument {
  let doc = from
  for (let i = 1; i <= count; i++) {
    doc = change.applied(doc, change.takeLock(doc, lock(`L${i}`, 'apply', doc.epoch + 1)))
    doc = change.applied(doc, change.freeLock(doc, i))
  }
  return doc
}

test('the last sixteen released locks are remembered, and no more', () => {
  const doc = afterLocks(20)

  expect(doc.released.map(({ id }) => id)).toEqual(Array.from({ length: 16 }, (_, i) => `L${i + 5}`))
  expect(change.wasReleased(doc, 'L5')).toBe(true)
  expect(change.wasReleased(doc, 'L4')).toBe(false)
})

test('as long as nothing can have been forgotten, every lock that was released since is remembered', () => {
  for (let count = 0; count <= 20; count++) {
    const doc = afterLocks(count)
    const isForgotten = count > 0 && !change.wasReleased(doc, 'L1')
    if (isForgotten) expect(change.mayHaveForgotten(doc, free.epoch)).toBe(true)
  }
  expect(change.mayHaveForgotten(afterLocks(14), free.epoch)).toBe(false)
  expect(change.mayHaveForgotten(afterLocks(15), free.epoch)).toBe(true)
  expect(change.mayHaveForgotten(afterLocks(20), free.epoch + 10)).toBe(false)
})

test('a released lock says when, and whether anything can have been written under it', () => {
  const plan = { ...free, lock: lock('P', 'OperationTypePlan') }

  expect(change.freeLock(held, 7)).toEqual({ lock: null, released: [{ id: 'L', at: 7 }] })
  expect(change.freeLock(plan, 7)).toEqual({ lock: null, released: [{ id: 'P', at: 7, idle: true }] })
  expect(change.freeLock(free, 7)).toEqual({})
})

test('no change leaves an intent without a lock', () => {
  expect(() => change.freeLock(writing, 7)).toThrow('only after its intent was resolved')
  expect(() => change.commitWrite(free, next, null, reads)).toThrow('needs a held lock')
  expect(() => change.commitDelete(free, 'from', bob)).toThrow('needs a held lock')
  for (const end of [change.supersedeWrite, change.abandonWrite])
    expect(() => end(held)).toThrow('there is no intent to end')
  expect(() => change.completeWrite(held, 'tag')).toThrow('there is no intent to end')
})

test('a taken lock brings its epoch along and forgets nothing', () => {
  const before = afterLocks(2)
  const taken = lock('N', 'apply', 42)

  expect(change.applied(before, change.takeLock(before, taken))).toMatchObject({
    lock: taken,
    epoch: 42,
    released: before.released,
  })
})

test('a committed write names its version, what it replaces and its lock', () => {
  expect(writing).toMatchObject({
    write: { kind: 'write', head: next, from: 'from', by: 'L' },
    seq: free.seq + 1,
    head: free.head,
  })
  expect(deleting.write).toEqual({ kind: 'delete', from: 'from', by: 'L', at: 3, who: 'bob' })
  expect(deleting.seq).toBe(free.seq)
})

test('a write that landed is the head, and is remembered as landed', () => {
  const landed = change.applied({ ...writing, missing: { at: 1 } }, change.completeWrite(writing, 'tag'))

  expect(landed).toMatchObject({
    write: null,
    head: { tag: 'tag', version: { id: 'sv-next' } },
    tail: { id: 'sv-next', superseded: false },
    recent: [{ id: 'sv-next', hash: 'next', lock: 'L', landed: true }],
  })
  expect(landed.missing).toBeUndefined()
  expect(change.landedBefore(landed, 'next', 'L')?.id).toBe('sv-next')
  expect(change.landedBefore(landed, 'next', 'M')).toBeUndefined()
  expect(change.landedBefore(landed, 'other', 'L')).toBeUndefined()
  expect(change.recentWrite(landed, 'sv-next')?.landed).toBe(true)
  expect(change.recentWrite(landed, 'sv-other')).toBeUndefined()
})

test('a write that was overtaken is no head, and is not remembered as landed', () => {
  const overtaken = change.applied(writing, change.supersedeWrite(writing))

  expect(overtaken).toMatchObject({
    write: null,
    head: free.head,
    seq: free.seq + 1,
    tail: { id: 'sv-next', superseded: true },
    recent: [{ id: 'sv-next', landed: false }],
  })
  expect(change.landedBefore(overtaken, 'next', 'L')).toBeUndefined()
  expect(change.supersedeWrite(deleting)).toEqual({ write: null })
})

test('the last eight writes are remembered, and no more', () => {
  let doc = held
  for (let i = 1; i <= 10; i++) {
    const one = { ...next, version: { ...next.version, id: `sv-${i}` } }
    doc = change.applied(doc, change.commitWrite(doc, one, null, reads))
    doc = change.applied(doc, change.completeWrite(doc, 'tag'))
  }

  expect(doc.recent.map(({ id }) => id)).toEqual(Array.from({ length: 8 }, (_, i) => `sv-${i + 3}`))
})

test('a deletion that was carried out leaves the last version without a state object', () => {
  const gone = change.applied({ ...deleting, missing: { at: 1 } }, change.completeWrite(deleting, null))

  expect(gone).toMatchObject({ write: null, head: { ...head, tag: null }, recent: [] })
  expect(gone.missing).toBeUndefined()
  expect(change.completeWrite({ ...deleting, head: null }, null).head).toBeNull()
})

test('a write that is given up was never committed', () => {
  expect(change.abandonWrite(writing)).toEqual({ write: null, seq: free.seq })
  expect(change.abandonWrite(deleting)).toEqual({ write: null })
})

test('what was written around OpenTaco is the head, and what it was made from is in doubt', () => {
  const read = { from: 'net', names: null, commit: 1, digests: {}, at: 1 }
  const before = { ...free, missing: { at: 1 }, receipt: { lock: 'K', reads: [read] } }

  const after = change.applied(before, change.recordOutside(before, next))

  expect(after).toMatchObject({
    head: next,
    seq: next.version.seq,
    tail: { id: 'sv-next', superseded: false },
    receipt: { reads: [{ from: 'net', doubted: null }] },
  })
  expect(after.missing).toBeUndefined()
})

test('a state that is gone is an alarm unless it had no resources', () => {
  const full = { ...free, head: { ...head, version: { ...head.version, resources: 3 } } }
  const unknown = { ...free, head: { ...head, version: { ...head.version, resources: null } } }
  const deleted = { ...full, head: { ...full.head, tag: null } }

  expect(change.loseState(full, 9)).toMatchObject({ head: { tag: null }, missing: { at: 9 } })
  expect(change.loseState(unknown, 9)).toHaveProperty('missing')
  expect(change.loseState(free, 9)).not.toHaveProperty('missing')
  expect(change.loseState(deleted, 9)).not.toHaveProperty('missing')
  expect(change.loseState({ ...free, head: null }, 9)).toMatchObject({ head: null })
  expect(
    change.applied({ ...full, missing: { at: 9 } }, change.acceptMissing(full, bob)).missing,
  ).toBeUndefined()
})

test('the same state under another tag changes nothing but the tag', () => {
  const after = change.applied({ ...free, missing: { at: 1 } }, change.findState(free, 'new', 5))

  expect(after.head).toEqual({ ...head, tag: 'new' })
  expect(after.missing).toBeUndefined()
  expect(change.findState({ ...free, head: null }, 'new', 5).head).toBeNull()
})

test('the head follows its own state to another tag, and no other', () => {
  const { tag } = head

  expect(change.followState(free, { from: tag, to: 'new' }).head).toEqual({ ...head, tag: 'new' })
  expect(change.followState(free, { from: 'other', to: 'new' })).toEqual({})
  expect(change.followState({ ...free, head: { ...head, tag: null } }, { from: null, to: 'new' })).toEqual({})
  expect(change.followState(free, undefined)).toEqual({})
})

test('every move of a unit is counted', () => {
  const once = change.applied(free, change.movedUnit(free, { name: 'b' }, 5))

  expect(once).toMatchObject({ name: 'b', moves: (free.moves ?? 0) + 1 })
  expect(change.movedUnit({ ...once, moves: 4 }, { name: 'c' }, 5).moves).toBe(5)
  expect(change.movedUnit(free, { name: 'b' }, 5)).toHaveProperty('claiming', undefined)
})
