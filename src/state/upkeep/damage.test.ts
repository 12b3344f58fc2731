import { expect, test } from 'vitest'
import { systemClock } from '../../base/clock.ts'
import { TacoError } from '../../base/errors.ts'
import { randomIds } from '../../base/ids.ts'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import type { StateControl } from '../index.ts'
import {
  alice,
  findings,
  keysUnder,
  lose,
  named,
  openControl,
  overwrite,
  pull,
  push,
  stateText,
  wrong,
} from '../../../test/support/state.ts'

/** Damage or loss in the bucket affects nothing else, and is reported. */

async function unitDocument(bucket: Bucket, name: string): Promise<string> {
  const control = await openControl(bucket)
  return `.taco/orgs/default/units/${(await control.units.get(named(name), alice)).id}.json`
}

/** Late enough for gc to take attempts for dead. */
const daysLater = { ...systemClock, now: () => Date.now() + 3 * 86_400_000 }

const nameClaim = (name: string) => `.taco/orgs/default/names/${name}.json`

async function versionKeys(bucket: Bucket): Promise<string[]> {
  return keysUnder(bucket, '.taco/orgs/default/versions/')
}

test('a damaged unit document: the others are listed and looked after, and doctor names it', async () => {
  const bucket = openMemoryBucket()
  const first = await openControl(bucket)
  for (const name of ['a', 'b', 'c']) await push(first, name, stateText(1))
  const key = await unitDocument(bucket, 'b')
  await overwrite(bucket, key, '{"v":1')

  for (const control of [first, await openControl(bucket)]) {
    const page = await control.units.list({ org: 'default', limit: 10 }, alice)
    expect(page.items.map(({ name }) => name)).toEqual(['a', 'c'])
    expect(page.damaged).toBe(1)
    await control.upkeep.sweep(alice)
    expect(await control.upkeep.gc({ dryRun: false }, alice)).toMatchObject({ units: 2 })
    const adopted = []
    for await (const { unit, outcome } of control.upkeep.adopt({ org: 'default', dryRun: false }, alice))
      adopted.push([unit, outcome])
    expect(adopted).toEqual([
      ['a', 'already-adopted'],
      ['b', 'skipped'],
      ['c', 'already-adopted'],
    ])
    const found = await findings(control)
    expect(found).toContainEqual(expect.objectContaining({ level: 'error', check: 'unit.document' }))
    expect(found).toContainEqual(
      expect.objectContaining({ check: 'units', message: '2 units were checked.' }),
    )
  }
  await expect(pull(first, 'b')).rejects.toMatchObject({ code: 'BUCKET_CORRUPT' })
})

test('a unit document that is repaired while it is read does not stay out of lists', async () => {
  const bucket = openMemoryBucket()
  await push(await openControl(bucket), 'b', stateText(1))
  const key = await unitDocument(bucket, 'b')
  const good = String(await bucket.get(key).then((found) => found?.bytes()))
  await overwrite(bucket, key, '{"v":1')
  let isDamaged = true
  const mended = new Proxy(bucket, {
    get(target, name, receiver) {
      if (name !== 'get') return Reflect.get(target, name, receiver) as unknown
      return async (...[at, ...rest]: Parameters<Bucket['get']>) => {
        const found = await target.get(at, ...rest)
        if (at === key && isDamaged) await overwrite(bucket, key, good)
        if (at === key) isDamaged = false
        return found
      }
    },
  })
  const control = await openControl(mended)

  expect((await control.units.list({ org: 'default', limit: 10 }, alice)).damaged).toBe(1)
  expect(await control.units.list({ org: 'default', limit: 10 }, alice)).toMatchObject({
    items: [{ name: 'b' }],
    damaged: 0,
  })
})

