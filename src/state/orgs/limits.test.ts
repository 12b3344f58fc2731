import { expect, test, vi } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { StateControl } from '../index.ts'
import {
  alice,
  movedControl,
  named,
  openControl,
  pull,
  push,
  stateText,
} from '../../../test/support/state.ts'

function lock(control: StateControl, unit: string, ID: string, Operation = 'OperationTypeApply') {
  const info = { ID, Operation, Info: '', Who: 'w', Version: '', Created: '', Path: '' }
  return control.locks.lock(named(unit), info, { createUnit: true }, alice)
}

const set = (control: StateControl, limits: object) => control.orgs.update('default', { limits }, alice)
const reached = (field: string) => ({
  code: 'LIMIT_REACHED',
  facts: { field: `limits.${field}` },
  hint: expect.stringContaining(`--max-${field}`) as string,
})

test('limits are set one by one, and taken away', async () => {
  const control = await openControl()
  await set(control, { units: 3 })
  expect((await set(control, { bytes: 100 })).limits).toEqual({ units: 3, bytes: 100 })
  expect((await set(control, { units: null })).limits).toEqual({ bytes: 100 })
  expect((await set(control, { bytes: null })).limits).toEqual({})
})

test('beyond the limit of units, none is created, restored or adopted, and those that exist go on', async () => {
  const control = await openControl()
  await push(control, 'one', stateText(1))
  await control.units.create({ org: 'default', name: 'two' }, alice)
  await control.units.remove(named('two'), { force: false }, alice)
  await set(control, { units: 1 })

  await expect(control.units.create({ org: 'default', name: 'new' }, alice)).rejects.toMatchObject(
    reached('units'),
  )
  await expect(control.units.restore(named('two'), {}, alice)).rejects.toMatchObject(reached('units'))
  await expect(lock(control, 'new', 'l')).rejects.toMatchObject(reached('units'))
  const adopting = control.upkeep.adopt({ org: 'default', dryRun: false }, alice)
  await expect(adopting[Symbol.asyncIterator]().next()).rejects.toMatchObject(reached('units'))
  await lock(control, 'one', 'mine')
  await push(control, 'one', stateText(2), { lockId: 'mine' })

  await set(control, { units: 2 })
  expect(await control.units.restore(named('two'), {}, alice)).toMatchObject({ name: 'two' })
})

test('beyond the limit of bytes, no apply begins and no unit is created, and every write of a state is taken', async () => {
  const control = await openControl()
  await push(control, 'app', stateText(1))
  await lock(control, 'app', 'mine')
  await set(control, { bytes: 10 })

  // A LOCK whose answer was lost, and everything that the apply still writes.
  await lock(control, 'app', 'mine')
  await push(control, 'app', stateText(2), { lockId: 'mine' })
  await push(control, 'app', stateText(3), { lockId: 'mine' })
  await control.locks.unlock(named('app'), 'mine', alice)
  await expect(lock(control, 'app', 'next')).rejects.toMatchObject(reached('bytes'))
  await expect(control.units.create({ org: 'default', name: 'new' }, alice)).rejects.toMatchObject(
    reached('bytes'),
  )
  await lock(control, 'app', 'plan', 'OperationTypePlan')
  await control.locks.unlock(named('app'), 'plan', alice)
  // An apply with -lock=false has changed infrastructure by now.
  await push(control, 'app', stateText(4))
  await push(control, 'first-apply-without-a-lock', stateText(1))
  expect(await pull(control, 'app')).toBe(stateText(4))

  await set(control, { bytes: null })
  await lock(control, 'app', 'next')
})

test('usage counts units, versions and bytes, and follows within a minute', async () => {
  const { open, pass } = movedControl(openMemoryBucket())
  const control = await open()
  await push(control, 'app', stateText(1))
  await push(control, 'app', stateText(2))
  await control.units.create({ org: 'default', name: 'empty' }, alice)
  const first = await control.orgs.usage('default', alice)

  expect(first).toMatchObject({ units: 2, versions: 2, isComplete: true })
  expect(first.bytes).toBeGreaterThan(stateText(2).length)
  await push(control, 'app', stateText(3))
  expect(await control.orgs.usage('default', alice)).toEqual(first)
  pass(60_000)
  expect(await control.orgs.usage('default', alice)).toMatchObject({ versions: 3 })
  await expect(control.orgs.usage('nowhere', alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('gc keeps no more versions than the limit, whatever the retention of a unit says', async () => {
  const control = await openControl()
  for (let serial = 1; serial <= 6; serial++) await push(control, 'app', stateText(serial))
  await control.units.update(named('app'), { retention: { count: 5, days: 30 } }, alice)
  const seqs = async () =>
    (await control.versions.list(named('app'), { limit: 50 }, alice)).items.map(({ seq }) => seq)
  await control.upkeep.gc({ dryRun: false }, alice)
  expect(await seqs()).toEqual([6, 5, 4, 3, 2, 1])

  await set(control, { versions: 2 })
  await control.upkeep.gc({ dryRun: false }, alice)
  expect(await seqs()).toEqual([6, 5])
  expect(await pull(control, 'app')).toBe(stateText(6))
})

test('usage by unit: the largest first, deleted ones too, and only what the caller may see', async () => {
  const control = await openControl()
  await push(control, 'small', stateText(1))
  for (const serial of [1, 2, 3]) await push(control, 'large', stateText(serial))
  await push(control, 'gone', stateText(1))
  await control.units.remove(named('gone'), { force: true }, alice)

  const all = await control.orgs.usageByUnit('default', alice)
  expect(all.map(({ name, versions, isDeleted }) => [name, versions, isDeleted])).toEqual([
    ['large', 3, false],
    ['small', 1, false],
    ['gone', 1, true],
  ])
  const { bytes } = await control.orgs.usage('default', alice)
  expect(all.reduce((sum, { stateBytes, versionBytes }) => sum + stateBytes + versionBytes, 0)).toBe(bytes)
  const sight = {
    seesAll: false,
    needsUnit: () => true,
    may: (_: string, unit?: { readonly name: string }) => unit?.name === 'small',
  }
  expect(await control.orgs.usageByUnit('default', { ...alice, sight })).toMatchObject([{ name: 'small' }])
})

test('a listing that takes longer than its result is good for is not begun again', async () => {
  const inner = openMemoryBucket()
  let end = () => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  let isSlow = false
  let listings = 0
  const bucket: typeof inner = {
    ...inner,
    async *list(prefix, ...rest) {
      if (isSlow && prefix.endsWith('/versions/')) {
        listings++
        await ended
      }
      yield* inner.list(prefix, ...rest)
    },
  }
  const { open, pass } = movedControl(bucket)
  const control = await open()

  isSlow = true
  const first = control.orgs.usage('default', alice)
  await vi.waitFor(() => expect(listings).toBe(1))
  pass(600_000)
  const second = control.orgs.usageByUnit('default', alice)
  end()
  await Promise.all([first, second])
  expect(listings).toBe(1)
})
