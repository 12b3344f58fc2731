import { alice } from '../../../test/support/caller.ts'
import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { randomIds } from '../../base/ids.ts'
import { silentLog } from '../../base/log.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { StateControl } from '../index.ts'
import { createStateControl, LockInfo } from '../index.ts'

const network = { org: 'default', unit: 'network' }
const app = { org: 'default', unit: 'app' }

async function open(): Promise<StateControl> {
  const spool = { create: () => Promise.reject(new Error('nothing here is large enough for the spool')) }
  const settings = { tidyAfterMs: null, catalogLagMs: 0 }
  return createStateControl({
    bucket: openMemoryBucket(),
    clock: systemClock,
    ids: randomIds,
    log: silentLog,
    spool,
    settings,
  })
}

type OutputValues = Readonly<Record<string, { readonly value: unknown; readonly sensitive?: boolean }>>

function stateText(serial: number, outputs: OutputValues): string {
  const typed = Object.fromEntries(
    Object.entries(outputs).map(([name, output]) => [name, { ...output, type: 'string' }]),
  )
  return JSON.stringify({ version: 4, serial, lineage: 'L', outputs: typed, resources: [] })
}

async function apply(
  control: StateControl,
  unit: typeof network,
  serial: number,
  outputs: OutputValues,
  during?: () => Promise<unknown>,
  text = stateText(serial, outputs),
) {
  const info = LockInfo.parse({ ID: `lock-${unit.unit}-${serial}`, Operation: 'OperationTypeApply' })
  await control.locks.lock(unit, info, { createUnit: true }, alice)
  await during?.()
  const stream = (async function* () {
    yield Buffer.from(text)
  })()
  const state = await control.states.receive(stream, { maxBytes: 1e9, org: 'default' }, alice)
  await control.states.write(unit, state, { how: 'backend', lockId: info.ID }, alice)
  await control.locks.unlock(unit, info.ID, alice)
}

async function readsOf(control: StateControl, name: string) {
  const { units } = await control.graph.units('default', {}, alice)
  return units.map((unit) => unit.facts()).find((facts) => facts.name === name)?.reads ?? null
}

test('a version in which no output changed makes no commit', async () => {
  const control = await open()
  await apply(control, network, 1, { vpc: { value: 'a' } })
  await apply(control, network, 2, { vpc: { value: 'a' } })
  await apply(control, network, 3, { vpc: { value: 'a' }, subnet: { value: 'b' } })
  await apply(control, network, 4, { subnet: { value: 'b' } })

  const { items } = await control.outputs.log(network, { limit: 10 }, alice)

  expect(items.map(({ commit, serial, changed }) => [commit, serial, changed])).toEqual([
    [3, 4, ['vpc']],
    [2, 3, ['subnet']],
    [1, 1, ['vpc']],
  ])
  expect(
    (await control.outputs.diff(network, { from: 1, to: 3 }, alice)).changed.map(({ name, kind }) => [
      name,
      kind,
    ]),
  ).toEqual([
    ['subnet', 'added'],
    ['vpc', 'removed'],
  ])
  expect((await control.outputs.diff(network, { from: 1, to: 2, names: ['vpc'] }, alice)).changed).toEqual([])
})

test('comparing an output that never was is refused with the nearest; one that was there in between is not', async () => {
  const control = await open()
  await apply(control, network, 1, { vpc: { value: 'a' } })
  await apply(control, network, 2, { vpc: { value: 'a' }, subnet: { value: 'b' } })
  await apply(control, network, 3, { vpc: { value: 'c' } })

  await expect(
    control.outputs.diff(network, { from: 1, to: 3, names: ['vpcc'] }, alice),
  ).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'network has no output vpcc.',
    hint: expect.stringContaining('Did you mean vpc?'),
  })
  expect(await control.outputs.diff(network, { from: 1, to: 3, names: ['subnet'] }, alice)).toMatchObject({
    changed: [],
  })
  expect(
    (await control.outputs.diff(network, { from: 1, to: 2, names: ['subnet', 'vpc'] }, alice)).changed,
  ).toHaveLength(1)
})

test('changes of a state that was always encrypted are unknown', async () => {
  const control = await open()
  const encrypted = (serial: number) =>
    JSON.stringify({ serial, lineage: 'L', meta: {}, encrypted_data: 'c2VjcmV0', encryption_version: 'v0' })
  await apply(control, network, 1, {}, undefined, encrypted(1))
  await apply(control, network, 2, {}, undefined, encrypted(2))

  await expect(control.outputs.log(network, { limit: 10 }, alice)).rejects.toMatchObject({
    code: 'STATE_ENCRYPTED',
  })
  await expect(control.outputs.diff(network, {}, alice)).rejects.toMatchObject({ code: 'STATE_ENCRYPTED' })
  await expect(control.outputs.diff(network, { from: 0, to: 0 }, alice)).rejects.toMatchObject({
    code: 'STATE_ENCRYPTED',
  })
})

