import { expect, test } from 'vitest'
import { browserOf, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { createTestBrowser, startWebFace } from '../../../../../test/rig/web-face.ts'
import { push, stateText } from '../../../../../test/support/state.ts'
import { systemCaller } from '../../../../access/index.ts'
import type { EventView } from '../../../../state/index.ts'
import { groupEvents } from './groups.ts'
import { readActivity } from './read.ts'
import { detailsOf, lineDetails, lineWords, typesLike } from './words.ts'

const caller = systemCaller('opentaco')
const org = 'default'
const lockInfo = {
  ID: 'l1',
  Operation: 'apply',
  Info: '',
  Who: 'alice@laptop',
  Version: '',
  Created: '',
  Path: '',
}

test('a word means every type that begins with it', () => {
  const known = ['state.written', 'state.deleted', 'lock.taken']

  expect(typesLike(['state'], known)).toEqual(['state.written', 'state.deleted'])
  expect(typesLike(['lock.taken', 'nonsense'], known)).toEqual(['lock.taken', 'nonsense'])
})

test('details are said in words, cut where they are long', () => {
  const type = 'state.written'
  const data = { version: 'sv-1', seq: 2, serial: 3, how: 'push', rollout: 'ro-1', deep: { a: 1 } }

  expect(detailsOf({ type, data })).toBe('version 2, serial 3, with push')
  expect(detailsOf({ type, data: { reason: 'x'.repeat(100), empty: '', force: false } })).toBe(
    `“${'x'.repeat(80)}…”`,
  )
  expect(detailsOf({ type, data: { new: 1, how: 'constructor' } })).toBe('new 1, constructor')
})

test('what happens to documents without words of their own is said by their kind and name', () => {
  const told = (type: string, data: EventView['data']) => {
    const one = { ...event(type, null, '12:00'), data }
    return `${lineWords({ event: one, events: [one] })} ${lineDetails({ event: one, events: [one] })}`
  }

  expect(told('variable.created', { id: 'var-1', key: 'region', sensitive: false })).toBe(
    'created a variable region',
  )
  expect(told('oauth-client.updated', { id: 'oc-1', name: 'hub' })).toBe('changed an oauth client hub')
  expect(told('gpg-key.deleted', { id: 'gpg-1', keyId: 'AB' })).toBe(
    'deleted a signing key id gpg-1, keyId AB',
  )
  expect(told('thing.happened', {})).toBe('thing.happened ')
})

test('what the journal tells twice is shown once', async () => {
  const twice = event('step.applied', 'a', '12:00')
  const pages = [
    { items: [twice, twice, event('step.failed', 'a', '11:00')], more: true, next: 'c' },
    { items: [twice], more: false, next: undefined },
  ]
  const control = { journal: { read: () => Promise.resolve(pages.shift()) } } as never

  const { events } = await readActivity(
    { org, types: [], unit: undefined, person: undefined },
    undefined,
    { events: 10, read: 200 },
    { x: { caller } as never, caller },
    { control, access: { sight: () => Promise.resolve(undefined) } as never },
  )

  expect(events.map(({ type }) => type)).toEqual(['step.applied', 'step.failed'])
})

let ids = 0
function event(type: string, unit: string | null, at: string, by = 'user:alice'): EventView {
  const about = unit === null ? null : { id: `ws-${unit}`, name: unit }
  const id = `e${++ids}`
  return {
    id,
    at: `2026-03-01T${at}:00.000Z`,
    type,
    org,
    unit: about,
    by,
    who: null,
    requestId: null,
    data: {},
  }
}

test('what one person does to the state of a unit is one line', () => {
  const lines = groupEvents([
    event('lock.released', 'a', '12:05'),
    event('lock.released', 'b', '12:05', 'user:bob'),
    event('state.written', 'a', '12:04'),
    event('state.written', 'b', '12:04', 'user:bob'),
    event('lock.taken', 'a', '12:03'),
    event('state.written', 'a', '12:02'),
    event('unit.created', 'a', '12:01'),
    event('lock.taken', 'b', '12:00', 'user:bob'),
  ])

  expect(lines.map((line) => [line.event.unit?.name, lineWords(line), lineDetails(line)])).toEqual([
    ['a', 'wrote the state of', '2 times'],
    ['b', 'wrote the state of', ''],
    ['a', 'created', ''],
  ])
})

test('what others do, what is long ago, and a lock that is held are told apart', () => {
  const wordsOf = (events: readonly EventView[]) => groupEvents(events).map(lineWords)

  expect(
    wordsOf([event('state.written', 'a', '12:01'), event('state.written', 'a', '12:00', 'user:bob')]),
  ).toEqual(['wrote the state of', 'wrote the state of'])
  expect(wordsOf([event('state.written', 'a', '12:30'), event('state.written', 'a', '12:00')])).toHaveLength(
    2,
  )
  expect(wordsOf([event('lock.taken', 'a', '12:02'), event('state.written', 'a', '12:00')])).toEqual([
    'locked',
    'wrote the state of',
  ])
  expect(wordsOf([event('lock.released', 'a', '12:02'), event('lock.taken', 'a', '12:00')])).toEqual([
    'locked and unlocked',
  ])
  expect(wordsOf([event('org.changed', null, '12:02'), event('new.type', null, '12:00')])).toEqual([
    'changed the organization',
    'new.type',
  ])
})

test('the feed is newest first, filtered by type, unit and person, and paged', async () => {
  const face = await startWebFace()
  const browser = createTestBrowser(face)
  for (let i = 0; i < 20; i++) await push(face.deps.control, `unit-${i}`, stateText(1))
  await push(face.deps.control, 'prod/net', stateText(1))
  const feed = async (query: string) => {
    const { status, text } = await browser.get(`/app/default/activity?${query}&part=feed`)
    return {
      status,
      text,
      units: Array.from(text.matchAll(/ href="[^"]*units\/([\w-]+)"/g), ([, unit]) => unit),
    }
  }

  await expect.poll(async () => (await feed('unit=prod/net&type=state')).units).toEqual(['prod--net'])
  const all = await feed('')
  expect(all.units[0]).toBe('prod--net')
  expect(all.text).toMatch(/^<div id="feed" data-live-on=""/)
  const next = /rel="next" href="([^"]+)"/.exec(all.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const older = await browser.get(next)
  expect(older.text).toContain('unit-0')
  expect(older.text).toContain('id="feed"><')
  expect((await feed('type=gc')).text).toContain('No events match.')
  expect((await feed('type=nonsense')).text).toContain('No events match.')
  expect((await feed('person=no-one-of-this-name')).text).toContain('No event')
  expect((await feed('person=ALICE&type=state.written&unit=prod/net')).units).toEqual(['prod--net'])
  const exported = await browser.get('/app/default/activity?format=json&type=state.written')
  expect(exported.json()).toHaveLength(21)
  const whole = await browser.get('/app/default/activity?type=state.written&unit=prod/net')
  expect(whole.text).toContain('taco events --limit 50 --type state.written --unit prod/net')
  expect((await browser.get('/app/default/activity?cursor=nonsense')).status).toBe(400)
})

