import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import { LockInfo } from '../index.ts'
import { alice, named, openControl, overwrite, push, stateText } from '../../../test/support/state.ts'

const place = 'a/terraform.tfstate.tflock'
const nested = '['.repeat(200_000) + ']'.repeat(200_000)

test.each([
  ['nested very deeply', `{"ID":"x","Who":"bob","More":${nested}}`],
  ['very large', JSON.stringify({ ID: 'x', Who: 'bob', More: 'x'.repeat(2_000_000) })],
  ['empty', ''],
])("somebody else's lock that is %s is respected, and not passed on", async (_, text) => {
  const bucket = openMemoryBucket({ listsInOneRequest: true })
  const control = await openControl(bucket)
  await push(control, 'a', stateText(1))
  await overwrite(bucket, place, text)

  const lock = control.locks.lock(named('a'), LockInfo.parse({ ID: 'mine' }), { createUnit: false }, alice)
  await expect(lock).rejects.toMatchObject({ code: 'LOCKED' })
  await expect(push(control, 'a', stateText(2))).rejects.toMatchObject({ code: 'LOCKED' })
  const { items } = await control.units.list({ org: 'default', limit: 10 }, alice)
  expect(JSON.stringify(items).length).toBeLessThan(5_000)
  expect(items[0]?.lock?.info.ID).toBe('unreadable')
})

test('of a very large lock nothing is read', async () => {
  const store = openMemoryBucket()
  let read = 0
  const get = async (key: string, options?: object) => {
    const found = await store.get(key, options)
    if (found === undefined || key !== place) return found
    const bytes = () => {
      read += found.size
      return found.bytes()
    }
    return { ...found, bytes }
  }
  const bucket: Bucket = { ...store, get: get as Bucket['get'] }
  const control = await openControl(bucket)
  await push(control, 'a', stateText(1))
  await overwrite(store, place, 'x'.repeat(2_000_000))
  await expect(push(control, 'a', stateText(2))).rejects.toMatchObject({ code: 'LOCKED' })

  expect(read).toBe(0)
})
