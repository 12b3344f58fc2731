import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { type ErrorCode, TacoError } from '../../base/errors.ts'
import { randomIds } from '../../base/ids.ts'
import { silentLog } from '../../base/log.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { createStateControl, LockInfo } from '../index.ts'
import { alice, named, push, stateText } from '../../../test/support/state.ts'

/** A store without conditional deletes, one of which fails with this. */
async function lockedUnit(failure: ErrorCode) {
  const inner = openMemoryBucket({ conditionalDelete: false })
  const seen = { slept: [] as number[], warned: [] as unknown[] }
  const failing = { isOn: false }
  const bucket = {
    ...inner,
    delete: (...args: Parameters<typeof inner.delete>) =>
      failing.isOn && args[0].endsWith('.tflock')
        ? Promise.reject(new TacoError(failure, 'no delete today'))
        : inner.delete(...args),
  }
  const control = await createStateControl({
    bucket,
    clock: { ...systemClock, sleep: (ms) => Promise.resolve(void seen.slept.push(ms)) },
    ids: randomIds,
    log: { ...silentLog, warn: (message, facts) => seen.warned.push([message, facts]) },
    spool: { create: () => Promise.reject(new Error('nothing here is large enough for the spool')) },
    settings: { tidyAfterMs: null, deleteOutlivesMs: 12_345 },
  })
  await push(control, 'a', stateText(1))
  await control.locks.lock(named('a'), LockInfo.parse({ ID: 'one' }), {}, alice)
  failing.isOn = true
  return { control, seen }
}

test.each([
  ['BUCKET_UNAVAILABLE', true],
  ['BUCKET_REFUSED', false],
] as const)('an unlock whose delete fails with %s is told and waits for it: %s', async (code, waits) => {
  const { control, seen } = await lockedUnit(code)

  await control.locks.unlock(named('a'), 'one', alice)

  expect(await control.locks.get(named('a'), alice)).toBeNull()
  expect(seen.slept.includes(12_345)).toBe(waits)
  expect(seen.warned).toContainEqual([
    'a lock object could not be deleted',
    { unit: 'a', error: 'no delete today' },
  ])
})
