import { readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../test/rig/temp.ts'
import { alice } from '../../../../test/support/caller.ts'
import { type KeyRing, keyRingFrom } from '../../../access/index.ts'
import { systemClock } from '../../../base/clock.ts'
import { randomIds } from '../../../base/ids.ts'
import { sha256Hex } from '../../../base/sha256-hex.ts'
import { silentLog } from '../../../base/log.ts'
import { openFileBucket } from '../../../bucket/adapters/file/index.ts'
import { type Bucket, bodyOf } from '../../../bucket/index.ts'
import { createStateControl } from '../../create-state-control.ts'
import { journalKey } from '../../documents/journal-layout.ts'
import { makeEvent } from '../../journal/events.ts'
import { sealText } from './seal.ts'
import { createSealer } from './sealer.ts'

const ringOf = (id: string) => keyRingFrom({ label: 'test', read: async () => `${id}:${sha256Hex(id)}` })

const HOUR = 3_600_000
const DAY = 24 * HOUR

/** Servers over one real folder, with a clock that goes only when told to, and a hand that reaches into the folder. */
async function place(keys?: KeyRing) {
  const root = await tempFolder()
  const time = { now: Date.parse('2026-03-04T05:20:07Z') }
  const bucket = await openFileBucket({ root })
  const clock = { ...systemClock, now: () => time.now }
  const server = (signer: KeyRing | undefined = keys, over: Bucket = bucket) =>
    createStateControl({
      bucket: over,
      clock,
      ids: randomIds,
      log: silentLog,
      spool: { create: () => Promise.reject(new Error('nothing here is large')) },
      // What is in the journal, the test decides.
      settings: { flushEvents: false, tidyAfterMs: null },
      keys: signer,
    })
  const first = await server()
  /** A record in the journal, of a time. */
  async function happen(at = time.now, org = 'default'): Promise<string> {
    const own = { ids: randomIds, clock: { ...systemClock, now: () => at } }
    const event = makeEvent(own, { org, name: org }, { type: 'org.changed', caller: alice })
    const key = journalKey(event.at, event.id, [event])
    await bucket.put(key, bodyOf(JSON.stringify(event)), 'absent')
    return key
  }
  /** Something in each of so many hours, and each hour sealed. */
  async function pass(hours: number): Promise<void> {
    for (let i = 0; i < hours; i++) {
      await happen()
      await happen(time.now + 60_000)
      time.now += HOUR
      await first.audit.seal(alice)
    }
  }
  const files = (part: string) =>
    (readdirSync(root, { recursive: true }) as string[])
      .filter((name) => name.includes(part) && name.includes('.json@'))
      .toSorted()
  return {
    root,
    time,
    bucket,
    server,
    first,
    happen,
    pass,
    journal: () => files('/default/journal/'),
    seals: () => files('/default/audit/').filter((name) => !name.includes('head.json')),
    path: (name: string) => join(root, name),
    async verify(options: Parameters<typeof first.audit.verify>[0] = {}, signer = keys) {
      const findings = []
      // As another process finds it.
      const control = await server(signer, await openFileBucket({ root }))
      for await (const one of control.audit.verify(options, alice)) findings.push(one)
      return findings
    },
  }
}

type Place = Awaited<ReturnType<typeof place>>

const errorsIn = (findings: Awaited<ReturnType<Place['verify']>>) =>
  findings.filter(({ level }) => level === 'error').map(({ kind, key }) => [kind, key])
const hashIn = (findings: Awaited<ReturnType<Place['verify']>>) =>
  findings.find(({ kind, org }) => kind === 'chain' && org === 'default')?.hash

test('hours are sealed one after the other, and verification finds nothing wrong', async () => {
  const { pass, verify, seals, first, time } = await place()
  await pass(3)

  expect(seals()).toHaveLength(3)
  const findings = await verify()
  expect(errorsIn(findings)).toEqual([])
  expect(findings.find(({ kind, org }) => kind === 'chain' && org === 'default')).toMatchObject({
    message: '3 seals (plain hashes) over 6 objects.',
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  // Nothing happens, so nothing is sealed, however often it is tried.
  time.now += 5 * HOUR
  expect(await first.audit.seal(alice)).toEqual({ objects: 0 })
  expect(seals()).toHaveLength(3)
})

test.each<[string, (at: Place) => unknown, readonly string[]]>([
  [
    'a byte of a record is changed',
    ({ path, journal }) => {
      const file = path(journal()[2] ?? '')
      writeFileSync(file, readFileSync(file, 'utf8').replace('user:alice', 'user:alicf'))
    },
    ['changed'],
  ],
  ['a record is deleted', ({ path, journal }) => rmSync(path(journal()[2] ?? '')), ['removed']],
  [
    'a record is added',
    ({ path, journal }) => {
      const file = path(journal()[2] ?? '')
      writeFileSync(file.replace(/([0-9A-Z]{25})[0-9A-Z]-/, '$1Z-'), readFileSync(file))
    },
    ['added'],
  ],
  [
    'two records are swapped',
    ({ path, journal }) => {
      const [a = '', b = ''] = [journal()[1], journal()[2]].map((name) => path(name ?? ''))
      const [textA, textB] = [readFileSync(a), readFileSync(b)]
      writeFileSync(a, textB)
      writeFileSync(b, textA)
    },
    ['changed', 'changed'],
  ],
  ['a seal is deleted', ({ path, seals }) => rmSync(path(seals()[1] ?? '')), ['seal-removed']],
  [
    'the newest seals are deleted',
    ({ path, seals }) => {
      for (const name of seals().slice(-2)) rmSync(path(name))
    },
    ['seal-removed', 'seal-removed'],
  ],
  [
    'a byte of a seal is changed',
    ({ path, seals }) => {
      const file = path(seals()[1] ?? '')
      writeFileSync(file, readFileSync(file, 'utf8').replace('"seq":2', '"seq":7'))
    },
    ['seal-changed'],
  ],
  [
    'a seal is made anew with another content',
    ({ path, seals }) => {
      const file = path(seals()[1] ?? '')
      const { seal } = JSON.parse(readFileSync(file, 'utf8'))
      writeFileSync(file, sealText({ ...seal, objects: seal.objects.slice(1) }, undefined).text)
    },
    ['seal-changed', 'added'],
  ],
  [
    'two seals are swapped',
    ({ path, seals }) => {
      const [a = '', b = ''] = seals().map(path)
      renameSync(a, `${a}.x`)
      renameSync(b, a)
      renameSync(`${a}.x`, b)
    },
    ['seal-changed', 'seal-changed', 'seal-changed'],
  ],
  [
    'the newest seal is deleted, and sealed anew without a record',
    async ({ path, seals, journal, server }) => {
      rmSync(path(seals().at(-1) ?? ''))
      rmSync(path(journal().at(-1) ?? ''))
      await (await server()).audit.seal(alice)
    },
    ['seal-removed'],
  ],
  [
    'a seal with a number far away is put there, and sealing goes on',
    async ({ path, seals, server, happen, time }) => {
      const file = path(seals()[0] ?? '')
      writeFileSync(file.replace('00000001', '99999999'), readFileSync(file))
      await happen()
      time.now += HOUR
      await (await server()).audit.seal(alice)
      expect(seals().map((name) => /(\d+)\.json/.exec(name)?.[1])).toContain('00000004')
    },
    ['seal-removed', 'seal-changed'],
  ],
  [
    'the record of the newest seal names one far away',
    ({ path, seals }) => {
      const folder = dirname(path(seals()[0] ?? ''))
      const newest = readdirSync(folder).findLast((name) => name.startsWith('head.json'))
      const file = join(folder, newest ?? '')
      writeFileSync(file, readFileSync(file, 'utf8').replace('"seq":3', '"seq":900000000'))
    },
    ['seal-removed'],
  ],
])('verification names what happened when %s', async (_, tamper, kinds) => {
  const at = await place()
  await at.pass(3)
  const before = hashIn(await at.verify())
  await tamper(at)

  const found = errorsIn(await at.verify())
  expect(found.map(([kind]) => kind)).toEqual(kinds)
  for (const [, key] of found) expect(key).toMatch(/^\.taco\/orgs\/default\/(journal|audit)\//)
  expect(before).toMatch(/./)
})

test('a whole chain that was made anew is found by a hash that was kept elsewhere, and by the secret key', async () => {
  const at = await place(await ringOf('a'))
  await at.pass(2)
  const kept = hashIn(await at.verify()) ?? ''
  expect(errorsIn(await at.verify({ expect: [kept] }))).toEqual([])
  await at.pass(1)
  expect(errorsIn(await at.verify({ expect: [kept] }))).toEqual([])

  rmSync(dirname(at.path(at.seals()[0] ?? '')), { recursive: true })
  rmSync(at.path(at.journal()[2] ?? ''))
  // Someone who can write to the bucket, and does not have the key.
  const forger = await at.server(await ringOf('b'))
  await forger.audit.seal(alice)

  expect(errorsIn(await at.verify({ expect: [kept] }, await ringOf('b')))).toEqual([['expected', null]])
  expect((await at.verify({}, await ringOf('a'))).filter(({ level }) => level === 'error').length).toBe(0)
  const findings = await at.verify({}, await ringOf('a'))
  expect(findings.find(({ kind, org }) => kind === 'chain' && org === 'default')?.message).toContain(
    'unchecked',
  )
})

test('seals are keyed where there is a key, and one without a key after that is an error', async () => {
  const ring = await ringOf('a')
  const at = await place(ring)
  await at.pass(2)
  const findings = await at.verify()
  expect(findings.find(({ kind, org }) => kind === 'chain' && org === 'default')?.message).toBe(
    '2 seals (2 with a secret key) over 4 objects.',
  )
  // With the hash that fits, but not the key.
  const file = at.path(at.seals()[1] ?? '')
  const { seal } = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, sealText(seal, undefined).text)
  expect(errorsIn(await at.verify())).toEqual([['seal-changed', expect.stringContaining('00000002')]])
  const { key, ...rest } = JSON.parse(sealText(seal, ring).text)
  writeFileSync(file, JSON.stringify({ ...rest, key: { ...key, mac: 'AAAA' } }))
  expect(errorsIn(await at.verify())).toEqual([['seal-changed', expect.stringContaining('00000002')]])
})

test('what a server completes late comes into the next seal as late', async () => {
  const at = await place()
  await at.pass(2)
  const key = await at.happen(at.time.now - 90 * 60_000)
  expect(errorsIn(await at.verify())).toEqual([['added', key]])

  await at.pass(1)
  const findings = await at.verify()
  expect(errorsIn(findings)).toEqual([])
  expect(findings).toContainEqual(expect.objectContaining({ kind: 'late', level: 'info', key }))
  await at.pass(1)
  expect((await at.verify()).filter(({ kind }) => kind === 'late')).toHaveLength(1)
  rmSync(`${at.path(key)}@1`)
  expect(errorsIn(await at.verify())).toEqual([['removed', key]])
})

test('a server whose clock is ahead seals the future, and the others go on with what is late for it', async () => {
  const at = await place()
  await at.pass(1)
  const now = at.time.now
  at.time.now += 30 * HOUR
  await at.happen()
  at.time.now += 2 * HOUR
  await (await at.server()).audit.seal(alice)
  at.time.now = now

  const key = await at.happen()
  at.time.now += HOUR
  expect(errorsIn(await at.verify())).toEqual([['added', key]])
  await (await at.server()).audit.seal(alice)
  expect(errorsIn(await at.verify())).toEqual([])
  const seals = at.seals()
  await (await at.server()).audit.seal(alice)
  expect(at.seals()).toEqual(seals)
})

test('seals outlive what retention removes, which verification says', async () => {
  const at = await place()
  await at.pass(2)
  await at.first.orgs.update('default', { eventRetention: { days: 1 } }, alice)
  at.time.now += 2 * DAY
  await at.pass(1)
  await at.first.upkeep.gc({ dryRun: false }, alice)
  at.time.now += HOUR

  const findings = await at.verify()
  expect(errorsIn(findings)).toEqual([])
  expect(findings).toContainEqual(
    expect.objectContaining({ kind: 'retention', message: expect.stringMatching(/^4 sealed objects/) }),
  )
})

test('records of the server go when every organization has let its own go, and their seals stay', async () => {
  const at = await place()
  await at.first.orgs.create({ name: 'other', eventRetention: { days: 3 } }, alice)
  for (let i = 0; i < 3; i++) await at.happen(at.time.now + i, '')
  at.time.now += 2 * HOUR
  await at.first.audit.seal(alice)
  at.time.now += 4 * DAY
  await at.first.upkeep.gc({ dryRun: false }, alice)
  expect((await at.verify()).filter(({ kind }) => kind === 'retention')).toEqual([])
  await at.first.orgs.update('default', { eventRetention: { days: 5 } }, alice)
  await at.first.upkeep.gc({ dryRun: false }, alice)
  expect((await at.verify()).filter(({ kind }) => kind === 'retention')).toEqual([])

  at.time.now += 2 * DAY
  expect((await at.first.upkeep.gc({ dryRun: false }, alice)).eventsPruned).toBe(3)
  const findings = await at.verify()
  expect(errorsIn(findings)).toEqual([])
  expect(findings).toContainEqual(
    expect.objectContaining({ kind: 'retention', org: null, message: expect.stringMatching(/^3 sealed/) }),
  )
})

test('many servers that seal at once make one chain, also if some of them die half-way', async () => {
  const at = await place()
  for (let hour = 0; hour < 4; hour++) {
    await at.happen()
    at.time.now += HOUR
    // Each of these fails at another step.
    const dying = Array.from({ length: 6 }, async (_, step) => {
      let left = step
      const broken = new Proxy(at.bucket, {
        get(target, name: keyof Bucket) {
          if (name !== 'put') return target[name]
          return (...args: Parameters<Bucket['put']>) => {
            if (args[0].includes('/audit/') && left-- <= 0) return Promise.reject(new Error('killed'))
            return target.put(...args)
          }
        },
      })
      const server = await at.server(undefined, broken)
      await server.audit.seal(alice).catch(() => {})
    })
    const living = Array.from({ length: 3 }, async () => (await at.server()).audit.seal(alice))
    await Promise.all([...dying, ...living])
  }

  expect(errorsIn(await at.verify())).toEqual([])
  expect(at.seals()).toHaveLength(4)
})

test('a large backlog is sealed in parts', async () => {
  const at = await place()
  const count = 23
  for (let i = 0; i < count; i++) await at.happen(at.time.now + i)
  at.time.now += 2 * HOUR
  const clock = { ...systemClock, now: () => at.time.now }
  const sealer = createSealer({ bucket: at.bucket, clock, log: silentLog }, undefined, { mostObjects: 5 })
  await sealer.seal('default')

  expect(at.seals()).toHaveLength(5)
  const findings = await at.verify({ org: 'default' })
  expect(errorsIn(findings)).toEqual([])
  expect(findings.find(({ kind }) => kind === 'chain')?.message).toContain('over 23 objects')
})

test('only what is asked for is read again, and the chain is checked as a whole', async () => {
  const at = await place()
  await at.pass(3)
  rmSync(at.path(at.journal()[1] ?? ''))

  expect(errorsIn(await at.verify({ since: at.time.now - 1.5 * HOUR }))).toEqual([])
  rmSync(at.path(at.seals()[0] ?? ''))
  expect(errorsIn(await at.verify({ since: at.time.now - 1.5 * HOUR }))).toEqual([
    ['seal-removed', expect.any(String)],
  ])
})
