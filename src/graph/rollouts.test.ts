import { expect, test } from 'vitest'
import { randomIds } from '../base/ids.ts'
import { silentLog } from '../base/log.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import { LockInfo, type StateControl, type StateSettings, createStateControl } from '../state/index.ts'
import { createGraph } from './graph.ts'
import { createRolloutMarks } from './rollout-marks.ts'
import { createRollouts } from './rollouts.ts'

const org = 'default'
const alice = { by: 'alice' }
const byHand = LockInfo.parse({ ID: 'by hand', Operation: 'OperationTypeApply', Who: 'bob' })
const options = { worker: 'w1', most: 10, leaseMs: 1000, begin: false }

/** network ← app ← dns, and network ← other; the time is what the test says. */
async function estate(settings: Partial<StateSettings> = { tidyAfterMs: null, flushEvents: false }) {
  let now = 1_000_000
  const clock = { now: () => now, sleep: () => Promise.resolve() }
  const bucket = openMemoryBucket()
  const spool = { create: () => Promise.reject(new Error('these states fit into memory')) }
  const control = await createStateControl({ bucket, clock, ids: randomIds, log: silentLog, spool, settings })
  const deps = { bucket, clock, ids: randomIds, control }
  const ids = new Map<string, string>()
  for (const name of ['network', 'app', 'dns', 'other'])
    ids.set(name, (await control.units.create({ org, name }, alice)).id)
  const serials = new Map<string, number>()

  async function uses(unit: string, on: string, output: string, variable: string): Promise<void> {
    const edge = { on: ids.get(on) ?? '', name: on, outputs: [output], source: 'declared' as const }
    await control.graph.changeDependencies(
      { org, unit },
      (edges) => [...edges, { ...edge, inputs: { [variable]: output } }],
      alice,
    )
  }
  await uses('app', 'network', 'vpc_id', 'vpc')
  await uses('other', 'network', 'cidr', 'cidr')
  await uses('dns', 'app', 'url', 'url')

  /** What an engine does: writes a state under the step's lock. */
  async function write(unit: string, lockId: string, outputs: Record<string, string>): Promise<void> {
    const serial = (serials.get(unit) ?? 0) + 1
    serials.set(unit, serial)
    const text = JSON.stringify({
      version: 4,
      terraform_version: '1.12.6',
      serial,
      lineage: `of ${unit}`,
      outputs: Object.fromEntries(
        Object.entries(outputs).map(([name, value]) => [name, { value, type: 'string' }]),
      ),
      resources: [],
    })
    async function* bytes() {
      yield Buffer.from(text)
    }
    const state = await control.states.receive(bytes(), { org, maxBytes: 1e6 })
    await control.states.write({ org, unit }, state, { how: 'backend', lockId }, alice)
    now += 1
  }

  return {
    control,
    rollouts: createRollouts(deps),
    /** A server that starts now, over the same bucket. */
    async reopen(changed: Partial<StateSettings>) {
      const other = { bucket, clock, ids: randomIds, log: silentLog, spool, settings: changed }
      const opened = await createStateControl(other)
      return { control: opened, rollouts: createRollouts({ ...deps, control: opened }) }
    },
    another: createRollouts(deps),
    write,
    pass: (ms: number) => (now += ms),
  }
}

type Estate = Awaited<ReturnType<typeof estate>>

const outputsOf: Record<string, Record<string, string>> = {
  network: { vpc_id: 'vpc-1', cidr: '10/8' },
  app: { url: 'http://app' },
  dns: {},
  other: {},
}

/** Works until nothing is left; gives what was applied, with what it was given. */
async function workThrough(
  { rollouts, write }: Estate,
  id: string,
  outputs: Record<string, Record<string, string>> = outputsOf,
): Promise<Record<string, Record<string, string>>> {
  const applied: Record<string, Record<string, string>> = {}
  const ref = { org, id }
  let { claims } = await rollouts.claim(ref, options, alice)
  while (claims.length > 0) {
    const next: typeof claims = []
    for (const { unit, token } of claims) {
      const { lock, inputs } = await rollouts.begin(ref, unit.id, { token, leaseMs: 1000, lock: true }, alice)
      applied[unit.name] = inputs
      await write(unit.name, lock ?? '', outputs[unit.name] ?? {})
      const end = { kind: 'applied' as const, fingerprint: `f-${unit.name}`, engineMs: 1 }
      next.push(...(await rollouts.end(ref, unit.id, { token, end, next: options }, alice)).claims)
    }
    claims = next
  }
  return applied
}

