import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import type { StateControl } from '../index.ts'
import { LockInfo } from '../index.ts'
import {
  alice,
  findings,
  keysUnder,
  lose,
  named,
  openControl,
  push,
  stateText,
  wrong,
} from '../../../test/support/state.ts'

const filler = Array.from({ length: 1000 }, (_, i) => `line ${i * 7919}`).join('\n')
const large = (serial: number) => stateText(serial, `${filler}\n${serial}`)

test('nothing more is stored against a base that is remembered but was found missing', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  for (const serial of [1, 2, 3]) await push(control, 'd', large(serial))
  await control.upkeep.sweep(alice)
  const [base = '', , third] = await keysUnder(bucket, '.taco/orgs/default/versions/')
  expect(third).toContain('/00000003-00000001-')
  await lose(bucket, base)

  await findings(control, { repair: true })
  for (const serial of [4, 5]) await push(control, 'd', large(serial))

  expect(wrong(await findings(control))).toEqual([])
})

async function applyReading(control: StateControl, serial: number): Promise<void> {
  const info = LockInfo.parse({ ID: `lock ${serial}`, Operation: 'OperationTypeApply' })
  await control.locks.lock(named('d'), info, { createUnit: true }, alice)
  await control.states.read(named('net'), { consumer: 'd' }, alice)
  const stream = (async function* () {
    yield Buffer.from(stateText(serial))
  })()
  const state = await control.states.receive(stream, { maxBytes: 1e6, org: 'default' }, alice)
  await control.states.write(named('d'), state, { how: 'backend', lockId: info.ID }, alice)
}

test('a version rebuilt beside a write under way is not credited with what that write read', async () => {
  const bucket = openMemoryBucket()
  let isStuck = false
  const stuck = Object.assign(Object.create(bucket) as Bucket, {
    put: (...args: Parameters<Bucket['put']>) =>
      isStuck && args[0] === 'd/terraform.tfstate' ? Promise.reject(new Error('stuck')) : bucket.put(...args),
  })
  const server = await openControl(stuck)
  await push(server, 'net', stateText(1))
  await applyReading(server, 1)
  const first = await server.versions.get(named('d'), 'current', alice)
  const { id } = await server.units.get(named('d'), alice)
  await push(server, 'net', stateText(2))
  for (const key of await keysUnder(bucket, `.taco/orgs/default/versions/${id}/`)) await lose(bucket, key)

  const doctor = await openControl(bucket)
  for await (const { check, unit } of doctor.upkeep.doctor({ deep: true, repair: true }, alice)) {
    if (check !== 'unit.unfinished' || unit !== 'd') continue
    await server.locks.unlock(named('d'), 'lock 1', alice)
    isStuck = true
    await expect(applyReading(server, 2)).rejects.toThrow('stuck')
  }

  expect((await doctor.versions.get(named('d'), '1', alice)).id).toBe(first.id)
  const then = await doctor.graph.unitsAt('default', Date.parse(first.at), alice)
  expect(then.find(({ name }) => name === 'd')?.reads).toMatchObject([{ doubted: null }])
})
