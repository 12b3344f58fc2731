import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import { LockInfo } from '../index.ts'
import {
  alice,
  findings,
  keysUnder,
  lose,
  named,
  openControl,
  overwrite,
  pull,
  push,
  stateText,
  withResources,
  wrong,
} from '../../../test/support/state.ts'

/** What is lost or lies in the wrong place is said, and never becomes a fresh start. */

const nameClaim = (name: string) => `.taco/orgs/default/names/${name}.json`
const keyClaim = (key: string) => `.taco/keys/${createHash('sha256').update(key).digest('hex')}.json`
const versions = (bucket: Bucket) => keysUnder(bucket, '.taco/orgs/default/versions/')
const info = (ID: string) => LockInfo.parse({ ID })

async function bytesAt(bucket: Bucket, key: string): Promise<string> {
  return (await (await bucket.get(key))?.bytes())?.toString('latin1') ?? ''
}

async function swapObjects(bucket: Bucket, a: string, b: string): Promise<void> {
  const [first, second] = [await bytesAt(bucket, a), await bytesAt(bucket, b)]
  await overwriteBytes(bucket, a, second)
  await overwriteBytes(bucket, b, first)
}

async function overwriteBytes(bucket: Bucket, key: string, latin1: string): Promise<void> {
  const bytes = Buffer.from(latin1, 'latin1')
  const entry = await bucket.head(key)
  const body = {
    size: bytes.length,
    bytes,
    async *stream() {
      yield bytes
    },
  }
  await bucket.put(key, body, entry?.tag ?? 'absent')
}

async function withoutDocument(bucket: Bucket, also: readonly string[] = []) {
  const before = await openControl(bucket)
  for (const serial of [1, 2, 3]) await push(before, 'd', withResources(serial, 1))
  const { id } = await before.units.get(named('d'), alice)
  await before.close()
  for (const key of [`.taco/orgs/default/units/${id}.json`, ...also]) await lose(bucket, key)
  return openControl(bucket)
}

test('a unit that lost its document and its name is refused as damaged, and a repair brings it back', async () => {
  const bucket = openMemoryBucket()
  const control = await withoutDocument(bucket, [nameClaim('d')])
  const damaged = {
    code: 'BUCKET_CORRUPT',
    hint: expect.stringContaining('taco doctor --deep --repair') as string,
  }

  await expect(pull(control, 'd')).rejects.toMatchObject(damaged)
  await expect(
    control.locks.lock(named('d'), info('one'), { createUnit: true }, alice),
  ).rejects.toMatchObject(damaged)
  await expect(push(control, 'd', withResources(1, 1, 'M'))).rejects.toMatchObject(damaged)
  await expect(control.units.create({ org: 'default', name: 'd' }, alice)).rejects.toMatchObject(damaged)
  expect(wrong(await findings(control))).toMatchObject([{ check: 'unit.document-missing', unit: 'd' }])
  await findings(control, { repair: true })

  expect(wrong(await findings(control))).toEqual([])
  expect(await pull(control, 'd')).toBe(withResources(3, 1))
  await push(control, 'd', withResources(4, 1))
  const { items } = await control.versions.list(named('d'), { limit: 10 }, alice)
  expect(items.map(({ serial }) => serial)).toEqual([4, 3, 2, 1])
})

test('a unit of which only the state and its key are left goes on with that state', async () => {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  await push(before, 'd', withResources(3, 1))
  await before.close()
  for (const key of await keysUnder(bucket, '.taco/orgs/default/'))
    if (!key.endsWith('/org.json')) await lose(bucket, key)
  const control = await openControl(bucket)

  await control.locks.lock(named('d'), info('one'), { createUnit: true }, alice)
  expect(await pull(control, 'd')).toBe(withResources(3, 1))
  await expect(push(control, 'd', withResources(1, 1, 'M'), { lockId: 'one' })).rejects.toMatchObject({
    code: 'STATE_LINEAGE',
  })
})

test('a state that was there before OpenTaco is taken up on first use', async () => {
  const bucket = openMemoryBucket()
  await overwrite(bucket, 'd/terraform.tfstate', withResources(7, 1))
  const control = await openControl(bucket)

  await control.locks.lock(named('d'), info('one'), { createUnit: true }, alice)

  expect(await pull(control, 'd')).toBe(withResources(7, 1))
  await push(control, 'd', withResources(8, 1), { lockId: 'one' })
})

test('two versions that changed places: all others can be read, and doctor names both', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  for (let serial = 1; serial <= 5; serial++) await push(control, 'd', stateText(serial))
  const [, second = '', , fourth = ''] = await versions(bucket)
  await swapObjects(bucket, second, fourth)
  const fresh = await openControl(bucket)

  const { items, damaged } = await fresh.versions.list(named('d'), { limit: 10 }, alice)
  expect(items.map(({ seq }) => seq)).toEqual([5, 3, 1])
  expect(damaged.map(({ seq }) => seq)).toEqual([4, 2])
  for (const seq of ['1', '3', '5'])
    expect(await fresh.versions.get(named('d'), seq, alice)).toMatchObject({ seq: Number(seq) })
  await expect(fresh.versions.get(named('d'), '2', alice)).rejects.toMatchObject({ code: 'BUCKET_CORRUPT' })
  const found = wrong(await findings(fresh))
  for (const key of [second, fourth])
    expect(found).toContainEqual(
      expect.objectContaining({ level: 'error', message: expect.stringContaining(key) as string }),
    )
})

