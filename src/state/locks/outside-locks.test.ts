import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import { LockInfo } from '../index.ts'
import { alice, lose, named, openControl, overwrite, push, stateText } from '../../../test/support/state.ts'

test('a list shows a lock that was made around us, and no longer when it is gone', async () => {
  const bucket = openMemoryBucket({ listsInOneRequest: true })
  const control = await openControl(bucket)
  for (const name of ['a', 'b']) await push(control, name, stateText(1))
  const locks = async () =>
    (await control.units.list({ org: 'default', limit: 10 }, alice)).items.map(
      ({ lock }) => lock?.info.Who ?? null,
    )
  const key = 'b/terraform.tfstate.tflock'
  await overwrite(bucket, key, JSON.stringify({ ID: 'x', Who: 'bob@desk' }))

  expect(await locks()).toEqual([null, 'bob@desk'])
  await lose(bucket, key)
  expect(await locks()).toEqual([null, null])
})

test('where looks cost little, a page shows a lock made around us at once, without a look at anything else', async () => {
  const store = openMemoryBucket({ listsInOneRequest: true })
  const listed: string[] = []
  const bucket: Bucket = {
    ...store,
    list(prefix, options) {
      listed.push(prefix)
      return store.list(prefix, options)
    },
  }
  const control = await openControl(bucket)
  for (const name of ['a', 'b']) await push(control, name, stateText(1))
  const page = async () =>
    (await control.units.list({ org: 'default', limit: 1 }, alice)).items[0]?.lock?.info.Who
  expect(await page()).toBeUndefined()

  await overwrite(bucket, 'a/terraform.tfstate.tflock', JSON.stringify({ ID: 'x', Who: 'bob@desk' }))
  listed.length = 0
  expect(await page()).toBe('bob@desk')
  expect(new Set(listed)).toEqual(new Set(['.taco/orgs/default/units/']))
})

test('where a listing takes many requests, a list shows outside locks after a sweep has found them', async () => {
  const bucket = openMemoryBucket({ listsInOneRequest: false })
  const control = await openControl(bucket)
  await push(control, 'a', stateText(1))
  await overwrite(bucket, 'a/terraform.tfstate.tflock', JSON.stringify({ ID: 'x', Who: 'bob@desk' }))
  const who = async () =>
    (await control.units.list({ org: 'default', limit: 10 }, alice)).items[0]?.lock?.info.Who

  expect(await who()).toBeUndefined()
  await control.upkeep.sweep(alice)
  expect(await who()).toBe('bob@desk')
})

test('a lock past its lease is shown as free, in a list and alone', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  const info = LockInfo.parse({ ID: 'x', Who: 'alice' })
  await control.locks.lock(named('a'), info, { createUnit: true, leaseMs: -1 }, alice)

  expect((await control.units.list({ org: 'default', limit: 10 }, alice)).items).toMatchObject([
    { lock: null },
  ])
  expect((await control.units.get(named('a'), alice)).lock).toBeNull()
  expect(await control.locks.get(named('a'), alice)).toBeNull()
})
