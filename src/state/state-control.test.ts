import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import { bodyOf } from '../bucket/index.ts'
import type { StateControl } from './index.ts'
import { LockInfo } from './index.ts'
import { alice, openControl } from '../../test/support/state.ts'

const unit = { org: 'default', unit: 'prod/network' }

function stateText(
  serial: number,
  options: { lineage?: string; resources?: number; value?: string } = {},
): string {
  const resources = Array.from({ length: options.resources ?? 1 }, (_, i) => ({
    mode: 'managed',
    type: 'terraform_data',
    name: `r${i}`,
    provider: 'provider["terraform.io/builtin/terraform"]',
    instances: [{ schema_version: 0, attributes: { id: `id-${i}`, input: options.value ?? `v${serial}` } }],
  }))
  const outputs = { vpc_id: { value: options.value ?? `vpc-${serial}`, type: 'string' } }
  return JSON.stringify(
    { version: 4, terraform_version: '1.11.4', serial, lineage: options.lineage ?? 'L', outputs, resources },
    null,
    2,
  )
}

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

async function write(
  control: StateControl,
  text: string,
  options: { lockId?: string; force?: boolean } = {},
) {
  const state = await control.states.receive(chunks(text), { maxBytes: 1e9, org: 'default' }, alice)
  return control.states.write(unit, state, { how: 'backend', createUnit: true, ...options }, alice)
}

async function readText(control: StateControl): Promise<string | undefined> {
  const found = await control.states.read(unit, {}, alice)
  if (found === undefined || found === 'unchanged') return undefined
  return (await found.bytes()).toString()
}

const lockInfo = (id: string = randomUUID()) =>
  LockInfo.parse({ ID: id, Operation: 'OperationTypeApply', Who: 'alice@laptop' })

test('a state comes back byte for byte and lies as it is at the default key', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)

  await write(control, stateText(1))

  expect(await readText(control)).toBe(stateText(1))
  const plain = await bucket.get('prod/network/terraform.tfstate')
  expect((await plain?.bytes())?.toString()).toBe(stateText(1))
})

test('lock, write, unlock: the cycle of a CLI', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  const info = lockInfo()

  await control.locks.lock(unit, info, { createUnit: true }, alice)
  expect(await bucket.head('prod/network/terraform.tfstate.tflock')).toBeDefined()
  await write(control, stateText(1), { lockId: info.ID })
  await write(control, stateText(2), { lockId: info.ID })
  await control.locks.unlock(unit, info.ID, alice)

  expect(await bucket.head('prod/network/terraform.tfstate.tflock')).toBeUndefined()
  const versions = await control.versions.list(unit, { limit: 10 }, alice)
  expect(versions.items.map(({ serial, status }) => [serial, status])).toEqual([
    [2, 'current'],
    [1, 'past'],
  ])
})

test('a held lock refuses others with the holder, and the same id again is fine', async () => {
  const control = await openControl()
  const info = lockInfo()
  await control.locks.lock(unit, info, { createUnit: true }, alice)

  await expect(control.locks.lock(unit, lockInfo(), {}, alice)).rejects.toMatchObject({
    code: 'LOCKED',
    facts: { holder: { ID: info.ID, Who: 'alice@laptop' } },
  })
  await expect(write(control, stateText(1))).rejects.toMatchObject({ code: 'LOCKED' })
  await expect(write(control, stateText(1), { lockId: 'other' })).rejects.toMatchObject({ code: 'LOCKED' })
  await control.locks.lock(unit, info, {}, alice)
  await control.locks.unlock(unit, info.ID, alice)
  await control.locks.unlock(unit, info.ID, alice)
  await expect(control.locks.lock(unit, info, {}, alice)).rejects.toMatchObject({ code: 'NOT_LOCKED' })
})

test.each([
  ['an older serial', stateText(1), 'STATE_SERIAL'],
  ['the same serial with other bytes', stateText(5, { value: 'other' }), 'STATE_SAME_SERIAL'],
  ['another lineage', stateText(9, { lineage: 'M' }), 'STATE_LINEAGE'],
])('%s is refused and changes nothing', async (_what, text, code) => {
  const control = await openControl()
  await write(control, stateText(5))

  await expect(write(control, text)).rejects.toMatchObject({ code })

  expect(await readText(control)).toBe(stateText(5))
  expect((await control.versions.list(unit, { limit: 10 }, alice)).items).toHaveLength(1)
})

test('the same bytes again are a retry and make no second version', async () => {
  const control = await openControl()
  const first = await write(control, stateText(5))

  expect((await write(control, stateText(5))).id).toBe(first.id)
  expect((await control.versions.list(unit, { limit: 10 }, alice)).items).toHaveLength(1)
})

