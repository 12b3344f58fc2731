import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import type { StateControl } from '../index.ts'
import {
  movedControl,
  alice,
  lose,
  named,
  overwrite,
  pull,
  push,
  stateText,
} from '../../../test/support/state.ts'

const UNITS = 40
const numbers = Array.from({ length: UNITS }, (_, i) => i)

function setUp() {
  const store = openMemoryBucket({ pageSize: 1000 })
  const requests: string[] = []
  let mark: string | undefined
  const bucket: Bucket = {
    ...store,
    mark: () => Promise.resolve(mark),
    get: ((key: string, options?: Parameters<Bucket['get']>[1]) => {
      requests.push(`get ${key}`)
      return store.get(key, options)
    }) as Bucket['get'],
    async *list(prefix, options) {
      for await (const page of store.list(prefix, options)) {
        requests.push(`list ${prefix}`)
        yield page
      }
    },
  }
  const { pass, open } = movedControl(bucket)
  return {
    store,
    requests,
    setMark: (text: string | undefined) => (mark = text),
    pass,
    open: () => open({ tidyAfterMs: null }),
  }
}

async function listed(control: StateControl): Promise<readonly string[]> {
  const { items } = await control.units.list({ org: 'default', limit: 1000 }, alice)
  return items.map(({ description }) => description)
}

const asked = ['get .taco/orgs/default/catalog', 'list .taco/orgs/default/units/']

test('a cold listing reads the catalog object and the names of the documents, and nothing else', async () => {
  const { requests, open, pass } = setUp()
  const first = await open()
  for (const i of numbers) await first.units.create({ org: 'default', name: `unit-${i}` }, alice)
  pass(61_000)
  await listed(first)
  await first.close()

  const cold = await open()
  requests.length = 0

  expect(await listed(cold)).toHaveLength(UNITS)
  expect(requests).toEqual(asked)
})

test('what a server changed itself is in the catalog object for whoever starts next', async () => {
  const { requests, open, pass } = setUp()
  const first = await open()
  for (const i of numbers) await first.units.create({ org: 'default', name: `unit-${i}` }, alice)
  await listed(first)
  for (const i of numbers) await first.units.update(named(`unit-${i}`), { description: 'new' }, alice)
  pass(61_000)
  await listed(first)
  await first.close()

  const cold = await open()
  requests.length = 0

  expect(new Set(await listed(cold))).toEqual(new Set(['new']))
  expect(requests).toEqual(asked)
})

test('a listing asks for nothing more while the bucket says that nothing changed, for half a minute', async () => {
  const { requests, open, pass, setMark } = setUp()
  const [ours, other] = [await open(), await open()]
  await other.units.create({ org: 'default', name: 'unit' }, alice)
  setMark('one')
  await listed(ours)
  const look = async () => {
    pass(2_000)
    requests.length = 0
    return [await listed(ours), requests.filter((request) => request.startsWith('list '))]
  }

  await other.units.update(named('unit'), { description: 'new' }, alice)
  expect(await look()).toEqual([[''], []])
  setMark('two')
  expect((await look())[0]).toEqual(['new'])
  setMark(undefined)
  expect((await look())[1]).not.toEqual([])
  setMark('three')
  await look()
  pass(30_000)
  expect((await look())[1]).toEqual(['list .taco/orgs/default/units/'])
  await Promise.all([ours.close(), other.close()])
})

test('a clock that was set back lets nothing old pass for new', async () => {
  const { open, pass } = setUp()
  const [ours, other] = [await open(), await open()]
  await push(other, 'unit', stateText(1))
  expect(await listed(ours)).toEqual([''])
  expect(await pull(ours, 'unit')).toBe(stateText(1))

  await other.units.update(named('unit'), { description: 'new' }, alice)
  await other.units.rename(named('unit'), 'moved', alice)
  await other.units.create({ org: 'default', name: 'unit' }, alice)
  await push(other, 'unit', stateText(2))
  pass(-3_600_000)
  expect(await listed(ours)).toEqual(['new', ''])
  expect(await pull(ours, 'unit')).toBe(stateText(2))
  await Promise.all([ours.close(), other.close()])
})

test('what was seen by a clock that was ahead counts for nothing once the clock is right', async () => {
  const { store, open, pass } = setUp()
  pass(3_600_000)
  const [ours, other] = [await open(), await open()]
  const keyOf = async (name: string) =>
    `.taco/orgs/default/units/${(await other.units.create({ org: 'default', name }, alice)).id}.json`
  const [backedUp, lost] = [await keyOf('backed-up'), await keyOf('lost')]
  await keyOf('unit')
  const backup = (await (await store.get(backedUp))?.bytes())?.toString() ?? ''
  await other.units.update(named('backed-up'), { description: 'new' }, alice)
  expect(await listed(ours)).toEqual(['new', '', ''])

  pass(-3_600_000)
  await overwrite(store, backedUp, backup)
  await lose(store, lost)
  expect(await listed(ours)).toEqual(['', ''])
  pass(2_000)
  await other.units.update(named('unit'), { description: 'newer' }, alice)
  await other.close()
  pass(2_000)
  expect(await listed(ours)).toEqual(['', 'newer'])
  await ours.close()
})

test('a document that was put back from a backup under a running server is listed as it is', async () => {
  const { store, requests, open, pass } = setUp()
  const control = await open()
  const { id } = await control.units.create({ org: 'default', name: 'unit' }, alice)
  const key = `.taco/orgs/default/units/${id}.json`
  const backup = (await (await store.get(key))?.bytes())?.toString() ?? ''
  for (const description of ['new', 'newer'])
    await control.units.update(named('unit'), { description }, alice)
  expect(await listed(control)).toEqual(['newer'])

  await overwrite(store, key, backup)
  pass(31_000)
  expect(await listed(control)).toEqual([''])
  pass(31_000)
  requests.length = 0
  await listed(control)
  expect(requests).not.toContain(`get ${key}`)
  await control.close()
})
