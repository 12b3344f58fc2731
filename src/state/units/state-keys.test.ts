import { expect, test } from 'vitest'
import {
  alice,
  keysUnder,
  lose,
  named,
  openControl,
  overwrite,
  push,
  stateText,
} from '../../../test/support/state.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { StateControl } from '../index.ts'

const at = (key: string, org = 'default') => ({ org, key })

async function create(control: StateControl, key: string, org = 'default') {
  const { name } = await control.keys.find(at(key, org))
  return { name, ...(await control.keys.create(at(key, org), name, alice)) }
}

test.each([
  ['prod/network/terraform.tfstate', 'prod/network'],
  ['network.tfstate', 'network'],
  ['terraform.tfstate', 'default'],
  ['env:/dev/prod/network/terraform.tfstate', 'prod/network/dev'],
  ['env:/dev/network.tfstate', 'network/dev'],
  ['state', 'state'],
  ['a b/c--d/terraform.tfstate', 'a b/c-d'],
])('the key %s gets the unit %s, which is found by it', async (key, name) => {
  const control = await openControl()
  expect(await control.keys.find(at(key))).toEqual({ ...at(key), unit: name, name, isNew: true })

  const made = await create(control, key)

  expect(await control.keys.find(at(key))).toEqual({ ...at(key), unit: made.unit, name, isNew: false })
  expect((await control.units.get(made, alice)).key).toBe(key)
})

test('two keys of one name become two units', async () => {
  const control = await openControl()
  const first = await create(control, 'app/terraform.tfstate')
  const second = await create(control, 'app.tfstate')

  expect(first.name).toBe('app')
  expect(second.name).toMatch(/^app-[0-9a-f]{8}$/)
  expect((await control.keys.find(at('app.tfstate'))).unit).toBe(second.unit)
})

test('a unit of another door is found by its key, also after it was renamed', async () => {
  const control = await openControl()
  await push(control, 'app', stateText(1))
  const { id } = await control.units.get(named('app'), alice)
  await control.units.rename(named('app'), 'other', alice)

  expect(await control.keys.find(at('app/terraform.tfstate'))).toMatchObject({
    unit: id,
    name: 'other',
    isNew: false,
  })
})

test('the name of a deleted unit is given up: its key begins nothing new', async () => {
  const control = await openControl()
  await push(control, 'app', stateText(1))
  await control.units.remove(named('app'), { force: false }, alice)

  const found = await control.keys.find(at('app/terraform.tfstate'))
  expect(found).toMatchObject({ unit: 'app', isNew: true })
  await expect(control.states.read(found, {}, alice)).rejects.toMatchObject({ code: 'NAME_GIVEN_UP' })
  await expect(create(control, 'app/terraform.tfstate')).rejects.toMatchObject({ code: 'NAME_GIVEN_UP' })
})

test('keys are relative to the folder of the organization', async () => {
  const control = await openControl()
  await control.orgs.create({ name: 'acme', prefix: 'teams/acme/' }, alice)
  const made = await create(control, 'app/terraform.tfstate', 'acme')
  const state = await control.states.receive(
    (async function* () {
      yield Buffer.from(stateText(1))
    })(),
    { org: 'acme', maxBytes: 1000 },
    alice,
  )
  await control.states.write(made, state, { how: 'backend' }, alice)

  expect((await control.units.get(made, alice)).key).toBe('teams/acme/app/terraform.tfstate')
  expect(await control.keys.list('acme', 'app/', alice)).toMatchObject([{ key: 'app/terraform.tfstate' }])
  expect(await control.keys.list('acme', 'teams/', alice)).toEqual([])
  // What is in the folder of another organization does not belong to the first one.
  expect(await control.keys.find(at('teams/acme/app/terraform.tfstate'))).toMatchObject({ isNew: true })
  await expect(create(control, 'teams/acme/app/terraform.tfstate')).rejects.toMatchObject({
    code: 'FORBIDDEN',
  })
})

test('a state that is in the bucket already is taken up with its key', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await overwrite(bucket, 'old/terraform.tfstate', stateText(7))

  const made = await create(control, 'old/terraform.tfstate')

  const found = await control.states.read(made, {}, alice)
  expect(found === undefined || found === 'unchanged' ? found : String(await found.bytes())).toBe(
    stateText(7),
  )
})

test('in a copy of the bucket without claims, documents say which unit has a key', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  const made = await create(control, 'app/terraform.tfstate')
  for (const key of await keysUnder(bucket, '.taco/keys/')) await lose(bucket, key)

  expect(await (await openControl(bucket)).keys.find(at('app/terraform.tfstate'))).toMatchObject({
    unit: made.unit,
    isNew: false,
  })
})

test.each(['../x', '.taco/orgs.json', 'a.tflock', 'a/', ''])('the key %j is refused', async (key) => {
  await expect((await openControl()).keys.find(at(key))).rejects.toMatchObject({ code: 'BAD_REQUEST' })
})

test('several clients that begin at one key at once get one unit', async () => {
  const control = await openControl()

  const made = await Promise.all([1, 2, 3].map(() => create(control, 'app/terraform.tfstate')))

  expect(new Set(made.map(({ unit }) => unit)).size).toBe(1)
})

test('any other object has to be registered before it can be read or replaced', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await overwrite(bucket, 'app/data.json', '{"secret":1}')
  await overwrite(bucket, 'app/empty.tfstate', '')

  await expect(control.keys.checkAbsent(at('app/data.json'))).rejects.toThrow(/taco adopt|not registered/)
  await expect(create(control, 'app/data.json')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
  expect((await control.units.list({ org: 'default', limit: 10 }, alice)).items).toEqual([])
  await create(control, 'app/empty.tfstate')
})
