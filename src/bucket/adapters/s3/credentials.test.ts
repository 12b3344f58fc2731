import { expect, test } from 'vitest'
import { systemClock } from '../../../base/clock.ts'
import { credentialSource } from './credentials.ts'

function counting(lifeMs: number) {
  const state = { now: 0, asked: 0, fails: false }
  const source = credentialSource({
    given: undefined,
    env: {},
    clock: { ...systemClock, now: () => state.now },
    chain: () => {
      state.asked++
      if (state.fails) return Promise.reject(new Error('the metadata service is down'))
      return Promise.resolve({
        accessKeyId: `key ${state.asked}`,
        secretAccessKey: 's',
        expiresAt: state.now + lifeMs,
      })
    },
  })
  return { state, source }
}

test('keys of the environment are used as they are', () => {
  const env = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_SESSION_TOKEN: '' }
  const source = credentialSource({ given: undefined, env, clock: systemClock })

  expect(source.current()).toEqual({ accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: undefined })
  expect(source.forget()).toBe(false)
})

test('many callers at once query the chain once, and not again while the keys are valid', async () => {
  const { state, source } = counting(3600_000)

  await Promise.all([source.current(), source.current(), source.current()])
  await source.current()

  expect(state.asked).toBe(1)
})

test('keys that will soon expire are renewed in the background, and expired ones before the request', async () => {
  const { state, source } = counting(3600_000)
  await source.current()

  state.now = 3600_000 - 60_000
  expect(source.current()).toMatchObject({ accessKeyId: 'key 1' })
  await Promise.resolve()
  await new Promise(setImmediate)
  expect(source.current()).toMatchObject({ accessKeyId: 'key 2' })

  state.now += 3600_000
  expect(await source.current()).toMatchObject({ accessKeyId: 'key 3' })
})

test('a failed renewal does no harm while the old keys are valid, and is reported afterwards', async () => {
  const { state, source } = counting(3600_000)
  await source.current()
  state.fails = true

  state.now = 3600_000 - 60_000
  expect(await source.current()).toMatchObject({ accessKeyId: 'key 1' })
  await new Promise(setImmediate)

  state.now = 3600_000
  await expect(source.current()).rejects.toThrow('the metadata service is down')
})

test('keys that the store calls expired are requested again', async () => {
  const { source } = counting(3600_000)
  await source.current()

  expect(source.forget()).toBe(true)
  expect(await source.current()).toMatchObject({ accessKeyId: 'key 2' })
})