test('a lost unit document is found, its name is not reused, and a repair restores the history', async () => {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  for (const serial of [1, 2, 3]) await push(before, 'd', stateText(serial))
  await lose(bucket, await unitDocument(bucket, 'd'))
  const control = await openControl(bucket)

  await expect(pull(control, 'd')).rejects.toMatchObject({ code: 'BUCKET_CORRUPT' })
  await expect(push(control, 'd', stateText(4))).rejects.toMatchObject({ code: 'BUCKET_CORRUPT' })
  expect(wrong(await findings(control))).toMatchObject([{ check: 'unit.document-missing', unit: 'd' }])
  await findings(control, { repair: true })

  expect(wrong(await findings(control))).toEqual([])
  await push(control, 'd', stateText(4))
  const { items } = await control.versions.list(named('d'), { limit: 10 }, alice)
  expect(items.map(({ seq, serial, status }) => [seq, serial, status])).toEqual([
    [4, 4, 'current'],
    [3, 3, 'past'],
    [2, 2, 'past'],
    [1, 1, 'past'],
  ])
})

test.each([
  ['a', 'z'],
  ['z', 'a'],
])('a unit that was renamed from %s to %s is made anew under the name it had last', async (from, to) => {
  // Claims cannot be deleted here, so that of the old name is still there.
  const bucket = openMemoryBucket({ conditionalDelete: false })
  const before = await openControl(bucket)
  await push(before, from, stateText(1))
  await before.units.rename(named(from), to, alice)
  await before.close()
  await lose(bucket, await unitDocument(bucket, to))
  const control = await openControl(bucket)

  await findings(control, { repair: true })

  expect(await pull(control, to)).toBe(stateText(1))
})

test.each<[string, (bucket: Bucket, key: string) => Promise<unknown>]>([
  ['lost', lose],
  ['damaged', (bucket, key) => overwrite(bucket, key, '{"v":1')],
])(
  'a lost unit is not made anew under one of several names where what tells which is %s',
  async (_, harm) => {
    const bucket = openMemoryBucket({ conditionalDelete: false })
    const before = await openControl(bucket)
    await push(before, 'a', stateText(1))
    await before.close()
    const known = await keysUnder(bucket, '.taco/orgs/default/journal/')
    const renaming = await openControl(bucket)
    await renaming.units.rename(named('a'), 'z', alice)
    await renaming.close()
    await lose(bucket, await unitDocument(bucket, 'z'))
    const journal = await keysUnder(bucket, '.taco/orgs/default/journal/')
    for (const key of harm === lose ? journal : journal.filter((one) => !known.includes(one)))
      await harm(bucket, key)
    const control = await openControl(bucket)

    expect(await findings(control, { repair: true })).toContainEqual(
      expect.objectContaining({
        check: 'unit.document-missing',
        message: expect.stringContaining('(a or z) is missing') as string,
      }),
    )
    await expect(pull(control, 'z')).rejects.toMatchObject({ code: 'BUCKET_CORRUPT' })
  },
)

test('a rebuilt unit keeps what is below a missing version', async () => {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  for (const serial of [1, 2, 3, 4]) await push(before, 'd', stateText(serial))
  await lose(bucket, await unitDocument(bucket, 'd'))
  await lose(bucket, String((await versionKeys(bucket))[2]))
  const control = await openControl(bucket, daysLater)

  const found = await findings(control, { repair: true })
  await control.upkeep.gc({ dryRun: false }, alice)

  const ofUnit = (all: typeof found) => wrong(all).flatMap(({ unit, check }) => (unit === 'd' ? check : []))
  expect(ofUnit(found)).toEqual(['version.missing'])
  expect(found.map(({ check }) => check)).not.toContain('bucket.unadopted')
  expect(ofUnit(await findings(control))).toEqual([])
  const { items, damaged } = await control.versions.list(named('d'), { limit: 10 }, alice)
  expect(items.map(({ seq }) => seq)).toEqual([4, 2, 1])
  expect(damaged).toEqual([{ seq: 3, object: null }])
})

