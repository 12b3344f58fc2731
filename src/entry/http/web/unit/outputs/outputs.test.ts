import { expect, test } from 'vitest'
import { page, startPerson, startUnit, state, system } from '../../../../../../test/rig/unit-pages.ts'
import { named, push } from '../../../../../../test/support/state.ts'
import { readersOf } from './readers.ts'
import { typeWords } from './type-words.ts'

test('outputs say who reads them; an earlier commit can be shown, and the list exported', async () => {
  const { browser } = await startUnit()

  const { text } = await browser.get(page('/outputs'))
  expect(text).toMatch(/<tr><td><span class="mono">url<.*prod\/apps\/shop/s)
  const old = await browser.get(page('/outputs?commit=1'))
  expect(old.text).toContain('http://one')
  expect(old.text).toContain('These are the outputs of an earlier commit.')
  expect((await browser.get(page('/outputs?commit=9'))).status).toBe(404)
  expect((await browser.get(page('/outputs?search=UR&format=json'))).json()).toEqual([
    {
      name: 'url',
      value: '"http://two"',
      type: '"string"',
      sensitive: false,
      since: 2,
      readers: 'prod/apps/shop',
    },
  ])
  const all = await browser.get(page('/outputs?format=csv'))
  expect(all.text).toContain('password')
  expect(all.text).not.toContain('hunter2')
})

test('commits are listed with what they changed, and compared without sensitive values', async () => {
  const { browser, control } = await startUnit()
  const changed = state(3, 'http://two').replace('hunter2', 'hunter3')
  await push(control, 'prod/data/orders', changed)

  const log = await browser.get(page('/outputs/log'))
  expect(log.text).toContain(page('/outputs/diff?from=2&amp;to=3'))
  expect((await browser.get(page('/outputs/log?format=json'))).json()).toMatchObject([
    { commit: 3, changed: 'password' },
    { commit: 2, changed: 'url' },
    { commit: 1, changed: 'password url' },
  ])
  const newest = await browser.get(page('/outputs/diff'))
  expect(newest.text).toContain('password')
  expect(newest.text).not.toContain('hunter')
  const first = await browser.get(page('/outputs/diff?from=1&to=2'))
  expect(first.text).toMatch(/http:\/\/<del>one<\/del><ins>two<\/ins>/)
  expect((await browser.get(page('/outputs/diff?from=0&to=1'))).text).toContain('did not exist')
  expect((await browser.get(page('/outputs/diff?from=2&to=2'))).text).toContain('are the same')
})

test('a commit that does not exist, or is no number, is told at the field', async () => {
  const { browser } = await startUnit()

  for (const [query, id] of [
    ['from=9&to=1', 'from'],
    ['from=1&to=9', 'to'],
    ['from=x&to=1', 'from'],
  ]) {
    const { status, text } = await browser.get(page(`/outputs/diff?${query}`))
    expect([query, status, text.includes(`id="${id}-error"`)]).toEqual([query, 400, true])
  }
})

test('a stale unit shows the values that it read and those of now, to those who may read them', async () => {
  const { browser, control } = await startUnit()
  await makeStale(control)
  const { text } = await browser.get('/app/default/units/prod--apps--shop')
  expect(text).toMatch(/http:\/\/<del>two<\/del><ins>three<\/ins>/)

  const other = await startPerson(['unit:read', 'graph:read'])
  await makeStale(other.control)
  const masked = await other.browser.get('/app/default/units/prod--apps--shop')
  expect(masked.text).toContain('Why it is stale')
  expect(masked.text).not.toContain('three')
})

async function makeStale(control: Awaited<ReturnType<typeof startUnit>>['control']): Promise<void> {
  const consumer = 'prod/apps/shop'
  await control.outputs.get(named('prod/data/orders'), { sensitive: false, consumer, names: ['url'] }, system)
  await push(control, consumer, state(2, 'http://shop'))
  await push(control, 'prod/data/orders', state(3, 'http://three'))
}

test('a unit that uses all outputs reads each of them, one that keeps the order none', () => {
  const user = { id: '1', source: 'declared', state: 'fresh' } as const
  const readers = readersOf([
    { ...user, name: 'all', outputs: null },
    { ...user, name: 'some', outputs: ['a'] },
    { ...user, name: 'order', outputs: [] },
    { ...user, name: 'some', outputs: ['a', 'b'] },
  ])

  expect([readers.of('a'), readers.of('b'), readers.of('c')]).toEqual([
    ['all', 'some'],
    ['all', 'some'],
    ['all'],
  ])
})

test.each([
  ['"string"', 'string'],
  ['["list","string"]', 'list(string)'],
  ['["map",["set","number"]]', 'map(set(number))'],
  ['["object",{"a":"string","b":["list","bool"]}]', 'object({ a = string, b = list(bool) })'],
  ['["tuple",["string","number"]]', 'tuple([string, number])'],
  ['', ''],
])('the type %s is written as %s', (json, words) => {
  expect(typeWords(json)).toBe(words)
})
