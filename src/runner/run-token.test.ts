import { expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { TacoError } from '../base/errors.ts'
import { silentLog } from '../base/log.ts'
import { takeRunToken } from './run-token.ts'

function start({ isRevoked = true } = {}) {
  const calls: string[] = []
  const left: unknown[] = []
  let renewals = 0
  const api = {
    issue(unit: string, ttlMs: number) {
      calls.push(`issue ${unit} ${ttlMs}`)
      return Promise.resolve({ id: 'i1', token: 'taco_run_default.i1.s', expiresAt: 'soon' })
    },
    renew(id: string, ttlMs: number) {
      renewals += 1
      calls.push(`renew ${id} ${ttlMs}`)
      // The first one fails, as it does while a server is restarted.
      if (renewals === 1) return Promise.reject(new TacoError('BUCKET_UNAVAILABLE', 'nobody answers'))
      return Promise.resolve({ expiresAt: 'later' })
    },
    revoke(id: string) {
      calls.push(`revoke ${id}`)
      return isRevoked ? Promise.resolve() : Promise.reject(new Error('nobody answers'))
    },
  }
  const options = { clock: systemClock, log: silentLog, ttlMs: 60, onLeft: (one: unknown) => left.push(one) }
  return { take: () => takeRunToken(api, 'prod/network', options), calls, left, renewals: () => renewals }
}

test('a run token is renewed while the run lasts, also after a renewal that failed, and revoked at its end', async () => {
  const { take, calls, left, renewals } = start()
  const run = await take()
  await expect.poll(renewals).toBeGreaterThan(2)
  await run.end()

  expect(run.token).toBe('taco_run_default.i1.s')
  expect([calls[0], calls[1], calls.at(-1)]).toEqual(['issue prod/network 60', 'renew i1 60', 'revoke i1'])
  expect(left).toEqual([])
})

test('one that cannot be revoked fails nothing, and is reported with its end', async () => {
  const { take, left, renewals } = start({ isRevoked: false })
  const run = await take()
  await expect.poll(renewals).toBeGreaterThan(1)
  await run.end()

  expect(left).toMatchObject([{ expiresAt: 'later' }])
})
