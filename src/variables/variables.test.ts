import { expect, test } from 'vitest'
import { createKeyRing } from '../access/secrets/key-ring.ts'
import { sealingWith, systemCaller } from '../access/index.ts'
import { systemClock } from '../base/clock.ts'
import { randomIds } from '../base/ids.ts'
import { type Bucket, bodyOf } from '../bucket/index.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import { createOrgIds } from '../records/index.ts'
import { createProjects, settingsChange } from '../projects/index.ts'
import { memoryControl } from '../../test/rig/http-face.ts'
import { testKey } from '../../test/support/tokens.ts'
import { createVariables, ownerOf } from './index.ts'

const caller = systemCaller('opentaco')
const SECRET = 'hunter2-very-secret'

async function open(keys = [testKey('k1')], bucket: Bucket = openMemoryBucket()) {
  const control = await memoryControl(bucket)
  const deps = {
    bucket,
    clock: systemClock,
    ids: randomIds,
    outbox: control.outbox,
    orgIds: createOrgIds({ orgs: control.orgs, clock: systemClock }),
    sealing: sealingWith(keys.length === 0 ? undefined : createKeyRing(keys)),
  }
  const projects = createProjects(deps, control)
  const services = createVariables({ ...deps, projects }, control)
  await control.orgs.create({ name: 'acme' }, caller).catch(() => undefined)
  await control.units.create({ org: 'acme', name: 'prod/app' }, caller).catch(() => undefined)
  const find = () => services.unitVariables.find({ org: 'acme', unit: 'prod/app' }, caller)
  return { bucket, control, projects, find, owner: await find(), ...services }
}

/** All that is in the bucket, as text. */
async function everything(bucket: Bucket): Promise<string> {
  let text = ''
  for await (const page of bucket.list(''))
    for (const { key } of page) text += `${key}\n${String(await (await bucket.get(key))?.bytes())}\n`
  return text
}

test('a variable is created, changed, listed and removed', async () => {
  const { variables, owner } = await open()
  const made = await variables.create(
    owner,
    { key: 'region', category: 'terraform', value: 'eu', description: 'where' },
    caller,
  )
  expect(made).toMatchObject({ key: 'region', value: 'eu', hcl: false, sensitive: false })
  const changed = await variables.update(owner, made.id, { value: 'us' }, caller)
  expect(changed).toMatchObject({ id: made.id, value: 'us', description: 'where' })
  expect(changed.versionId).not.toBe(made.versionId)
  expect(await variables.list(owner)).toEqual([changed])
  await variables.remove(owner, made.id, caller)
  expect(await variables.list(owner)).toEqual([])
  await expect(variables.remove(owner, made.id, caller)).rejects.toMatchObject({ code: 'NOT_FOUND' })
})

