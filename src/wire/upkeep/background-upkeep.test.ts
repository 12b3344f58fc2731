import { expect, test } from 'vitest'
import { silentLog } from '../../base/log.ts'
import type { Upkeep } from '../../state/index.ts'
import { startBackground } from './background-upkeep.ts'

/** Time that is frozen until it is moved; sleepers wake in order. */
function handClock() {
  let now = 0
  const sleepers = new Set<{ at: number; wake: () => void }>()
  return {
    now: () => now,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        if (signal?.aborted) return reject(new Error('aborted'))
        const sleeper = { at: now + ms, wake: resolve }
        sleepers.add(sleeper)
        signal?.addEventListener('abort', () => reject(new Error('aborted')))
      }),
    async pass(ms: number) {
      now += ms
      for (const sleeper of sleepers) {
        if (sleeper.at > now) continue
        sleepers.delete(sleeper)
        sleeper.wake()
      }
      await new Promise(setImmediate)
    },
  }
}

function countingUpkeep(fails = false) {
  const done = { sweeps: 0, gcs: 0 }
  const upkeep = {
    sweep: () => {
      done.sweeps++
      return fails ? Promise.reject(new Error('no bucket')) : Promise.resolve({ looked: 0, repaired: 0 })
    },
    gc: () => {
      done.gcs++
      return Promise.resolve({
        dryRun: false,
        units: 0,
        versionsPruned: 0,
        objectsDeleted: 0,
        bytesDeleted: 0,
      })
    },
  } as unknown as Upkeep
  return { done, upkeep }
}

type Times = Pick<Parameters<typeof startBackground>[0], 'lookEveryMs' | 'gcEveryMs' | 'lastActiveAt'>

function started(clock: ReturnType<typeof handClock>, times: Partial<Times>, fails = false) {
  const { done, upkeep } = countingUpkeep(fails)
  const usual = { lookEveryMs: 1e9, gcEveryMs: 60_000, lastActiveAt: () => 0, random: () => 0.5 }
  return { done, background: startBackground({ upkeep, clock, log: silentLog, ...usual, ...times }) }
}

test('it looks at once and then every so often, failures included', async () => {
  const clock = handClock()
  const { done, background } = started(clock, { lookEveryMs: 100, gcEveryMs: 0 }, true)

  await clock.pass(0)
  expect(done.sweeps).toBe(1)
  await clock.pass(100)
  await clock.pass(100)
  expect(done).toEqual({ sweeps: 3, gcs: 0 })
  await background.stop()
})

test('retention waits until there were no requests for a while', async () => {
  const clock = handClock()
  let lastActiveAt = 0
  const { done, background } = started(clock, { lastActiveAt: () => lastActiveAt })

  await clock.pass(0)
  lastActiveAt = 50_000
  await clock.pass(60_000)
  expect(done.gcs).toBe(0)
  await clock.pass(30_000)
  expect(done.gcs).toBe(1)
  await background.stop()
})

test('a server that is never idle carries out retention all the same, half as often', async () => {
  const clock = handClock()
  const { done, background } = started(clock, { lastActiveAt: clock.now })

  await clock.pass(0)
  for (const passed of [60_000, 30_000]) {
    await clock.pass(passed)
    expect(done.gcs).toBe(0)
  }
  await clock.pass(30_000)
  expect(done.gcs).toBe(1)
  await background.stop()
})

test('the journal is sealed every few minutes, also after a failure', async () => {
  const clock = handClock()
  const { upkeep } = countingUpkeep()
  let sealed = 0
  const background = startBackground({
    upkeep,
    clock,
    log: silentLog,
    lookEveryMs: 1e9,
    gcEveryMs: 0,
    lastActiveAt: () => 0,
    random: () => 0.5,
    seal: () => (++sealed === 1 ? Promise.reject(new Error('no bucket')) : Promise.resolve({})),
  })

  await clock.pass(0)
  expect(sealed).toBe(0)
  await clock.pass(300_000)
  await clock.pass(300_000)
  expect(sealed).toBe(2)
  await background.stop()
})
