import { expect, test } from 'vitest'
import { createGraph } from '../graph/status/graph.ts'
import { createRolloutMarks } from './marks.ts'
import {
  type Estate,
  alice,
  byHand,
  estate,
  options,
  org,
  statuses,
  workThrough,
} from '../../test/support/graph.ts'

test('a killed worker is followed by another, and can write nothing any more', async () => {
  const world = await estate()
  const { id } = await world.rollouts.start(org, { from: ['network'] }, alice)
  const ref = { org, id }
  const [dead] = (await world.rollouts.claim(ref, options, alice)).claims
  const start = { token: dead?.token ?? '', leaseMs: 60_000, lock: true }
  const { lock } = await world.rollouts.begin(ref, 'network', start, alice)

  expect((await world.another.claim(ref, options, alice)).claims).toEqual([])
  world.pass(1000)
  const [taken] = (await world.another.claim(ref, options, alice)).claims
  const token = taken?.token ?? ''
  const begun = await world.another.begin(ref, 'network', { token, leaseMs: 1000, lock: true }, alice)

  expect(taken).toMatchObject({ unit: { name: 'network' }, attempt: 2 })
  await expect(world.write('network', lock ?? '', { vpc_id: 'late' })).rejects.toMatchObject({
    code: 'LOCKED',
  })
  await world.write('network', begun.lock ?? '', { vpc_id: 'vpc-1', cidr: '10/8' })
  const end = { kind: 'applied' as const, fingerprint: null, engineMs: 1 }
  await expect(
    world.rollouts.end(ref, 'network', { token: dead?.token ?? '', end }, alice),
  ).rejects.toMatchObject({
    code: 'CONFLICT',
  })
  await world.another.end(ref, 'network', { token, end }, alice)
  expect((await statuses(world, id))['network']).toBe('applied')
})

test('whoever took a step over and waits for the engine that was left keeps its lock alive', async () => {
  const world = await estate()
  const { id } = await world.rollouts.start(org, { from: ['network'] }, alice)
  const ref = { org, id }
  const [dead] = (await world.rollouts.claim(ref, options, alice)).claims
  const start = { token: dead?.token ?? '', leaseMs: 1000, lock: true }
  const { lock } = await world.rollouts.begin(ref, 'network', start, alice)
  world.pass(1000)
  const [taken] = (await world.another.claim(ref, { ...options, begin: true }, alice)).claims

  expect(taken?.start).toBe(null)
  world.pass(500)
  await world.another.renew(ref, { tokens: [taken?.token ?? ''], leaseMs: 1000 }, alice)
  world.pass(900)

  await expect(
    world.control.locks.lock({ org, unit: 'network' }, { ...byHand }, {}, alice),
  ).rejects.toMatchObject({ code: 'LOCKED' })
  await world.write('network', lock ?? '', { vpc_id: 'vpc-1' })
})

test('the lock of an engine that was left survives that whoever waited for it was killed as well', async () => {
  const world = await estate()
  const { id, claims } = await world.rollouts.start(org, { from: ['network'], claim: options }, alice)
  const ref = { org, id }
  const start = { token: claims[0]?.token ?? '', leaseMs: 1000, lock: true }
  const { lock } = await world.rollouts.begin(ref, 'network', start, alice)
  world.pass(1100)
  const second = await world.rollouts.claim(ref, options, alice)
  await world.rollouts.renew(ref, { tokens: [second.claims[0]?.token ?? ''], leaseMs: 1000 }, alice)
  world.pass(1100)
  const third = await world.rollouts.claim(ref, options, alice)
  const token = third.claims[0]?.token ?? ''

  for (let i = 0; i < 6; i++) {
    await world.rollouts.renew(ref, { tokens: [token], leaseMs: 1000 }, alice)
    world.pass(400)
  }
  await world.write('network', lock ?? '', { vpc_id: 'vpc-1' })
  const begun = await world.rollouts.begin(ref, 'network', { token, leaseMs: 1000, lock: true }, alice)

  expect(await world.control.locks.get({ org, unit: 'network' }, alice)).toMatchObject({ id: begun.lock })
})

