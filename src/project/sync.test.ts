import { expect, test } from 'vitest'
import { TacoError } from '../base/errors.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import { alice, openControl, overwrite } from '../../test/support/state.ts'
import { createSync } from './sync.ts'
import { org } from '../../test/support/graph.ts'

const unit = (name: string, ...uses: readonly string[]) => ({
  name,
  labels: {},
  dependencies: uses.map((on) => ({ on, outputs: null, inputs: {} })),
})

test.each([true, false])(
  'a project with a name that no unit is given is refused before anything is made (dry run: %s)',
  async (dryRun) => {
    const control = await openControl()
    const units = [unit('a'), unit('y.tfstate')]

    const refused = createSync(control).sync(org, units, { dryRun }, alice)

    await expect(refused).rejects.toMatchObject({ code: 'BAD_REQUEST', facts: { field: 'unit' } })
    expect((await control.units.list({ org, limit: 10 }, alice)).items).toEqual([])
  },
)

test('an unreadable unit is neither planned as new nor reported as missing', async () => {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  const [network, app, aside] = [unit('network'), unit('app', 'network'), unit('aside')]
  await createSync(before).sync(org, [network, app, aside], { dryRun: false }, alice)
  const { id } = await before.units.get({ org, unit: 'network' }, alice)
  await overwrite(bucket, `.taco/orgs/default/units/${id}.json`, '{"v":1')
  const { sync } = createSync(await openControl(bucket))
  const planned = (...units: Parameters<typeof sync>[1]) => sync(org, units, { dryRun: true }, alice)

  const refusal = {
    code: 'BUCKET_CORRUPT',
    hint: expect.stringContaining('doctor --deep --repair') as string,
  }
  await expect(planned(network, app)).rejects.toMatchObject(refusal)
  await expect(planned(app)).rejects.toMatchObject(refusal)
  expect((await planned({ ...aside, labels: { team: 'a' } })).changes).toMatchObject([
    { kind: 'label', after: 'a' },
  ])
})

test('an unknown name that very many units use is reported quickly', async () => {
  const control = await openControl()
  const units = Array.from({ length: 2000 }, (_, i) =>
    unit(`prod/service-${i}`, 'prod/netwrok', `prod/databse-${i}`),
  )

  const refused = createSync(control).sync(org, [unit('prod/network'), ...units], { dryRun: true }, alice)

  await expect(refused).rejects.toMatchObject({
    code: 'NOT_FOUND',
    message: expect.stringMatching(/There are 3900 more\.$/) as string,
    hint: expect.stringContaining('Did you mean prod/network') as string,
    facts: {
      moreErrors: 3900,
      errors: expect.toSatisfy((errors: readonly unknown[]) => errors.length === 100) as unknown,
    },
  })
})

test('a dependency on a unit that was deleted makes no cycle with the next of its name', async () => {
  const control = await openControl()
  const { sync } = createSync(control)
  await sync(org, [unit('b'), unit('a')], { dryRun: false }, alice)
  const { id: on } = await control.units.get({ org, unit: 'b' }, alice)
  const declared = { on, name: 'b', outputs: null, source: 'declared' as const, inputs: {} }
  await control.graph.changeDependencies({ org, unit: 'a' }, () => [declared], alice)
  await control.units.remove({ org, unit: 'b' }, { force: false }, alice)
  await expect(sync(org, [unit('b', 'a')], { dryRun: false }, alice)).rejects.toMatchObject({
    code: 'NAME_GIVEN_UP',
  })

  await control.units.create({ org, name: 'b' }, alice)
  await sync(org, [unit('b', 'a')], { dryRun: false }, alice)

  expect((await control.units.get({ org, unit: 'b' }, alice)).dependencies).toMatchObject([{ name: 'a' }])
})

test('a failed sync has ended: none of its changes arrive after the next sync', async () => {
  const control = await openControl()
  let isAnswered = false
  const late: string[] = []
  const create: typeof control.units.create = async (input, caller) => {
    if (input.name === 'a-0') throw new TacoError('BUCKET_UNAVAILABLE', 'no answer')
    const made = await control.units.create(input, caller)
    if (isAnswered) late.push(input.name)
    return made
  }
  const { sync } = createSync({ graph: control.graph, units: { ...control.units, create } })
  const units = Array.from({ length: 40 }, (_, i) => unit(`a-${i}`))

  await expect(sync(org, units, { dryRun: false }, alice)).rejects.toMatchObject({
    code: 'BUCKET_UNAVAILABLE',
  })
  isAnswered = true
  await sync(org, [unit('b')], { dryRun: false }, alice)

  expect(late).toEqual(['b'])
})

