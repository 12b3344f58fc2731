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

test('a dry run can suppose another rule; a real run goes by the stored one', async () => {
  const control = await openControl()
  for (let serial = 1; serial <= 5; serial++) await push(control, 'a', stateText(serial))
  await push(control, 'b', stateText(1))
  await push(control, 'own', stateText(1))
  await push(control, 'own', stateText(2))
  await control.units.update(named('own'), { retention: { count: 9 } }, alice)
  const asIf = { retention: { count: 1 }, eventRetention: null }
  const removed: string[] = []
  const onUnit = ({ id, versionsPruned }: { readonly id: string; readonly versionsPruned: number }) =>
    void removed.push(`${id} ${versionsPruned}`)

  expect(await control.upkeep.gc({ org: 'default', dryRun: true, asIf, onUnit }, alice)).toMatchObject({
    units: 3,
    unitsWithRule: 3,
    versionsPruned: 4,
  })
  const { id } = await control.units.get(named('a'), alice)
  expect(removed).toEqual([`${id} 4`])
  expect(await control.upkeep.gc({ dryRun: false, asIf }, alice)).toMatchObject({ versionsPruned: 0 })
  expect((await control.versions.list(named('a'), { limit: 100 }, alice)).items).toHaveLength(5)
})