test('a retried write is answered like the first even after the lock was let go', async () => {
  const control = await openControl()
  const info = lockInfo()
  await control.locks.lock(unit, info, { createUnit: true }, alice)
  const first = await write(control, stateText(1), { lockId: info.ID })
  await control.locks.unlock(unit, info.ID, alice)

  expect((await write(control, stateText(1), { lockId: info.ID })).id).toBe(first.id)
})

test('every version of a long history is read back, and a rollback goes on with the next serial', async () => {
  const control = await openControl()
  for (let serial = 1; serial <= 40; serial++) await write(control, stateText(serial, { resources: 200 }))

  for (const seq of [1, 13, 14, 15, 27, 28, 29, 40]) {
    const read = await control.versions.read(unit, String(seq), alice)
    const parts: Uint8Array[] = []
    for await (const part of read.body.stream()) parts.push(Buffer.from(part))
    expect(Buffer.concat(parts).toString()).toBe(stateText(seq, { resources: 200 }))
  }
  const rolled = await control.versions.rollback(unit, '7', {}, alice)
  expect(rolled).toMatchObject({ serial: 41, how: 'rollback' })
  expect(await readText(control)).toBe(
    stateText(7, { resources: 200 }).replace('"serial": 7', '"serial": 41'),
  )
  await write(control, stateText(42))
  const diff = await control.versions.diff(unit, '1', '2', alice)
  expect(JSON.parse(Buffer.from(diff).toString())).toMatchObject({ encrypted: false })
})

test('a write around us becomes a version of its own, credited to nobody', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await write(control, stateText(1))
  const entry = await bucket.head('prod/network/terraform.tfstate')
  if (entry === undefined) throw new Error('no state')
  await bucket.put(entry.key, bodyOf(stateText(2, { value: 'outside' })), entry.tag)

  await expect(write(control, stateText(2))).rejects.toMatchObject({ code: 'STATE_SAME_SERIAL' })
  await write(control, stateText(3))

  const versions = await control.versions.list(unit, { limit: 10 }, alice)
  expect(versions.items.map(({ serial, how, by }) => [serial, how, by])).toEqual([
    [3, 'backend', 'user:alice'],
    [2, 'outside', 'system:outside'],
    [1, 'backend', 'user:alice'],
  ])
})

test('whoever looks sees what was written or locked around us, before the next write through us', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await write(control, stateText(1))
  const entry = await bucket.head('prod/network/terraform.tfstate')
  if (entry === undefined) throw new Error('no state')
  await bucket.put(entry.key, bodyOf(stateText(2)), entry.tag)
  const holder = { ...lockInfo('outside-lock'), Who: 'bob@desk' }
  await bucket.put(`${entry.key}.tflock`, bodyOf(JSON.stringify(holder)), 'absent')

  const seen = await control.units.get(unit, alice)

  expect(seen.state).toMatchObject({ serial: 2, how: 'outside' })
  expect(seen.lock).toMatchObject({ outside: true, info: { Who: 'bob@desk' } })
  expect((await control.versions.list(unit, { limit: 10 }, alice)).items).toHaveLength(2)
})

test('units: rename, delete, restore', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await write(control, stateText(1))

  await control.units.rename(unit, 'prod/net', alice)
  const renamed = { org: 'default', unit: 'prod/net' }
  await expect(control.units.get(unit, alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect((await control.units.get(renamed, alice)).state?.serial).toBe(1)
  await expect(control.units.remove(renamed, { force: false }, alice)).rejects.toMatchObject({
    code: 'STATE_HAS_RESOURCES',
  })
  await control.units.remove(renamed, { force: true }, alice)
  expect(await bucket.head('prod/network/terraform.tfstate')).toBeUndefined()
  expect((await control.units.list({ org: 'default', limit: 10 }, alice)).items).toEqual([])
  const restored = await control.units.restore(renamed, {}, alice)

  expect(restored).toMatchObject({ name: 'prod/net', state: { serial: 1, how: 'restore' }, lock: null })
  expect(
    (await control.units.list({ org: 'default', limit: 10 }, alice)).items.map(({ name }) => name),
  ).toEqual(['prod/net'])
})

test('events tell the story in order, once each', async () => {
  const control = await openControl()
  await write(control, stateText(1))
  await control.close()

  const first = await control.journal.read({ limit: 3 }, alice)
  const second = await control.journal.read({ limit: 10, after: first.next }, alice)
  const third = await control.journal.read({ limit: 10, after: second.next }, alice)

  expect([...first.items, ...second.items].map(({ type }) => type)).toEqual([
    'org.created',
    'unit.created',
    'lock.taken',
    'state.written',
    'lock.released',
  ])
  expect(third.items).toEqual([])
})
