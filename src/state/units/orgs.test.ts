import { expect, test } from 'vitest'
import { TacoError } from '../../base/errors.ts'
import { silentLog } from '../../base/log.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { type Bucket, bodyOf } from '../../bucket/index.ts'
import type { StateControl } from '../index.ts'
import {
  alice,
  findings,
  lose,
  movedControl,
  openControl,
  overwrite,
  wrong,
} from '../../../test/support/state.ts'

function setUp() {
  const bucket = openMemoryBucket()
  return { bucket, ...movedControl(bucket) }
}

async function told(control: StateControl): Promise<string[]> {
  const { items } = await control.journal.read({ limit: 100, org: 'team' }, alice)
  return items.map(({ type }) => type)
}

async function outboxOf(bucket: Bucket, org: string): Promise<unknown> {
  const found = await bucket.get(`.taco/orgs/${org}/org.json`)
  return (JSON.parse(String(await found?.bytes())) as { outbox: unknown }).outbox
}

test('what happens to an organization is told once, whoever changes it next', async () => {
  const { bucket, open, pass } = setUp()
  const first = await open()
  const { etag } = await first.orgs.create({ name: 'team' }, alice)
  await first.close()
  expect(await outboxOf(bucket, 'team')).toEqual([])

  pass(60_000)
  const second = await open()
  // What was told is nothing that a client must read before it changes the organization.
  await second.orgs.update('team', { retention: { count: 3 } }, alice, [etag])
  await second.close()
  pass(60_000)
  const third = await open()
  await third.orgs.update('team', { retention: { count: 4 } }, alice)
  await third.close()

  expect(await told(third)).toEqual(['org.created', 'org.changed', 'org.changed'])
  expect(await outboxOf(bucket, 'team')).toEqual([])
})

test('what a server left untold about an organization is told by whoever reads it', async () => {
  const { bucket, open, pass } = setUp()
  const crashed = await open({ flushEvents: false })
  await crashed.orgs.create({ name: 'team' }, alice)
  pass(60_000)
  const server = await open()
  expect(await told(server)).toEqual([])
  await server.orgs.get('team', alice)
  await server.close()

  expect(await told(server)).toContain('org.created')
  expect(await outboxOf(bucket, 'team')).toEqual([])
})

test('who may only read is not told at every look that nothing can be told', async () => {
  const { bucket, open, pass } = setUp()
  const crashed = await open({ flushEvents: false })
  await crashed.orgs.create({ name: 'team' }, alice)
  pass(60_000)
  const warnings: string[] = []
  let puts = 0
  const put: Bucket['put'] = () => {
    puts++
    return Promise.reject(new TacoError('BUCKET_REFUSED', 'you may only read'))
  }
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) }
  const reader = await open({}, { bucket: { ...bucket, put }, log })
  await reader.orgs.get('team', alice)
  await reader.close()

  expect(puts).toBeGreaterThan(0)
  expect(warnings).toEqual([])
})

test('an organization whose document is lost is named by doctor', async () => {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  await before.orgs.create({ name: 'acme' }, alice)
  await before.units.create({ org: 'acme', name: 'app' }, alice)
  await lose(bucket, '.taco/orgs/acme/org.json')

  expect(wrong(await findings(await openControl(bucket)))).toMatchObject([
    {
      check: 'org.document',
      message: expect.stringMatching(/^The document .taco.orgs.acme.org.json is missing/) as string,
    },
  ])
})

test('a file that some program left among the organizations is none of them', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await bucket.put('.taco/orgs/.DS_Store', bodyOf('x'), 'absent')

  expect((await control.orgs.list({ limit: 10 }, alice)).items.map(({ name }) => name)).toEqual(['default'])
  expect(wrong(await findings(control))).toEqual([])
})

test('organizations whose documents are damaged or lost are named, and the others are listed', async () => {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  for (const name of ['acme', 'bird', 'cat', 'dog']) await before.orgs.create({ name }, alice)
  await before.units.create({ org: 'cat', name: 'app' }, alice)
  await overwrite(bucket, '.taco/orgs/bird/org.json', '{"v":1')
  await lose(bucket, '.taco/orgs/cat/org.json')
  const { orgs, upkeep } = await openControl(bucket)

  const first = await orgs.list({ limit: 3 }, alice)
  expect(first).toMatchObject({ items: [{ name: 'acme' }], damaged: ['bird', 'cat'], next: 'cat' })
  const second = await orgs.list({ limit: 3, cursor: 'cat' }, alice)
  expect(second).toMatchObject({
    items: [{ name: 'default' }, { name: 'dog' }],
    damaged: [],
    next: undefined,
  })
  expect(await upkeep.gc({ dryRun: true }, alice)).toMatchObject({ versionsPruned: 0 })
})

test('a first organization that is damaged keeps nobody from the others, and doctor names it', async () => {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  await before.orgs.create({ name: 'acme' }, alice)
  await overwrite(bucket, '.taco/orgs/default/org.json', '{"v":1')

  const control = await openControl(bucket)
  await control.units.create({ org: 'acme', name: 'app' }, alice)
  expect(await control.orgs.list({ limit: 9 }, alice)).toMatchObject({
    items: [{ name: 'acme' }],
    damaged: ['default'],
  })
  expect(wrong(await findings(control))).toMatchObject([{ check: 'org.document' }])
})
