import { expect, test } from 'vitest'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import {
  findings,
  keysUnder,
  lose,
  openControl,
  overwrite,
  push,
  stateText,
} from '../../test/support/state.ts'
import { systemClock } from '../base/clock.ts'
import { randomIds } from '../base/ids.ts'
import { createGraph } from '../graph/index.ts'
import { freshFacts } from './decisions/decide.ts'
import { createRollouts } from './rollouts.ts'
import { alice, org } from '../../test/support/graph.ts'

/** network and what uses it, which nobody can read. */
async function damagedEstate() {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  const graph = createGraph({ control })
  for (const name of ['network', 'app']) await push(control, name, stateText(1))
  await graph.dependencies.add({ org, unit: 'app' }, { on: 'network' }, alice)
  const { id } = await control.units.get({ org, unit: 'app' }, alice)
  const document = `.taco/orgs/default/units/${id}.json`
  await overwrite(bucket, document, '{"v":1')
  const rollouts = createRollouts({ bucket, clock: systemClock, ids: randomIds, control })
  return { bucket, control, graph, rollouts, document, damaged: id }
}

test('a damaged unit is shown as unknown, and so is what uses it, and nothing else', async () => {
  const { control, graph, damaged } = await damagedEstate()
  await push(control, 'below', stateText(1))
  await push(control, 'aside', stateText(1))
  await control.graph.changeDependencies(
    { org, unit: 'below' },
    () => [{ on: damaged, name: 'app', outputs: null, source: 'declared', inputs: {} }],
    alice,
  )

  for (const query of [{ org }, { org, at: Date.now() + 1000 }]) {
    const { items, counts } = await graph.status(query, alice)
    expect(items.map(({ name, status }) => [name, status])).toEqual([
      ['aside', 'up-to-date'],
      ['below', 'unknown'],
      ['network', 'up-to-date'],
      [damaged, 'unknown'],
    ])
    expect(counts).toMatchObject({ unknown: 2, 'up-to-date': 2 })
    expect(items[1]?.reasons).toMatchObject([{ kind: 'damaged', says: 'the document of app cannot be read' }])
    expect(items[3]).toMatchObject({ commit: null, at: null, by: null, ready: false })
    expect(items[3]?.reasons).toMatchObject([{ kind: 'damaged', says: expect.stringContaining(damaged) }])
  }
  const { nodes, edges } = await graph.view({ org }, alice)
  expect(nodes.map(({ id }) => id)).toContain(damaged)
  expect(edges).toMatchObject([{ to: damaged, name: 'app', state: 'unknown' }])
})

test('nothing is decided by a graph in which a unit cannot be read', async () => {
  const { graph, rollouts } = await damagedEstate()
  const refusal = {
    code: 'BUCKET_CORRUPT',
    message: expect.stringContaining('The graph is incomplete') as string,
    hint: expect.stringContaining('doctor --deep --repair') as string,
  }

  await expect(rollouts.start(org, { from: ['network'] }, alice)).rejects.toMatchObject(refusal)
  await expect(graph.dependencies.list({ org, unit: 'network' }, alice)).rejects.toMatchObject(refusal)
  expect(await rollouts.list(org, { limit: 10 }, alice)).toEqual({ items: [], next: undefined })
  await expect(graph.dependencies.list({ org, unit: 'netwrk' }, alice)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
})

test('the way out that the refusal names leads out', async () => {
  const { bucket, control, graph, document } = await damagedEstate()

  await lose(bucket, document)
  await findings(control, { repair: true })

  expect((await graph.status({ org }, alice)).items.map(({ name }) => name)).toEqual(['app', 'network'])
})

test('a rollout that goes on is stopped by damage of a unit that it asks for, and by no other', async () => {
  const { bucket, control, damaged } = await damagedEstate()
  for (let i = 0; i < 13; i++) await control.units.create({ org, name: `more/${i}` }, alice)
  const prefix = '.taco/orgs/default/units/'
  const all = (await keysUnder(bucket, prefix)).map((key) => key.slice(prefix.length, -'.json'.length))
  const facts = freshFacts(control.graph, org, alice)

  await facts.load([...all.filter((id) => id !== damaged), 'ws-1111111111111111'])
  expect(all.filter((id) => facts.of(id) === undefined)).toEqual([damaged])
  await expect(freshFacts(control.graph, org, alice).load(all)).rejects.toMatchObject({
    code: 'BUCKET_CORRUPT',
  })
})
