import { expect, test } from 'vitest'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import type { AdoptFinding, StateControl } from './index.ts'
import { alice, openControl, overwrite, push, stateText } from './testing.ts'

async function adopt(control: StateControl, dryRun: boolean): Promise<AdoptFinding[]> {
  const found: AdoptFinding[] = []
  for await (const finding of control.upkeep.adopt({ org: 'default', dryRun }, alice)) found.push(finding)
  return found
}

test('a rehearsal says what the adoption then does, names that collide too', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await push(control, 'taken', stateText(1))
  await overwrite(bucket, 'taken.tfstate', stateText(1))
  await overwrite(bucket, 'twice.tfstate', stateText(1))
  await overwrite(bucket, 'twice/terraform.tfstate', stateText(1))
  for (let i = 0; i < 40; i++) await overwrite(bucket, `many/${i}/terraform.tfstate`, stateText(1))
  await overwrite(bucket, 'notes.txt', 'nothing to see')

  const rehearsed = await adopt(control, true)
  const done = await adopt(control, false)

  expect(rehearsed.filter(({ outcome }) => outcome === 'would-adopt')).toHaveLength(41)
  expect(done.map((finding) => finding.outcome.replace(/^adopted$/, 'would-adopt'))).toEqual(
    rehearsed.map(({ outcome }) => outcome),
  )
  expect(done.map(({ reason }) => reason)).toEqual(rehearsed.map(({ reason }) => reason))
})

test('adopting again adopts only what is new', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await overwrite(bucket, 'a/terraform.tfstate', stateText(1))
  await adopt(control, false)
  await overwrite(bucket, 'b/terraform.tfstate', stateText(1))

  expect((await adopt(control, false)).map(({ unit, outcome }) => [unit, outcome])).toEqual([
    ['a', 'already-adopted'],
    ['b', 'adopted'],
  ])
})
