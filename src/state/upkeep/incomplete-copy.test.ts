import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import type { Bucket } from '../../bucket/index.ts'
import { bodyOf } from '../../bucket/index.ts'
import type { StateControl } from '../index.ts'
import { LockInfo } from '../documents/model.ts'
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

/** A backup is a copy of the bucket in use, so its objects are of different times. */

type Objects = ReadonlyMap<string, Buffer>

async function objectsOf(bucket: Bucket): Promise<Objects> {
  const objects = new Map<string, Buffer>()
  for (const key of await keysUnder(bucket, '')) {
    const found = await bucket.get(key)
    if (found !== undefined) objects.set(key, await found.bytes())
  }
  return objects
}

const versionsFolder = '.taco/orgs/default/versions/'
const stateKey = 'd/terraform.tfstate'

/** The bucket after each write, while its lock is held and the document has it as an intent (`pending`), and then (`done`). */
async function history(contentHashTags: boolean, writes = 6) {
  const bucket = openMemoryBucket({ contentHashTags })
  const control = await openControl(bucket)
  const times: { pending: Objects; done: Objects }[] = [
    { pending: await objectsOf(bucket), done: await objectsOf(bucket) },
  ]
  for (let serial = 1; serial <= writes; serial++) {
    if (serial === 1) await control.units.create({ org: 'default', name: 'd' }, alice)
    const lock = LockInfo.parse({ ID: `lock ${serial}` })
    await control.locks.lock(named('d'), lock, {}, alice)
    await push(control, 'd', stateText(serial), { lockId: lock.ID })
    const pending = await objectsOf(bucket)
    await control.locks.unlock(named('d'), lock.ID, alice)
    times.push({ pending, done: await objectsOf(bucket) })
  }
  return times
}

async function copyOf(
  contentHashTags: boolean,
  times: Readonly<Record<'document' | 'state' | 'versions', Objects | undefined>>,
): Promise<Bucket> {
  const copy = openMemoryBucket({ contentHashTags })
  const timeOf = (key: string) =>
    key.startsWith(versionsFolder) ? times.versions : key === stateKey ? times.state : times.document
  for (const objects of new Set(Object.values(times)))
    for (const [key, bytes] of objects ?? [])
      if (timeOf(key) === objects) await copy.put(key, bodyOf(bytes), 'absent')
  return copy
}

/** After a repair, everything continues without anyone's help. */
async function goesOn(bucket: Bucket, oldest = '1'): Promise<StateControl> {
  await findings(await openControl(bucket), { repair: true })
  const control = await openControl(bucket)
  // That the state of the copy is older than its history is a warning for people, and stays one.
  const left = wrong(await findings(control)).filter(({ check }) => check !== 'state.older-serial')
  expect(left).toEqual([])
  // The holder of a lock when the document was copied also holds it in the copy.
  await control.locks.forceUnlock(named('d'), {}, alice)
  const read = async (version: string) => {
    const { body, dispose } = await control.versions.read(named('d'), version, alice)
    const parts: Uint8Array[] = []
    for await (const part of body.stream()) parts.push(new Uint8Array(part))
    await dispose()
    return Buffer.concat(parts).toString()
  }
  const text = String(await pull(control, 'd'))
  expect(await read('current')).toBe(text)
  const { serial } = JSON.parse(text) as { serial: number }
  for (let next = serial + 1; next <= serial + 3; next++) {
    await push(control, 'd', stateText(next))
    expect(await read('current')).toBe(stateText(next))
    expect(await control.versions.diff(named('d'), 'previous', 'current', alice)).toBeDefined()
  }
  await control.versions.rollback(named('d'), oldest, {}, alice)
  expect(wrong(await findings(control))).toEqual([])
  return control
}

async function lostOf(control: StateControl): Promise<number[]> {
  const { items, damaged } = await control.versions.list(named('d'), { limit: 100 }, alice)
  const unread: number[] = damaged.map(({ seq }) => seq)
  for (const { id, seq } of items)
    await control.versions.read(named('d'), id, alice).then(
      ({ dispose }) => dispose(),
      () => unread.push(seq),
    )
  return unread.toSorted((a, b) => a - b)
}