test.each([
  ['failed', { kind: 'failed' as const, reason: 'half way', exitCode: 1, engineMs: 5 }],
  ['was interrupted', { kind: 'returned' as const, begun: true }],
])('an apply that %s is no proof of anything until a good one, cancelled or not', async (_, end) => {
  const world = await estate()
  const marks = createRolloutMarks(world.rollouts, { now: () => 0 })
  const graph = createGraph({ control: world.control, marks })
  await workThrough(world, (await world.rollouts.start(org, { from: ['network'] }, alice)).id)
  const first = await world.rollouts.start(org, { from: ['app'], claim: options }, alice)
  const token = first.claims[0]?.token ?? ''
  await world.rollouts.begin({ org, id: first.id }, 'app', { token, leaseMs: 1000, lock: true }, alice)
  await world.rollouts.end({ org, id: first.id }, 'app', { token, end }, alice)
  await world.rollouts.cancel({ org, id: first.id }, alice)

  const { items, counts } = await graph.status({ org, attention: true }, alice)
  const second = await world.rollouts.start(org, { from: ['network'] }, alice)
  const applied = await workThrough(world, second.id)

  expect(counts).toMatchObject({ stale: 1, waiting: 1, 'up-to-date': 2 })
  expect(items.map(({ name, marks: shown }) => [name, ...shown])).toEqual([['app', 'failed'], ['dns']])
  expect(items[0]?.reasons).toMatchObject([{ kind: 'failed' }])
  expect(items[0]?.reasons[0]?.says).toContain(first.id)
  expect(Object.keys(applied)).toEqual(['network', 'app'])
  expect((await graph.status({ org, attention: true }, alice)).items).toEqual([])
})

test.each([
  ['failed before its engine began', { kind: 'failed' as const, begun: false }],
  ['was given back before that', { kind: 'returned' as const }],
])('a step that %s leaves its unit as it was, unless an earlier worker was killed at it', async (_, how) => {
  const world = await estate()
  const end = { reason: 'there is no folder', exitCode: 1, engineMs: 0, ...how }
  await workThrough(world, (await world.rollouts.start(org, { from: ['network'] }, alice)).id)
  const first = await world.rollouts.start(org, { from: ['app'], claim: options }, alice)
  await world.rollouts.end({ org, id: first.id }, 'app', { token: first.claims[0]?.token ?? '', end }, alice)
  expect((await world.control.graph.facts({ org, unit: 'app' }, alice))?.failed).toBeUndefined()

  const { id } = await world.rollouts.start(org, { from: ['dns'], claim: options }, alice)
  world.pass(1000)
  const graph = { ...world.control.graph, failed: () => Promise.resolve() }
  const { claims } = await world.over({ ...world.control, graph }).claim({ org, id }, options, alice)
  await world.rollouts.end({ org, id }, 'dns', { token: claims[0]?.token ?? '', end }, alice)

  expect((await world.control.graph.facts({ org, unit: 'dns' }, alice))?.failed).toMatchObject({
    rollout: id,
  })
})

/** A worker that had begun to apply `dns`, which was up to date, was killed. */
async function killed() {
  const world = await estate()
  await workThrough(world, (await world.rollouts.start(org, { from: ['network'] }, alice)).id)
  world.pass(10)
  const { id, claims } = await world.rollouts.start(org, { from: ['dns'], claim: options }, alice)
  const start = { token: claims[0]?.token ?? '', leaseMs: 1000, lock: true }
  const { lock } = await world.rollouts.begin({ org, id }, 'dns', start, alice)
  return { world, ref: { org, id }, token: start.token, lock: lock ?? '' }
}

test.each(['cancel', 'skip'] as const)(
  'a worker that was killed leaves a unit that must be applied, whoever may %s it',
  async (what) => {
    const { world, ref } = await killed()
    world.pass(5000)

    if (what === 'cancel') await world.rollouts.cancel(ref, alice)
    else await world.rollouts.skip(ref, 'dns', 'not now', alice)

    expect((await world.control.graph.facts({ org, unit: 'dns' }, alice))?.failed).toMatchObject({
      rollout: ref.id,
    })
  },
)

/** As a server sees it that starts now. */
async function seen({ control, rollouts, now }: Estate) {
  const marks = createRolloutMarks(rollouts, { now })
  const { items } = await createGraph({ control, marks, clock: { now } }).status(
    { org, attention: true },
    alice,
  )
  return items.map(({ name, status, marks: shown, reasons }) => [name, status, ...shown, reasons[0]?.kind])
}

test.each([
  ['cancelled before anybody could know', true],
  ['left alone', false],
])('a unit whose worker was killed is not fine when the rollout was %s', async (_, isCancelled) => {
  const { world, ref } = await killed()
  if (isCancelled) await world.rollouts.cancel(ref, alice)
  expect(await seen(world)).toEqual([['dns', 'up-to-date', 'locked', 'running', undefined]])
  world.pass(100_000)

  expect(await seen(world)).toEqual([['dns', 'stale', 'failed', 'failed']])
  expect((await world.control.graph.facts({ org, unit: 'dns' }, alice))?.failed).toMatchObject({
    rollout: ref.id,
  })
  const next = await world.rollouts.start(org, { from: ['app'] }, alice)
  expect(Object.keys(await workThrough(world, next.id))).toEqual(['app', 'dns'])
  expect(await seen(world)).toEqual([])
})

