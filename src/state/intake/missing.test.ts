import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import type { StateControl } from '../index.ts'
import { LockInfo } from '../index.ts'
import {
  alice,
  findings,
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

const KEY = 'u/terraform.tfstate'
const u = named('u')
const info = (ID: string) => LockInfo.parse({ ID, Operation: 'OperationTypePlan' })

const ways: readonly [string, (bucket: Bucket) => Promise<void>][] = [
  ['emptied', (bucket) => overwrite(bucket, KEY, '')],
  ['deleted', (bucket) => lose(bucket, KEY)],
]

async function vanished(vanish: (bucket: Bucket) => Promise<void>) {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await push(control, 'u', withResources(3, 2))
  await vanish(bucket)
  return { bucket, control }
}

async function events(control: StateControl): Promise<string[]> {
  const { items } = await control.journal.read({ limit: 1000 }, alice)
  return items.map(({ type }) => type)
}

const refusal = {
  code: 'STATE_MISSING',
  message: expect.stringContaining('2 resources'),
  hint: expect.stringContaining('taco state rollback u 1'),
}

test.each(ways)(
  'a state with resources that was %s is refused to engines until a person decides',
  async (_, vanish) => {
    const { control } = await vanished(vanish)

    // A LOCK, before anything else has looked: engines show its refusal.
    await expect(control.locks.lock(u, info('one'), { createUnit: true }, alice)).rejects.toMatchObject(
      refusal,
    )
    await expect(pull(control, 'u')).rejects.toMatchObject(refusal)
    await expect(push(control, 'u', withResources(1, 1, 'M'))).rejects.toMatchObject(refusal)
    await expect(control.states.read(u, { consumer: 'v' }, alice)).rejects.toMatchObject(refusal)
    await expect(control.outputs.get(u, { sensitive: false }, alice)).rejects.toMatchObject(refusal)
    await expect(control.versions.get(u, 'current', alice)).rejects.toMatchObject(refusal)
    await expect(control.states.remove(u, { force: false }, alice)).rejects.toMatchObject({
      code: 'STATE_HAS_RESOURCES',
    })
    await expect(control.units.remove(u, { force: false }, alice)).rejects.toMatchObject({
      code: 'STATE_HAS_RESOURCES',
    })
  },
)

test.each(ways)('a GET alone finds a state that was %s', async (_, vanish) => {
  const { control } = await vanished(vanish)

  await expect(pull(control, 'u')).rejects.toMatchObject(refusal)

  expect(await control.units.get(u, alice)).toMatchObject({
    state: null,
    missing: { version: { seq: 1, serial: 3, status: 'missing' } },
  })
  expect((await control.versions.list(u, { limit: 5 }, alice)).items).toMatchObject([{ status: 'missing' }])
  expect(await events(control)).toContain('state.missing')
})

test.each(ways)('doctor names a state that was %s as an error, also without --deep', async (_, vanish) => {
  const { control } = await vanished(vanish)

  for (const look of ['first', 'again', 'after a sweep']) {
    if (look === 'after a sweep') expect(await control.upkeep.sweep(alice)).toMatchObject({ missing: 1 })
    const found = wrong(await findings(control, { deep: false, repair: look === 'again' }))
    expect(found, look).toMatchObject([
      { level: 'error', check: 'state.missing', unit: 'u', hint: expect.stringContaining('rollback u 1') },
    ])
  }
})

test.each(ways)('a state that was %s is restored by a rollback', async (_, vanish) => {
  const { control } = await vanished(vanish)
  await expect(pull(control, 'u')).rejects.toMatchObject(refusal)

  expect(await control.versions.rollback(u, 'current', {}, alice)).toMatchObject({ serial: 4 })

  expect(await pull(control, 'u')).toBe(withResources(4, 2))
  await control.locks.lock(u, info('one'), {}, alice)
  expect(await control.units.get(u, alice)).toMatchObject({ missing: null, state: { serial: 4 } })
  expect(await control.upkeep.sweep(alice)).toMatchObject({ missing: 0 })
})

test.each(ways)('that a state was %s can be accepted, and is recorded', async (_, vanish) => {
  const { control } = await vanished(vanish)

  await control.states.remove(u, { force: true }, alice)

  expect(await pull(control, 'u')).toBeUndefined()
  expect((await control.versions.list(u, { limit: 5 }, alice)).items).toMatchObject([{ status: 'deleted' }])
  expect((await control.journal.read({ limit: 1000 }, alice)).items).toContainEqual(
    expect.objectContaining({
      type: 'state.deleted',
      by: 'user:alice',
      data: expect.objectContaining({ how: 'accepted' }),
    }),
  )
  await push(control, 'u', withResources(1, 1, 'M'))
  expect(wrong(await findings(control))).toEqual([])
})

test.each(ways)('a client at work while it was %s stores the next state', async (_, vanish) => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await push(control, 'u', withResources(3, 2))
  await control.locks.lock(u, info('one'), {}, alice)
  await push(control, 'u', withResources(4, 2), { lockId: 'one' })
  await vanish(bucket)

  await expect(push(control, 'u', withResources(1, 2, 'M'), { lockId: 'one' })).rejects.toMatchObject({
    code: expect.stringMatching(/^STATE_(LINEAGE|MISSING)$/),
  })
  await push(control, 'u', withResources(5, 2), { lockId: 'one' })
  await control.locks.unlock(u, 'one', alice)

  expect(await pull(control, 'u')).toBe(withResources(5, 2))
  expect(await control.units.get(u, alice)).toMatchObject({ missing: null })
})

test('a state that is put back around OpenTaco ends the alarm', async () => {
  const { bucket, control } = await vanished((bucket) => lose(bucket, KEY))
  await expect(pull(control, 'u')).rejects.toMatchObject(refusal)

  await overwrite(bucket, KEY, withResources(3, 2))

  expect(await pull(control, 'u')).toBe(withResources(3, 2))
  expect(await control.units.get(u, alice)).toMatchObject({ missing: null, state: { seq: 1 } })
  await control.locks.lock(u, info('one'), {}, alice)
})

test('a state without resources, and one that was deleted through OpenTaco, is simply none', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await push(control, 'u', stateText(1))
  await push(control, 'v', withResources(1, 1))
  await lose(bucket, KEY)
  await control.states.remove(named('v'), { force: true }, alice)

  expect(await pull(control, 'u')).toBeUndefined()
  expect(await pull(control, 'v')).toBeUndefined()
  await control.locks.lock(u, info('one'), {}, alice)
  await control.locks.lock(named('v'), info('two'), {}, alice)
  expect(
    (await control.units.list({ org: 'default', limit: 9 }, alice)).items.map(({ missing }) => missing),
  ).toEqual([null, null])
})
