import { expect, test } from 'vitest'
import type { DeliveriesDocument } from './deliveries.ts'
import type { DeliveryResponse } from './destination.ts'
import type { NotedEvent } from './event.ts'
import { MOST_WAITING, dropOld, enqueue, noteResponses, settle } from './queue.ts'

const empty: DeliveriesDocument = {
  v: 1,
  rev: 1,
  nonce: 'n',
  org: 'o',
  configuration: 'nc-1',
  waiting: [],
  done: [],
  attempts: 0,
  nextAt: 0,
  responses: [],
  givenUp: 0,
}
const event = (id: string, at = 0): NotedEvent => ({
  id,
  at: new Date(at).toISOString(),
  type: 'unit.created',
  unit: null,
  by: 'x',
  data: {},
})
const answer = (isSuccessful: boolean, code = '200'): DeliveryResponse => ({
  url: '',
  code,
  headers: {},
  body: '',
  sentAt: 0,
  isSuccessful,
  trigger: 't',
})
const ids = ({ waiting }: DeliveriesDocument) => waiting.map(({ id }) => id)
const pauseMs = 1_000

test('an event waits once, however often it is found, and not again after it was delivered', () => {
  const queue = enqueue(enqueue(empty, [event('a'), event('b')]), [event('b'), event('c'), event('c')])
  expect(ids(queue)).toEqual(['a', 'b', 'c'])
  const after = settle(queue, { delivered: [event('a')], responses: [answer(true)], now: 5, pauseMs })
  expect(ids(enqueue(after, [event('a'), event('d')]))).toEqual(['b', 'c', 'd'])
  expect(enqueue(after, [event('a')])).toBe(after)
})

test('what another server added meanwhile stays', () => {
  const now = enqueue(empty, [event('a'), event('b'), event('new')])
  const after = settle(now, {
    delivered: [event('a'), event('b')],
    responses: [answer(true)],
    now: 5,
    pauseMs,
  })
  expect(ids(after)).toEqual(['new'])
})

test('each failure doubles the pause, up to a quarter of an hour, and a success ends it', () => {
  let queue = enqueue(empty, [event('a'), event('b')])
  const pauses: number[] = []
  for (let i = 0; i < 12; i++) {
    queue = settle(queue, { delivered: [], responses: [answer(false, '503')], now: 0, pauseMs })
    pauses.push(queue.nextAt)
  }
  expect(pauses.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000])
  expect(pauses.at(-1)).toBe(15 * 60_000)
  expect(ids(queue)).toEqual(['a', 'b'])
  const half = settle(queue, {
    delivered: [event('a')],
    responses: [answer(true), answer(false)],
    now: 7,
    pauseMs,
  })
  expect([ids(half), half.attempts, half.nextAt]).toEqual([['b'], 1, 1_007])
  const done = settle(half, { delivered: [event('b')], responses: [answer(true)], now: 9, pauseMs })
  expect([ids(done), done.attempts, done.nextAt]).toEqual([[], 0, 0])
})

test('a queue that is too long loses its oldest, and counts them', () => {
  const many = Array.from({ length: MOST_WAITING + 3 }, (_, i) => event(`e${i}`))
  const queue = enqueue(empty, many)
  expect([queue.waiting.length, ids(queue)[0], queue.givenUp]).toEqual([MOST_WAITING, 'e3', 3])
})

test('what is too old is given up', () => {
  const queue = dropOld(enqueue(empty, [event('old', 10), event('new', 20)]), 15)
  expect([ids(queue), queue.givenUp]).toEqual([['new'], 1])
  expect(dropOld(queue, 15)).toBe(queue)
})

test('the last five answers are kept, the newest first', () => {
  const codes = ['1', '2', '3', '4', '5', '6', '7']
  const queue = noteResponses(
    noteResponses(empty, [answer(true, '0')]),
    codes.map((code) => answer(true, code)),
  )
  expect(queue.responses.map(({ code }) => code)).toEqual(['7', '6', '5', '4', '3'])
})
