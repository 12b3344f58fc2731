import { describe, expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { StateControl } from '../index.ts'
import { alice, keysUnder, movedControl, openControl, stateText } from '../../../test/support/state.ts'

const lockInfo = (ID: string) => ({
  ID,
  Operation: 'OperationTypeApply',
  Info: '',
  Who: 'w',
  Version: '',
  Created: '',
  Path: '',
})

async function write(control: StateControl, unit: string, text: string, lockId?: string) {
  const org = 'acme'
  async function* bytes() {
    yield Buffer.from(text)
  }
  const state = await control.states.receive(bytes(), { maxBytes: 1e9, org }, alice)
  const lock = lockId === undefined ? {} : { lockId }
  return control.states.write({ org, unit }, state, { how: 'backend', createUnit: true, ...lock }, alice)
}

async function read(control: StateControl, unit: string): Promise<string | undefined> {
  const found = await control.states.read({ org: 'acme', unit }, {}, alice)
  return found === undefined || found === 'unchanged' ? undefined : (await found.bytes()).toString()
}

describe('rename', () => {
  test('the new name and every former name lead to the same organization', async () => {
    const control = await openControl()
    const made = await control.orgs.create({ name: 'acme' }, alice)
    const once = await control.orgs.rename('acme', 'apex', alice)
    const twice = await control.orgs.rename('acme', 'summit', alice)

    expect(once).toMatchObject({ id: 'acme', name: 'apex' })
    expect(twice).toMatchObject({ id: 'acme', name: 'summit', formerNames: ['apex'], folder: 'acme/' })
    expect(new Set([made.etag, once.etag, twice.etag]).size).toBe(3)
    for (const name of ['acme', 'apex', 'summit']) expect(control.orgNames.idOf(name)).toBe('acme')
    expect(control.orgNames.idOf('other')).toBe('other')
    const { items } = await control.orgs.list({ limit: 10 }, alice)
    expect(items.map(({ name }) => name)).toEqual(['summit', 'default'])
  })

  test('an organization can return to a name that it had', async () => {
    const control = await openControl()
    await control.orgs.create({ name: 'acme' }, alice)
    await control.orgs.rename('acme', 'apex', alice)
    const back = await control.orgs.rename('acme', 'acme', alice)

    expect(back).toMatchObject({ name: 'acme', formerNames: ['apex'] })
  })

  test('no other organization gets a current or former name', async () => {
    const control = await openControl()
    for (const name of ['acme', 'rival']) await control.orgs.create({ name }, alice)
    await control.orgs.rename('acme', 'apex', alice)
    await control.orgs.rename('acme', 'summit', alice)

    for (const name of ['acme', 'apex', 'summit', 'default']) {
      const taken = { code: 'ALREADY_EXISTS', facts: { field: 'name' } }
      await expect(control.orgs.rename('rival', name, alice)).rejects.toMatchObject(taken)
      await expect(control.orgs.create({ name }, alice)).rejects.toMatchObject(taken)
    }
  })

  test('an organization from before the directory can be renamed, and its id stays taken', async () => {
    const bucket = openMemoryBucket()
    const before = await openControl(bucket)
    await before.orgs.create({ name: 'acme' }, alice)
    await before.close()
    const directory = await bucket.head('.taco/orgs.json')
    if (directory !== undefined) await bucket.delete('.taco/orgs.json', directory.tag)
    const control = await openControl(bucket)

    await expect(control.orgs.rename('default', 'acme', alice)).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
    })
    expect(await control.orgs.rename('acme', 'apex', alice)).toMatchObject({ id: 'acme', name: 'apex' })
  })

  test('another server learns a new name within two seconds, and the old one leads there all the time', async () => {
    const { open, pass } = movedControl(openMemoryBucket())
    const [one, two] = [await open({ announceMs: 0 }), await open()]
    await one.orgs.create({ name: 'acme' }, alice)
    await one.orgs.rename('acme', 'apex', alice)

    expect(two.orgNames.idOf('acme')).toBe('acme')
    pass(2_000)
    await two.orgNames.refresh()
    expect(two.orgNames.idOf('apex')).toBe('acme')
  })

  test('once a rename or a deletion is answered, every server knows it', async () => {
    const { open } = movedControl(openMemoryBucket())
    const [one, two] = [await open(), await open()]
    await one.orgs.create({ name: 'acme' }, alice)
    await write(one, 'app', stateText(1))
    expect(await read(two, 'app')).toBe(stateText(1))

    await one.orgs.rename('acme', 'apex', alice)
    await two.orgNames.refresh()
    expect(two.orgNames.idOf('apex')).toBe('acme')
    await one.orgs.remove('acme', { force: false }, alice)
    await expect(read(two, 'app')).rejects.toMatchObject({ code: 'ORG_DELETED' })
  })

  test('a name that looks like a property of every object is a name', async () => {
    const control = await openControl()
    expect(control.orgNames.idOf('constructor')).toBe('constructor')
    const made = await control.orgs.create({ name: 'constructor' }, alice)
    expect(made).toMatchObject({ id: 'constructor', deleted: null, folder: 'constructor/' })
  })
})

