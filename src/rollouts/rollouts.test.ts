import { callerNamed } from '../../test/support/caller.ts'
import { expect, test } from 'vitest'
import { TacoError } from '../base/errors.ts'
import { LockInfo, type StateControl } from '../state/index.ts'
import { rolloutKey } from './layout.ts'
import { lose, overwrite } from '../../test/support/state.ts'
import { alice, estate, options, org, outputsOf, statuses, workThrough } from '../../test/support/graph.ts'

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
  expect(await world.control.locks.get({ org, unit: 'app' }, alice)).toMatchObject({ id: app?.start?.lock })
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
  expect(await world.control.locks.get({ org, unit: 'network' }, alice)).toBeNull()
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
  expect((await world.rollouts.get({ org, id: second.id }, alice)).status).toBe('done')
  const app = await world.control.graph.facts({ org, unit: 'app' }, alice)
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

  const seen = (await world.control.locks.get({ org, unit: 'network' }, alice))?.id ?? ''
  const end = { kind: 'applied' as const, fingerprint: null, engineMs: 1 }

  await expect(world.rollouts.end(ref, 'network', { token: seen, end }, alice)).rejects.toMatchObject({
    code: 'CONFLICT',
  })
  expect(JSON.stringify(await world.rollouts.get(ref, alice))).not.toContain(held?.token)
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

  const app = await world.control.graph.facts({ org, unit: 'app' }, alice)
  expect(app?.reads).toMatchObject([{ commit: 2 }])
  expect(app?.fingerprint).toBe('f')
  expect(await statuses(world, id)).toMatchObject({ app: 'applied', dns: 'skipped', other: 'skipped' })
})

