import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import type { StateControl } from '../index.ts'
import { LockInfo } from '../index.ts'
import {
  alice,
  lose,
  movedControl,
  named,
  openControl,
  overwrite,
  pull,
  push,
  stateText,
} from '../../../test/support/state.ts'

const KEY = 'prod/terraform.tfstate'
const LOCK = `${KEY}.tflock`
const theirs = JSON.stringify({ ID: 'theirs', Who: 'somebody', Operation: 'OperationTypeApply' })

async function lockedUnit(bucket: Bucket = openMemoryBucket(), control?: StateControl) {
  const server = control ?? (await openControl(bucket))
  await push(server, 'prod', stateText(1))
  await server.locks.lock(named('prod'), LockInfo.parse({ ID: 'L1', Who: 'alice' }), {}, alice)
  return { bucket, server }
}

const operations: [string, (server: StateControl) => Promise<unknown>][] = [
  ['a write', (server) => push(server, 'prod', stateText(2), { lockId: 'L1' })],
  ['a deletion', (server) => server.states.remove(named('prod'), { lockId: 'L1', force: true }, alice)],
]

test.each(operations)(
  '%s is refused when its lock was broken around OpenTaco and taken by another',
  async (_name, work) => {
    const { bucket, server } = await lockedUnit()
    await lose(bucket, LOCK)
    await overwrite(bucket, LOCK, theirs)

    await expect(work(server)).rejects.toMatchObject({
      code: 'LOCK_MISMATCH',
      message: 'The lock of prod was broken around OpenTaco and taken by another program.',
    })

    expect(await pull(server, 'prod')).toBe(stateText(1))
    expect((await bucket.get(LOCK).then((found) => found?.bytes()))?.toString()).toBe(theirs)
  },
)

test.each(operations)(
  '%s goes on when its lock object only disappeared, and puts it back',
  async (_name, work) => {
    const { bucket, server } = await lockedUnit()
    await lose(bucket, LOCK)

    await work(server)

    const found = await bucket.get(LOCK)
    expect(JSON.parse(String(await found?.bytes()))).toMatchObject({ ID: 'L1', OpenTaco: { epoch: 2 } })
  },
)

test.each(operations)('%s continues under another server’s lock object of this unit', async (_name, work) => {
  const { bucket } = await lockedUnit()

  await work(await openControl(bucket))

  expect(await bucket.head(LOCK)).toBeDefined()
})

test.each(operations)('%s is refused while its lock is being released', async (_name, work) => {
  const inner = openMemoryBucket({ conditionalDelete: false })
  const other = await movedControl(inner).open({ tidyAfterMs: null })
  let server = other
  const outcomes: unknown[] = []
  const bucket: Bucket = {
    ...inner,
    delete: async (key, ...rest) => {
      // The release has been claimed, and its only delete is under way.
      if (key === LOCK)
        for (const one of [other, server]) outcomes.push(await work(one).catch((error: unknown) => error))
      return inner.delete(key, ...rest)
    },
  }
  server = await movedControl(bucket).open({ tidyAfterMs: null })
  await lockedUnit(bucket, server)
  outcomes.length = 0

  await server.locks.unlock(named('prod'), 'L1', alice)

  expect(outcomes).toMatchObject([{ code: 'LOCK_MISMATCH' }, { code: 'LOCK_MISMATCH' }])
  expect(await pull(other, 'prod')).toBe(stateText(1))
  expect(await other.locks.get(named('prod'), alice)).toBeNull()
})
