import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { MOST_ABSENCES, presenceAt } from './absences.ts'
import type { StateControl } from '../index.ts'
import type { UnitDocument } from '../documents/model.ts'
import {
  alice,
  lose,
  movedControl,
  named,
  overwrite,
  push,
  stateText,
  withResources,
} from '../../../test/support/state.ts'

const HOUR = 3_600_000

/** A control whose clock moves by an hour with each step; gives the time in the middle of the steps. */
async function hourly() {
  const bucket = openMemoryBucket()
  const moved = movedControl(bucket)
  const open = () => moved.open({ tidyAfterMs: null, gatherEventsMs: 0, catalogLagMs: 0, catalogVerifyMs: 0 })
  let ahead = 0
  const control = await open()
  const step = async (work: (control: StateControl) => Promise<unknown>) => {
    await work(control)
    ahead += HOUR
    moved.pass(HOUR)
    return Date.now() + ahead - HOUR / 2
  }
  return { bucket, control, open, step }
}

async function shownAt(control: StateControl, time: number): Promise<unknown> {
  const units = await control.graph.unitsAt('default', time, alice)
  return units.map(({ head, forgotten, missing }) =>
    forgotten === true ? 'unknown' : missing !== undefined ? 'missing' : (head?.commit ?? 'no state'),
  )
}

const absencesOf = async (control: StateControl, unit = 'prod') =>
  (await control.versions.list(named(unit), { limit: 10 }, alice)).absences.map(
    ({ what, seq, by, until }) => [what, seq, by, until !== null],
  )

test('a deletion of a state stays in the history after the next state', async () => {
  const { control, open, step } = await hourly()
  const first = await step(() => push(control, 'prod', stateText(1)))
  const deleted = await step(() => control.states.remove(named('prod'), { force: true }, alice))

  expect(await shownAt(control, first)).toEqual([1])
  expect(await shownAt(control, deleted)).toEqual(['no state'])
  expect(await absencesOf(control)).toEqual([['state-deleted', 1, 'user:alice', false]])

  const second = await step(() => push(control, 'prod', stateText(1, 'new', 'other')))
  const other = await open()
  expect(await shownAt(other, first)).toEqual([1])
  expect(await shownAt(other, deleted)).toEqual(['no state'])
  expect(await shownAt(other, second)).toEqual([2])
  expect(await absencesOf(other)).toEqual([['state-deleted', 1, 'user:alice', true]])
})

test('retention removes versions, not deletions', async () => {
  const { control, step } = await hourly()
  await step(() => push(control, 'prod', stateText(1)))
  const deleted = await step(() => control.states.remove(named('prod'), { force: true }, alice))
  await step(() => push(control, 'prod', stateText(1, 'new', 'other')))
  await step(() => push(control, 'prod', stateText(2, 'newer', 'other')))

  await control.units.update(named('prod'), { retention: { count: 1 } }, alice)
  const report = await control.upkeep.gc({ dryRun: false }, alice)

  expect(report.versionsPruned).toBe(2)
  expect(await shownAt(control, deleted)).toEqual(['no state'])
  expect(await absencesOf(control)).toEqual([['state-deleted', 1, 'user:alice', true]])
})

test('a unit that was deleted and restored was not there in between', async () => {
  const { control, step } = await hourly()
  const first = await step(() => push(control, 'prod', stateText(1)))
  const deleted = await step(() => control.units.remove(named('prod'), { force: true }, alice))
  const back = await step(() => control.units.restore(named('prod'), {}, alice))

  expect(await shownAt(control, first)).toEqual([1])
  expect(await shownAt(control, deleted)).toEqual([])
  expect(await shownAt(control, back)).toEqual([1])
  expect(await absencesOf(control)).toEqual([
    ['unit-deleted', 1, 'user:alice', true],
    ['state-deleted', 1, 'user:alice', true],
  ])
})

test('a state that was missing for a while was missing then, however it ended', async () => {
  const { bucket, control, step } = await hourly()
  const key = 'prod/terraform.tfstate'
  await step(() => push(control, 'prod', withResources(1, 1)))
  const missing = await step(async () => {
    await lose(bucket, key)
    await control.units.get(named('prod'), alice)
  })
  const found = await step(async () => {
    await overwrite(bucket, key, withResources(1, 1))
    await control.units.get(named('prod'), alice)
  })
  const again = await step(async () => {
    await lose(bucket, key)
    await control.units.get(named('prod'), alice)
  })
  const accepted = await step(() => control.states.remove(named('prod'), { force: true }, alice))
  await step(() => push(control, 'prod', stateText(1, 'new', 'other')))

  expect(await shownAt(control, missing)).toEqual(['missing'])
  expect(await shownAt(control, found)).toEqual([0])
  expect(await shownAt(control, again)).toEqual(['missing'])
  expect(await shownAt(control, accepted)).toEqual(['no state'])
  expect(await absencesOf(control)).toEqual([
    ['state-deleted', 1, 'user:alice', true],
    ['state-missing', 1, 'system:outside', true],
    ['state-missing', 1, 'system:outside', true],
  ])
})

test('a document from before deletions were recorded says deleted, and not since when', () => {
  const doc = {
    head: { tag: null, version: { at: 100 } },
    changedAt: 300,
  } as Parameters<typeof presenceAt>[0]

  expect(presenceAt(doc, 50)).toBe('present')
  expect(presenceAt(doc, 200)).toBe('unknown')
  expect(presenceAt(doc, 300)).toBe('state-deleted')
  expect(presenceAt({ ...doc, deleted: { at: 250, by: 'alice' } }, 200)).toBe('unknown')
  expect(presenceAt({ ...doc, deleted: { at: 250, by: 'alice' } }, 250)).toBe('unit-deleted')
})

test('of very many deletions the newest are kept, and before them nothing is claimed', () => {
  const absences = Array.from({ length: MOST_ABSENCES }, (_, i) => ({
    what: 'state-deleted' as const,
    seq: i + 10,
    at: 1000 + 10 * i,
    until: 1005 + 10 * i,
    by: 'alice',
  }))
  const doc = {
    head: { tag: 't', version: { at: 9000 } },
    changedAt: 9000,
    absences,
  } as unknown as UnitDocument

  expect(presenceAt(doc, 1002)).toBe('state-deleted')
  expect(presenceAt(doc, 1007)).toBe('present')
  expect(presenceAt(doc, 999)).toBe('unknown')
})
