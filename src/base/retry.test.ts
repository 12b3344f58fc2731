import { expect, test } from 'vitest'
import { systemClock } from './clock.ts'
import { TacoError } from './errors.ts'
import { Again, retry, throwIfAborted } from './retry.ts'

function recording(random: number) {
  const pauses: number[] = []
  const clock = { ...systemClock, sleep: (ms: number) => Promise.resolve(void pauses.push(ms)) }
  return { pauses, options: { attempts: 5, baseMs: 100, maxMs: 300, clock, random: () => random } }
}

const failure = new Error('busy')

test('an attempt is repeated until it answers', async () => {
  const { options } = recording(0)

  const answer = await retry(options, (count) =>
    count < 3 ? Promise.reject(new Again(failure)) : Promise.resolve(count),
  )

  expect(answer).toBe(3)
})

test('after the last attempt the failure itself is thrown, and pauses have doubled up to their bound', async () => {
  const { options, pauses } = recording(1)

  await expect(retry(options, () => Promise.reject(new Again(failure)))).rejects.toBe(failure)

  expect(pauses).toEqual([100, 200, 300, 300])
})

test('a pause may be zero, and is never shorter than the store requests', async () => {
  const { options, pauses } = recording(0)

  await expect(
    retry(options, (count) => Promise.reject(new Again(failure, count === 2 ? 250 : undefined))),
  ).rejects.toBe(failure)

  expect(pauses).toEqual([0, 250, 0, 0])
})

test('another failure is thrown at once', async () => {
  const { options, pauses } = recording(0)

  await expect(retry(options, () => Promise.reject(failure))).rejects.toBe(failure)

  expect(pauses).toEqual([])
})

test('a caller that gives up during a pause does not wait for its end', async () => {
  const controller = new AbortController()
  const options = {
    attempts: 5,
    baseMs: 60_000,
    maxMs: 60_000,
    clock: systemClock,
    random: () => 1,
    signal: controller.signal,
  }

  const outcome = retry(options, () => {
    setImmediate(() => controller.abort())
    return Promise.reject(new Again(failure))
  })

  await expect(outcome).rejects.toMatchObject({ code: 'CANCELLED' })
})

test('a reason of our own is given back', () => {
  const reason = new TacoError('LOCKED', 'somebody else')

  expect(() => throwIfAborted(AbortSignal.abort(reason))).toThrow(reason)
  expect(() => throwIfAborted(AbortSignal.abort('x'))).toThrow(expect.objectContaining({ code: 'CANCELLED' }))
  expect(() => throwIfAborted(undefined)).not.toThrow()
})
