import { alice } from '../../../test/support/caller.ts'
import { expect, test, vi } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { randomIds } from '../../base/ids.ts'
import { silentLog } from '../../base/log.ts'
import type { Bucket } from '../../bucket/index.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { StateControl } from '../../state/index.ts'
import { createStateControl, LockInfo } from '../../state/index.ts'
import { createGraph } from './graph.ts'

const org = 'default'
const at = (unit: string) => ({ org, unit })

async function open(bucket: Bucket = openMemoryBucket(), { catalogLagMs = 0 } = {}) {
  const control = await createStateControl({
    bucket,
    clock: systemClock,
    ids: randomIds,
    log: silentLog,
    spool: { create: () => Promise.reject(new Error('nothing here is large enough for the spool')) },
    settings: { tidyAfterMs: null, catalogLagMs },
  })
  return { control, graph: createGraph({ control }) }
}

let locks = 0
async function apply(
  control: StateControl,
  name: string,
  outputs: Readonly<Record<string, string>>,
  reads: readonly string[] = [],
  operation = 'OperationTypeApply',
): Promise<void> {
  const info = LockInfo.parse({ ID: `lock-${++locks}`, Operation: operation })
  await control.locks.lock(at(name), info, { createUnit: true }, alice)
  for (const from of reads) await control.states.read(at(from), { consumer: name }, alice)
  const typed = Object.fromEntries(
    Object.entries(outputs).map(([key, value]) => [key, { value, type: 'string' }]),
  )
  const text = JSON.stringify({ version: 4, serial: locks, lineage: name, outputs: typed, resources: [] })
  const stream = (async function* () {
    yield Buffer.from(text)
  })()
  const state = await control.states.receive(stream, { maxBytes: 1e9, org }, alice)
  await control.states.write(at(name), state, { how: 'backend', lockId: info.ID }, alice)
  await control.locks.unlock(at(name), info.ID, alice)
}

async function statusOf({ graph }: Awaited<ReturnType<typeof open>>, time?: number) {
  const { items } = await graph.status({ org, ...(time === undefined ? {} : { at: time }) }, alice)
  return Object.fromEntries(items.map(({ name, status }) => [name, status]))
}

test('an output changes: its consumers are stale, say why, and what is below them waits', async () => {
  const world = await open()
  const { control, graph } = world
  await apply(control, 'network', { vpc: 'a', cidr: '10' })
  await apply(control, 'app', { url: 'x' }, ['network'])
  await apply(control, 'dns', {}, ['app'])
  await graph.dependencies.add(at('app'), { on: 'network', outputs: ['vpc'] }, alice)
  expect(await statusOf(world)).toEqual({ network: 'up-to-date', app: 'up-to-date', dns: 'up-to-date' })

  await apply(control, 'network', { vpc: 'a', cidr: '11' })
  expect(await statusOf(world)).toEqual({ network: 'up-to-date', app: 'up-to-date', dns: 'up-to-date' })
  await apply(control, 'network', { vpc: 'b', cidr: '11' })
  const { items, counts } = await graph.status({ org, attention: true }, alice)

  expect(counts).toMatchObject({ 'up-to-date': 1, stale: 1, waiting: 1 })
  expect(items).toMatchObject([
    {
      name: 'app',
      status: 'stale',
      ready: true,
      reasons: [
        {
          kind: 'changed',
          on: { name: 'network' },
          output: 'vpc',
          read: { commit: 1 },
          changed: { commit: 3, by: 'user:alice' },
          says: expect.stringMatching(
            /^vpc of network changed at commit 3, \d{4}-.* by alice; it was read at commit 1$/,
          ),
        },
      ],
    },
    { name: 'dns', status: 'waiting', reasons: [{ kind: 'upstream', says: 'app is stale' }] },
  ])

  await apply(control, 'network', { vpc: 'a', cidr: '12' })
  expect(await statusOf(world)).toEqual({ network: 'up-to-date', app: 'up-to-date', dns: 'up-to-date' })
})

test('rolling the upstream back to what was read makes its consumer fresh again', async () => {
  const world = await open()
  await apply(world.control, 'network', { vpc: 'a' })
  await apply(world.control, 'app', {}, ['network'])
  await apply(world.control, 'network', { vpc: 'b' })
  expect(await statusOf(world)).toEqual({ network: 'up-to-date', app: 'stale' })

  await world.control.versions.rollback(at('network'), '1', {}, alice)
  await world.control.units.rename(at('network'), 'net', alice)

  expect(await statusOf(world)).toEqual({ net: 'up-to-date', app: 'up-to-date' })
})

