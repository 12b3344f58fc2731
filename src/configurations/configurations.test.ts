import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { systemCaller } from '../access/index.ts'
import { systemClock } from '../base/clock.ts'
import { randomIds } from '../base/ids.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import { type Bucket, layerPrefix } from '../bucket/index.ts'
import { createOrgIds } from '../records/index.ts'
import { memoryControl } from '../../test/rig/http-face.ts'
import { archiveOf } from '../../test/support/archives.ts'
import { createConfigurations } from './index.ts'
import { type ConfigurationVersion, KEPT, currentOf, surplus } from './model.ts'

const caller = systemCaller('opentaco')
const place = { org: 'default', of: 'ws-0123456789abcdef' }
const plain = { autoQueueRuns: true, speculative: false, provisional: false }
const limits = { maxArchiveBytes: 20_000, maxEntries: 10, maxBytes: 100_000 }
const spool = { create: () => Promise.reject(new Error('nothing here is large')) }

async function open() {
  const bucket = openMemoryBucket()
  const { orgs, outbox } = await memoryControl(bucket)
  const orgIds = createOrgIds({ orgs, clock: systemClock })
  const deps = { bucket, clock: systemClock, ids: randomIds, outbox, orgIds, spool }
  return { bucket, here: createConfigurations(deps, limits), elsewhere: createConfigurations(deps, limits) }
}

// eslint-disable-next-line @typescript-eslint/require-await -- an async generator is the interface
async function* streamOf(bytes: Buffer): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function contentsIn(bucket: Bucket): Promise<number> {
  let count = 0
  for await (const page of bucket.list(layerPrefix('default', 'configurations'))) count += page.length
  return count
}

test('servers that upload at the same time agree on one content, and keep no other', async () => {
  const { bucket, here, elsewhere } = await open()
  const { id } = await here.create(place, plain, caller)
  const archives = Array.from({ length: 6 }, (_, i) => archiveOf([{ path: `${i}.tf`, content: 'x' }]))
  const results = await Promise.allSettled(
    archives.map((bytes, i) =>
      (i % 2 === 0 ? here : elsewhere).upload(place, id, streamOf(bytes), {}, caller),
    ),
  )
  const won = results.findIndex(({ status }) => status === 'fulfilled')
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  for (const result of results)
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'CONFLICT' })
  expect(await (await elsewhere.download(place, id)).bytes()).toEqual(archives[won])
  expect(await contentsIn(bucket)).toBe(1)
})

test.each([
  ['too large', [{ path: 'a', content: randomBytes(30_000) }], 'TOO_LARGE'],
  ['too large when unpacked', [{ path: 'a', content: Buffer.alloc(200_000) }], 'ARCHIVE_INVALID'],
])('an archive that is %s makes it errored, and nothing is kept', async (_, entries, code) => {
  const { bucket, here } = await open()
  const { id } = await here.create(place, plain, caller)
  await expect(here.upload(place, id, streamOf(archiveOf(entries)), {}, caller)).rejects.toMatchObject({
    code,
  })
  expect(await here.get(place, id)).toMatchObject({ status: 'errored' })
  expect(await contentsIn(bucket)).toBe(0)
})

test('archiving removes the object', async () => {
  const { bucket, here } = await open()
  const ids: string[] = []
  for (let i = 0; i < 2; i++) {
    const { id } = await here.create(place, plain, caller)
    await here.upload(place, id, streamOf(archiveOf([])), {}, caller)
    ids.push(id)
  }
  expect(await contentsIn(bucket)).toBe(2)
  await here.archive(place, ids[0] ?? '', caller)
  expect(await contentsIn(bucket)).toBe(1)
})

function versions(
  count: number,
  change: (i: number) => Partial<ConfigurationVersion>,
): ConfigurationVersion[] {
  const base = { ...plain, status: 'uploaded', source: 'tfe-api', times: {}, createdBy: 'x', updatedAt: 0 }
  const content = { object: 'o', size: 1, sha256: 's' }
  return Array.from({ length: count }, (_, i) => ({
    ...base,
    id: `cv-${i}`,
    createdAt: i,
    content,
    ...change(i),
  }))
}

test('the oldest go first, those without content before them, and never the current one', () => {
  expect(surplus(versions(KEPT - 1, () => ({})))).toEqual(new Set())
  expect(surplus(versions(KEPT, () => ({})))).toEqual(new Set(['cv-0']))
  const speculative = versions(KEPT + 1, (i) => ({ speculative: i > 0 }))
  expect(currentOf(speculative)?.id).toBe('cv-0')
  expect(surplus(speculative)).toEqual(new Set(['cv-1', 'cv-2']))
  const archived = versions(KEPT, (i) => (i === 9 ? { status: 'archived', content: undefined } : {}))
  expect(surplus(archived)).toEqual(new Set(['cv-9']))
})