test('workers get the key of a unit with its claim; a plan has keys only if asked, and the bucket none', async () => {
  const world = await estate()
  const { claims, id } = await world.rollouts.start(org, { from: ['network'], claim: options }, alice)
  const key = claims[0]?.fingerprintKey ?? ''

  const plain = await world.rollouts.plan(org, { from: [], downstream: true }, alice)
  const keyed = await world.rollouts.plan(org, { from: [], downstream: true, keys: true }, alice)

  expect(key).toMatch(/^[\w-]{43}$/)
  expect(new Set(plain.steps.map((step) => step.fingerprintKey))).toEqual(new Set([null]))
  const keys = new Map(keyed.steps.map((step) => [step.unit.name, step.fingerprintKey]))
  expect(keys.get('network')).toBe(key)
  expect(new Set(keys.values()).size).toBe(keyed.steps.length)
  const found = await world.bucket.get(rolloutKey(org, id))
  const text = (await found?.bytes())?.toString('utf8')
  expect(text).toContain('"network"')
  expect(text).not.toContain(key)
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
  expect((await world.control.graph.facts({ org, unit: 'app' }, alice))?.fingerprint).toBe('f-app')
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
  await expect(rollouts.get({ org, id: 'ro-1' }, alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await expect(rollouts.get({ org, id: '../x' }, alice)).rejects.toMatchObject({ code: 'BAD_REQUEST' })
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
  expect((await world.rollouts.get(ref, alice)).steps[0]?.unit.name).toBe('vpc')
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
  const { items } = await control.journal.read({ limit: 100 }, alice)
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
  expect(told[0]).toMatchObject({ by: 'user:alice', data: { rollout: id, from: 'network', steps: 4 } })
  expect(told[1]).toMatchObject({ data: { rollout: id, changed: 'cidr, vpc_id' } })
  expect(told[8]).toMatchObject({ data: { rollout: again, applied: 1, skipped: 3 } })
})

test('the journal tells what people decide, and what failed', async () => {
  const world = await estate({ tidyAfterMs: null })
  const { rollouts, control } = world
  const { id, claims } = await rollouts.start(org, { from: ['network'], claim: options }, alice)
  const ref = { org, id }
  const token = claims[0]?.token ?? ''
  const bob = callerNamed('bob')
  await rollouts.pause(ref, bob)
  const end = { kind: 'failed' as const, reason: 'no quota', exitCode: 1, engineMs: 1 }
  await rollouts.end(ref, 'network', { token, end }, alice)
  await rollouts.resume(ref, bob)
  await rollouts.skip(ref, 'network', 'applied by hand', bob)
  await rollouts.cancel(ref, bob)

  expect((await toldBy(control)).map(({ type, by, data }) => [type, by, data['reason']])).toEqual([
    ['rollout.started', 'user:alice', undefined],
    ['rollout.paused', 'user:bob', undefined],
    ['step.failed', 'user:alice', 'no quota'],
    ['rollout.resumed', 'user:bob', undefined],
    ['step.skipped', 'user:bob', 'applied by hand'],
    ['rollout.cancelled', 'user:bob', undefined],
  ])
})

test('an event that a server left behind is told by the next one that comes by', async () => {
  const world = await estate()
  const { id } = await world.rollouts.start(org, { from: ['network'] }, alice)
  world.pass(60_000)

  const { control, rollouts } = await world.reopen({ tidyAfterMs: null })
  await rollouts.get({ org, id }, alice)

  expect(await toldBy(control)).toMatchObject([{ type: 'rollout.started', data: { rollout: id } }])
})

test.each(['unfinished', 'list'] as const)(
  'events of a finished rollout that a server left behind are told once by `%s` of the next',
  async (read) => {
    const world = await estate()
    const { id } = await world.rollouts.start(org, { from: ['dns'] }, alice)
    await world.rollouts.cancel({ org, id }, alice)
    world.pass(60_000)

    for (let i = 0; i < 2; i++) {
      const { control, rollouts } = await world.reopen({})
      const look = () =>
        read === 'list' ? rollouts.list(org, { limit: 5 }, alice) : rollouts.unfinished(org, alice)
      await Promise.all([look(), look()])
      await control.close()
    }

    const { control } = await world.reopen({ tidyAfterMs: null })
    const { items } = await control.journal.read({ limit: 100 }, alice)
    const told = items.filter(({ type }) => /^(rollout|step)\./.test(type)).map(({ type }) => type)
    // Late events are told where they belong, and once more where followers come by.
    expect(told.toSorted()).toEqual(ENDED.flatMap((type) => [type, type]))
  },
)

test('who reads a rollout that goes on elsewhere tells nothing again', async () => {
  const world = await estate()
  const first = await world.reopen({})
  await first.rollouts.start(org, { from: ['network'] }, alice)
  await first.control.close()
  world.pass(60_000)

  const second = await world.reopen({})
  await second.rollouts.unfinished(org, alice)
  await second.control.close()

  const { control } = await world.reopen({ tidyAfterMs: null })
  const { items } = await control.journal.read({ limit: 100 }, alice)
  expect(items.filter(({ type }) => type === 'rollout.started')).toHaveLength(1)
})

const ENDED = ['rollout.cancelled', 'rollout.started']

test('what is under way is found however many rollouts came after it', async () => {
  const world = await estate({ tidyAfterMs: null })
  const { id } = await world.rollouts.start(org, { from: ['dns'], claim: options }, alice)
  for (let i = 0; i < 120; i++) {
    const other = await world.rollouts.start(org, { from: ['other'] }, alice)
    await world.rollouts.cancel({ org, id: other.id }, alice)
  }
  await world.control.close()
  const found = async (by = world.rollouts) =>
    (await by.unfinished(org, alice)).rollouts.map((rollout) => rollout.id)

  expect(await found()).toEqual([id])
  await world.rollouts.cancel({ org, id }, alice)
  expect(await found()).toEqual([id])

  // By a process that has just started, which need not read them all; with what tells of them and without.
  for (const lost of [false, true]) {
    const ended = '.taco/orgs/default/rollouts-ended'
    if (lost) await lose(world.bucket, ended)
    const reads: string[] = []
    const get = (key: string, how: object) => (reads.push(key), world.bucket.get(key, how))
    const bucket = { ...world.bucket, get: get as typeof world.bucket.get }
    expect(await found(world.on(bucket))).toEqual([id])
    expect(reads.length).toBe(lost ? 122 : 2)
    await overwrite(world.bucket, ended, '{"v":1')
    expect(await found(world.on(world.bucket))).toEqual([id])
    const hidden: typeof world.bucket.get = async (key: string, how?: object) => {
      if (key === ended) throw new TacoError('BUCKET_REFUSED', 'somebody else made it')
      return world.bucket.get(key, how)
    }
    expect(await found(world.on({ ...world.bucket, get: hidden as typeof world.bucket.get }))).toEqual([id])
  }
})

test('who looks again reads only the rollouts that changed, however many are under way', async () => {
  const world = await estate({ tidyAfterMs: null })
  const started = []
  for (let i = 0; i < 60; i++) started.push(await world.rollouts.start(org, { from: ['dns'] }, alice))
  await world.control.close()
  const reads: string[] = []
  const get = (key: string, how: object) => (reads.push(key), world.bucket.get(key, how))
  const rollouts = world.on({ ...world.bucket, get: get as typeof world.bucket.get })
  await rollouts.unfinished(org, alice)
  await world.rollouts.pause({ org, id: started[7]?.id ?? '' }, alice)
  reads.length = 0

  expect((await rollouts.unfinished(org, alice)).rollouts).toHaveLength(60)

  expect(reads).toEqual([expect.stringContaining(started[7]?.id ?? '?')])
})

test('whoever lost a race decides by what the winner left, not by what stood before', async () => {
  const world = await estate()
  const other = (await world.control.graph.facts({ org, unit: 'other' }, alice))?.id ?? ''
  const edge = { on: other, name: 'other', outputs: ['zone'], source: 'declared' as const, inputs: {} }
  await world.control.graph.changeDependencies({ org, unit: 'dns' }, (all) => [...all, edge], alice)
  const before = { ...outputsOf, other: { zone: 'z-1' } }
  await workThrough(world, (await world.rollouts.start(org, { from: ['network'] }, alice)).id, before)
  const { id } = await world.rollouts.start(org, { from: ['app', 'other'] }, alice)
  const ref = { org, id }

  async function apply(unit: string, outputs: Record<string, string>, by = world.rollouts, next = false) {
    const claimed = await world.rollouts.claim(ref, { ...options, units: [unit] }, alice)
    const token = claimed.claims[0]?.token ?? ''
    const { lock } = await by.begin(ref, unit, { token, leaseMs: 1000, lock: true }, alice)
    await world.write(unit, lock ?? '', outputs)
    const end = { kind: 'applied' as const, fingerprint: null, engineMs: 1 }
    return by.end(ref, unit, { token, end, ...(next ? { next: options } : {}) }, alice)
  }

  let isFirst = true
  const { graph } = world.control
  const slow = world.over({
    ...world.control,
    graph: {
      ...graph,
      async facts(unit) {
        const facts = await graph.facts(unit, alice)
        if (facts?.name === 'other' && isFirst) {
          isFirst = false
          await apply('other', { zone: 'z-2' })
        }
        return facts
      },
    },
  })
  const { claims } = await apply('app', { url: 'http://app' }, slow, true)

  expect(claims).toMatchObject([{ unit: { name: 'dns' }, why: 'other changed zone at commit 2' }])
})
