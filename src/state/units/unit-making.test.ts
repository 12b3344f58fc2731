import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import { alice, findings, openControl, pull, push, stateText, wrong } from '../../../test/support/state.ts'

/** The bucket, with something that happens just before a key is claimed for the first time. */
function whenKeyIsClaimed(bucket: Bucket, happens: () => Promise<unknown>): Bucket {
  let isOver = false
  return new Proxy(bucket, {
    get(target, name, receiver) {
      if (name !== 'put') return Reflect.get(target, name, receiver) as unknown
      return async (...[key, ...rest]: Parameters<Bucket['put']>) => {
        if (!isOver && key.startsWith('.taco/keys/')) {
          isOver = true
          await happens()
        }
        return target.put(key, ...rest)
      }
    },
  })
}

test('a unit that a push makes while it is being created keeps its name', async () => {
  const bucket = openMemoryBucket()
  const other = await openControl(bucket)
  const slow = whenKeyIsClaimed(bucket, () => push(other, 'a', stateText(1)))
  const control = await openControl(slow)

  const unit = await control.units.create({ org: 'default', name: 'a', key: 'k/s.tfstate' }, alice)

  expect(unit).toMatchObject({ name: 'a', key: 'k/s.tfstate' })
  const fresh = await openControl(bucket)
  expect(await pull(fresh, 'a')).toBe(stateText(1))
  expect(wrong(await findings(fresh))).toEqual([])
})

test('a unit that a push makes keeps its name when its creation is refused for the key', async () => {
  const bucket = openMemoryBucket()
  const other = await openControl(bucket)
  await other.units.create({ org: 'default', name: 'b', key: 'k/s.tfstate' }, alice)
  const slow = whenKeyIsClaimed(bucket, () => push(other, 'a', stateText(1)))
  const control = await openControl(slow)

  const creation = control.units.create({ org: 'default', name: 'a', key: 'k/s.tfstate' }, alice)

  await expect(creation).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
  const fresh = await openControl(bucket)
  expect(await pull(fresh, 'a')).toBe(stateText(1))
  expect(wrong(await findings(fresh))).toEqual([])
})