test('earlier commits of a state that is encrypted now are still reported', async () => {
  const control = await open()
  await apply(control, network, 1, { vpc: { value: 'a' } })
  await apply(control, network, 2, { vpc: { value: 'b' } })
  const text = JSON.stringify({
    serial: 3,
    lineage: 'L',
    encrypted_data: 'c2VjcmV0',
    encryption_version: 'v0',
  })
  await apply(control, network, 3, {}, undefined, text)

  expect(
    (await control.outputs.log(network, { limit: 10 }, alice)).items.map(({ commit }) => commit),
  ).toEqual([2, 1])
  expect((await control.outputs.diff(network, { from: 1, to: 2 }, alice)).changed).toHaveLength(1)
  await expect(control.outputs.diff(network, {}, alice)).rejects.toMatchObject({ code: 'STATE_ENCRYPTED' })
})

test('values are served without the state; sensitive ones only on request', async () => {
  const control = await open()
  await apply(control, network, 1, { vpc: { value: 'a' }, password: { value: 'secret', sensitive: true } })

  const plain = await control.outputs.get(network, { sensitive: false }, alice)
  const all = await control.outputs.get(network, { sensitive: true }, alice)

  expect(plain.outputs?.map(({ name, json }) => [name, json])).toEqual([
    ['password', undefined],
    ['vpc', '"a"'],
  ])
  expect(all.outputs?.map(({ name, json }) => [name, json])).toEqual([
    ['password', '"secret"'],
    ['vpc', '"a"'],
  ])
  await expect(
    control.outputs.get(network, { sensitive: false, names: ['vpx'] }, alice),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('reads made under the lock of a write are its receipt', async () => {
  const control = await open()
  await apply(control, network, 1, { vpc: { value: 'a' } })
  await control.units.create({ org: 'default', name: 'app' }, alice)
  await control.states.read(network, { consumer: 'app' }, alice)
  await apply(control, network, 2, { vpc: { value: 'b' } })
  await apply(control, app, 1, {}, () => control.states.read(network, { consumer: 'app' }, alice))
  expect(await readsOf(control, 'app')).toMatchObject([{ commit: 2, names: null }])

  await apply(control, app, 2, {}, () =>
    control.outputs.get(network, { sensitive: false, consumer: 'app', names: ['vpc'] }, alice),
  )
  expect(await readsOf(control, 'app')).toMatchObject([{ commit: 2, names: ['vpc'] }])
})

test('a saved plan takes the oldest commit read since the last write', async () => {
  const control = await open()
  await apply(control, network, 1, { vpc: { value: 'a' } })
  await control.units.create({ org: 'default', name: 'app' }, alice)
  await control.states.read(network, { consumer: 'app' }, alice)
  await apply(control, network, 2, { vpc: { value: 'b' } })
  await control.states.read(network, { consumer: 'app' }, alice)
  await apply(control, app, 1, {})

  expect(await readsOf(control, 'app')).toMatchObject([{ commit: 1, names: null }])
})

test('later writes under the same lock keep the receipt, a new apply that reads nothing does not', async () => {
  const control = await open()
  await apply(control, network, 1, { vpc: { value: 'a' } })
  await apply(control, app, 1, {}, () => control.states.read(network, { consumer: 'app' }, alice))
  expect(await readsOf(control, 'app')).toHaveLength(1)

  await apply(control, app, 2, {})

  expect(await readsOf(control, 'app')).toEqual([])
})

test('an outputs commit that retention removed is gone, one that never was is not found', async () => {
  const control = await open()
  for (let serial = 1; serial <= 6; serial++)
    await apply(control, network, serial, { zone: { value: `z${serial}` } })
  await control.units.update(network, { retention: { count: 2 } }, alice)
  await control.upkeep.gc({ dryRun: false }, alice)
  const get = (commit: number) => control.outputs.get(network, { commit, sensitive: false }, alice)

  expect((await get(5)).commit).toBe(5)
  await expect(get(1)).rejects.toMatchObject({ code: 'GONE' })
  await expect(control.outputs.diff(network, { from: 1, to: 6 }, alice)).rejects.toMatchObject({
    code: 'GONE',
  })
  for (const commit of [0, 7]) await expect(get(commit)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})
