import { promisify } from 'node:util'
import { brotliDecompress, gunzip, gzip } from 'node:zlib'
import { expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { randomIds } from '../base/ids.ts'
import { silentLog } from '../base/log.ts'
import { CodeDocument, DeviceDocument } from '../access/oauth/grant-documents.ts'
import { RunTokenDocument, createRunTokens } from '../access/run-tokens.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import { type Bucket, bodyOf } from '../bucket/index.ts'
import { CheckDocument } from '../health/check-document.ts'
import { ServerDocument } from '../health/servers.ts'
import { DeliveriesDocument } from '../notifications/deliveries.ts'
import { FollowDocument } from '../notifications/follows.ts'
import { DelivererDocument } from '../notifications/lease.ts'
import { loadCatalogObject, saveCatalogObject } from '../state/catalog/catalog-object.ts'
import { Claim, Event, OrgDocument, UnitDocument } from '../state/documents/model.ts'
import { createHistoryCache, pastVersion } from '../state/history/history-cache.ts'
import { Meta } from '../state/history/history-entry.ts'
import { UploadDocument } from '../state/intake/uploads.ts'
import type { StateDeps } from '../state/settings.ts'
import { ADDED, additionsIn, newerSample } from '../../test/support/newer-documents.ts'
import { estate, org } from '../../test/support/graph.ts'
import { alice, named, openControl, overwrite, push, stateText } from '../../test/support/state.ts'
import { Rollout } from './model.ts'
import { rolloutKey } from './layout.ts'

/** Old and new servers run on one bucket during an upgrade. What a newer one added must survive this one. */

const kinds = {
  UnitDocument,
  OrgDocument,
  Claim,
  Rollout,
  RunTokenDocument,
  CodeDocument,
  DeviceDocument,
  UploadDocument,
  Event,
  Meta,
  DeliveriesDocument,
  FollowDocument,
  DelivererDocument,
  ServerDocument,
  CheckDocument,
}
const variants = Object.entries(kinds).flatMap(([kind, schema]) =>
  [0, 1, 2].map((variant) => [kind, variant, schema] as const),
)

test.each(variants)(
  'reading a %s of a newer minor drops and refuses nothing (variant %i)',
  (_, variant, schema) => {
    const newer = newerSample(schema, variant)

    expect(additionsIn(newer).length).toBeGreaterThan(0)
    expect(schema.parse(newer)).toEqual(newer)
  },
)

async function stored(bucket: Bucket, key: string): Promise<Record<string, unknown>> {
  return JSON.parse(String(await (await bucket.get(key))?.bytes())) as Record<string, unknown>
}

/** A newer server's document in place of the one at `key`: what must fit to other objects is that of the old one. */
async function upgrade(bucket: Bucket, key: string, newer: unknown, fixed: object): Promise<string[]> {
  const document = { ...(newer as object), ...fixed }
  await overwrite(bucket, key, JSON.stringify(document))
  return additionsIn(document)
}

/** Nothing is under way, and nothing refers to objects that are not in the bucket. */
const settled = {
  write: null,
  deleted: undefined,
  claiming: undefined,
  missing: undefined,
  kept: [],
  lost: [],
  historyFrom: 1,
  outbox: [],
  allowDecrypt: false,
}

function pick<T extends object>(from: T, ...fields: readonly (keyof T)[]): object {
  return Object.fromEntries(fields.map((field) => [field, from[field]]))
}

async function unitWith(change: (real: UnitDocument, newer: UnitDocument) => Partial<UnitDocument>) {
  const bucket = openMemoryBucket()
  const before = await openControl(bucket)
  await push(before, 'u', stateText(1))
  const { id } = await before.units.get(named('u'), alice)
  await before.close()
  const key = `.taco/orgs/default/units/${id}.json`
  const real = UnitDocument.parse(await stored(bucket, key))
  const newer = newerSample(UnitDocument) as UnitDocument
  const added = await upgrade(bucket, key, newer, {
    ...pick(real, 'id', 'org', 'name', 'key', 'tail', 'seq', 'epoch', 'serials'),
    ...settled,
    head: newer.head && {
      ...newer.head,
      ...real.head,
      version: { ...newer.head.version, ...real.head?.version },
    },
    ...change(real, newer),
  })
  return { bucket, key, added, control: await openControl(bucket) }
}

test('a unit keeps what a newer server added when its settings change', async () => {
  const { bucket, key, added, control } = await unitWith(() => ({}))

  await control.units.update(named('u'), { description: 'changed here' }, alice)

  const after = await stored(bucket, key)
  expect(after).toMatchObject({ description: 'changed here', minor: 7 })
  expect(additionsIn(after)).toEqual(added)
  expect(added).toEqual(expect.arrayContaining(['lock', 'lock.info', 'head.version', 'dependencies.0']))
})

test('a unit keeps what a newer server added when its state is written', async () => {
  const { bucket, key, added, control } = await unitWith(() => ({ lock: null }))

  await push(control, 'u', stateText(2), { force: true })
  await control.upkeep.sweep(alice)

  const after = additionsIn(await stored(bucket, key))
  // The new version has a head and a receipt of its own, and reads that it took up are no longer pending.
  const replaced = /^(head|tail|receipt|pendingReads|failed)(\.|$)/
  expect(added.filter((path) => !replaced.test(path) && !after.includes(path))).toEqual([])
})

test('a dependency that is declared again keeps what a newer server added', async () => {
  const { bucket, key, control } = await unitWith((real) => ({
    dependencies: [
      { on: 'ws-other', name: 'o', outputs: null, source: 'guess', inputs: {}, [ADDED]: 1 },
      { on: real.id, name: 'u', outputs: null, source: 'code', inputs: {}, [ADDED]: 2 },
    ],
  }))

  await control.graph.changeDependencies(
    named('u'),
    (all, id) => [...all.slice(0, 1), { on: id, name: 'u', outputs: ['value'], source: 'code', inputs: {} }],
    alice,
  )

  expect(await stored(bucket, key)).toMatchObject({
    dependencies: [
      { source: 'guess', [ADDED]: 1 },
      { outputs: ['value'], [ADDED]: 2 },
    ],
  })
})

test('an organization keeps what a newer server added, and a claim of a name that is taken again', async () => {
  const bucket = openMemoryBucket()
  const control = await openControl(bucket)
  await push(control, 'u', stateText(1))
  const [orgKey, nameKey] = ['.taco/orgs/default/org.json', '.taco/orgs/default/names/u.json']
  const { name, digestKey } = await stored(bucket, orgKey)
  const added = await upgrade(bucket, orgKey, newerSample(OrgDocument), { name, digestKey, outbox: [] })
  await upgrade(bucket, nameKey, { ...(await stored(bucket, nameKey)), [ADDED]: 'kept' }, {})

  await control.orgs.update('default', { retention: { count: 5 } }, alice)
  await control.units.rename(named('u'), 'v', alice)
  await control.units.rename(named('v'), 'u', alice)

  const kept = added.filter((path) => path !== 'retention')
  expect(additionsIn(await stored(bucket, orgKey)).toSorted()).toEqual(kept.toSorted())
  expect(await stored(bucket, nameKey)).toMatchObject({ name: 'u', [ADDED]: 'kept' })
})

test('a run token keeps what a newer server added when it is renewed', async () => {
  const bucket = openMemoryBucket()
  const tokens = createRunTokens({ bucket, clock: systemClock, ids: randomIds })
  const ref = { org: 'default', id: 'A'.repeat(16) }
  const key = `.taco/orgs/default/run-tokens/${ref.id}.json`
  const added = await upgrade(bucket, key, newerSample(RunTokenDocument), { org: 'default' })

  await tokens.renew(ref, { ttlMs: 1000 }, alice)

  expect(additionsIn(await stored(bucket, key))).toEqual(added)
})

test('a rollout keeps what a newer server added through a pause, a claim and an end', async () => {
  const world = await estate()
  const { id } = await world.rollouts.start(org, { from: ['network'] }, alice)
  const key = rolloutKey(org, id)
  const real = Rollout.parse(await stored(world.bucket, key))
  const newer = newerSample(Rollout) as Rollout
  const [step] = newer.steps
  const steps = real.steps.map((one) => {
    const {
      claim: _claim,
      endedAt: _ended,
      earlier: _earlier,
      abandoned: _left,
      ...more
    } = { ...step, ...one }
    return more
  })
  const fixed = { id, org, roots: real.roots, status: 'active', outbox: [], steps }
  const added = await upgrade(world.bucket, key, newer, fixed)
  world.pass(5000)

  await world.rollouts.pause({ org, id }, alice)
  expect(additionsIn(await stored(world.bucket, key))).toEqual(added)
  await world.rollouts.resume({ org, id }, alice)
  const options = { worker: 'w', most: 1, leaseMs: 60_000, begin: false }
  const { claims } = await world.rollouts.claim({ org, id }, options, alice)
  const claimed = await stored(world.bucket, key)
  expect(claims).toHaveLength(1)
  // The result of an earlier attempt goes with it.
  const survives = (path: string) => !/^steps\.\d+\.(result|before|proof)/.test(path)
  expect(additionsIn(claimed).filter(survives)).toEqual(added.filter(survives))
})

test('a rollout or a step with a status that only a newer server knows is shown, and left to that server', async () => {
  const world = await estate()
  const { id } = await world.rollouts.start(org, { from: ['network'] }, alice)
  const ref = { org, id }
  const key = rolloutKey(org, id)
  const real = Rollout.parse(await stored(world.bucket, key))
  await upgrade(world.bucket, key, real, { status: 'frozen' })

  expect(await world.rollouts.get(ref, alice)).toMatchObject({ status: 'frozen' })
  const options = { worker: 'w', most: 5, leaseMs: 60_000, begin: false }
  expect((await world.rollouts.claim(ref, options, alice)).claims).toEqual([])
  for (const refused of [world.rollouts.pause, world.rollouts.resume, world.rollouts.cancel])
    await expect(refused(ref, alice)).rejects.toMatchObject({ code: 'BUCKET_NEWER' })
  const [first, ...others] = real.steps
  await upgrade(world.bucket, key, real, { steps: [{ ...first, status: 'verifying' }, ...others] })
  const { rollout, claims } = await world.rollouts.claim(ref, options, alice)
  expect(claims).toEqual([])
  expect(rollout.steps.unknown).toBe(1)
  const skip = world.rollouts.skip(ref, String(first?.unit.name), 'why not', alice)
  await expect(skip).rejects.toMatchObject({ code: 'BUCKET_NEWER' })
  expect(await stored(world.bucket, key)).toMatchObject({
    steps: [{ status: 'verifying' }, ...others.map(() => ({}))],
  })
})

test('an event of a newer server reaches the journal with everything that it says', async () => {
  const event = newerSample(Event) as Event
  const left = { ...event, id: randomIds.ulid(Date.now() - 60_000), at: Date.now() - 60_000, org: 'default' }
  const { bucket, control } = await unitWith(() => ({ lock: null, outbox: [left] }))

  await control.units.update(named('u'), { description: 'changed here' }, alice)
  await control.close()

  const texts: string[] = []
  for await (const page of bucket.list('.taco/orgs/default/journal/'))
    for (const { key } of page) texts.push(String(await (await bucket.get(key))?.bytes()))
  const records = texts.flatMap((text) => JSON.parse(text) as Event | Event[])
  expect(records.find(({ id }) => id === left.id)).toEqual(left)
})

test('what a newer server noted in the saved catalog and history survives a save', async () => {
  const bucket = openMemoryBucket()
  const deps = { bucket, log: silentLog } as unknown as StateDeps
  const text = JSON.stringify({ view: {}, [ADDED]: true })
  await saveCatalogObject(deps, 'o', [
    { id: 'a', name: 'a', rev: 1, tag: 't' as never, deletedAt: 0, seenAt: 0, text, more: ['newer'] },
  ])
  await saveCatalogObject(deps, 'o', await loadCatalogObject(bucket, 'o'))
  const catalog = await (await bucket.get('.taco/orgs/o/catalog'))?.bytes()
  const unpacked = String(await promisify(brotliDecompress)(catalog ?? Buffer.alloc(0)))
  expect(JSON.parse(unpacked)).toMatchObject({ blocks: [{ units: [['a', 'a', 1, 't', 0, 'newer']] }] })

  const meta = newerSample(Meta) as Parameters<typeof pastVersion>[1] & { version: never }
  const past = { ...pastVersion('u', { ...meta, facts: meta.version }), [ADDED]: 'kept' }
  const history = { v: 1, versions: [past], [ADDED]: 'kept' }
  await bucket.put('.taco/orgs/o/history', bodyOf(await promisify(gzip)(JSON.stringify(history))), 'absent')
  const cache = createHistoryCache(deps)
  await cache.load('o')
  for (let i = 0; i < 40; i++) cache.note('o', { ...past, id: `sv-${i}` })
  await cache.save('o', () => true)
  const saved = await (await bucket.get('.taco/orgs/o/history'))?.bytes()
  const after = JSON.parse(String(await promisify(gunzip)(saved ?? Buffer.alloc(0)))) as typeof history
  expect(after.versions).toHaveLength(41)
  expect(after[ADDED]).toBe('kept')
  expect(after.versions.every((one) => one[ADDED] === 'kept')).toBe(true)
})
