import { callerNamed } from '../support/caller.ts'
import { beforeAll, expect, test } from 'vitest'
import { LockInfo } from '../../src/state/index.ts'
import { isCode } from './checker/clients.ts'
import { finish, until } from './checker/directed.ts'
import type { CreateControl } from './checker/mutant.ts'
import { loadControl } from './checker/mutant.ts'
import { writeFirst } from './checker/traces.ts'
import type { World } from './checker/world.ts'
import { beginWorld, prepare, stateText, unit } from './checker/world.ts'

const caller = callerNamed('one')
const info = (id: string) => LockInfo.parse({ ID: id })

let create: CreateControl
beforeAll(async () => {
  create = await loadControl()
})

async function begin(): Promise<World> {
  const options = { contentHashTags: false, conditionalDelete: true }
  return beginWorld(
    await prepare(create, options, async (world) => writeFirst(await world.healthy('before'))),
  )
}

test('a LOCK that stalled while its id was released and forgotten does not lock again', async () => {
  const world = await begin()
  const stalled = await world.server('stalled')
  const outcome: { error?: unknown } = {}
  world.schedule.start('stalled', async () => {
    await stalled.locks
      .lock(unit, info('same'), {}, caller)
      .catch((error: unknown) => (outcome.error = error))
  })
  await until(world, 'stalled', 'put', /\.tflock$/)
  const other = await world.healthy('other')
  for (const id of ['same', ...Array.from({ length: 20 }, (_, i) => `later-${i}`)]) {
    await other.locks.lock(unit, info(id), {}, caller)
    await other.locks.unlock(unit, id, caller)
  }

  await finish(world)

  expect(await other.locks.get(unit, caller)).toBeNull()
  expect(isCode(outcome.error, 'NOT_LOCKED', 'BUCKET_UNAVAILABLE', 'CONFLICT'), String(outcome.error)).toBe(
    true,
  )
})

test('more than sixteen locks one after the other do not hinder anyone', async () => {
  const world = await begin()
  const [one, two] = [await world.healthy('one'), await world.healthy('two')]
  for (let i = 0; i < 40; i++) {
    const server = i % 2 === 0 ? one : two
    await server.locks.lock(unit, info(`lock-${i}`), {}, caller)
    await writeFirst(server, stateText(i + 2, 'x'), `lock-${i}`)
    await server.locks.unlock(unit, `lock-${i}`, caller)
  }

  expect((await one.versions.list(unit, { limit: 100 }, caller)).items).toHaveLength(41)
  const document = world.documents.at(-1)
  expect(document?.released.length).toBeLessThanOrEqual(16)
  expect(document?.recent.length).toBeLessThanOrEqual(8)
})

test('a write that stalled after landing, and was carried on by others, is reported as landed', async () => {
  const world = await begin()
  const stalled = await world.server('stalled')
  const other = await world.healthy('other')
  await other.locks.lock(unit, info('one'), {}, caller)
  const outcome: { error?: unknown } = {}
  world.schedule.start('stalled', async () => {
    await writeFirst(stalled, stateText(2, 'stalled'), 'one').catch(
      (error: unknown) => (outcome.error = error),
    )
  })
  await until(world, 'stalled', 'put', /tfstate$/)
  await other.upkeep.sweep(caller)
  for (let serial = 3; serial < 15; serial++) await writeFirst(other, stateText(serial, 'x'), 'one')

  await finish(world)

  expect(outcome.error).toBeUndefined()
})
