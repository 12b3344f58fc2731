import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { randomIds } from '../../base/ids.ts'
import { silentLog } from '../../base/log.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { createStateControl } from '../index.ts'
import { alice } from '../../../test/support/state.ts'

test('a document that is changed again before its events were told is emptied all the same', async () => {
  const control = await createStateControl({
    bucket: openMemoryBucket(),
    clock: systemClock,
    ids: randomIds,
    log: silentLog,
    spool: { create: () => Promise.reject(new Error('nothing here is large')) },
  })
  const { outbox } = control
  const emptied: string[] = []
  const document = (tag: string) => ({
    key: 'document',
    empty: () => Promise.resolve(void emptied.push(tag)),
  })
  const event = outbox.make({ org: 'default' }, { type: 'rollout.finished', caller: alice })
  outbox.send([event], [event], document('first'))
  const left = outbox.unsent([event])
  expect(left).toEqual([event])
  outbox.send(left, [], document('second'))
  await control.close()

  expect(emptied).toEqual(['second'])
})
