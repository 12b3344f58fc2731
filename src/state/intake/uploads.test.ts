import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { alice, keysUnder, movedControl } from '../../../test/support/state.ts'

const ref = { org: 'default', key: 'app/terraform.tfstate' }
async function* bytes(text: string) {
  yield Buffer.from(text)
}

test('gc removes uploads a day after they were begun, and no younger ones', async () => {
  const bucket = openMemoryBucket()
  const moved = movedControl(bucket)
  const control = await moved.open()
  const left = () => keysUnder(bucket, '.taco/orgs/default/uploads/')
  const id = await control.uploads.begin(ref, alice)
  await control.uploads.putPart({ ...ref, id }, 1, bytes('x'), { maxBytes: 10 })

  await control.upkeep.gc({ dryRun: false }, alice)
  expect(await left()).toHaveLength(2)
  moved.pass(25 * 3_600_000)
  await expect(control.uploads.find({ ...ref, id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await control.upkeep.gc({ dryRun: true }, alice)
  expect(await left()).toHaveLength(2)
  await control.upkeep.gc({ dryRun: false }, alice)
  expect(await left()).toEqual([])
})

test('a part that is too large is refused, and nothing of it is kept', async () => {
  const bucket = openMemoryBucket()
  const control = await movedControl(bucket).open()
  const id = await control.uploads.begin(ref, alice)

  await expect(
    control.uploads.putPart({ ...ref, id }, 1, bytes('x'.repeat(11)), { maxBytes: 10 }),
  ).rejects.toMatchObject({ code: 'TOO_LARGE' })
  expect(await keysUnder(bucket, '.taco/orgs/default/uploads/')).toHaveLength(1)
})

test('nothing begins in an organization that does not exist', async () => {
  const control = await movedControl(openMemoryBucket()).open()

  await expect(control.uploads.begin({ ...ref, org: 'absent' }, alice)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
})