test.each([
  ['names', nameClaim('a'), nameClaim('b')],
  ['keys', keyClaim('a/terraform.tfstate'), keyClaim('b/terraform.tfstate')],
])('claims of %s that changed places are put right by a repair', async (_, a, b) => {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  for (const name of ['a', 'b']) await push(before, name, stateText(1, name))
  await before.close()
  await swapObjects(bucket, a, b)
  const control = await openControl(bucket)

  await findings(control, { repair: true })

  expect(wrong(await findings(control))).toEqual([])
  const fresh = await openControl(bucket)
  for (const name of ['a', 'b']) expect(await pull(fresh, name)).toBe(stateText(1, name))
})

test('the document of the first organization is not made anew while its units are there', async () => {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  await push(before, 'd', stateText(1))
  await before.close()
  await lose(bucket, '.taco/orgs/default/org.json')
  const control = await openControl(bucket)
  const lost = { code: 'BUCKET_CORRUPT', hint: expect.stringContaining('taco doctor --repair') as string }

  expect(await bucket.head('.taco/orgs/default/org.json')).toBeUndefined()
  await expect(control.orgs.get('default', alice)).rejects.toMatchObject(lost)
  await expect(push(control, 'd', stateText(2))).rejects.toMatchObject(lost)
  await expect(control.orgs.create({ name: 'default' }, alice)).rejects.toMatchObject(lost)
  expect(wrong(await findings(control, { deep: false }))).toMatchObject([
    { level: 'error', check: 'org.document' },
  ])
  expect(await findings(control, { deep: false, repair: true })).toContainEqual(
    expect.objectContaining({ check: 'org.document', repaired: true }),
  )

  expect(wrong(await findings(control))).toEqual([])
  await push(control, 'd', stateText(2))
})

test.each([
  ['the newest state is there', 6],
  ['an older state was put back with it', 2],
])(
  'an older copy of a document is refused, and a repair takes the later versions in: %s',
  async (_, serial) => {
    const bucket = openMemoryBucket()
    const running = await openControl(bucket)
    for (const one of [1, 2]) await push(running, 'd', withResources(one, 1))
    const { id } = await running.units.get(named('d'), alice)
    const key = `.taco/orgs/default/units/${id}.json`
    const old = await bytesAt(bucket, key)
    for (const one of [3, 4, 5, 6]) await push(running, 'd', withResources(one, 1))
    await overwriteBytes(bucket, key, old)
    await overwrite(bucket, 'd/terraform.tfstate', withResources(serial, 1))
    const before = await versions(bucket)
    const older = {
      code: 'BUCKET_CORRUPT',
      message: expect.stringContaining('older than its versions') as string,
    }

    for (const control of [running, await openControl(bucket)]) {
      await expect(push(control, 'd', withResources(9, 1))).rejects.toMatchObject(older)
      await control.upkeep.gc({ dryRun: false }, alice)
      expect(wrong(await findings(control))).toContainEqual(
        expect.objectContaining({ level: 'error', check: 'unit.document-older', unit: 'd' }),
      )
    }
    expect(await versions(bucket)).toEqual(before)
    const control = await openControl(bucket)
    await findings(control, { repair: true })

    expect(wrong(await findings(control)).filter(({ level }) => level === 'error')).toEqual([])
    await push(control, 'd', withResources(9, 1))
    const { items, damaged } = await control.versions.list(named('d'), { limit: 20 }, alice)
    expect(damaged).toEqual([])
    expect(items.map(({ serial: one }) => one)).toEqual([9, ...(serial === 2 ? [2] : []), 6, 5, 4, 3, 2, 1])
  },
)

test('states of two units that changed places, and an older one that was put back, are warned of', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await push(control, 'a', withResources(5, 1, 'A'))
  await push(control, 'b', withResources(5, 1, 'B'))
  await push(control, 'c', withResources(4, 1, 'C'))
  await push(control, 'c', withResources(5, 2, 'C'))
  await swapObjects(bucket, 'a/terraform.tfstate', 'b/terraform.tfstate')
  await overwrite(bucket, 'c/terraform.tfstate', withResources(4, 1, 'C'))
  await control.upkeep.sweep(alice)

  const found = wrong(await findings(control, { deep: false }))
  expect(found.map(({ unit, level, check }) => [unit, level, check])).toEqual([
    ['a', 'warning', 'state.other-lineage'],
    ['b', 'warning', 'state.other-lineage'],
    ['c', 'warning', 'state.older-serial'],
  ])
  for (const [name, warning] of [
    ['a', 'other-lineage'],
    ['c', 'older-serial'],
  ] as const) {
    expect((await control.versions.list(named(name), { limit: 1 }, alice)).items).toMatchObject([{ warning }])
    expect(await control.graph.facts(named(name), alice)).toMatchObject({
      warning: expect.any(String) as string,
    })
  }
  for (const name of ['a', 'b']) await control.versions.rollback(named(name), '1', {}, alice)
  await control.versions.rollback(named('c'), 'current', {}, alice)
  expect(wrong(await findings(control))).toEqual([])
})