const statuses = async ({ rollouts }: Estate, id: string) =>
  Object.fromEntries((await rollouts.get({ org, id })).steps.map((step) => [step.unit.name, step.status]))

test('a step that is sure to run begins with its claim, in the request that brings it', async () => {
  const world = await estate()
  await workThrough(world, (await world.rollouts.start(org, { from: ['network'] }, alice)).id)
  const claim = { ...options, begin: true }

  const { id, claims } = await world.rollouts.start(org, { from: ['network'], claim }, alice)
  const ref = { org, id }
  const [root] = claims
  // Only the worker can tell whether its code is still the same.
  expect(claims).toMatchObject([{ unit: { name: 'network' }, fingerprint: 'f-network', start: null }])
  const token = root?.token ?? ''
  const begun = await world.rollouts.begin(ref, 'network', { token, leaseMs: 1000, lock: true }, alice)
  await world.write('network', begun.lock ?? '', { vpc_id: 'vpc-2', cidr: '10/8' })
  const end = { kind: 'applied' as const, fingerprint: 'f-2', engineMs: 1 }
  const next = await world.rollouts.end(ref, 'network', { token, end, next: claim }, alice)

  const [app] = next.claims
  expect(next.claims).toMatchObject([
    { unit: { name: 'app' }, start: { lock: expect.any(String) as string, inputs: { vpc: '"vpc-2"' } } },
  ])
  expect(await world.control.locks.get({ org, unit: 'app' })).toMatchObject({ id: app?.start?.lock })
})

test('a unit that somebody holds is claimed, and who holds it is said at its beginning', async () => {
  const world = await estate()
  const bob = {
    ID: 'by-hand',
    Operation: 'OperationTypeApply',
    Who: 'bob@desk',
    Created: '2026-01-01T00:00:00Z',
  }
  await world.control.locks.lock({ org, unit: 'network' }, LockInfo.parse(bob), {}, alice)
  const claim = { ...options, begin: true }

  const { id, claims } = await world.rollouts.start(org, { from: ['network'], claim }, alice)

  expect(claims).toMatchObject([{ unit: { name: 'network' }, start: null }])
  const start = { token: claims[0]?.token ?? '', leaseMs: 1000, lock: true }
  await expect(world.rollouts.begin({ org, id }, 'network', start, alice)).rejects.toMatchObject({
    code: 'LOCKED',
  })
})

test('an engine that locks by itself finds the unit free, even if the claim brought a lock', async () => {
  const world = await estate()
  const claim = { ...options, begin: true }
  const { id, claims } = await world.rollouts.start(org, { from: ['network'], claim }, alice)
  expect(claims[0]?.start?.lock).toMatch(/^rl-/)

  const start = { token: claims[0]?.token ?? '', leaseMs: 1000, lock: false }
  const begun = await world.rollouts.begin({ org, id }, 'network', start, alice)

  expect(begun.lock).toBeNull()
  expect(await world.control.locks.get({ org, unit: 'network' })).toBeNull()
})

test('a rollout applies what was never applied, in order, with inputs, and nothing that is untouched', async () => {
  const world = await estate()

  const first = await world.rollouts.start(org, { from: ['network'] }, alice)
  const everything = await workThrough(world, first.id)
  const second = await world.rollouts.start(org, { from: ['network'] }, alice)
  const some = await workThrough(world, second.id, {
    ...outputsOf,
    network: { vpc_id: 'vpc-2', cidr: '10/8' },
  })

  expect(everything).toEqual({
    network: {},
    app: { vpc: '"vpc-1"' },
    other: { cidr: '"10/8"' },
    dns: { url: '"http://app"' },
  })
  expect(some).toEqual({ network: {}, app: { vpc: '"vpc-2"' } })
  expect(await statuses(world, second.id)).toEqual({
    network: 'applied',
    app: 'applied',
    other: 'skipped',
    dns: 'skipped',
  })
  expect((await world.rollouts.get({ org, id: second.id })).status).toBe('done')
  const app = await world.control.graph.facts({ org, unit: 'app' })
  expect(app?.reads).toMatchObject([{ names: ['vpc_id'], commit: 2 }])
  expect(app?.locked).toBe(false)
})

