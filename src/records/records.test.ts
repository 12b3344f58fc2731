import { expect, test, vi } from 'vitest'
import { z } from 'zod'
import { systemCaller } from '../access/index.ts'
import { systemClock } from '../base/clock.ts'
import { randomIds } from '../base/ids.ts'
import { bodyOf } from '../bucket/index.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import { memoryControl } from '../../test/rig/http-face.ts'
import { createOrgIds, createRecords } from './index.ts'

const kind = {
  name: 'thing',
  folder: 'things',
  word: 'thing',
  prefix: 'thing',
  shape: { name: z.string(), size: z.number().optional() },
  most: 3,
  unique: { field: 'name', of: ({ name }: { name: string }) => name },
} as const
const caller = systemCaller('opentaco')
const acme = { org: 'acme' }

async function open() {
  const bucket = openMemoryBucket()
  const control = await memoryControl(bucket)
  await control.orgs.create({ name: 'acme' }, caller)
  const deps = {
    bucket,
    clock: systemClock,
    ids: randomIds,
    outbox: control.outbox,
    orgIds: createOrgIds({ orgs: control.orgs, clock: systemClock }),
  }
  return { bucket, control, things: createRecords(deps, kind), elsewhere: createRecords(deps, kind) }
}

test('records are created, changed, listed and removed, and each change is an event', async () => {
  const { things, control } = await open()

  const made = await things.create(acme, { name: 'one' }, caller)
  const changed = await things.update(acme, made.id, (record) => ({ ...record, size: 2 }), caller)
  expect(changed).toMatchObject({ id: made.id, name: 'one', size: 2, createdBy: 'system:opentaco' })
  expect(await things.list(acme)).toEqual([changed])
  await things.remove(acme, made.id, caller)
  expect(await things.list(acme)).toEqual([])
  await expect(things.get(acme, made.id)).rejects.toMatchObject({ code: 'NOT_FOUND' })

  async function types() {
    const { items } = await control.journal.read({ org: 'acme', limit: 100 }, caller)
    return items.map(({ type }) => type).filter((type) => type.startsWith('thing.'))
  }
  await vi.waitFor(async () => {
    expect(await types()).toEqual(['thing.created', 'thing.updated', 'thing.deleted'])
  }, 10_000)
})

test('a name is given once, whatever its case, also to servers that ask at the same time', async () => {
  const { things, elsewhere } = await open()
  const results = await Promise.allSettled(
    ['one', 'ONE', 'One'].map((name, i) => (i % 2 === 0 ? things : elsewhere).create(acme, { name }, caller)),
  )
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  expect(await things.list(acme)).toHaveLength(1)
  for (const result of results)
    if (result.status === 'rejected')
      expect(result.reason).toMatchObject({ code: 'ALREADY_EXISTS', facts: { field: 'name' } })
})

test('there is a limit to how many there are', async () => {
  const { things } = await open()
  for (const name of ['a', 'b', 'c']) await things.create(acme, { name }, caller)
  await expect(things.create(acme, { name: 'd' }, caller)).rejects.toMatchObject({ code: 'LIMIT_REACHED' })
})

test('an id alone leads to the organization, also to one that was made since', async () => {
  const { things, control } = await open()
  const made = await things.create(acme, { name: 'one' }, caller)
  expect(await things.locate(made.id)).toMatchObject({ org: 'acme', record: { name: 'one' } })
  expect(await things.locate('thing-0000000000000000')).toBeUndefined()
  expect(await things.locate('other-0000000000000000')).toBeUndefined()

  await control.orgs.create({ name: 'later' }, caller)
  const late = await things.create({ org: 'later' }, { name: 'one' }, caller)
  expect(await things.locate(late.id)).toMatchObject({ org: 'later' })
})

test('records of one thing are kept apart from those of another', async () => {
  const { things } = await open()
  await things.create({ ...acme, of: 'ws-1' }, { name: 'one' }, caller)
  expect(await things.list(acme)).toEqual([])
  expect(await things.list({ ...acme, of: 'ws-2' })).toEqual([])
  expect(await things.list({ ...acme, of: 'ws-1' })).toHaveLength(1)
})

test('fields that a newer server added survive a change', async () => {
  const { things, bucket } = await open()
  const made = await things.create(acme, { name: 'one' }, caller)
  const key = '.taco/orgs/acme/records/things.json'
  const found = await bucket.get(key)
  const document = JSON.parse((await found?.bytes())?.toString() ?? '') as { records: object[] }
  const newer = { ...document, later: 1, records: [{ ...document.records[0], later: 2 }] }
  if (found !== undefined) await bucket.put(key, bodyOf(JSON.stringify(newer)), found.tag, {})

  await things.update(acme, made.id, (record) => ({ ...record, name: 'two' }), caller)
  const after = JSON.parse((await (await bucket.get(key))?.bytes())?.toString() ?? '') as typeof newer
  expect(after).toMatchObject({ later: 1, records: [{ later: 2, name: 'two' }] })
})

test('an organization that does not exist gets no records', async () => {
  const { things, bucket } = await open()
  await expect(things.create({ org: 'nowhere' }, { name: 'one' }, caller)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
  expect(await bucket.get('.taco/orgs/nowhere/records/things.json')).toBeUndefined()
})