test('two projects that close a cycle at the same moment do not both have their way', async () => {
  const bucket = openMemoryBucket()
  const [one, other] = [await openControl(bucket), await openControl(bucket)]
  const sync = (control: typeof one, ...units: readonly ReturnType<typeof unit>[]) =>
    createSync(control).sync(org, units, { dryRun: false }, alice)
  await sync(one, unit('a'), unit('b'), unit('c'), unit('aside', 'c'))
  await other.units.list({ org, limit: 10 }, alice)

  const ends = await Promise.allSettled([
    sync(one, unit('a', 'b'), unit('c', 'b')),
    sync(other, unit('b', 'a'), unit('aside', 'c')),
  ])

  const refused = ends.filter((end) => end.status === 'rejected').map((end) => end.reason as unknown)
  expect(refused.length).toBeGreaterThan(0)
  for (const error of refused)
    expect(error).toMatchObject({ code: 'CONFLICT', message: expect.stringContaining('in a cycle') })
  // One of them succeeds afterwards, and everything unrelated is unchanged.
  await (ends[1].status === 'fulfilled' ? sync(other, unit('b', 'a')) : sync(one, unit('a', 'b')))
  expect((await one.units.get({ org, unit: 'aside' }, alice)).dependencies.map(({ name }) => name)).toEqual([
    'c',
  ])
})

/** A sync that others overtake before it looks for cycles. */
function overtaken(control: Awaited<ReturnType<typeof openControl>>, byOthers: () => Promise<unknown>) {
  const units: typeof control.graph.units = async (of, options) => {
    if (options?.fresh === true) await byOthers()
    return control.graph.units(of, options, alice)
  }
  const late = createSync({ ...control, graph: { ...control.graph, units } })
  return (...all: Parameters<typeof late.sync>[1]) => late.sync(org, all, { dryRun: false }, alice)
}

async function fourUnits() {
  const control = await openControl()
  await createSync(control).sync(
    org,
    ['a', 'b', 'c', 'd'].map((name) => unit(name)),
    { dryRun: false },
    alice,
  )
  return {
    control,
    usedBy: async (name: string) =>
      (await control.units.get({ org, unit: name }, alice)).dependencies.map((one) => one.name),
    async declare(name: string, source: 'code' | 'declared', ...uses: readonly string[]) {
      const edges = await Promise.all(
        uses.map(async (used) => {
          const { id: on } = await control.units.get({ org, unit: used }, alice)
          return { on, name: used, outputs: null, source, inputs: {} }
        }),
      )
      await control.graph.changeDependencies({ org, unit: name }, () => edges, alice)
    },
  }
}

test('a sync that takes its own back leaves what another one has declared since', async () => {
  const { control, declare, usedBy } = await fourUnits()
  const sync = overtaken(control, async () => {
    await declare('b', 'declared', 'a')
    await declare('c', 'code', 'd', 'b')
  })

  await expect(sync(unit('a', 'b'), unit('c', 'd'))).rejects.toMatchObject({ code: 'CONFLICT' })

  expect(await usedBy('a')).toEqual([])
  expect(await usedBy('c')).toEqual(['d', 'b'])
  await control.close()
  const { items } = await control.journal.read({ limit: 100, types: ['dependencies.changed'] }, alice)
  // Its own and the other's: that it left them alone is no change.
  expect(items.filter((event) => event.unit?.name === 'c')).toHaveLength(2)
})

test('a cycle through what a sync declared is found beside one that others made', async () => {
  const { control, declare, usedBy } = await fourUnits()
  const sync = overtaken(control, async () => {
    await declare('a', 'declared', 'b', 'c')
    await declare('b', 'declared', 'a')
  })

  await expect(sync(unit('c', 'a'))).rejects.toMatchObject({ message: expect.stringContaining('c → a → c') })

  expect(await usedBy('c')).toEqual([])
})

test('a sync by a caller who sees only some units leaves the edges to the others, and names none of them', async () => {
  const { control, declare, usedBy } = await fourUnits()
  await declare('a', 'code', 'b', 'd')
  const limited = {
    ...alice,
    sight: {
      seesAll: false,
      needsUnit: () => true,
      may: (_: string, facts: { name: string } | undefined) => facts?.name !== 'd',
    },
  }

  const plan = await createSync(control).sync(org, [unit('a', 'c')], { dryRun: false }, limited)

  expect((await usedBy('a')).toSorted()).toEqual(['c', 'd'])
  expect(JSON.stringify(plan)).not.toContain('"d"')
  expect(await createSync(control).sync(org, [unit('a', 'c')], { dryRun: false }, limited)).toMatchObject({
    changes: [],
  })

  await declare('d', 'declared', 'c')
  const cycle = createSync(control).sync(org, [unit('a', 'c'), unit('c', 'a')], { dryRun: false }, limited)
  await expect(cycle).rejects.toMatchObject({ code: 'CONFLICT' })
  await cycle.catch((error: Error) => expect(error.message).not.toMatch(/\bd\b/))
})
