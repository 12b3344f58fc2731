import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../../src/base/clock.ts'
import { randomIds } from '../../src/base/ids.ts'
import { openAzureBucket } from '../../src/bucket/adapters/azure/bucket.ts'
import { openGcsBucket } from '../../src/bucket/adapters/gcs/bucket.ts'
import { openS3Bucket } from '../../src/bucket/adapters/s3/bucket.ts'
import type { Bucket } from '../../src/bucket/bucket.ts'
import { probeBucket, refuseIfUnfit } from '../../src/bucket/probe.ts'
import { startAzurite } from '../peers/azurite.ts'
import { startGcs } from '../peers/gcs.ts'
import { startMiniflare } from '../peers/miniflare.ts'
import { findOrBuild } from '../peers/toolchain.ts'
import { startVersitygw } from '../peers/versitygw.ts'

const closers: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of closers) await close()
})

async function probed(bucket: Bucket) {
  const report = await probeBucket(bucket, { clock: systemClock, ids: randomIds })
  const left: string[] = []
  for await (const page of bucket.list('')) left.push(...page.map(({ key }) => key))
  refuseIfUnfit(report)
  const failed = report.findings.filter(({ ok }) => !ok).map(({ check }) => check)
  return {
    failed,
    left,

    conditionalDelete: report.abilities.conditionalDelete,
  }
}

const fine = { failed: [], left: [], conditionalDelete: true }
const withoutConditionalDelete = {
  failed: ['conditional-delete'],
  left: [],
  conditionalDelete: false,
}

test.skipIf((await findOrBuild('miniflare')) === undefined)(
  'miniflare is fit and ignores the condition on a delete',
  async () => {
    const { bucket, endpoint, region, env, dispose } = await startMiniflare()
    closers.push(dispose)

    expect(await probed(openS3Bucket({ bucket, endpoint, region, env }))).toEqual(withoutConditionalDelete)
  },
)

test.skipIf((await findOrBuild('versitygw')) === undefined)('versitygw is fit', async () => {
  const peer = await startVersitygw()
  if (peer === undefined) throw new Error('versitygw was there a moment ago')
  closers.push(() => peer.dispose())

  expect(await probed(openS3Bucket(peer))).toEqual(fine)
})

test('azurite is fit', async () => {
  const { container, env, dispose } = await startAzurite()
  closers.push(dispose)

  expect(await probed(await openAzureBucket({ container, env }))).toEqual(fine)
})

test.skipIf((await findOrBuild('fake-gcs-server')) === undefined)(
  'fake-gcs-server is fit and ignores the condition on a delete',
  async () => {
    const peer = await startGcs()
    if (peer === undefined) throw new Error('fake-gcs-server was there a moment ago')
    closers.push(() => peer.dispose())

    expect(await probed(await openGcsBucket(peer))).toEqual(withoutConditionalDelete)
  },
)

test('a bucket that does not exist is refused with a hint', async () => {
  const { endpoint, region, env, dispose } = await startMiniflare()
  closers.push(dispose)
  const bucket = openS3Bucket({ bucket: 'no-such-bucket', endpoint, region, env })

  const report = await probeBucket(bucket, { clock: systemClock, ids: randomIds })

  expect(report.findings).toMatchObject([{ check: 'access', ok: false, fatal: true }])
})
