import { expect, test } from 'vitest'
import { TacoError } from '../base/errors.ts'
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

/** Who hears no answer asks again: the server may have heard the first time. */

const applied = { kind: 'applied' as const, fingerprint: 'f-1', engineMs: 1 }
const failed = { kind: 'failed' as const, reason: 'no quota', exitCode: 1, engineMs: 1 }

/** A rollout of an estate that was applied before, in which the network is about to end. */
async function atNetwork(lock = true) {
  const world = await estate()
  await workThrough(world, (await world.rollouts.start(org, { from: ['network'] }, alice)).id)
  const { id, claims } = await world.rollouts.start(org, { from: ['network'], claim: options }, alice)
  const ref = { org, id }
  const token = claims[0]?.token ?? ''
  const begun = await world.rollouts.begin(ref, 'network', { token, leaseMs: 1000, lock }, alice)
  if (begun.lock !== null) await world.write('network', begun.lock, { vpc_id: 'vpc-2', cidr: '11/8' })
  return { world, ref, token }
}

/** A server that dies when what the step did to its unit is stored, and before the rollout hears of it. */
function dying({ on, bucket }: Estate) {
  const put: typeof bucket.put = async (key, ...rest) => {
    if (key.includes('/rollouts/')) throw new TacoError('BUCKET_UNAVAILABLE', 'killed')
    return bucket.put(key, ...rest)
  }
  return on({ ...bucket, put })
}

async function appliedByHand({ control, write }: Estate) {
  const unit = { org, unit: 'network' }
  await control.locks.lock(unit, { ...byHand }, {}, alice)
  await write('network', byHand.ID, { vpc_id: 'vpc-2', cidr: '12/8' })
  await control.locks.unlock(unit, byHand.ID, alice)
}

test('an end that is told again is answered as the first time, with the claims that it brought', async () => {
  const { world, ref, token } = await atNetwork()
  const next = { ...options, most: 1, begin: true }
  const first = await world.rollouts.end(ref, 'network', { token, end: applied, next }, alice)
  await appliedByHand(world)
  const before = await world.control.graph.facts({ org, unit: 'network' }, alice)

  const again = await world.another.end(ref, 'network', { token, end: applied, next }, alice)
  const stopping = { ...next, most: 0 }
  const last = await world.another.end(ref, 'network', { token, end: failed, next: stopping }, alice)

  expect(first.claims).toMatchObject([{ unit: { name: 'app' }, start: { inputs: { vpc: '"vpc-2"' } } }])
  expect(again.rollout).toEqual(first.rollout)
  expect(again.claims).toMatchObject([{ token: first.claims[0]?.token, start: first.claims[0]?.start }])
  expect(last.claims).toMatchObject([{ token: first.claims[0]?.token }])
  expect(await world.control.graph.facts({ org, unit: 'network' }, alice)).toEqual(before)
  expect(await statuses(world, ref.id)).toMatchObject({ network: 'applied', app: 'running' })
})

test.each([true, false])(
  'an end of which only the unit heard touches nothing that others made since (under its lock: %s)',
  async (lock) => {
    const { world, ref, token } = await atNetwork(lock)
    const told = { token, end: applied }
    await expect(dying(world).end(ref, 'network', told, alice)).rejects.toThrow('killed')
    await appliedByHand(world)
    expect((await world.control.graph.facts({ org, unit: 'network' }, alice))?.fingerprint).toBe(null)

    await world.another.end(ref, 'network', told, alice)

    expect((await world.control.graph.facts({ org, unit: 'network' }, alice))?.fingerprint).toBe(null)
    expect(await statuses(world, ref.id)).toMatchObject({ network: 'applied' })
  },
)

test('a failure of which only the unit heard is not held against what was applied since', async () => {
  const { world, ref, token } = await atNetwork()
  await expect(dying(world).end(ref, 'network', { token, end: failed }, alice)).rejects.toThrow('killed')
  expect((await world.control.graph.facts({ org, unit: 'network' }, alice))?.failed).toBeDefined()
  await appliedByHand(world)

  await world.another.end(ref, 'network', { token, end: failed }, alice)

  expect((await world.control.graph.facts({ org, unit: 'network' }, alice))?.failed).toBeUndefined()
  expect(await statuses(world, ref.id)).toMatchObject({ network: 'failed' })
})

test('a worker is not gone whose end the unit has heard, however late the rollout does', async () => {
  const { world, ref, token } = await atNetwork()
  const told = { token, end: applied }
  await expect(dying(world).end(ref, 'network', told, alice)).rejects.toThrow('killed')
  world.pass(1000)

  await world.another.end(ref, 'network', told, alice)

  const facts = await world.control.graph.facts({ org, unit: 'network' }, alice)
  expect(facts).toMatchObject({ fingerprint: 'f-1' })
  expect(facts?.failed).toBeUndefined()
  expect(await statuses(world, ref.id)).toMatchObject({ network: 'applied' })
})

test('two tellings of one end at the same time are one', async () => {
  const { world, ref, token } = await atNetwork()
  const told = { token, end: applied, next: options }

  const [one, other] = await Promise.all([
    world.rollouts.end(ref, 'network', told, alice),
    world.another.end(ref, 'network', told, alice),
  ])

  const tokens = ({ claims }: typeof one) => claims.map((claim) => claim.token)
  expect(tokens(one)).toHaveLength(2)
  expect(tokens(other)).toEqual(tokens(one))
})

test('a step that was given back twice is not taken from whoever has it by now', async () => {
  const { world, ref, token } = await atNetwork()
  const told = { token, end: { kind: 'returned' as const } }
  await world.rollouts.end(ref, 'network', told, alice)
  const [taken] = (await world.rollouts.claim(ref, { ...options, worker: 'w2' }, alice)).claims

  expect((await world.rollouts.end(ref, 'network', told, alice)).claims).toEqual([])

  const end = { token: taken?.token ?? '', end: applied }
  expect(await world.rollouts.renew(ref, { tokens: [end.token], leaseMs: 1000 }, alice)).toEqual([])
  await world.rollouts.end(ref, 'network', end, alice)
})

test('a claim that is asked for again is the same claim, for another lease', async () => {
  const world = await estate()
  const { id } = await world.rollouts.start(org, { from: ['network'] }, alice)
  const ref = { org, id }
  const asked = { ...options, request: 'r-1', begin: true }
  const first = await world.rollouts.claim(ref, asked, alice)
  world.pass(600)
  const again = await world.another.claim(ref, asked, alice)
  world.pass(600)

  expect(again.claims).toMatchObject([
    { token: first.claims[0]?.token, attempt: 1, start: first.claims[0]?.start },
  ])
  const strangers = [options, { ...options, request: 'r-2' }, { ...asked, worker: 'w2' }]
  for (const stranger of strangers)
    expect((await world.rollouts.claim(ref, stranger, alice)).claims).toEqual([])
})

test('a claim that ran out meanwhile is another one, though the request is the same', async () => {
  const world = await estate()
  const { id } = await world.rollouts.start(org, { from: ['network'] }, alice)
  const asked = { ...options, request: 'r-1' }
  const first = await world.rollouts.claim({ org, id }, asked, alice)
  world.pass(1000)
  const again = await world.rollouts.claim({ org, id }, asked, alice)

  expect(again.claims).toMatchObject([{ unit: { name: 'network' }, attempt: 2 }])
  expect(again.claims[0]?.token).not.toBe(first.claims[0]?.token)
})