test('a reason names the commit since which the output differs from what was read', async () => {
  const { control, graph } = await open()
  await apply(control, 'network', { vpc: 'a' })
  await apply(control, 'app', {}, ['network'])
  for (const outputs of [{ vpc: 'b' }, { vpc: 'a' }, { vpc: 'b', zone: 'x' }, { vpc: 'c', zone: 'y' }])
    await apply(control, 'network', outputs)

  const { items } = await graph.status({ org, unit: 'app', direction: 'none' }, alice)
  expect(items[0]?.reasons.map(({ output, change, changed }) => [output, change, changed?.commit])).toEqual([
    ['vpc', 'changed', 4],
    ['zone', 'appeared', 4],
  ])
})

test('a unit that was only read and is gone is told by the name it had', async () => {
  const { control, graph } = await open()
  await apply(control, 'network', { vpc: 'a' })
  await apply(control, 'app', {}, ['network'])
  await control.units.remove(at('network'), { force: true }, alice)

  const { items } = await graph.status({ org }, alice)
  expect(items).toMatchObject([{ name: 'app', reasons: [{ kind: 'gone', says: 'network is gone' }] }])
  for (const query of [{ org }, { org, unit: 'app' }])
    expect((await graph.view(query, alice)).edges).toMatchObject([{ name: 'network', state: 'dangling' }])
  expect((await graph.dependencies.list(at('app'), alice)).uses).toMatchObject([{ on: { name: 'network' } }])
})

test('an answer is never as of a time before what it contains', async () => {
  // As long as a listing holds, only what this server does itself is added to it.
  const { control, graph } = await open(openMemoryBucket(), { catalogLagMs: 60_000 })
  await apply(control, 'network', { vpc: 'a' })
  await graph.status({ org }, alice)
  await new Promise((resolve) => setTimeout(resolve, 5))
  await apply(control, 'network', { vpc: 'b' })

  const { asOf, items } = await graph.status({ org }, alice)
  expect(Date.parse(asOf)).toBeGreaterThanOrEqual(Date.parse(items[0]?.at ?? ''))
})

test('an output that is gone says which commit took it away', async () => {
  const world = await open()
  await apply(world.control, 'network', { vpc: 'a' })
  await apply(world.control, 'app', {}, ['network'])
  await apply(world.control, 'network', {})

  const { items } = await world.graph.status({ org, unit: 'app', direction: 'none' }, alice)

  expect(items).toMatchObject([
    { reasons: [{ output: 'vpc', change: 'disappeared', changed: { commit: 2, by: 'user:alice' } }] },
  ])
})

test('an output that went with the whole state is blamed on no commit', async () => {
  const world = await open()
  await apply(world.control, 'network', { vpc: 'a' })
  await apply(world.control, 'app', {}, ['network'])
  await apply(world.control, 'network', { vpc: 'b' })
  await world.control.states.remove(at('network'), { force: false }, alice)

  const { items } = await world.graph.status({ org, unit: 'app', direction: 'none' }, alice)

  const says = 'vpc of network disappeared; it was read at commit 1'
  expect(items[0]?.reasons[0]).toMatchObject({ change: 'disappeared', changed: null, says })
})

test('a past time shows the graph as it was', async () => {
  const world = await open()
  await apply(world.control, 'network', { vpc: 'a' })
  await apply(world.control, 'app', {}, ['network'])
  const then = (await world.control.units.get(at('app'), alice)).state?.at ?? ''
  // What happens within the same millisecond cannot be told apart.
  await vi.waitUntil(() => Date.now() > Date.parse(then))
  await apply(world.control, 'network', { vpc: 'b' })

  expect(await statusOf(world)).toEqual({ network: 'up-to-date', app: 'stale' })
  expect(await statusOf(world, Date.parse(then))).toEqual({ network: 'up-to-date', app: 'up-to-date' })
})