test('a key is given once for each category, and its case counts', async () => {
  const { variables, owner } = await open()
  const create = (key: string, category: 'terraform' | 'env') =>
    variables.create(owner, { key, category }, caller)
  await create('a', 'terraform')
  await create('a', 'env')
  const other = await create('A', 'terraform')
  await expect(create('a', 'env')).rejects.toMatchObject({ code: 'ALREADY_EXISTS', facts: { field: 'key' } })
  await expect(variables.update(owner, other.id, { key: 'a' }, caller)).rejects.toMatchObject({
    code: 'ALREADY_EXISTS',
  })
  const racing = await Promise.allSettled([create('b', 'env'), create('b', 'env')])
  expect(racing.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test.each([
  [{ key: '', category: 'terraform' }, 'key'],
  [{ key: '1st', category: 'terraform' }, 'key'],
  [{ key: 'a b', category: 'terraform' }, 'key'],
  [{ key: 'A=B', category: 'env' }, 'key'],
  [{ key: 'A\nB', category: 'env' }, 'key'],
  [{ key: 'A;rm', category: 'env' }, 'key'],
  [{ key: '1A', category: 'env' }, 'key'],
  [{ key: 'A', category: 'env', hcl: true }, 'hcl'],
  [{ key: 'A', category: 'env', value: 'a\0b' }, 'value'],
  [{ key: 'a', category: 'terraform', value: 'x'.repeat(256 * 1024 + 1) }, 'value'],
  [{ key: 'a', category: 'terraform', description: 'x'.repeat(513) }, 'description'],
] as const)('a variable is refused: %#', async (input, field) => {
  const { variables, owner } = await open()
  await expect(variables.create(owner, input, caller)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    facts: { field },
  })
})

test('a sensitive value is nowhere in the bucket in plain, and only a run gets it', async () => {
  const { variables, unitVariables, owner, bucket, control } = await open()
  const made = await variables.create(
    owner,
    { key: 'password', category: 'env', value: SECRET, sensitive: true },
    caller,
  )
  expect(made.value).toBeNull()
  const plain = await variables.create(owner, { key: 'later', category: 'terraform', value: 'seen' }, caller)
  await variables.update(owner, plain.id, { sensitive: true, value: `${SECRET}-2` }, caller)
  await expect(variables.update(owner, made.id, { sensitive: false }, caller)).rejects.toMatchObject({
    facts: { field: 'sensitive' },
  })

  expect((await unitVariables.forRun(owner)).items).toMatchObject([
    { key: 'password', value: SECRET },
    { key: 'later', value: `${SECRET}-2` },
  ])
  await control.close()
  const stored = await everything(bucket)
  expect(stored).toContain('"key":"password"')
  expect(stored).toContain('variable.created')
  for (const text of [SECRET, Buffer.from(SECRET).toString('base64')]) expect(stored).not.toContain(text)
  expect(JSON.stringify([await variables.list(owner), await unitVariables.effective(owner)])).not.toContain(
    SECRET,
  )
})

test('a sealed value cannot be moved to another variable', async () => {
  const { variables, unitVariables, owner, bucket } = await open()
  for (const key of ['a', 'b'])
    await variables.create(owner, { key, category: 'env', value: key, sensitive: true }, caller)
  const key = `.taco/orgs/acme/records/variables/${owner.unit.id}.json`
  const found = await bucket.get(key)
  const document = JSON.parse((await found?.bytes())?.toString() ?? '') as { records: { sealed: string }[] }
  const [first, second] = document.records.map(({ sealed }) => sealed)
  const swapped = document.records.map((one, at) => ({ ...one, sealed: at === 0 ? second : first }))
  if (found !== undefined)
    await bucket.put(key, bodyOf(JSON.stringify({ ...document, records: swapped })), found.tag, {})
  await expect(unitVariables.forRun(owner)).rejects.toMatchObject({
    code: 'SECRET_UNREADABLE',
    message: expect.stringContaining('The value of a cannot be read.'),
  })
})

test('a replaced key is used for all sealed values at the next write', async () => {
  const [old, current] = [testKey('k1'), testKey('k2')]
  const first = await open([old])
  await first.variables.create(
    first.owner,
    { key: 'a', category: 'env', value: SECRET, sensitive: true },
    caller,
  )
  const both = await open([current, old], first.bucket)
  await both.variables.create(both.owner, { key: 'b', category: 'env', value: 'x' }, caller)
  const second = await open([current], first.bucket)
  const { items } = await second.unitVariables.forRun(second.owner)
  expect(items).toMatchObject([{ value: SECRET }, { value: 'x' }])
})

test('a server without a key stores no secrets, and says what to do', async () => {
  const { variables, owner } = await open([])
  await variables.create(owner, { key: 'a', category: 'env', value: 'plain' }, caller)
  await expect(
    variables.create(owner, { key: 'b', category: 'env', value: SECRET, sensitive: true }, caller),
  ).rejects.toMatchObject({ hint: expect.stringContaining('TACO_SECRET_KEY') })
  expect(await variables.list(owner)).toHaveLength(1)
})

test('several are set and removed in one write, or none is', async () => {
  const { variables, owner } = await open()
  await variables.create(owner, { key: 'old', category: 'env', value: '1' }, caller)
  const set = [
    { key: 'a', category: 'terraform', value: '1' },
    { key: 'b', category: 'env', value: '2' },
  ] as const
  await expect(
    variables.change(owner, { set: [...set, { key: 'b c', category: 'env' }] }, caller),
  ).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  await expect(
    variables.change(owner, { set, remove: [{ key: 'none', category: 'env' }] }, caller),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await variables.list(owner)).toHaveLength(1)
  await variables.change(owner, { set, remove: [{ key: 'old', category: 'env' }] }, caller)
  const again = await variables.change(owner, { set: [{ ...set[0], value: '3' }] }, caller)
  expect(again).toMatchObject([{ key: 'a', value: '3' }])
  expect((await variables.list(owner)).map(({ key, value }) => [key, value])).toEqual([
    ['a', '3'],
    ['b', '2'],
  ])
})

test('sets give their variables to the units that they are for, and take them away again', async () => {
  const { variables, variableSets, unitVariables, control, projects, find, ...rest } = await open()
  const { id: project } = await projects.create('acme', { name: 'shop', description: '', labels: {} }, caller)
  const section = settingsChange((before) => ({ ...before, project }))
  await control.units.update({ org: 'acme', unit: rest.owner.unit.id }, { section }, caller)
  const owner = await find()
  const global = await variableSets.create('acme', { name: 'everywhere', global: true }, caller)
  const near = await variableSets.create('acme', { name: 'near', units: [owner.unit.id] }, caller)
  const ofProject = await variableSets.create('acme', { name: 'project', projects: [project] }, caller)
  for (const [set, value] of [
    [global, 'global'],
    [near, 'unit'],
    [ofProject, 'project'],
  ] as const)
    await variables.create(ownerOf('acme', set), { key: 'region', category: 'terraform', value }, caller)
  const seen = async () =>
    (await unitVariables.effective(owner)).map(({ variable, overrides }) => [
      variable.value,
      ...overrides.map((one) => one.variable.value),
    ])

  expect(await seen()).toEqual([['unit', 'project', 'global']])
  const before = (await unitVariables.forRun(owner)).print
  await variableSets.update('acme', global.id, { priority: true }, caller)
  expect(await seen()).toEqual([['global', 'unit', 'project']])
  expect((await unitVariables.forRun(owner)).print).not.toBe(before)
  await variableSets.update('acme', near.id, { units: { remove: [owner.unit.id] } }, caller)
  expect(await seen()).toEqual([['global', 'project']])
  await variableSets.remove('acme', global.id, caller)
  expect(await seen()).toEqual([['project']])
  await expect(variableSets.get('acme', 'everywhere')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  expect(await variables.list(ownerOf('acme', global))).toEqual([])
  await expect(variableSets.create('acme', { name: 'NEAR' }, caller)).rejects.toMatchObject({
    code: 'ALREADY_EXISTS',
  })
})

test('a deleted unit has no variables until it is restored; a renamed one keeps them', async () => {
  const { variables, unitVariables, owner, control } = await open()
  await variables.create(owner, { key: 'a', category: 'env', value: '1' }, caller)
  await control.units.rename({ org: 'acme', unit: 'prod/app' }, 'prod/api', caller)
  const renamed = await unitVariables.find({ org: 'acme', unit: 'prod/api' }, caller)
  expect(await variables.list(renamed)).toHaveLength(1)
  await control.units.remove({ org: 'acme', unit: 'prod/api' }, { force: true }, caller)
  await expect(unitVariables.find({ org: 'acme', unit: owner.unit.id }, caller)).rejects.toMatchObject({
    code: 'NOT_FOUND',
  })
  await control.units.restore({ org: 'acme', unit: owner.unit.id }, {}, caller)
  expect(
    await variables.list(await unitVariables.find({ org: 'acme', unit: 'prod/api' }, caller)),
  ).toHaveLength(1)
})

test('the sets of a project end with it, and their names are free again', async () => {
  const { variables, variableSets, projects } = await open()
  const { id: project } = await projects.create('acme', { name: 'shop', description: '', labels: {} }, caller)
  const set = await variableSets.create('acme', { name: 'shop', project, global: true }, caller)
  await variables.create(ownerOf('acme', set), { key: 'a', category: 'env' }, caller)
  expect(await variableSets.locate(set.id)).toMatchObject({ org: 'acme' })
  await projects.remove('acme', project, caller)
  expect(await variableSets.list('acme')).toEqual([])
  expect(await variableSets.locate(set.id)).toBeUndefined()
  await expect(variableSets.get('acme', 'shop')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  await variableSets.create('acme', { name: 'shop' }, caller)
  expect(await variables.list(ownerOf('acme', set))).toEqual([])
})
