import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { lockBeside } from '../../bucket/index.ts'
import {
  alice,
  movedControl,
  named,
  openControl,
  overwrite,
  pull,
  push,
  stateText,
} from '../../../test/support/state.ts'

const refused = { code: 'FORBIDDEN', message: expect.stringContaining('another organization') as string }

test("a name that leads into another organization's folder is refused, at first use and at creation", async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await control.orgs.create({ name: 'acme' }, alice)
  await overwrite(bucket, 'acme/x/terraform.tfstate', stateText(7, 'of acme'))

  for (const name of ['acme/x', 'acme/new', 'Acme/x', 'acme./x']) {
    await expect(control.units.create({ org: 'default', name }, alice)).rejects.toMatchObject(refused)
    await expect(push(control, name, stateText(8))).rejects.toMatchObject(refused)
    const lock = control.locks.lock(named(name), lockInfo, { createUnit: true }, alice)
    await expect(lock).rejects.toMatchObject(refused)
    expect(await pull(control, name)).toBeUndefined()
  }
  expect(await bucket.head(lockBeside.placeOf('acme/x/terraform.tfstate'))).toBeUndefined()
  const own = await control.units.create({ org: 'acme', name: 'x' }, alice)
  expect(own.key).toBe('acme/x/terraform.tfstate')
  // A name is free to look like that, if the state is elsewhere.
  const elsewhere = { org: 'default', name: 'acme/x', key: 'other/terraform.tfstate' }
  expect(await control.units.create(elsewhere, alice)).toMatchObject({ key: elsewhere.key })
})

test('an organization that another server has just created is respected', async () => {
  const { open } = movedControl(openMemoryBucket())
  const [one, two] = [await open({}), await open({})]
  await one.units.create({ org: 'default', name: 'first' }, alice)
  await two.orgs.create({ name: 'acme' }, alice)

  await expect(push(one, 'acme/x', stateText(1))).rejects.toMatchObject(refused)
  const create = one.units.create({ org: 'default', name: 'mine', key: 'acme/y.tfstate' }, alice)
  await expect(create).rejects.toMatchObject(refused)
})

test("no organization is created over the states of another's units", async () => {
  const control = await openControl()
  await push(control, 'acme/x', stateText(1))
  await control.units.create({ org: 'default', name: 'other', key: 'Team/s.tfstate' }, alice)

  for (const name of ['acme', 'team'])
    await expect(control.orgs.create({ name }, alice)).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
  await control.units.remove(named('acme/x'), { force: true }, alice)
  await control.orgs.create({ name: 'acme' }, alice)
})

test('a unit that was in the folder before goes on, and the organization gets places in its own folder', async () => {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  await before.orgs.create({ name: 'later' }, alice)
  const document = '.taco/orgs/later/org.json'
  const text = String(await (await bucket.get(document))?.bytes())
  await before.close()
  // As two servers at one moment leave it.
  for await (const page of bucket.list('.taco/orgs'))
    for (const { key, tag } of page) if (!key.includes('/default/')) await bucket.delete(key, tag)
  await push(await openControl(bucket), 'later/x', stateText(1))
  await overwrite(bucket, document, text)
  const control = await openControl(bucket)

  await push(control, 'later/x', stateText(2))
  expect(await pull(control, 'later/x')).toBe(stateText(2))
  const theirs = await control.units.create({ org: 'later', name: 'x' }, alice)
  expect(theirs.key).toBe(`later/x/${theirs.id}.tfstate`)
  await expect(push(control, 'later/y', stateText(1))).rejects.toMatchObject({ code: 'FORBIDDEN' })
})

test("a unit that is restored takes nothing from what has become another organization's folder", async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await push(control, 'acme/x', stateText(1, 'of default'))
  await control.units.remove(named('acme/x'), { force: true }, alice)
  await control.orgs.create({ name: 'acme' }, alice)
  await overwrite(bucket, 'acme/x/terraform.tfstate', stateText(7, 'of acme'))

  const restored = await control.units.restore(named('acme/x'), {}, alice)
  expect(restored.key).toBe(`acme/x/${restored.id}.tfstate`)
  expect(await pull(control, 'acme/x')).toContain('of default')
  expect(String(await (await bucket.get('acme/x/terraform.tfstate'))?.bytes())).toContain('of acme')
})

test("where its place was taken, a restored unit stays in its organization's folder", async () => {
  const control = await openControl()
  for (const name of ['acme', 'rival']) await control.orgs.create({ name }, alice)
  const key = 'shared/terraform.tfstate'
  const { id } = await control.units.create({ org: 'acme', name: 'rival/x', key }, alice)
  await control.units.remove({ org: 'acme', unit: id }, { force: true }, alice)
  await control.units.create({ org: 'default', name: 'shared' }, alice)

  const restored = await control.units.restore({ org: 'acme', unit: id }, {}, alice)
  expect(restored.key).toBe(`acme/rival/x/${id}.tfstate`)
})

const lockInfo = { ID: 'l1', Operation: '', Info: '', Who: 'w', Version: '', Created: '', Path: '' }