test('workers that claim at the same time never hold the same step', async () => {
  const world = await estate()
  await workThrough(world, (await world.rollouts.start(org, { from: ['network'] }, alice)).id)
  const { id } = await world.rollouts.start(org, { from: ['network', 'app', 'dns', 'other'] }, alice)
  const skip = { reason: 'so that the others are ready' }
  await world.rollouts.skip({ org, id }, 'network', skip.reason, alice)
  await world.rollouts.skip({ org, id }, 'app', skip.reason, alice)

  const taken = await Promise.all(
    [world.rollouts, world.another, world.rollouts, world.another].map((service, i) =>
      service.claim({ org, id }, { ...options, worker: `w${i}`, most: 1 }, alice),
    ),
  )

  const names = taken.flatMap(({ claims }) => claims.map(({ unit }) => unit.name))
  expect(names.toSorted()).toEqual(['dns', 'other'])
})

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

test('renewing keeps claim and lock', async () => {
  const world = await estate()
  const { id } = await world.rollouts.start(org, { from: ['network'] }, alice)
  const ref = { org, id }
  const [held] = (await world.rollouts.claim(ref, options, alice)).claims
  const token = held?.token ?? ''
  const { lock } = await world.rollouts.begin(ref, 'network', { token, leaseMs: 1000, lock: true }, alice)

  for (let i = 0; i < 5; i++) {
    world.pass(600)
    expect(await world.rollouts.renew(ref, { tokens: [token], leaseMs: 1000 }, alice)).toEqual([])
  }

  expect((await world.another.claim(ref, options, alice)).claims).toEqual([])
  await world.write('network', lock ?? '', { vpc_id: 'vpc-1' })
})

