import { expect, test } from 'vitest'
import { alice } from '../../../test/support/caller.ts'
import { systemCaller } from '../../access/index.ts'
import { systemClock } from '../../base/clock.ts'
import { randomIds } from '../../base/ids.ts'
import { silentLog } from '../../base/log.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { bodyOf } from '../../bucket/index.ts'
import { createStateControl } from '../create-state-control.ts'
import { orgKey } from '../documents/layout.ts'
import { makeEvent } from './events.ts'

/** Servers over one bucket. One that was killed has not written its events. */
async function place() {
  const bucket = openMemoryBucket()
  const time = { ahead: 0 }
  const clock = { ...systemClock, now: () => Date.now() + time.ahead }
  const server = (isKilled: boolean) =>
    createStateControl({
      bucket,
      clock,
      ids: randomIds,
      log: silentLog,
      spool: { create: () => Promise.reject(new Error('nothing here is large')) },
      settings: { flushEvents: !isKilled, gatherEventsMs: 0, tidyAfterMs: isKilled ? null : 10 },
    })
  const stored = async (key: string) =>
    JSON.parse(String(await (await bucket.get(key))?.bytes())) as { rev: number; outbox: unknown[] }
  return { bucket, clock, time, server, stored }
}

test('a server writes the events that another one left in the documents of organizations and tokens', async () => {
  const { bucket, clock, time, server, stored } = await place()
  const killed = await server(true)
  await killed.orgs.update('default', { retention: { count: 3 } }, alice)
  const about = { org: 'default', name: 'default' }
  const event = makeEvent({ ids: randomIds, clock }, about, { type: 'token.revoked', caller: alice })
  const tokenKey = '.taco/access/tokens/at-0123456789abcdef.json'
  const token = { v: 1, rev: 4, nonce: 'n', more: { kept: true }, outbox: [event] }
  const newer = tokenKey.replace('at-0', 'at-1')
  await bucket.put(tokenKey, bodyOf(JSON.stringify(token)), 'absent')
  await bucket.put(newer, bodyOf(JSON.stringify({ ...token, v: 2 })), 'absent')
  time.ahead = 60_000

  const next = await server(false)
  await next.upkeep.sweep(systemCaller('upkeep'))
  const types = async () =>
    (await next.journal.read({ org: 'default', limit: 100 }, alice)).items.map(({ type }) => type)
  await expect.poll(types).toEqual(expect.arrayContaining(['org.changed', 'token.revoked']))
  await expect.poll(async () => (await stored(orgKey('default'))).outbox).toEqual([])
  await expect.poll(() => stored(tokenKey)).toEqual({ ...token, rev: 5, outbox: [] })
  // Only what a newer version wrote is left to it.
  expect((await stored(newer)).outbox).toHaveLength(1)

  const before = await types()
  await (await server(false)).upkeep.sweep(systemCaller('upkeep'))
  await next.close()
  expect(await types()).toEqual(before)
})