test('a rebuilt unit continues above its newest version, even if that one is damaged', async () => {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  for (const serial of [1, 2, 3]) await push(before, 'd', stateText(serial))
  await lose(bucket, await unitDocument(bucket, 'd'))
  const keys = await versionKeys(bucket)
  await overwrite(bucket, String(keys[2]), 'not a version at all, but long enough to have had a header')
  const control = await openControl(bucket, daysLater)

  await findings(control, { repair: true })
  await control.upkeep.gc({ dryRun: false }, alice)
  await push(control, 'd', stateText(4))

  expect(await versionKeys(bucket)).toEqual(expect.arrayContaining(keys))
  const { items, damaged } = await control.versions.list(named('d'), { limit: 10 }, alice)
  expect(items.map(({ seq, serial, status }) => [seq, serial, status])).toEqual([
    [5, 4, 'current'],
    [4, 3, 'past'],
    [2, 2, 'past'],
    [1, 1, 'past'],
  ])
  expect(damaged.map(({ seq }) => seq)).toEqual([3])
})

test('a unit is not rebuilt from part of its versions while the bucket does not answer; others are', async () => {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  for (const serial of [1, 2, 3]) await push(before, 'd', stateText(serial))
  const document = await unitDocument(bucket, 'd')
  await lose(bucket, document)
  const newest = String((await versionKeys(bucket))[2])
  await push(before, 'e', stateText(1))
  const other = await unitDocument(bucket, 'e')
  await lose(bucket, other)
  const failing = new Proxy(bucket, {
    get(target, name, receiver) {
      if (name !== 'get') return Reflect.get(target, name, receiver) as unknown
      return (...[key, ...rest]: Parameters<Bucket['get']>) =>
        key === newest
          ? Promise.reject(new TacoError('BUCKET_UNAVAILABLE', 'slow down'))
          : target.get(key, ...rest)
    },
  })

  const found = await findings(await openControl(failing), { repair: true })

  expect(wrong(found)).toMatchObject([{ check: 'unit.check', unit: 'd', message: 'slow down' }])
  expect(await bucket.head(document)).toBeUndefined()
  expect(await bucket.head(other)).toBeDefined()
})

test.each([
  ['name', false],
  ['name', true],
  ['key', false],
] as const)('a lost claim of a %s splits no unit (after a restart: %s)', async (what, restarted) => {
  const bucket = openMemoryBucket()
  const first = await openControl(bucket)
  await push(first, 'd', stateText(1))
  const { id, key } = await first.units.get(named('d'), alice)
  const lost = what === 'name' ? nameClaim('d') : (await keysUnder(bucket, '.taco/keys/'))[0]
  await lose(bucket, String(lost))
  const control = restarted ? await openControl(bucket) : first

  if (what === 'name') {
    await expect(control.units.create({ org: 'default', name: 'd' }, alice)).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
    })
    await push(control, 'd', stateText(2))
  } else {
    await expect(control.units.create({ org: 'default', name: 'e', key }, alice)).rejects.toMatchObject({
      code: 'ALREADY_EXISTS',
    })
  }

  const { items } = await control.units.list({ org: 'default', limit: 10 }, alice)
  expect(items.map((unit) => unit.id)).toEqual([id])
  expect(wrong(await findings(control))).toEqual([])
})

test('a lost claim of a key gives the key to no unit of another organization', async () => {
  const bucket = openMemoryBucket()
  const first = await openControl(bucket)
  await first.orgs.create({ name: 'other' }, alice)
  await first.units.create({ org: 'default', name: 'a', key: 'x/s.tfstate' }, alice)
  for (const key of await keysUnder(bucket, '.taco/keys/')) await lose(bucket, key)
  const control = await openControl(bucket)

  const creation = control.units.create({ org: 'other', name: 'z', key: 'x/s.tfstate' }, alice)

  // Without the name of the unit: it belongs to another organization.
  await expect(creation).rejects.toMatchObject({ code: 'ALREADY_EXISTS', facts: { field: 'key' } })
  expect(wrong(await findings(control))).toEqual([])
})