test('whoever sees the lock of a step cannot end it', async () => {
  const world = await estate()
  const { id } = await world.rollouts.start(org, { from: ['network'] }, alice)
  const ref = { org, id }
  const [held] = (await world.rollouts.claim(ref, options, alice)).claims
  const start = { token: held?.token ?? '', leaseMs: 1000, lock: true }
  await world.rollouts.begin(ref, 'network', start, alice)

  const seen = (await world.control.locks.get({ org, unit: 'network' }))?.id ?? ''
  const end = { kind: 'applied' as const, fingerprint: null, engineMs: 1 }

  await expect(world.rollouts.end(ref, 'network', { token: seen, end }, alice)).rejects.toMatchObject({
    code: 'CONFLICT',
  })
  expect(JSON.stringify(await world.rollouts.get(ref))).not.toContain(held?.token)
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

test('an apply that had nothing to write turns its unit fresh all the same', async () => {
  const world = await estate()
  await workThrough(world, (await world.rollouts.start(org, { from: ['network'] }, alice)).id)
  const { id } = await world.rollouts.start(org, { from: ['network'] }, alice)
  const ref = { org, id }
  const [root] = (await world.rollouts.claim(ref, options, alice)).claims
  const lock = await world.rollouts.begin(
    ref,
    'network',
    { token: root?.token ?? '', leaseMs: 1000, lock: true },
    alice,
  )
  await world.write('network', lock.lock ?? '', { vpc_id: 'vpc-9', cidr: '10/8' })
  const end = { kind: 'applied' as const, fingerprint: 'f', engineMs: 1 }
  const { claims } = await world.rollouts.end(
    ref,
    'network',
    { token: root?.token ?? '', end, next: options },
    alice,
  )
  const token = claims[0]?.token ?? ''
  await world.rollouts.begin(ref, 'app', { token, leaseMs: 1000, lock: true }, alice)

  await world.rollouts.end(ref, 'app', { token, end }, alice)

  const app = await world.control.graph.facts({ org, unit: 'app' })
  expect(app?.reads).toMatchObject([{ commit: 2 }])
  expect(app?.fingerprint).toBe('f')
  expect(await statuses(world, id)).toMatchObject({ app: 'applied', dns: 'skipped', other: 'skipped' })
})

test('a fingerprint is a proof only for the version that it was taken of', async () => {
  const world = await estate()
  await workThrough(world, (await world.rollouts.start(org, { from: ['network'] }, alice)).id)
  const { id } = await world.rollouts.start(org, { from: ['network'] }, alice)
  const ref = { org, id }
  const [root] = (await world.rollouts.claim(ref, options, alice)).claims
  const token = root?.token ?? ''

  expect(root?.fingerprint).toBe('f-network')
  await expect(
    world.rollouts.end(ref, 'network', { token, end: { kind: 'unchanged', fingerprint: 'other' } }, alice),
  ).rejects.toMatchObject({ code: 'CONFLICT' })
  await world.control.versions.rollback({ org, unit: 'network' }, '1', {}, alice)
  await expect(
    world.rollouts.end(
      ref,
      'network',
      { token, end: { kind: 'unchanged', fingerprint: 'f-network' } },
      alice,
    ),
  ).rejects.toMatchObject({ code: 'CONFLICT' })
})

test('a fingerprint is no proof against a receipt that says otherwise', async () => {
  const world = await estate()
  await workThrough(world, (await world.rollouts.start(org, { from: ['network'] }, alice)).id)
  const { id } = await world.rollouts.start(org, { from: ['network'] }, alice)
  const ref = { org, id }
  const [root] = (await world.rollouts.claim(ref, options, alice)).claims
  const token = root?.token ?? ''
  const { lock } = await world.rollouts.begin(ref, 'network', { token, leaseMs: 1000, lock: true }, alice)
  await world.write('network', lock ?? '', { vpc_id: 'vpc-9', cidr: '10/8' })
  const end = { kind: 'applied' as const, fingerprint: 'f', engineMs: 1 }

  const { claims } = await world.rollouts.end(ref, 'network', { token, end, next: options }, alice)

  expect(claims).toMatchObject([{ unit: { name: 'app' }, fingerprint: null }])
  expect((await world.control.graph.facts({ org, unit: 'app' }))?.fingerprint).toBe('f-app')
})

test('a failed step holds up its dependents until somebody resumes or skips it', async () => {
  const world = await estate()
  const { id } = await world.rollouts.start(org, { from: ['network'] }, alice)
  const ref = { org, id }
  const [root] = (await world.rollouts.claim(ref, options, alice)).claims
  const failed = { kind: 'failed' as const, reason: 'no credentials', exitCode: 1, engineMs: 5 }

  const after = await world.rollouts.end(
    ref,
    'network',
    { token: root?.token ?? '', end: failed, next: options },
    alice,
  )

  expect(after.claims).toEqual([])
  expect(after.rollout).toMatchObject({ status: 'active', steps: { failed: 1, waiting: 3 } })
  await world.rollouts.resume(ref, alice)
  expect((await world.rollouts.claim(ref, options, alice)).claims).toMatchObject([
    { unit: { name: 'network' } },
  ])
})

test('a rollout from nowhere and one that is not there are refused', async () => {
  const { rollouts } = await estate()

  await expect(rollouts.start(org, { from: ['netwrok'] }, alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(rollouts.get({ org, id: 'ro-1' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(rollouts.get({ org, id: '../x' })).rejects.toMatchObject({ code: 'BAD_REQUEST' })
})

test('a unit that was renamed since is claimed under the name it has now', async () => {
  const world = await estate()
  const { id } = await world.rollouts.start(org, { from: ['network'] }, alice)
  const ref = { org, id }
  await world.control.units.rename({ org, unit: 'network' }, 'vpc', alice)

  const none = await world.rollouts.claim(ref, { ...options, units: ['network', 'app'] }, alice)
  const { claims } = await world.rollouts.claim(ref, { ...options, units: ['vpc', 'app'] }, alice)

  expect(none.claims).toEqual([])
  expect(claims).toMatchObject([{ unit: { name: 'vpc' } }])
  expect((await world.rollouts.get(ref)).steps[0]?.unit.name).toBe('vpc')
})

test('a worker claims only steps whose units it has', async () => {
  const world = await estate()
  await workThrough(world, (await world.rollouts.start(org, { from: ['network'] }, alice)).id)
  const { id } = await world.rollouts.start(org, { from: ['network', 'app', 'dns', 'other'] }, alice)
  const ref = { org, id }
  await world.rollouts.skip(ref, 'network', 'so that the others are ready', alice)

  const { claims } = await world.rollouts.claim(ref, { ...options, units: ['other', 'unheard-of'] }, alice)
  const rest = await world.rollouts.claim(ref, { ...options, units: ['app', 'dns'] }, alice)

  expect(claims.map(({ unit }) => unit.name)).toEqual(['other'])
  expect(rest.claims.map(({ unit }) => unit.name)).toEqual(['app'])
})

/** What the journal has about rollouts, once everything is written. */
async function toldBy(control: StateControl) {
  await control.close()
  const { items } = await control.journal.read({ limit: 100 })
  // What came late is told once more; its id tells.
  const once = [...new Map(items.map((item) => [item.id, item])).values()]
  return once.filter(({ type }) => /^(rollout|step)\./.test(type))
}

test('the journal tells of a rollout and its steps, and who was behind it', async () => {
  const world = await estate({ tidyAfterMs: null })
  const { id } = await world.rollouts.start(org, { from: ['network'] }, alice)
  await workThrough(world, id)
  const { id: again } = await world.rollouts.start(org, { from: ['network'] }, alice)
  await workThrough(world, again)

  const told = await toldBy(world.control)

  expect(told.map(({ type, unit }) => [type, unit?.name])).toEqual([
    ['rollout.started', undefined],
    ['step.applied', 'network'],
    ['step.applied', 'app'],
    ['step.applied', 'other'],
    ['step.applied', 'dns'],
    ['rollout.finished', undefined],
    ['rollout.started', undefined],
    ['step.applied', 'network'],
    ['rollout.finished', undefined],
  ])
  expect(told[0]).toMatchObject({ by: 'alice', data: { rollout: id, from: 'network', steps: 4 } })
  expect(told[1]).toMatchObject({ data: { rollout: id, changed: 'cidr, vpc_id' } })
  expect(told[8]).toMatchObject({ data: { rollout: again, applied: 1, skipped: 3 } })
})

test('the journal tells what people decide, and what failed', async () => {
  const world = await estate({ tidyAfterMs: null })
  const { rollouts, control } = world
  const { id, claims } = await rollouts.start(org, { from: ['network'], claim: options }, alice)
  const ref = { org, id }
  const token = claims[0]?.token ?? ''
  const bob = { by: 'bob' }
  await rollouts.pause(ref, bob)
  const end = { kind: 'failed' as const, reason: 'no quota', exitCode: 1, engineMs: 1 }
  await rollouts.end(ref, 'network', { token, end }, alice)
  await rollouts.resume(ref, bob)
  await rollouts.skip(ref, 'network', 'applied by hand', bob)
  await rollouts.cancel(ref, bob)

  expect((await toldBy(control)).map(({ type, by, data }) => [type, by, data['reason']])).toEqual([
    ['rollout.started', 'alice', undefined],
    ['rollout.paused', 'bob', undefined],
    ['step.failed', 'alice', 'no quota'],
    ['rollout.resumed', 'bob', undefined],
    ['step.skipped', 'bob', 'applied by hand'],
    ['rollout.cancelled', 'bob', undefined],
  ])
})

test('an event that a server left behind is told by the next one that comes by', async () => {
  const world = await estate()
  const { id } = await world.rollouts.start(org, { from: ['network'] }, alice)
  world.pass(60_000)

  const { control, rollouts } = await world.reopen({ tidyAfterMs: null })
  await rollouts.get({ org, id })

  expect(await toldBy(control)).toMatchObject([{ type: 'rollout.started', data: { rollout: id } }])
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

  const { items, counts } = await graph.status({ org, attention: true })
  const second = await world.rollouts.start(org, { from: ['network'] }, alice)
  const applied = await workThrough(world, second.id)

  expect(counts).toMatchObject({ stale: 1, waiting: 1, 'up-to-date': 2 })
  expect(items.map(({ name, marks: shown }) => [name, ...shown])).toEqual([['app', 'failed'], ['dns']])
  expect(items[0]?.reasons).toMatchObject([{ kind: 'failed' }])
  expect(items[0]?.reasons[0]?.says).toContain(first.id)
  expect(Object.keys(applied)).toEqual(['network', 'app'])
  expect((await graph.status({ org, attention: true })).items).toEqual([])
})

test('a worker that was killed leaves a unit that must be applied, even if the rollout is cancelled', async () => {
  const world = await estate()
  await workThrough(world, (await world.rollouts.start(org, { from: ['network'] }, alice)).id)
  const { id, claims } = await world.rollouts.start(org, { from: ['app'], claim: options }, alice)
  const token = claims[0]?.token ?? ''
  await world.rollouts.begin({ org, id }, 'app', { token, leaseMs: 1000, lock: true }, alice)
  world.pass(5000)

  await world.rollouts.cancel({ org, id }, alice)

  expect((await world.control.graph.facts({ org, unit: 'app' }))?.failed).toMatchObject({ rollout: id })
})

test('what is under way is found however many rollouts came after it', async () => {
  const world = await estate()
  const { id } = await world.rollouts.start(org, { from: ['dns'], claim: options }, alice)
  for (let i = 0; i < 7; i++) {
    const other = await world.rollouts.start(org, { from: ['other'] }, alice)
    await world.rollouts.cancel({ org, id: other.id }, alice)
  }

  expect((await world.rollouts.unfinished(org)).map((rollout) => rollout.id)).toEqual([id])
  await world.rollouts.cancel({ org, id }, alice)
  expect((await world.rollouts.unfinished(org)).map((rollout) => rollout.id)).toEqual([id])
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

  expect((await world.control.graph.facts(unit))?.failed !== undefined).toBe(holds)
})
