import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { alice, named, openControl, push, stateText } from '../../../test/support/state.ts'

test('gc goes by the rule that is stored now, not by one that another server has taken back', async () => {
  const bucket = openMemoryBucket()
  const first = await openControl(bucket)
  const second = await openControl(bucket)
  for (let serial = 1; serial <= 30; serial++) await push(first, 'a', stateText(serial))
  await first.orgs.update('default', { retention: { count: 10 } }, alice)
  // The other server has seen the rule, and remembers it.
  expect(await second.upkeep.gc({ dryRun: true }, alice)).toMatchObject({ versionsPruned: 20 })
  await first.orgs.update('default', { retention: null }, alice)

  expect(await second.upkeep.gc({ dryRun: false }, alice)).toMatchObject({
    versionsPruned: 0,
    objectsDeleted: 0,
  })

  expect((await second.versions.list(named('a'), { limit: 100 }, alice)).items).toHaveLength(30)
})