test('what is no state is called that', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await push(control, 'd', stateText(1))
  await overwrite(bucket, 'd/terraform.tfstate', 'hello')

  expect((await control.units.get(named('d'), alice)).state).toMatchObject({
    unreadable: true,
    encrypted: false,
  })
  expect(wrong(await findings(control))).toMatchObject([{ check: 'state.unreadable', unit: 'd' }])
  await expect(control.versions.diff(named('d'), '1', '2', alice)).rejects.toMatchObject({
    code: 'STATE_FORMAT',
    message: expect.stringContaining('Version 2 of d is not a state') as string,
  })
  await push(control, 'd', stateText(2), { force: true })
  await expect(control.versions.rollback(named('d'), '2', {}, alice)).rejects.toMatchObject({
    code: 'STATE_FORMAT',
    message: expect.stringContaining('Version 2 of d is not a state') as string,
  })
})

test('a damaged organization is named by doctor, and the units of the others are looked after', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await push(control, 'd', stateText(1))
  await control.orgs.create({ name: 'acme' }, alice)
  await overwrite(bucket, '.taco/orgs/acme/org.json', '{')

  const next = await openControl(bucket)
  const found = await findings(next)

  expect(await next.upkeep.gc({ dryRun: false }, alice)).toMatchObject({ units: 1 })
  await expect(next.upkeep.gc({ org: 'acme', dryRun: false }, alice)).rejects.toMatchObject({
    code: 'BUCKET_CORRUPT',
  })
  expect(wrong(found)).toMatchObject([
    { level: 'error', check: 'org.document', hint: 'Restore the object from a backup of the bucket.' },
  ])
  expect(found).toContainEqual(expect.objectContaining({ message: '1 unit was checked.' }))
})

test('a damaged and a missing version: the others are there, and both are named', async () => {
  const bucket = openMemoryBucket()
  // Ids that end like the number of a version must not be taken for it.
  const ids = { ...randomIds, id: (prefix: string) => `${randomIds.id(prefix).slice(0, -1)}3` }
  const control = await openControl(bucket, systemClock, ids)
  for (let serial = 1; serial <= 6; serial++) await push(control, 'd', stateText(serial))
  const keys = await versionKeys(bucket)
  await overwrite(bucket, String(keys[4]), 'not a version at all, but long enough to have had a header')
  await lose(bucket, String(keys[2]))

  const { items, damaged } = await control.versions.list(named('d'), { limit: 10 }, alice)
  expect(items.map(({ seq }) => seq)).toEqual([6, 4, 2, 1])
  expect(damaged).toEqual([
    { seq: 5, object: String(keys[4]).split('/').at(-1) },
    { seq: 3, object: null },
  ])
  expect((await control.versions.get(named('d'), '4', alice)).serial).toBe(4)
  await expect(control.versions.get(named('d'), '3', alice)).rejects.toMatchObject({
    code: 'BUCKET_CORRUPT',
    message: 'Version 3 of d is missing from the bucket.',
  })
  for (const damagedOne of ['5', String(keys[4]).slice(-19)])
    await expect(control.versions.get(named('d'), damagedOne, alice)).rejects.toMatchObject({
      code: 'BUCKET_CORRUPT',
      message: expect.stringContaining('Version 5 of d is damaged') as string,
    })
  for (const take of [
    () => control.versions.get(named('d'), 'previous', alice),
    () => control.versions.rollback(named('d'), 'previous', {}, alice),
  ])
    await expect(take()).rejects.toMatchObject({
      code: 'BUCKET_CORRUPT',
      message: expect.stringContaining('Version 5 of d is damaged') as string,
    })
  await expect(control.versions.get(named('d'), '7', alice)).rejects.toMatchObject({ code: 'NOT_FOUND' })
  const found = await findings(control)
  expect(found).toContainEqual(
    expect.objectContaining({
      check: 'version.header',
      message: expect.stringContaining(String(keys[4])) as string,
    }),
  )
  expect(found).toContainEqual(
    expect.objectContaining({ check: 'version.missing', message: 'Version 3 is missing.' }),
  )
})

