import { expect, test } from 'vitest'
import { MAX_TTL_MS, rootToken } from '../../access/index.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { alice, keysUnder, movedControl } from '../../../test/support/state.ts'

test('gc removes run tokens that were never revoked, and a dry run removes none', async () => {
  const bucket = openMemoryBucket()
  const { open, pass } = movedControl(bucket)
  const control = await open()
  const unit = { id: null, name: 'a' }
  await control.runTokens.issue({ org: 'default', unit }, { ttlMs: 1000 }, { principal: rootToken })
  const left = async () => (await keysUnder(bucket, '.taco/orgs/default/run-tokens/')).length

  await control.upkeep.gc({ dryRun: false }, alice)
  expect(await left()).toBe(1)
  pass(2 * MAX_TTL_MS + 1000)
  await control.upkeep.gc({ dryRun: true }, alice)
  expect(await left()).toBe(1)
  await control.upkeep.gc({ dryRun: false }, alice)
  expect(await left()).toBe(0)
})
