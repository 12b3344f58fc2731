import { expect, test } from 'vitest'
import { bodyOf } from '../bucket/index.ts'
import type { DoctorFinding } from '../state/index.ts'
import { rolloutKey } from './layout.ts'
import { createGraph } from '../graph/status/graph.ts'
import { createRolloutMarks } from './marks.ts'
import { type Estate, alice, estate, org, workThrough } from '../../test/support/graph.ts'

/** Everything is up to date, and the document of a rollout that began at `dns` is damaged. */
async function damaged(how: (text: string) => string) {
  const world = await estate()
  const good = await world.rollouts.start(org, { from: ['network'] }, alice)
  await workThrough(world, good.id)
  const { id } = await world.rollouts.start(org, { from: ['dns'] }, alice)
  const key = rolloutKey(org, id)
  const found = await world.bucket.get(key)
  if (found === undefined) throw new Error('it was just made')
  await world.bucket.put(key, bodyOf(how((await found.bytes()).toString('utf8'))), found.tag)
  world.pass(5000)
  return { world, id, good: good.id }
}

const otherShape = (text: string) => text.replace('"status":"active"', '"status":7')
const newerWord = (text: string) => text.replace('"status":"active"', '"status":"resting"')
const newer = (text: string) => text.replace('"v":1', '"v":2')
const half = (text: string) => text.slice(0, text.length / 2)

async function notFine({ control, rollouts, now }: Estate) {
  const marks = createRolloutMarks(rollouts, { now })
  const { items } = await createGraph({ control, marks, clock: { now } }).status(
    { org, attention: true },
    alice,
  )
  return items.map(({ name, status, reasons }) => [name, status, reasons[0]?.kind])
}

test.each([
  ['has another shape', otherShape, ['dns']],
  ['has a word that only a newer OpenTaco knows', newerWord, ['dns']],
  ['is of a newer format', newer, ['app', 'dns', 'network', 'other']],
  ['is half lost', half, ['app', 'dns', 'network', 'other']],
])('a rollout whose document %s leaves in doubt the units that it may be about', async (_, how, units) => {
  const { world, id } = await damaged(how)

  expect(await notFine(world)).toEqual(units.map((name) => [name, 'unknown', 'damaged']))
  const found = await world.bucket.get(rolloutKey(org, id))
  await world.bucket.delete(rolloutKey(org, id), found?.tag ?? fail())
  world.pass(5000)
  expect(await notFine(world)).toEqual([])
})

function fail(): never {
  throw new Error('it is there')
}

test('a damaged rollout takes no other with it, and nothing that it may be about is skipped by proof', async () => {
  const { world, id, good } = await damaged(otherShape)

  const { items: listed } = await world.rollouts.list(org, { limit: 10 }, alice)
  const next = await world.rollouts.start(org, { from: ['network'] }, alice)
  const applied = await workThrough(world, next.id)

  expect(listed.map((one) => [one.id, one.status])).toEqual([
    [id, 'damaged'],
    [good, 'done'],
  ])
  await expect(world.rollouts.get({ org, id }, alice)).rejects.toMatchObject({ code: 'BUCKET_CORRUPT' })
  expect(Object.keys(applied)).toEqual(['network', 'dns'])
  const steps = (await world.rollouts.get({ org, id: next.id }, alice)).steps
  expect(steps.find(({ unit }) => unit.name === 'dns')?.due).toContain(`${id} cannot be read`)
})

test.each([
  ['is half lost', half, 'or remove it'],
  // One that removed it would lose a record that is whole.
  ['is of a newer format', newer, 'Upgrade OpenTaco'],
  ['has a word that only a newer OpenTaco knows', newerWord, 'Upgrade OpenTaco'],
])('a rollout whose document %s is named to whoever looks for what is wrong', async (_, how, hint) => {
  const { world, id } = await damaged(how)
  // What is wrong with one organization hides nothing in another.
  await world.bucket.put('.taco/orgs/another/org.json', bodyOf('{'), 'absent')

  const findings: DoctorFinding[] = []
  for await (const finding of world.rollouts.doctor(alice)) findings.push(finding)

  expect(findings).toMatchObject([{ level: 'error', check: 'rollout.document' }])
  expect(findings[0]?.message).toContain(rolloutKey(org, id))
  expect(findings[0]?.hint).toContain(hint)
})