test('a past time knows of an apply that had nothing to write, from then on', async () => {
  const world = await open()
  const { control } = world
  const app = at('app')
  await apply(control, 'network', { vpc: 'a' })
  await apply(control, 'app', {}, ['network'])
  await apply(control, 'network', { vpc: 'b' })
  const stale = Date.now()
  await expect.poll(() => Date.now()).toBeGreaterThan(stale)
  const info = LockInfo.parse({ ID: 'run', Operation: 'OperationTypeApply' })
  await control.locks.lock(app, info, {}, alice)
  await control.states.read(at('network'), { consumer: 'app' }, alice)
  await control.graph.applied(app, { run: 'run', since: Date.now(), fingerprint: null }, alice)
  await control.locks.unlock(app, 'run', alice)

  expect(await statusOf(world)).toEqual({ network: 'up-to-date', app: 'up-to-date' })
  expect(await statusOf(world, Date.now())).toEqual({ network: 'up-to-date', app: 'up-to-date' })
  expect(await statusOf(world, stale)).toEqual({ network: 'up-to-date', app: 'stale' })
})

test('a reason of a past time names no read that came later', async () => {
  const bucket = openMemoryBucket()
  const { control } = await open(bucket)
  await apply(control, 'network', { vpc: 'a' })
  await apply(control, 'app', {}, ['network'])
  const then = Date.now()
  await expect.poll(() => Date.now()).toBeGreaterThan(then)
  await apply(control, 'network', { vpc: 'b' })
  const info = LockInfo.parse({ ID: 'run', Operation: 'OperationTypeApply' })
  await control.locks.lock(at('app'), info, {}, alice)
  await control.states.read(at('network'), { consumer: 'app' }, alice)
  await control.graph.applied(at('app'), { run: 'run', since: Date.now(), fingerprint: null }, alice)
  await control.locks.unlock(at('app'), 'run', alice)
  const { id } = await control.units.get(at('app'), alice)
  for await (const page of bucket.list(`.taco/orgs/${org}/versions/${id}/`))
    for (const { key, tag } of page) await bucket.delete(key, tag)
  for await (const _ of control.upkeep.doctor({ deep: true, repair: true }, alice));

  const { graph } = await open(bucket)
  const { items } = await graph.status({ org, unit: 'app', direction: 'none', at: then }, alice)

  const says = 'it is unknown which network its state was made from'
  expect(items).toMatchObject([
    { status: 'unknown', reasons: [{ kind: 'no-receipt', read: null, changed: null, says }] },
  ])
})

test('a version that was made anew knows no more what stood before an apply that had nothing to write', async () => {
  const bucket = openMemoryBucket()
  const world = await open(bucket)
  const { control } = world
  await apply(control, 'network', { vpc: 'a' })
  await apply(control, 'app', {}, ['network'])
  await apply(control, 'network', { vpc: 'b' })
  const stale = Date.now()
  await expect.poll(() => Date.now()).toBeGreaterThan(stale)
  const info = LockInfo.parse({ ID: 'run', Operation: 'OperationTypeApply' })
  await control.locks.lock(at('app'), info, {}, alice)
  await control.states.read(at('network'), { consumer: 'app' }, alice)
  await control.graph.applied(at('app'), { run: 'run', since: Date.now(), fingerprint: null }, alice)
  await control.locks.unlock(at('app'), 'run', alice)
  const { id } = await control.units.get(at('app'), alice)
  for await (const page of bucket.list(`.taco/orgs/${org}/versions/${id}/`))
    for (const { key, tag } of page) await bucket.delete(key, tag)
  for await (const _ of control.upkeep.doctor({ deep: true, repair: true }, alice));

  expect(await statusOf(world)).toEqual({ network: 'up-to-date', app: 'up-to-date' })
  expect(await statusOf(world, Date.now())).toEqual({ network: 'up-to-date', app: 'up-to-date' })
  // A server that wrote the version itself still knows; one that has only the bucket does not.
  expect(await statusOf(world, stale)).toEqual({ network: 'up-to-date', app: 'stale' })
  expect(await statusOf(await open(bucket), stale)).toEqual({ network: 'up-to-date', app: 'unknown' })
})

test('a past time whose versions retention removed is unknown, not another one', async () => {
  const world = await open()
  const { control, graph } = world
  await apply(control, 'network', { vpc: 'a' })
  await apply(control, 'app', {}, ['network'])
  const then = Date.now()
  await expect.poll(() => Date.now()).toBeGreaterThan(then)
  await control.units.update(at('network'), { retention: { count: 1 } }, alice)
  await apply(control, 'network', { vpc: 'b' })
  await apply(control, 'network', { vpc: 'c' })
  await control.versions.rollback(at('network'), '2', {}, alice)
  // The roll-back took a serial of its own.
  locks++
  await apply(control, 'network', { vpc: 'd' })
  await control.upkeep.gc({ dryRun: false }, alice)

  const { items } = await graph.status({ org, at: then }, alice)

  expect(items).toMatchObject([
    {
      name: 'app',
      status: 'unknown',
      reasons: [{ kind: 'forgotten', on: { name: 'network' } }],
    },
    {
      name: 'network',
      status: 'unknown',
      commit: null,
      at: null,
      reasons: [{ kind: 'forgotten', on: null }],
    },
  ])
  expect(await statusOf(world, 1)).toEqual({})
})