/** After how many writes each was copied, and which versions are lost for good. */
const copies: readonly (readonly [
  name: string,
  document: number,
  end: 'pending' | 'done',
  state: number,
  versions: number,
  lost: Readonly<Record<'hashes' | 'counters', readonly number[]>>,
])[] = [
  ['the state is the current one', 4, 'done', 4, 3, { hashes: [], counters: [] }],
  ['the state is that of the intent', 4, 'pending', 4, 3, { hashes: [], counters: [] }],
  ['several versions are missing', 5, 'done', 5, 2, { hashes: [3, 4], counters: [3, 4] }],
  ['several versions and the intent are missing', 5, 'pending', 5, 2, { hashes: [3, 4], counters: [3, 4] }],
  ['the state is older', 5, 'done', 3, 3, { hashes: [4, 5], counters: [4, 5] }],
  ['the state is older, and there is an intent', 5, 'pending', 3, 3, { hashes: [4, 5], counters: [4, 5] }],
  ['the state is newer', 4, 'done', 6, 3, { hashes: [4], counters: [4] }],
  ['the state is newer, and there is an intent', 4, 'pending', 6, 3, { hashes: [4], counters: [4] }],
  // If tags show that nothing was written since, the intent is dropped; otherwise it may have been overtaken.
  ['the state is what the intent replaces', 4, 'pending', 3, 3, { hashes: [], counters: [4] }],
  ['the document is the oldest', 3, 'done', 4, 6, { hashes: [], counters: [] }],
  ['the document is the oldest, with an intent', 3, 'pending', 4, 6, { hashes: [], counters: [] }],
  ['the state is the oldest, the versions the youngest', 4, 'done', 2, 6, { hashes: [], counters: [] }],
]

test.each(
  copies.flatMap(([name, ...times]) => [
    [`${name}, tags are hashes`, true, ...times] as const,
    [`${name}, tags are not`, false, ...times] as const,
  ]),
)('a copy goes on after a repair: %s', async (_name, hashTags, document, end, stateAt, versions, lost) => {
  const times = await history(hashTags)
  const copy = await copyOf(hashTags, {
    document: times[document]?.[end],
    state: times[stateAt]?.done,
    versions: times[versions]?.done,
  })

  const control = await goesOn(copy)

  expect(await lostOf(control)).toEqual(lost[hashTags ? 'hashes' : 'counters'])
  const { items } = await control.versions.list(named('d'), { limit: 100 }, alice)
  const serials = items.map(({ serial }) => serial)
  for (let serial = 1; serial <= Math.min(document, stateAt, versions); serial++)
    expect(serials).toContain(serial)
})

async function versionObject(bucket: Bucket, seq: number): Promise<string> {
  const keys = await keysUnder(bucket, versionsFolder)
  return String(keys.find((key) => key.includes(`/${String(seq).padStart(8, '0')}-`)))
}

test('the current version is rebuilt as it was, and only from its very bytes', async () => {
  const bucket = openMemoryBucket()
  const first = await openControl(bucket)
  for (const serial of [1, 2, 3]) await push(first, 'd', stateText(serial))
  await first.upkeep.sweep(alice)
  const before = await first.versions.get(named('d'), 'current', alice)
  const key = await versionObject(bucket, 3)
  await lose(bucket, key)
  const control = await openControl(bucket)

  expect(wrong(await findings(control))).toMatchObject([
    { level: 'error', check: 'version.current', hint: expect.stringContaining('--repair') as string },
  ])
  expect(await bucket.head(key)).toBeUndefined()
  const repaired = await findings(control, { repair: true })

  expect(repaired).toContainEqual(expect.objectContaining({ check: 'version.current', repaired: true }))
  expect(await control.versions.get(named('d'), 'current', alice)).toEqual(before)
  expect(await keysUnder(bucket, versionsFolder)).toContain(key)

  await lose(bucket, key)
  await overwrite(bucket, stateKey, stateText(2))
  await findings(control, { repair: true })
  expect(await bucket.head(key)).toBeUndefined()
})

const filler = Array.from({ length: 1000 }, (_, i) => `line ${i * 7919}`).join('\n')

test('with a missing base, everything stored against it is lost except the current version, and writes continue', async () => {
  const large = (serial: number) => stateText(serial, `${filler}\n${serial}`)
  const bucket = openMemoryBucket()
  const first = await openControl(bucket)
  for (const serial of [1, 2, 3, 4]) await push(first, 'd', large(serial))
  await first.upkeep.sweep(alice)
  expect(await versionObject(bucket, 3)).toContain('/00000003-00000001-')
  await lose(bucket, await versionObject(bucket, 1))
  const control = await openControl(bucket)
  const unread = () => lostOf(control)

  expect(await unread()).toEqual([1, 2, 3, 4])
  const found = await findings(control, { repair: true })

  expect(wrong(found).map(({ check }) => check)).toEqual([
    'version.content',
    'version.content',
    'version.missing',
  ])
  expect(await unread()).toEqual([1, 2, 3])
  await push(control, 'd', large(5))
  await push(control, 'd', large(6))
  expect(await unread()).toEqual([1, 2, 3])
  expect(await findings(control)).toContainEqual(
    expect.objectContaining({
      level: 'info',
      check: 'version.lost',
      message: expect.stringContaining('1 to 3') as string,
    }),
  )
  expect(wrong(await findings(control))).toEqual([])
})