describe('delete and restore', () => {
  test('units of a deleted organization are refused, never "not found", and come back as they were', async () => {
    const bucket = openMemoryBucket()
    const control = await openControl(bucket)
    await control.orgs.create({ name: 'acme' }, alice)
    await write(control, 'app', stateText(1))
    const before = await keysUnder(bucket, 'acme/')
    const gone = await control.orgs.remove('acme', { force: false }, alice)

    expect(gone.deleted).toMatchObject({ by: expect.any(String) as string })
    const ref = { org: 'acme', unit: 'app' }
    const refused = { code: 'ORG_DELETED', hint: expect.stringContaining('taco org restore') as string }
    await expect(read(control, 'app')).rejects.toMatchObject(refused)
    await expect(read(control, 'never-made')).rejects.toMatchObject(refused)
    await expect(write(control, 'app', stateText(2))).rejects.toMatchObject(refused)
    await expect(control.locks.lock(ref, lockInfo('l'), { createUnit: true }, alice)).rejects.toMatchObject(
      refused,
    )
    await expect(control.units.create({ org: 'acme', name: 'new' }, alice)).rejects.toMatchObject(refused)
    await expect(control.units.list({ org: 'acme', limit: 1 }, alice)).rejects.toMatchObject(refused)
    await expect(control.versions.list(ref, { limit: 1 }, alice)).rejects.toMatchObject(refused)
    await expect(control.outputs.get(ref, { sensitive: false }, alice)).rejects.toMatchObject(refused)
    await expect(control.graph.units('acme', {}, alice)).rejects.toMatchObject(refused)
    await expect(control.upkeep.gc({ org: 'acme', dryRun: false }, alice)).rejects.toMatchObject(refused)
    expect(control.states.readNow(ref, alice)).toBeUndefined()
    const names = async (deleted?: 'only') =>
      (await control.orgs.list({ limit: 9, ...(deleted && { deleted }) }, alice)).items.map(
        ({ name }) => name,
      )
    expect(await names()).toEqual(['default'])
    expect(await names('only')).toEqual(['acme'])

    await control.upkeep.gc({ dryRun: false }, alice)
    await control.upkeep.sweep(alice)
    expect(await keysUnder(bucket, 'acme/')).toEqual(before)
    expect(await control.orgs.restore('acme', alice)).toMatchObject({ deleted: null })
    expect(await read(control, 'app')).toBe(stateText(1))
    const { items } = await control.journal.read({ org: 'acme', limit: 100 }, alice)
    expect(items.map(({ type }) => type)).toEqual(
      expect.arrayContaining(['org.created', 'org.deleted', 'org.restored']),
    )
  })

  test('an apply that holds its lock writes and unlocks, whatever becomes of the organization', async () => {
    const control = await openControl()
    await control.orgs.create({ name: 'acme' }, alice)
    const ref = { org: 'acme', unit: 'app' }
    await control.locks.lock(ref, lockInfo('mine'), { createUnit: true }, alice)

    const remove = (force: boolean) => control.orgs.remove('acme', { force }, alice)
    await expect(remove(false)).rejects.toMatchObject({ code: 'LOCKED', facts: { units: ['app'] } })
    await remove(true)
    await write(control, 'app', stateText(1), 'mine')
    await control.locks.unlock(ref, 'mine', alice)
    await expect(write(control, 'app', stateText(2), 'mine')).rejects.toMatchObject({ code: 'NOT_LOCKED' })
    await control.orgs.restore('acme', alice)
    expect(await read(control, 'app')).toBe(stateText(1))
  })

  test('another server refuses within two seconds, and accepts at once what was restored', async () => {
    const { open, pass } = movedControl(openMemoryBucket())
    const [one, two] = [await open({ announceMs: 0 }), await open()]
    await one.orgs.create({ name: 'acme' }, alice)
    await write(one, 'app', stateText(1))
    await one.orgs.remove('acme', { force: false }, alice)
    pass(2_000)

    await expect(read(two, 'app')).rejects.toMatchObject({ code: 'ORG_DELETED' })
    await one.orgs.restore('acme', alice)
    expect(await read(two, 'app')).toBe(stateText(1))
  })

  test('nothing is served while the directory cannot be read', async () => {
    const bucket = openMemoryBucket()
    const { open, pass } = movedControl(bucket)
    const control = await open()
    await control.orgs.create({ name: 'acme' }, alice)
    await write(control, 'app', stateText(1))
    const entry = await bucket.head('.taco/orgs.json')
    if (entry === undefined) throw new Error('there is a directory')
    const { bodyOf } = await import('../../bucket/index.ts')
    await bucket.put('.taco/orgs.json', bodyOf('{"v":1,'), entry.tag)
    pass(2_000)

    await expect(read(control, 'app')).rejects.toMatchObject({ code: 'BUCKET_CORRUPT' })
  })
})

