import { expect, test } from 'vitest'
import { browserOf, startSsoFace } from '../../../../../test/rig/sso-face.ts'
import { createTestBrowser, startWebFace } from '../../../../../test/rig/web-face.ts'
import { push, stateText } from '../../../../../test/support/state.ts'
import { systemCaller } from '../../../../access/index.ts'
import { detailsOf, typesLike } from './words.ts'

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

test('details are plain values, cut where they are long', () => {
  const data = { serial: 3, rollout: 'ro-1', deep: { a: 1 }, reason: 'x'.repeat(100), empty: '' }

  expect(detailsOf({ data })).toBe(`serial 3 · reason ${'x'.repeat(80)}…`)
})

test('the feed is newest first, filtered by type, unit and person, and paged', async () => {
  const face = await startWebFace()
  const browser = createTestBrowser(face)
  for (let i = 0; i < 20; i++) await push(face.deps.control, `unit-${i}`, stateText(1))
  await push(face.deps.control, 'prod/net', stateText(1))
  const feed = async (query: string) => {
    const { status, text } = await browser.get(`/app/default/activity?${query}&part=feed`)
    return { status, text, units: Array.from(text.matchAll(/units\/([\w-]+)"/g), ([, unit]) => unit) }
  }

  await expect.poll(async () => (await feed('unit=prod/net&type=state')).units).toEqual(['prod--net'])
  const all = await feed('')
  expect(all.units[0]).toBe('prod--net')
  expect(all.text).toMatch(/^<div id="feed" data-live-on=""/)
  const next = /rel="next" href="([^"]+)"/.exec(all.text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  const older = await browser.get(next)
  expect(older.text).toContain('unit-0')
  expect(older.text).toContain('id="feed"><')
  expect((await feed('type=gc')).text).toContain('No event is like this.')
  expect((await feed('type=nonsense')).text).toContain('No event is like this.')
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
    .toMatch(/Locks: 1.*prod\/net.*opentaco.*since .*just now.*at &lt;work&gt;/)
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
  expect([named.status, named.text.includes('No event is like this.')]).toEqual([200, true])
})
