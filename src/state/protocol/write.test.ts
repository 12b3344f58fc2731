import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import { LockInfo } from '../index.ts'
import { alice, named, openControl, overwrite, push, stateText } from '../../../test/support/state.ts'

const KEY = 'prod/terraform.tfstate'

/** A unit whose state was written once under a lock that is still held. */
async function longApply() {
  const bucket = openMemoryBucket()
  const asked: string[] = []
  const counted = Object.assign(Object.create(bucket) as Bucket, {
    head: (key: string) => {
      asked.push(key)
      return bucket.head(key)
    },
  })
  const control = await openControl(counted)
  await push(control, 'prod', stateText(1))
  await control.locks.lock(named('prod'), LockInfo.parse({ ID: 'L1' }), {}, alice)
  await push(control, 'prod', stateText(2), { lockId: 'L1' })
  asked.length = 0
  return { bucket, control, asked, save: (text: string) => push(control, 'prod', text, { lockId: 'L1' }) }
}

async function historyOf({ control }: Awaited<ReturnType<typeof longApply>>) {
  const { items } = await control.versions.list(named('prod'), { limit: 10 }, alice)
  return items.map(({ serial, how, status }) => [serial, how, status])
}

test('what was written under a lock is not looked at again by the next write under it', async () => {
  const { save, asked } = await longApply()

  await save(stateText(3))

  expect(asked).toEqual([`${KEY}.tflock`])
})

test('the same bytes again are acknowledged only after a look', async () => {
  const apply = await longApply()
  await overwrite(apply.bucket, KEY, stateText(1, 'theirs'))

  await apply.save(stateText(2))

  expect(await historyOf(apply)).toEqual([
    [2, 'push', 'current'],
    [1, 'outside', 'past'],
    [2, 'push', 'past'],
    [1, 'push', 'past'],
  ])
})

test('a write around the lock is recorded, and a later serial is stored on top of it', async () => {
  const apply = await longApply()
  await overwrite(apply.bucket, KEY, stateText(3, 'theirs'))

  await apply.save(stateText(4))

  expect(await historyOf(apply)).toEqual([
    [4, 'push', 'current'],
    [3, 'outside', 'past'],
    [4, 'push', 'superseded'],
    [2, 'push', 'past'],
    [1, 'push', 'past'],
  ])
})

test('a later serial written around the lock is not overwritten', async () => {
  const apply = await longApply()
  await overwrite(apply.bucket, KEY, stateText(9, 'theirs'))

  await expect(apply.save(stateText(4))).rejects.toMatchObject({ code: 'STATE_SERIAL' })

  expect(await historyOf(apply)).toEqual([
    [9, 'outside', 'current'],
    [4, 'push', 'superseded'],
    [2, 'push', 'past'],
    [1, 'push', 'past'],
  ])
})
