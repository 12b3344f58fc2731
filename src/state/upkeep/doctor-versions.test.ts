import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import { alice, findings, named, openControl, push, stateText } from '../../../test/support/state.ts'

test('what retention removes while doctor looks is neither damaged nor lost', async () => {
  const bucket = openMemoryBucket()
  const server = await openControl(bucket)
  for (const serial of [1, 2, 3, 4]) await push(server, 'd', stateText(serial))
  await server.units.update(named('d'), { retention: { count: 2 } }, alice)
  const { id } = await server.units.get(named('d'), alice)
  const removed: number[] = []
  const looking = Object.assign(Object.create(bucket) as Bucket, {
    async *list(...args: Parameters<Bucket['list']>): ReturnType<Bucket['list']> {
      yield* bucket.list(...args)
      if (args[0].endsWith(`/versions/${id}/`))
        removed.push((await server.upkeep.gc({ dryRun: false }, alice)).versionsPruned)
    },
  })

  const found = await findings(await openControl(looking), { repair: true })

  expect(removed[0]).toBe(2)
  expect(found.filter(({ check }) => check.startsWith('version.'))).toEqual([])
})