/** A unit whose version 2 was tried twice, because another writer changed its document in between. */
async function unitWithLostAttempt(bucket: Bucket): Promise<{ committed: string; all: string[] }> {
  let isArmed = true
  const raced = new Proxy(bucket, {
    get(target, name, receiver) {
      if (name !== 'put') return Reflect.get(target, name, receiver) as unknown
      return async (...[key, ...rest]: Parameters<Bucket['put']>) => {
        if (isArmed && key.includes('/units/') && (await versionKeys(bucket)).length === 2) {
          isArmed = false
          const document = await bucket.get(key)
          const text = document === undefined ? '' : (await document.bytes()).toString()
          await overwrite(bucket, key, text.replace(/"nonce":"[^"]*"/, '"nonce":"n-other"'))
        }
        return target.put(key, ...rest)
      }
    },
  })
  const control = await openControl(raced)
  for (let serial = 1; serial <= 14; serial++) await push(control, 'd', stateText(serial))
  const all = await versionKeys(bucket)
  const { id } = await control.versions.get(named('d'), '2', alice)
  const committed = String(all.find((key) => key.endsWith(id)))
  expect(all).toHaveLength(15)
  return { committed, all }
}

test.each([
  ['the version itself', 2],
  ['the version after it', 3],
])('where %s is damaged, gc removes no attempt that may be the committed one', async (_, damagedSeq) => {
  // Which of the two attempts has the higher id is chance.
  for (let round = 0; round < 8; round++) {
    const bucket = openMemoryBucket()
    const { committed, all } = await unitWithLostAttempt(bucket)
    const damaged = damagedSeq === 2 ? committed : all.find((key) => key.includes('/00000003-'))
    await overwrite(bucket, String(damaged), 'not a version at all, but long enough to have had a header')
    const control = await openControl(bucket, daysLater)

    await control.upkeep.gc({ dryRun: false }, alice)

    expect(await versionKeys(bucket)).toEqual(all)
  }
})

test('an attempt that lost its race is not shown for the version that is missing', async () => {
  const bucket = openMemoryBucket()
  const { committed } = await unitWithLostAttempt(bucket)
  await lose(bucket, committed)
  const control = await openControl(bucket)

  const missing = { code: 'BUCKET_CORRUPT', message: 'Version 2 of d is missing from the bucket.' }
  await expect(control.versions.get(named('d'), '2', alice)).rejects.toMatchObject(missing)
  await expect(control.versions.rollback(named('d'), '2', {}, alice)).rejects.toMatchObject(missing)
  expect((await control.versions.list(named('d'), { limit: 20 }, alice)).damaged).toEqual([
    { seq: 2, object: null },
  ])
  expect(wrong(await findings(control))).toMatchObject([{ check: 'version.missing' }])
})

test('an attempt that lost its race is removed while nothing is damaged', async () => {
  const bucket = openMemoryBucket()
  const { committed } = await unitWithLostAttempt(bucket)
  const control = await openControl(bucket, daysLater)

  expect(await control.upkeep.gc({ dryRun: false }, alice)).toMatchObject({ objectsDeleted: 1 })

  expect(await versionKeys(bucket)).toContain(committed)
})

// The history is read by pages of a hundred: 120 versions end one between 21 and 20.
test.each([
  ['the oldest', [1]],
  ['the newest', [120]],
  ['both sides of a page', [20, 21]],
  ['the rest of a page and the beginning of the next', [15, 16, 17, 18, 19, 20, 21, 22]],
  ['every one', Array.from({ length: 120 }, (_, i) => i + 1)],
])('a hole in the history is reported number by number: %s', async (_, lost) => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  for (let serial = 1; serial <= 120; serial++) await push(control, 'd', stateText(serial))
  const keys = await versionKeys(bucket)
  for (const seq of lost) await lose(bucket, String(keys[seq - 1]))

  const found = await findings(control)

  const reported = wrong(found).map(({ check, message }) => [check, /ersion (\d+)/.exec(message)?.[1]])
  // The current one can be had from the state object.
  expect(reported).toEqual(
    lost.toReversed().map((seq) => [seq === 120 ? 'version.current' : 'version.missing', String(seq)]),
  )
})