test('a lock whose lease is over is none', async () => {
  let now = Date.now()
  const bucket = openMemoryBucket()
  const { control } = await open(bucket)
  const graph = createGraph({ control, clock: { now: () => now } })
  await apply(control, 'network', { vpc: 'a' })
  const info = LockInfo.parse({ ID: 'killed', Operation: 'OperationTypeApply' })
  await control.locks.lock(at('network'), info, { leaseMs: 60_000 }, alice)
  const marks = async () => (await graph.view({ org }, alice)).nodes.map((node) => node.marks)

  expect(await marks()).toEqual([['locked']])
  const { nodes } = await graph.view({ org }, alice)
  expect((await graph.view({ org }, alice)).nodes).toBe(nodes)
  now += 120_000
  expect(await marks()).toEqual([[]])
  expect((await graph.status({ org }, alice)).items[0]?.marks).toEqual([])
})

test('an organization that is not there is an error, not an empty graph', async () => {
  const { graph } = await open()

  expect((await graph.view({ org }, alice)).nodes).toEqual([])
  for (const query of [{ org: 'nosuch' }, { org: 'nosuch', at: 1 }])
    await expect(graph.status(query, alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(graph.view({ org: 'nosuch' }, alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test.each([
  ['untaint', 'stale'],
  ['OperationTypeRefresh', 'stale'],
  ['OperationTypeApply', 'up-to-date'],
])('after a failed apply a write by %s leaves the unit %s', async (operation, status) => {
  const world = await open()
  await apply(world.control, 'app', {})
  await world.control.graph.failed(at('app'), { rollout: 'ro-1' }, alice)
  expect(await statusOf(world)).toEqual({ app: 'stale' })

  await apply(world.control, 'app', { url: 'x' }, [], operation)

  expect(await statusOf(world)).toEqual({ app: status })
})

test('a deleted unit leaves a dangling edge and a name; restoring it mends both', async () => {
  const world = await open()
  const { control, graph } = world
  await apply(control, 'network', { vpc: 'a' })
  await apply(control, 'app', {}, ['network'])
  await graph.dependencies.add(at('app'), { on: 'network' }, alice)
  expect(await graph.dependencies.usersOf(at('network'), alice)).toMatchObject([
    { name: 'app', source: 'declared' },
  ])

  await control.units.remove(at('network'), { force: true }, alice)
  const { items } = await graph.status({ org }, alice)
  expect(items).toMatchObject([
    { name: 'app', status: 'unknown', reasons: [{ kind: 'gone', says: 'network is gone' }] },
  ])
  expect((await graph.view({ org }, alice)).edges).toMatchObject([{ name: 'network', state: 'dangling' }])

  await control.units.restore(at('network'), {}, alice)
  expect(await statusOf(world)).toEqual({ network: 'up-to-date', app: 'up-to-date' })
})

test('a cycle is refused, spelled out, however long it is', async () => {
  const { control, graph } = await open()
  for (const name of ['a', 'b', 'c']) await control.units.create({ org, name }, alice)
  await graph.dependencies.add(at('a'), { on: 'b' }, alice)
  await graph.dependencies.add(at('b'), { on: 'c' }, alice)

  await expect(graph.dependencies.add(at('c'), { on: 'a' }, alice)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: 'This would create a cycle: c → a → b → c.',
  })
  await expect(graph.dependencies.add(at('a'), { on: 'a' }, alice)).rejects.toMatchObject({
    message: 'This would create a cycle: a → a.',
  })
  expect((await graph.dependencies.list(at('c'), alice)).uses).toEqual([])
})

test('of two who close a cycle at the same moment at most one stays', async () => {
  const bucket = openMemoryBucket()
  const [one, other] = [await open(bucket), await open(bucket)]
  for (const name of ['a', 'b']) await one.control.units.create({ org, name }, alice)

  const done = await Promise.allSettled([
    one.graph.dependencies.add(at('a'), { on: 'b' }, alice),
    other.graph.dependencies.add(at('b'), { on: 'a' }, alice),
  ])

  const kept = done.filter(({ status }) => status === 'fulfilled').length
  const left = [
    ...(await one.graph.dependencies.list(at('a'), alice)).uses,
    ...(await one.graph.dependencies.list(at('b'), alice)).uses,
  ]
  expect(kept).toBeLessThan(2)
  expect(left).toHaveLength(kept)
})

test('an edge of a race that was not there before is taken back whole', async () => {
  const { control, graph } = await open()
  for (const name of ['a', 'b']) await control.units.create({ org, name }, alice)
  const b = await control.units.get(at('b'), alice)
  const a = await control.units.get(at('a'), alice)
  // The way back appears between the check and the write, as if another server had made it.
  const raced = {
    ...control.graph,
    changeDependencies: async (...args: Parameters<typeof control.graph.changeDependencies>) => {
      const back = { on: a.id, name: 'a', outputs: null, source: 'declared' as const, inputs: {} }
      await control.graph.changeDependencies({ org, unit: b.id }, () => [back], alice)
      return control.graph.changeDependencies(...args)
    },
  }

  await expect(
    createGraph({ control: { ...control, graph: raced } }).dependencies.add(at('a'), { on: 'b' }, alice),
  ).rejects.toMatchObject({ message: 'This would create a cycle: a → b → a.' })

  expect((await graph.dependencies.list(at('a'), alice)).uses).toEqual([])
  expect((await graph.dependencies.list(at('b'), alice)).uses).toHaveLength(1)
})

test('names that are nearly right get the right ones as advice', async () => {
  const { control, graph } = await open()
  await apply(control, 'prod/network', { vpc_id: 'a', subnet_ids: 'b' })
  await control.units.create({ org, name: 'prod/app' }, alice)
  await control.units.create({ org, name: 'prod/later' }, alice)

  await expect(graph.dependencies.add(at('prod/app'), { on: 'prod/netwrok' }, alice)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    hint: expect.stringContaining('Did you mean prod/network?'),
  })
  await expect(
    graph.dependencies.add(at('prod/app'), { on: 'prod/network', outputs: ['vpcid'] }, alice),
  ).rejects.toMatchObject({ code: 'NOT_FOUND', hint: expect.stringContaining('Did you mean vpc_id?') })
  await expect(graph.status({ org, unit: 'prod/ap' }, alice)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    hint: expect.stringContaining('Did you mean prod/app?'),
  })
  const { warnings } = await graph.dependencies.add(
    at('prod/app'),
    { on: 'prod/later', outputs: ['x'] },
    alice,
  )
  expect(warnings).toEqual(['prod/later has no state yet, so it is unknown whether it will have x'])
})

test('outputs are added to an edge and taken from it one by one', async () => {
  const { control, graph } = await open()
  await apply(control, 'network', { vpc: 'a', subnet: 'b' })
  await control.units.create({ org, name: 'app' }, alice)
  const uses = async () =>
    (await graph.dependencies.list(at('app'), alice)).uses.map(({ outputs, inputs }) => [outputs, inputs])

  await graph.dependencies.add(at('app'), { on: 'network', outputs: ['vpc'] }, alice)
  await graph.dependencies.add(
    at('app'),
    { on: 'network', outputs: [], inputs: { subnet_id: 'subnet' } },
    alice,
  )
  expect(await uses()).toEqual([[['vpc', 'subnet'], { subnet_id: 'subnet' }]])
  await graph.dependencies.remove(at('app'), { on: 'network', outputs: ['subnet'] }, alice)
  expect(await uses()).toEqual([[['vpc'], {}]])
  await expect(
    graph.dependencies.remove(at('app'), { on: 'network', outputs: ['subnet'] }, alice),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await graph.dependencies.remove(at('app'), { on: 'network' }, alice)
  expect(await uses()).toEqual([])
  await expect(graph.dependencies.remove(at('app'), { on: 'network' }, alice)).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: 'app declares no dependency on network.',
  })
})

test('an unchanged graph is the same object, so that faces can keep what they made of it', async () => {
  const { control, graph } = await open()
  await apply(control, 'network', { vpc: 'a' })

  const first = await graph.view({ org }, alice)
  expect((await graph.view({ org }, alice)).nodes).toBe(first.nodes)
  await apply(control, 'network', { vpc: 'b' })
  expect((await graph.view({ org }, alice)).nodes).not.toBe(first.nodes)
})
