import { expect, test } from 'vitest'
import type { StateControl } from '../../../src/state/index.ts'
import { checkHistories } from './history-check.ts'
import type { Call } from './load.ts'
import { hashOf } from './world.ts'

/** Just enough of a server to list histories: versions by their texts, oldest first. */
function serverWith(...texts: string[]): StateControl {
  const items = texts
    .map((text, i) => ({ id: text, seq: i + 1, sha256: hashOf(text), how: 'backend' }))
    .reverse()
  const versions = {
    list: () => Promise.resolve({ items, next: undefined }),
    read: () => Promise.resolve({ dispose: () => Promise.resolve() }),
  }
  return { versions } as unknown as StateControl
}

const unit = 'u'
const write = (text: string, sentAt: number, answeredAt: number): Call => {
  return { unit, kind: 'write', lock: text, sentAt, answeredAt, text, version: text }
}
const lock = (id: string, answeredAt: number): Call => ({
  unit,
  kind: 'lock',
  lock: id,
  sentAt: 0,
  answeredAt,
})
const unlock = (id: string, sentAt: number): Call => ({
  unit,
  kind: 'unlock',
  lock: id,
  sentAt,
  answeredAt: 99,
})

test('a history in the order of the answers passes, and so does one whose calls overlapped', async () => {
  expect(await checkHistories(serverWith('a', 'b'), [write('a', 1, 2), write('b', 3, 4)])).toBe(2)
  expect(await checkHistories(serverWith('b', 'a'), [write('a', 1, 4), write('b', 2, 3)])).toBe(2)
  await checkHistories(serverWith(), [lock('x', 1), unlock('x', 2), lock('y', 3), unlock('y', 4)])
})

test.each([
  [
    'a write that is missing',
    serverWith('a'),
    [write('a', 1, 2), write('b', 3, 4)],
    /in the history 0 times/,
  ],
  ['a write that is there twice', serverWith('a', 'a'), [write('a', 1, 2)], /twice/],
  [
    'an order that time forbids',
    serverWith('b', 'a'),
    [write('a', 1, 2), write('b', 3, 4)],
    /comes before it/,
  ],
  ['two holders at once', serverWith(), [lock('x', 1), unlock('x', 5), lock('y', 3)], /was held until/],
])('%s does not pass', async (_what, server, calls, reason) => {
  await expect(checkHistories(server, calls)).rejects.toThrow(reason)
})