test('a unit whose worker was killed is not fine even where nothing can be written', async () => {
  const { world, ref } = await killed()
  world.pass(100_000)
  const graph = { ...world.control.graph, failed: () => Promise.reject(new Error('read only')) }
  const rollouts = world.over({ ...world.control, graph })

  expect(await seen({ ...world, rollouts })).toEqual([['dns', 'stale', 'failed', 'failed']])
  await expect(rollouts.start(org, { from: ['app'] }, alice)).rejects.toThrow('read only')
  expect((await world.rollouts.get(ref, alice)).steps[0]?.status).toBe('running')
})

test('what an engine that was left still writes does not make its unit fine', async () => {
  const { world, lock } = await killed()
  world.pass(1500)
  expect(await seen(world)).toEqual([['dns', 'stale', 'locked', 'failed', 'failed']])

  await world.write('dns', lock, { half: 'of it' })

  expect(await seen(world)).toEqual([['dns', 'stale', 'locked', 'failed', 'failed']])
})

test('a worker that came back after its lease takes back that its unit is half applied', async () => {
  const { world, ref, token, lock } = await killed()
  world.pass(1500)
  await seen(world)
  await world.rollouts.renew(ref, { tokens: [token], leaseMs: 1000 }, alice)
  await world.write('dns', lock, {})
  const end = { kind: 'applied' as const, fingerprint: 'f-dns', engineMs: 1 }
  await world.rollouts.end(ref, 'dns', { token, end }, alice)

  expect(await seen(world)).toEqual([])
})

test('a worker that tells its end only after its lease leaves a unit that is fine', async () => {
  const { world, ref, token, lock } = await killed()
  await world.write('dns', lock, {})
  world.pass(1500)
  const end = { kind: 'applied' as const, fingerprint: 'f-dns', engineMs: 1 }
  await world.rollouts.end(ref, 'dns', { token, end }, alice)

  expect(await seen(world)).toEqual([])
})

test.each([
  ['ran out', false],
  ['was broken', true],
])(
  'a worker that comes late proves nothing of what others applied after its lock %s',
  async (_, isBroken) => {
    const { world, ref, token, lock } = await killed()
    await world.write('dns', lock, {})
    const unit = { org, unit: 'dns' }
    if (isBroken) await world.control.locks.forceUnlock(unit, { id: lock }, alice)
    else world.pass(3000)
    await world.control.locks.lock(unit, { ...byHand }, {}, alice)
    await world.write('dns', byHand.ID, { by: 'other code' })
    await world.control.locks.unlock(unit, byHand.ID, alice)
    const end = { kind: 'applied' as const, fingerprint: 'f-late', engineMs: 1 }
    await world.rollouts.end(ref, 'dns', { token, end }, alice)

    expect((await world.control.graph.facts(unit, alice))?.fingerprint).toBe(null)
  },
)

test('whoever takes a step over applies it, though its fingerprint is that of the last apply', async () => {
  const { world, ref } = await killed()
  world.pass(1000)

  const [taken] = (await world.rollouts.claim(ref, options, alice)).claims

  expect(taken).toMatchObject({ unit: { name: 'dns' }, fingerprint: null })
  const end = { kind: 'unchanged' as const, fingerprint: 'f-dns' }
  await expect(
    world.rollouts.end(ref, 'dns', { token: taken?.token ?? '', end }, alice),
  ).rejects.toMatchObject({ code: 'CONFLICT' })
})

test.each([
  ['state-mv', true],
  ['OperationTypeApply', false],
])('after a write by hand as %s, that the last apply failed still holds: %s', async (operation, holds) => {
  const world = await estate()
  await workThrough(world, (await world.rollouts.start(org, { from: ['network'] }, alice)).id)
  const { id, claims } = await world.rollouts.start(org, { from: ['network'], claim: options }, alice)
  const token = claims[0]?.token ?? ''
  const end = { kind: 'failed' as const, reason: 'half way', exitCode: 1, engineMs: 5 }
  await world.rollouts.end({ org, id }, 'network', { token, end }, alice)
  const unit = { org, unit: 'network' }

  await world.control.locks.lock(unit, { ...byHand, Operation: operation }, {}, alice)
  await world.write('network', byHand.ID, { vpc_id: 'vpc-1' })

  expect((await world.control.graph.facts(unit, alice))?.failed !== undefined).toBe(holds)
})
