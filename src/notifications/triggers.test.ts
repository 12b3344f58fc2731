import { expect, test } from 'vitest'
import { AccessEventType } from '../access/index.ts'
import { EventType } from '../state/index.ts'
import type { NotedEvent } from './event.ts'
import { maskUrl } from '../base/text/mask-url.ts'
import { sentenceOf } from './notice.ts'
import { NATIVE_TRIGGERS, triggerFor } from './triggers.ts'

const event = (type: string, data: Record<string, unknown> = {}): NotedEvent => ({
  id: 'e',
  at: '2026-01-02T03:04:05.000Z',
  type,
  unit: { id: 'ws-1', name: 'prod/vpc' },
  by: 'user:alice',
  data,
})

test.each([
  ['state.written', { how: 'apply' }, 'state:changed'],
  ['state.written', { how: 'outside' }, 'outside:changed'],
  ['state.deleted', {}, 'state:changed'],
  ['state.deleted', { how: 'outside' }, 'outside:changed'],
  ['state.missing', {}, 'outside:changed'],
  ['state.superseded', {}, 'outside:changed'],
  ['lock.taken', {}, 'lock:held'],
  ['lock.forced', {}, 'lock:forced'],
  ['step.failed', {}, 'rollout:failed'],
  ['rollout.finished', {}, 'rollout:completed'],
  ['unit.stale', {}, 'unit:stale'],
  ['team.member-added', {}, 'team:changed'],
  ['notification.created', {}, undefined],
])('%s %j sets off %s', (type, data, trigger) => {
  expect(triggerFor(Object.keys(NATIVE_TRIGGERS), event(type, data))).toBe(trigger)
})

test('a step of a rollout is a run to clients of Terraform Cloud, and what it has beyond is stored only', () => {
  const triggers = ['run:created', 'some:later', 'constructor', 'run:completed', 'run:errored']
  expect(triggerFor(triggers, event('step.applied'))).toBe('run:completed')
  expect(triggerFor(triggers, event('step.failed'))).toBe('run:errored')
  expect(triggerFor(triggers, event('unit.created'))).toBeUndefined()
})

/** Of layers outside of this one. */
const OUTER = /^(rollout|step)\./
test('triggers react to events that exist', () => {
  const known = new Set<string>([...EventType.options, ...AccessEventType.options, 'unit.stale'])
  const types = Object.values(NATIVE_TRIGGERS).flatMap((reaction): readonly string[] => reaction.types)
  expect(types.filter((type) => !known.has(type) && !OUTER.test(type))).toEqual([])
})

test('every event that something reacts to is told in a sentence', () => {
  const data = { serial: 3, from: 'a', to: 'b', because: 'net', rollout: 'ro-1', steps: 2, reason: 'why' }
  for (const { types } of Object.values(NATIVE_TRIGGERS))
    for (const type of types) {
      const sentence = sentenceOf(event(type, data))
      expect(sentence).not.toContain('undefined')
      expect(sentence.length).toBeGreaterThan(10)
    }
})

test.each([
  ['https://user:pw@hooks.example.com/services/secret?key=1', 'https://hooks.example.com/…'],
  ['http://10.0.0.1:8080/', 'http://10.0.0.1:8080'],
  ['http://example.com/?token=x', 'http://example.com/…'],
])('%s is shown as %s', (url, shown) => expect(maskUrl(url)).toBe(shown))