test('locks say who holds them and since when', async () => {
  const face = await startWebFace()
  const browser = createTestBrowser(face)
  const { control } = face.deps
  await push(control, 'prod/net', stateText(1))
  const before = await browser.get('/app/default/activity')
  await control.locks.lock({ org, unit: 'prod/net' }, lockInfo, { reason: 'at <work>' }, caller)

  expect(before.text).toContain('No unit is locked.')
  await expect
    .poll(async () => (await browser.get('/app/default/activity?part=locks')).text)
    .toMatch(/Locks: 1.*prod\/net.*opentaco.*just now.*at &lt;work&gt;/)
})

test('a person sees only what happened to their units', async () => {
  const face = await startSsoFace()
  const { control } = face.deps
  await push(control, 'dev/app', stateText(1))
  await push(control, 'prod/secret', stateText(1))
  await control.locks.lock({ org, unit: 'prod/secret' }, lockInfo, {}, caller)
  const browser = await browserOf(face, 'bob', ['dev/**'])

  await expect
    .poll(async () => (await browser.get('/app/default/activity')).text.includes('dev/app'))
    .toBe(true)
  for (const query of ['', 'format=json', 'format=csv', 'part=locks', 'type=lock', 'part=feed']) {
    const { status, text } = await browser.get(`/app/default/activity?${query}`)
    expect([query, status, text.includes('secret')]).toEqual([query, 200, false])
  }
  const named = await browser.get('/app/default/activity?unit=prod/secret&part=feed')
  expect([named.status, named.text.includes('No events match.')]).toEqual([200, true])
})
