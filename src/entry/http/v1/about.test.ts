import { expect, test } from 'vitest'
import { systemClock } from '../../../base/clock.ts'
import { TacoError } from '../../../base/errors.ts'
import { createLog } from '../../../base/log-sink.ts'
import { tokenGuard } from '../auth/auth.ts'
import { createReadiness } from '../readiness.ts'
import { startFace } from '../../../../test/rig/http-face.ts'

test.each(['/v1/server', '/v1/openapi.json'])('%s takes no parameters, and says so', async (path) => {
  const face = await startFace()

  expect((await face.send(path)).status).toBe(200)
  const refused = await face.send(`${path}?org=acme`)
  expect(refused.json()).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
  expect(refused.text).toContain('org')
})

test.each(['/healthz', '/readyz', '/metrics'])('%s takes whatever a probe adds', async (path) => {
  const face = await startFace()

  expect((await face.send(`${path}?nocache=1731661200`)).status).toBe(200)
})

test('strangers cannot make the bucket be asked again and again', async () => {
  let asked = 0
  const face = await startFace({
    ready: async () => {
      asked++
      await new Promise((resolve) => setTimeout(resolve, 20))
    },
  })

  const answers = await Promise.all(Array.from({ length: 50 }, () => face.send('/readyz')))

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(asked).toBeLessThan(10)
})

test('a readiness is kept for a second, a failure too, and then asked for again', async () => {
  let now = 0
  let asked = 0
  const clock = { now: () => now, sleep: () => Promise.resolve() }
  const ready = createReadiness(
    () => (++asked === 1 ? Promise.reject(new Error('down')) : Promise.resolve()),
    clock,
  )

  await expect(ready()).rejects.toThrow('down')
  now = 999
  await expect(ready()).rejects.toThrow('down')
  expect(asked).toBe(1)
  now = 1_000
  await ready()
  expect(asked).toBe(2)
})

test('only who has the token is told which bucket cannot be used', async () => {
  const token = 'a-token-that-is-long-enough'
  const lines: string[] = []
  const face = await startFace({
    guard: tokenGuard({ token, clock: systemClock }),
    log: createLog({ level: 'debug', format: 'json', write: (text) => lines.push(text) }),
    ready: () =>
      Promise.reject(
        new TacoError('BUCKET_UNAVAILABLE', 's3://secret-place does not answer', {
          hint: 'look at secret-place',
        }),
      ),
  })

  for (const headers of [{}, { authorization: 'Bearer wrong' }]) {
    const stranger = await face.send('/readyz', { headers })
    expect(stranger.json()).toMatchObject({ status: 503, code: 'BUCKET_UNAVAILABLE' })
    expect(stranger.text).not.toContain('secret-place')
  }
  const known = await face.send('/readyz', { headers: { authorization: `Bearer ${token}` } })
  expect(known.json()['detail']).toBe('s3://secret-place does not answer')
  expect(lines.join('')).toContain('secret-place')
})
