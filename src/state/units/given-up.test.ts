import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { withAbilities } from '../../bucket/index.ts'
import { LockInfo } from '../index.ts'
import type { StateControl } from '../index.ts'
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
  wrong,
} from '../../../test/support/state.ts'

const rename = (control: StateControl, from: string, to: string) =>
  control.units.rename(named(from), to, alice)
const remove = (control: StateControl, unit: string) =>
  control.units.remove(named(unit), { force: true }, alice)
const create = (control: StateControl, name: string) => control.units.create({ org: 'default', name }, alice)
const lock = (control: StateControl, unit: string) =>
  control.locks.lock(named(unit), LockInfo.parse({ ID: 'x' }), { createUnit: true }, alice)
const unitNames = async (control: StateControl) =>
  (await control.units.list({ org: 'default', limit: 100 }, alice)).items.map(({ name }) => name)

const renamed = {
  code: 'NAME_GIVEN_UP',
  message: 'The unit prod/app was renamed to prod/app2.',
  hint: 'Point the code at the unit with `taco backend prod/app2`. Or use the name for a new unit with `taco unit create prod/app`.',
}

test.each([true, false])(
  'engines are refused by the old name of a unit, told its new one, and nothing is created (conditional delete: %s)',
  async (conditionalDelete) => {
    const memory = openMemoryBucket()
    const bucket = withAbilities(memory, { ...memory.can, conditionalDelete })
    const control = await openControl(bucket)
    await push(control, 'prod/app', stateText(1))
    await rename(control, 'prod/app', 'prod/app2')

    for (const server of [control, await openControl(bucket)]) {
      await expect(lock(server, 'prod/app')).rejects.toMatchObject(renamed)
      await expect(pull(server, 'prod/app')).rejects.toMatchObject(renamed)
      await expect(push(server, 'prod/app', stateText(1))).rejects.toMatchObject(renamed)
      await expect(server.units.get(named('prod/app'), alice)).rejects.toMatchObject({
        code: 'NOT_FOUND',
        message: renamed.message,
      })
      expect(await unitNames(server)).toEqual(['prod/app2'])
    }
  },
)

test('a name that was given up twice tells where the unit is now', async () => {
  const control = await openControl()
  await push(control, 'a', stateText(1))
  await rename(control, 'a', 'b')
  await rename(control, 'b', 'c')
  await expect(lock(control, 'a')).rejects.toMatchObject({ message: 'The unit a was renamed to c.' })
  await remove(control, 'c')
  await expect(lock(control, 'b')).rejects.toMatchObject({
    message: 'The unit b was renamed to c, which was deleted.',
  })
})

test('a unit takes its own old name again', async () => {
  const control = await openControl()
  await push(control, 'a', stateText(1))
  await rename(control, 'a', 'b')
  await rename(control, 'b', 'a')
  expect(await pull(control, 'a')).toBe(stateText(1))
  await expect(lock(control, 'b')).rejects.toMatchObject({ message: 'The unit b was renamed to a.' })
})

test('after a deletion the first use is refused, and an explicit creation begins anew', async () => {
  const control = await openControl()
  await push(control, 'a', stateText(1))
  const { id } = await control.units.get(named('a'), alice)
  await remove(control, 'a')
  await expect(push(control, 'a', stateText(1, 'new', 'M'))).rejects.toMatchObject({
    code: 'NAME_GIVEN_UP',
    message: 'The unit a was deleted.',
    hint: expect.stringContaining(`taco unit restore ${id}`) as string,
  })
  await create(control, 'a')
  await push(control, 'a', stateText(1, 'new', 'M'))
  expect(await pull(control, 'a')).toBe(stateText(1, 'new', 'M'))
})

test('what is done on purpose takes a given-up name over: creating, renaming, restoring', async () => {
  const control = await openControl()
  await push(control, 'a', stateText(1))
  await push(control, 'b', stateText(1, 'b'))
  await rename(control, 'a', 'c')
  await rename(control, 'b', 'a')
  expect(await pull(control, 'a')).toBe(stateText(1, 'b'))
  await remove(control, 'c')
  await control.units.restore(named('c'), { name: 'b' }, alice)
  expect(await pull(control, 'b')).toBe(stateText(1))
  await create(control, 'c')
  expect(await unitNames(control)).toEqual(['a', 'b', 'c'])
})

test('a sync from an old checkout does not take a name over', async () => {
  const control = await openControl()
  await push(control, 'a', stateText(1))
  await rename(control, 'a', 'b')
  await expect(
    control.units.create({ org: 'default', name: 'a', takeOver: false }, alice),
  ).rejects.toMatchObject({ code: 'NAME_GIVEN_UP' })
})

test('a name that a crashed rename claimed, and no unit ever had, is free', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await push(control, 'a', stateText(1))
  const claim = String(await bucket.get('.taco/orgs/default/names/a.json').then((found) => found?.bytes()))
  await overwrite(bucket, '.taco/orgs/default/names/b.json', claim.replace('"name":"a"', '"name":"b"'))
  expect(await pull(control, 'b')).toBeUndefined()
  await push(control, 'b', stateText(1, 'b'))
  expect(await pull(control, 'b')).toBe(stateText(1, 'b'))
})

test('other organizations know nothing of it', async () => {
  const control = await openControl()
  await control.orgs.create({ name: 'other' }, alice)
  await push(control, 'a', stateText(1))
  await rename(control, 'a', 'b')
  const info = LockInfo.parse({ ID: 'x' })
  await control.locks.lock({ org: 'other', unit: 'a' }, info, { createUnit: true }, alice)
  expect((await control.units.get({ org: 'other', unit: 'a' }, alice)).org).toBe('other')
})

test('of several deleted units of one name, none is restored without its id', async () => {
  const control = await openControl()
  for (const value of ['first', 'second']) {
    await create(control, 'a')
    await push(control, 'a', stateText(3, value, value))
    await remove(control, 'a')
  }
  const { items } = await control.units.list({ org: 'default', limit: 10, deleted: 'only' }, alice)
  expect(items.map(({ deleted }) => deleted?.version)).toEqual([
    { seq: 1, serial: 3 },
    { seq: 1, serial: 3 },
  ])
  const refusal = await control.units.restore(named('a'), {}, alice).catch((error: unknown) => error)
  expect(refusal).toMatchObject({ code: 'BAD_REQUEST' })
  for (const { id } of items) expect(String(refusal)).toContain(`${id} (version 1, serial 3, deleted 20`)
  const [one] = items
  await control.units.restore({ org: 'default', unit: one?.id ?? '' }, {}, alice)
  expect((await control.units.get(named('a'), alice)).id).toBe(one?.id)
  await expect(control.units.restore(named('a'), {}, alice)).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
})

test('doctor has nothing to say about names that were given up, and a document made anew keeps them', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await push(control, 'a', stateText(1))
  await rename(control, 'a', 'b')
  await push(control, 'c', stateText(1))
  await remove(control, 'c')
  expect(wrong(await findings(control))).toEqual([])

  const { id } = await control.units.get(named('b'), alice)
  await lose(bucket, `.taco/orgs/default/units/${id}.json`)
  const other = await openControl(bucket)
  await findings(other, { repair: true })
  expect(wrong(await findings(other))).toEqual([])
  expect(await pull(other, 'b')).toBe(stateText(1))
  await expect(lock(other, 'a')).rejects.toMatchObject({ message: 'The unit a was renamed to b.' })
})