test('a damaged journal record hides no other, and doctor names it', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await push(control, 'd', stateText(1))
  await control.close()
  const before = (await control.journal.read({ limit: 100 }, alice)).items
  const key = String((await keysUnder(bucket, '.taco/orgs/default/journal/'))[1])
  await overwrite(bucket, key, 'x')

  expect((await control.journal.read({ limit: 100 }, alice)).items).toHaveLength(before.length - 1)
  expect(wrong(await findings(control))).toMatchObject([
    { check: 'journal.record', message: expect.stringContaining(key) as string },
  ])
})

test('an organization that is not there is not an empty one', async () => {
  const control = await openControl()
  const nowhere = { code: 'NOT_FOUND', message: expect.stringContaining('nosuch') as string }

  await expect(control.units.list({ org: 'nosuch', limit: 1 }, alice)).rejects.toMatchObject(nowhere)
  await expect(control.states.read({ org: 'nosuch', unit: 'x' }, {}, alice)).rejects.toMatchObject(nowhere)
  await expect(control.units.get({ org: 'nosuch', unit: 'x' }, alice)).rejects.toMatchObject({
    message: 'There is no organization nosuch.',
  })
})

/** The unit d, with a write that is committed and not carried out. */
async function unitWithLeftWrite(bucket: Bucket): Promise<StateControl> {
  await push(await openControl(bucket), 'd', stateText(1))
  let isDown = true
  const failing = new Proxy(bucket, {
    get(target, name, receiver) {
      if (name !== 'put') return Reflect.get(target, name, receiver) as unknown
      return (...[key, ...rest]: Parameters<Bucket['put']>) =>
        isDown && key === 'd/terraform.tfstate' ? Promise.reject(new Error('down')) : target.put(key, ...rest)
    },
  })
  const control = await openControl(failing)
  await expect(push(control, 'd', stateText(2))).rejects.toThrow('down')
  isDown = false
  return control
}

test('an interrupted repair is not reported as one', async () => {
  const bucket = openMemoryBucket()
  await unitWithLeftWrite(bucket)
  const [document] = await keysUnder(bucket, '.taco/orgs/default/units/')
  await lose(bucket, String((await versionKeys(bucket))[1]))
  let changes = 0
  const contended = new Proxy(bucket, {
    get(target, name, receiver) {
      if (name !== 'put') return Reflect.get(target, name, receiver) as unknown
      return async (...[key, ...rest]: Parameters<Bucket['put']>) => {
        if (key !== document) return target.put(key, ...rest)
        const found = await bucket.get(key)
        const text = found === undefined ? '' : (await found.bytes()).toString()
        await overwrite(bucket, key, text.replace(/"nonce":"[^"]*"/, `"nonce":"n-${++changes}"`))
        return target.put(key, ...rest)
      }
    },
  })

  const found = await findings(await openControl(contended), { repair: true })

  expect(wrong(found).map(({ check }) => check)).toEqual(
    expect.arrayContaining(['unit.write-lost', 'unit.unfinished']),
  )
})

test('after a write whose version is lost, doctor and a forced unlock both say that only a repair ends it', async () => {
  const bucket = openMemoryBucket()
  const control = await unitWithLeftWrite(bucket)
  await lose(bucket, String((await versionKeys(bucket))[1]))

  expect(wrong(await findings(control, { deep: false }))).toMatchObject([
    { level: 'error', check: 'unit.write-lost', hint: expect.stringContaining('--repair') as string },
  ])
  await expect(control.locks.forceUnlock(named('d'), {}, alice)).rejects.toMatchObject({
    code: 'BUCKET_CORRUPT',
    hint: expect.stringContaining('taco doctor --repair') as string,
  })
  await findings(control, { repair: true })
  await control.locks.forceUnlock(named('d'), {}, alice)
  await push(control, 'd', stateText(2))
})

test('one repair ends a lost write of a unit that also lost its claims', async () => {
  const bucket = openMemoryBucket()
  const control = await unitWithLeftWrite(bucket)
  await lose(bucket, String((await versionKeys(bucket))[1]))
  await lose(bucket, nameClaim('d'))
  for (const key of await keysUnder(bucket, '.taco/keys/')) await lose(bucket, key)

  expect(wrong(await findings(control, { repair: true }))).toEqual([])
  expect(wrong(await findings(control))).toEqual([])
})