test('a creation that crashed half way is finished by the next one, in the same place only', async () => {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  await before.orgs.create({ name: 'acme', prefix: 'teams/a/' }, alice)
  await before.close()
  for (const key of await keysUnder(bucket, '.taco/orgs/acme/')) {
    const entry = await bucket.head(key)
    if (entry !== undefined) await bucket.delete(key, entry.tag)
  }
  const control = await openControl(bucket)

  const elsewhere = control.orgs.create({ name: 'acme', prefix: 'teams/b/' }, alice)
  await expect(elsewhere).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
  const made = await control.orgs.create({ name: 'acme', prefix: 'teams/a/' }, alice)
  expect(made.folder).toBe('teams/a/')
})

test("a key that another organization's unit has is refused without the name of that unit", async () => {
  const control = await openControl()
  await control.orgs.create({ name: 'acme' }, alice)
  await control.units.create({ org: 'acme', name: 'secret-project', key: 'shared/x.tfstate' }, alice)

  const taking = control.units.create({ org: 'default', name: 'mine', key: 'shared/x.tfstate' }, alice)
  const error: unknown = await taking.catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: 'ALREADY_EXISTS', facts: { field: 'key' } })
  expect(JSON.stringify([String(error), error])).not.toMatch(/secret-project|acme/)
})

describe('prefix', () => {
  test('states lie below it, and no other organization can name a key there', async () => {
    const control = await openControl()
    const made = await control.orgs.create({ name: 'acme', prefix: 'teams/a' }, alice)
    const unit = await control.units.create({ org: 'acme', name: 'app' }, alice)

    expect(made.folder).toBe('teams/a/')
    expect(unit.key).toBe('teams/a/app/terraform.tfstate')
    await control.orgs.create({ name: 'rival' }, alice)
    for (const org of ['default', 'rival'])
      for (const key of ['teams/a/x.tfstate', 'Teams/A/app/terraform.tfstate']) {
        const create = control.units.create({ org, name: 'x', key }, alice)
        await expect(create).rejects.toMatchObject({ code: 'FORBIDDEN', facts: { field: 'key' } })
      }
    await expect(control.units.create({ org: 'default', name: 'teams/a/x' }, alice)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    // And it stays in its own.
    const outside = { org: 'acme', name: 'y', key: 'elsewhere/terraform.tfstate' }
    await expect(control.units.create(outside, alice)).rejects.toMatchObject({ code: 'FORBIDDEN' })
    // The folder of its name is not its own, so others may use it.
    expect(await control.units.create({ org: 'default', name: 'acme/x' }, alice)).toMatchObject({
      key: 'acme/x/terraform.tfstate',
    })
  })

  test.each(['', '/', '.taco/x', 'a//b', '../x', 'a/./b', 'a\\b', 'x'.repeat(201)])(
    'a folder that cannot be one is refused: %j',
    async (prefix) => {
      const control = await openControl()
      const create = control.orgs.create({ name: 'acme', prefix }, alice)
      await expect(create).rejects.toMatchObject({ code: 'BAD_REQUEST', facts: { field: 'prefix' } })
    },
  )

  test.each([
    ['teams/a/', 'teams/'],
    ['teams/', 'teams/a/'],
    ['teams/a/', 'Teams/A/'],
    ['rival/', 'rival/'],
    ['rival/x/', undefined],
  ])('%s and %s are not two organizations', async (first, second) => {
    const control = await openControl()
    await control.orgs.create({ name: 'acme', prefix: first }, alice)
    const prefix = second === undefined ? {} : { prefix: second }
    await expect(control.orgs.create({ name: 'rival', ...prefix }, alice)).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
    })
  })

  test('folders that only begin alike are two', async () => {
    const control = await openControl()
    await control.orgs.create({ name: 'acme', prefix: 'teams/a/' }, alice)
    const made = await control.orgs.create({ name: 'rival', prefix: 'teams/ab/' }, alice)
    expect(made.folder).toBe('teams/ab/')
  })
})
