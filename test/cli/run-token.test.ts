import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Client, openClient } from '../../src/entry/cli/api/client.ts'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { runTokenApi } from '../../src/entry/cli/api/run-backend.ts'
import { takeRunToken } from '../../src/runner/index.ts'
import { serve } from '../../src/wire/serve.ts'

const rootToken = 'the-root-token-of-this-test-0123456789abcdef'

test('the token of a long run is renewed past its first term, and one that is not renewed expires on every server', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'taco-run-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const start = () =>
    serve({ bucket: `file://${folder}`, listen: '127.0.0.1:0', rootToken, logLevel: 'silent', graceMs: 0 })
  const [first, second] = [await start(), await start()]
  onTestFinished(async () => {
    await Promise.all([first.close(), second.close()])
  })
  const clientOf = (base: string) =>
    openClient({ base, org: 'default', label: base, token: rootToken, userAgent: 'test' })
  const [one, two] = [clientOf(first.url), clientOf(second.url)]
  onTestFinished(() => [one, two].forEach((client) => client.close()))
  const status = async (base: string, token: string | undefined) =>
    (await fetch(`${base}/v1/backend/default/a`, { headers: { authorization: `Bearer ${token}` } })).status
  const options = { clock: systemClock, log: silentLog, ttlMs: 1000, onLeft: () => {} }
  const take = (client: Client) =>
    takeRunToken(
      runTokenApi(() => Promise.resolve(client)),
      'a',
      options,
    )

  const long = await take(one)
  const left = await take(two)
  expect([await status(first.url, left.token), await status(second.url, long.token)]).toEqual([404, 404])
  // From here on the one from there is not renewed, as if its command had been killed.
  await second.close()
  two.close()
  await expect.poll(() => status(first.url, left.token), { timeout: 20_000 }).toBe(401)
  // The first term of the other one ended before.
  await expect.poll(() => status(first.url, long.token)).toBe(404)
  await long.end()
  expect(await status(first.url, long.token)).toBe(401)
  await left.end()
})
