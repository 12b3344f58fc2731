import { expect, test } from 'vitest'
import { TacoError } from '../base/errors.ts'
import { randomIds } from '../base/ids.ts'
import { silentLog } from '../base/log.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import { type Bucket, bodyOf } from '../bucket/index.ts'
import { steppedClock } from '../../test/support/stepped-clock.ts'
import { FORGET_MS, RENEW_MS, UNSEEN_MS, createServers } from './servers.ts'
import { serverKey } from './layout.ts'

const factsOf = (id: string) => ({
  id,
  version: '1.2.3',
  host: `host-of-${id}`,
  pid: 7,
  url: 'https://taco.example',
  auth: 'sso',
})

function open(bucket: Bucket = openMemoryBucket()) {
  const clock = steppedClock()
  const deps = { bucket, clock, ids: randomIds, log: silentLog, random: () => 0.5 }
  const idsSeen = async () =>
    (await createServers(deps).list()).items.map(({ id, isSeen }) => `${id} ${isSeen ? 'seen' : 'not seen'}`)
  return { clock, deps, bucket, idsSeen, servers: () => createServers(deps) }
}

test('a server is listed while it runs, and not after it has stopped', async () => {
  const { clock, idsSeen, servers } = open()
  const [a, b] = [servers().announce(factsOf('srv-a')), servers().announce(factsOf('srv-b'))]
  await clock.pass(0)
  expect(await idsSeen()).toEqual(['srv-a seen', 'srv-b seen'])
  for (let i = 0; i < 5; i++) await clock.pass(RENEW_MS)
  const { items } = await servers().list()
  expect(items[0]).toMatchObject({ ...factsOf('srv-a'), seenAt: clock.now(), bucketMs: 0 })
  expect(items[0]?.startedAt).toBe(clock.now() - 5 * RENEW_MS)

  await a.stop()
  expect(await idsSeen()).toEqual(['srv-b seen'])
  await b.stop()
  expect(await idsSeen()).toEqual([])
})

test('a server that was killed is listed as not seen, and forgotten after days by another one', async () => {
  const { clock, idsSeen, servers, bucket } = open()
  const killed = servers().announce(factsOf('srv-killed'))
  await clock.pass(0)
  // What it left in the bucket, without the process.
  const left = (await (await bucket.get(serverKey('srv-killed')))?.bytes()) ?? Buffer.alloc(0)
  await killed.stop()
  await bucket.put(serverKey('srv-killed'), bodyOf(left), 'absent')
  await clock.pass(UNSEEN_MS + 1)
  expect(await idsSeen()).toEqual(['srv-killed not seen'])

  const living = servers().announce(factsOf('srv-living'))
  await clock.pass(0)
  expect(await idsSeen()).toEqual(['srv-killed not seen', 'srv-living seen'])
  await clock.pass(FORGET_MS)
  expect(await idsSeen()).toEqual(['srv-living seen'])
  await living.stop()
})

test('a server whose description was removed describes itself again', async () => {
  const { clock, idsSeen, servers, bucket } = open()
  const server = servers().announce(factsOf('srv-a'))
  await clock.pass(0)
  const entry = await bucket.head(serverKey('srv-a'))
  if (entry !== undefined) await bucket.delete(entry.key, entry.tag)
  expect(await idsSeen()).toEqual([])
  await clock.pass(RENEW_MS)
  expect(await idsSeen()).toEqual(['srv-a seen'])
  await server.stop()
})

test('without the bucket, the last list is shown with the reason', async () => {
  const bucket = openMemoryBucket()
  let isGone = false
  const failing: Bucket = Object.assign(Object.create(bucket) as Bucket, {
    list: (...args: Parameters<Bucket['list']>) => {
      if (isGone) throw new TacoError('BUCKET_UNAVAILABLE', 'The bucket does not answer.')
      return bucket.list(...args)
    },
  })
  const { clock, servers } = open(failing)
  const [watching, server] = [servers(), servers().announce(factsOf('srv-a'))]
  await clock.pass(0)
  const before = await watching.list()
  isGone = true
  await clock.pass(1_000)
  expect(await watching.list()).toEqual({ ...before, problem: 'The bucket does not answer.' })
  isGone = false
  await server.stop()
})
