import { expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { randomIds } from '../../src/base/ids.ts'
import { silentLog } from '../../src/base/log.ts'
import { createStateControl, type StateControl } from '../../src/state/index.ts'
import { openBucket } from '../../src/wire/buckets.ts'
import { openSpool } from '../../src/wire/spool.ts'
import { startVersitygw } from '../peers/versitygw.ts'
import { startServer, type Server } from '../rig/server.ts'
import { tempFolder } from '../rig/temp.ts'
import { eventually } from '../rig/wait.ts'
import { checkHistories } from './history-check.ts'
import { runLoad } from './load.ts'

const units = Array.from({ length: 16 }, (_, i) => `prod/unit-${i}`)

async function openControl(url: string): Promise<StateControl> {
  const { bucket } = await openBucket(url)
  return createStateControl({
    bucket,
    clock: systemClock,
    ids: randomIds,
    log: silentLog,
    spool: openSpool(),
  })
}

/** Kills one after the other without warning, and starts it again at the same address. */
async function killInALoop(
  servers: Server[],
  bucket: string,
  progress: { calls: number; isOver: boolean },
): Promise<number> {
  let killed = 0
  while (!progress.isOver) {
    // Enough must happen in between for something to be lost.
    const from = progress.calls
    await eventually('more calls', () => progress.isOver || progress.calls >= from + 60 || undefined, 60_000)
    if (progress.isOver) break
    const victim = killed % servers.length
    const server = servers[victim]
    if (server === undefined) break
    await server.kill9()
    servers[victim] = await startServer({ bucket, port: server.port })
    killed++
  }
  return killed
}

test('three servers, thousands of calls, kill -9 in a loop: one history, and nothing acknowledged is missing', async () => {
  const bucket = `file://${await tempFolder()}/bucket`
  const first = await startServer({ bucket })
  const servers = [first, ...(await Promise.all([startServer({ bucket }), startServer({ bucket })]))]
  const progress = { calls: 0, isOver: false }
  const urls = servers.map(({ url }) => url)
  const onCall = (calls: number) => void (progress.calls = calls)
  const load = { urls, units, workersPerUnit: 3, onCall }
  const calm = await runLoad({ ...load, requests: 3_000, deadlineMs: 15_000 })
  progress.calls = 0
  const killing = killInALoop(servers, bucket, progress)
  const wild = await runLoad({ ...load, requests: 3_000, deadlineMs: 15_000 }).finally(
    () => (progress.isOver = true),
  )
  const killed = await killing
  const calls = [...calm.calls, ...wild.calls]

  const control = await openControl(bucket)
  await control.upkeep.sweep({ by: 'check' })
  const writes = await checkHistories(control, calls)
  await control.close()

  const requests = calm.requests + wild.requests
  console.log(`${requests} requests, ${writes} writes acknowledged, ${killed} servers killed`)
  expect(writes).toBeGreaterThan(100)
  expect(killed).toBeGreaterThan(0)
})

test('three servers over S3: one history, and nothing acknowledged is missing', async (context) => {
  const peer = await startVersitygw()
  if (peer === undefined) {
    context.skip('no S3 server')
    return
  }
  try {
    const options = { bucket: peer.url, env: peer.env }
    const first = await startServer(options)
    const servers = [first, ...(await Promise.all([startServer(options), startServer(options)]))]
    const urls = servers.map(({ url }) => url)
    const { calls, requests } = await runLoad({
      urls,
      units: units.slice(0, 6),
      workersPerUnit: 3,
      requests: 1_000,
      deadlineMs: 20_000,
    })
    for (const server of servers) await server.stop()

    Object.assign(process.env, peer.env)
    const control = await openControl(peer.url)
    const writes = await checkHistories(control, calls)
    await control.close()

    console.log(`${requests} requests, ${writes} writes acknowledged`)
    expect(writes).toBeGreaterThan(30)
  } finally {
    await peer.dispose()
  }
})
