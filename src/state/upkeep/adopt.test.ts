import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { AdoptFinding, StateControl } from '../index.ts'
import { alice, openControl, overwrite, push, stateText } from '../../../test/support/state.ts'

async function adopt(control: StateControl, dryRun: boolean): Promise<AdoptFinding[]> {
  const found: AdoptFinding[] = []
  for await (const finding of control.upkeep.adopt({ org: 'default', dryRun }, alice)) found.push(finding)
  return found
}

test('an organization with a prefix adopts below it only, by names without it', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await overwrite(bucket, 'teams/a/db/terraform.tfstate', stateText(1))
  await overwrite(bucket, 'elsewhere/terraform.tfstate', stateText(1))
  await control.orgs.create({ name: 'acme', prefix: 'teams/a/' }, alice)
  const adopt = async (under?: string) => {
    const found: unknown[] = []
    const options = { org: 'acme', dryRun: false, ...(under === undefined ? {} : { under }) }
    for await (const one of control.upkeep.adopt(options, alice)) found.push(one)
    return found
  }

  expect(await adopt()).toMatchObject([
    { key: 'teams/a/db/terraform.tfstate', unit: 'db', outcome: 'adopted' },
  ])
  await expect(adopt('elsewhere/')).rejects.toMatchObject({ code: 'BAD_REQUEST', facts: { field: 'under' } })
})

test('a dry run reports what the adoption then does, including colliding names', async () => {
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

test("no organization takes a state from another one's folder by its key", async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await control.orgs.create({ name: 'acme' }, alice)
  await control.orgs.create({ name: 'rival' }, alice)
  for (const key of ['acme/db/terraform.tfstate', 'legacy/terraform.tfstate', 'acme.tfstate'])
    await overwrite(bucket, key, stateText(1))
  const key = 'acme/db/terraform.tfstate'

  for (const org of ['default', 'rival']) {
    for (const taken of [key, 'ACME/db/terraform.tfstate', 'acme/new.tfstate'])
      await expect(control.units.create({ org, name: 'mine', key: taken }, alice)).rejects.toMatchObject({
        code: 'FORBIDDEN',
      })
  }
  for (const dryRun of [true, false]) {
    const found = await adopt(control, dryRun)
    expect(found.find((finding) => finding.key === key)).toMatchObject({
      outcome: 'skipped',
      reason: expect.stringContaining('another organization'),
    })
    expect(found.filter(({ outcome }) => outcome === 'skipped')).toHaveLength(1)
  }
  const own = await control.units.create({ org: 'acme', name: 'db', key }, alice)
  expect(own).toMatchObject({ org: 'acme', key })
})