test('a loss is reported once as an error, with the time of the version, and no longer once it is back', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  for (const serial of [1, 2, 3]) await push(control, 'd', stateText(serial))
  const { items } = await control.versions.list(named('d'), { limit: 3 }, alice)
  const key = await versionObject(bucket, 2)
  const bytes = (await objectsOf(bucket)).get(key)
  await lose(bucket, key)

  expect(wrong(await findings(control))).toMatchObject([
    { check: 'version.missing', message: 'Version 2 is missing.' },
  ])
  expect(wrong(await findings(control, { repair: true }))).toMatchObject([
    {
      level: 'error',
      check: 'version.missing',
      message: expect.stringContaining('recorded as lost') as string,
      hint: expect.stringContaining(new Date(items[0]?.at ?? 0).toISOString()) as string,
    },
  ])
  for (const repair of [true, false]) expect(wrong(await findings(control, { repair }))).toEqual([])
  await lose(bucket, await versionObject(bucket, 1))
  expect(wrong(await findings(control)).map(({ message }) => message)).toEqual(['Version 1 is missing.'])

  await copyBack(bucket, key, bytes)
  await findings(control, { repair: true })
  await lose(bucket, key)
  expect(wrong(await findings(control)).map(({ message }) => message)).toEqual(['Version 2 is missing.'])
})

async function copyBack(bucket: Bucket, key: string, bytes: Buffer | undefined): Promise<void> {
  await bucket.put(key, bodyOf(bytes ?? Buffer.alloc(0)), 'absent')
}

test('a version that is there and damaged is never recorded as lost', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  for (const serial of [1, 2, 3]) await push(control, 'd', stateText(serial))
  const whole = (await objectsOf(bucket)).get(await versionObject(bucket, 2)) ?? Buffer.alloc(0)
  await overwrite(bucket, await versionObject(bucket, 2), whole.subarray(0, -3).toString('latin1'))

  for (let run = 0; run < 2; run++)
    expect(wrong(await findings(control, { repair: true }))).toMatchObject([{ unit: 'd', level: 'error' }])
})

test('a copy that contains versions which retention had removed', async () => {
  const bucket = openMemoryBucket()
  const first = await openControl(bucket)
  for (const serial of [1, 2, 3, 4]) await push(first, 'd', stateText(serial))
  await first.upkeep.sweep(alice)
  const before = await objectsOf(bucket)
  await first.units.update(named('d'), { retention: { count: 1 } }, alice)
  await first.upkeep.gc({ dryRun: false }, alice)
  const after = await objectsOf(bucket)
  const copy = await copyOf(false, { document: before, state: before, versions: after })

  const control = await goesOn(copy, '4')

  expect(await lostOf(control)).toEqual([1, 2, 3])
})

test.each<[string, (control: StateControl) => Promise<unknown>, unit: string]>([
  ['was made', (control) => push(control, 'd', stateText(1)), 'd'],
  ['was renamed', (control) => control.units.rename(named('c'), 'd', alice), 'c'],
  ['was deleted', (control) => control.units.remove(named('c'), { force: false }, alice), 'c'],
  ['had its state deleted', (control) => control.states.remove(named('c'), { force: false }, alice), 'c'],
])('a copy with the documents first: a unit that %s while it was made', async (_, change, unit) => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await push(control, 'c', stateText(1))
  await control.upkeep.sweep(alice)
  const before = await objectsOf(bucket)
  await change(control)
  await control.close()
  const after = await objectsOf(bucket)
  const copy = openMemoryBucket()
  const isDocument = (key: string) => key.startsWith('.taco/orgs/default/units/')
  for (const [key, bytes] of before) if (isDocument(key)) await copyBack(copy, key, bytes)
  for (const [key, bytes] of after) if (!isDocument(key)) await copyBack(copy, key, bytes)

  expect(wrong(await findings(await openControl(copy), { repair: true }))).toEqual([])

  const restored = await openControl(copy)
  expect(wrong(await findings(restored))).toEqual([])
  await push(restored, unit, stateText(9))
  const { items } = await restored.versions.list(named(unit), { limit: 9 }, alice)
  expect(items.map(({ serial }) => serial)).toEqual([9, 1])
  expect(wrong(await findings(restored))).toEqual([])
})
