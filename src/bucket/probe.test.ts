import { expect, test } from 'vitest'
import type { Clock } from '../base/clock.ts'
import { systemClock } from '../base/clock.ts'
import { TacoError } from '../base/errors.ts'
import { randomIds } from '../base/ids.ts'
import { withAbilities } from './abilities.ts'
import { openMemoryBucket } from './adapters/memory.ts'
import { bodyOf } from './body.ts'
import type { Bucket, Entry } from './bucket.ts'
import { probeBucket, refuseIfUnfit } from './probe.ts'
import type { ProbeReport } from './probe.ts'

const options = { clock: systemClock, ids: randomIds }

test('a good bucket passes every check and is left as it was', async () => {
  const bucket = openMemoryBucket()

  const report = await probeBucket(bucket, options)

  expect(report.findings.filter(({ ok }) => !ok)).toEqual([])
  expect(checks(report)).toEqual([
    'access',
    'create-once',
    'replace-if-unchanged',
    'read-after-write',
    'list-after-write',
    'conditional-delete',
    'clock',
  ])
  expect(report.abilities).toEqual({ conditionalDelete: true, listsInOneRequest: false })
  expect(await everything(bucket)).toEqual([])
  refuseIfUnfit(report)
})

test('a bucket that ignores the condition of a create is unfit', async () => {
  const bucket = changed({ put: unconditionalPut })

  const report = await probeBucket(bucket, options)

  expect(fatalChecks(report)).toContain('create-once')
  expect(() => refuseIfUnfit(report)).toThrow(expect.objectContaining({ code: 'BUCKET_UNFIT' }))
})

test('a bucket that ignores the condition of a replace is unfit', async () => {
  const bucket = changed({
    put: (inner, key, body, when) =>
      when === 'absent' ? inner.put(key, body, when) : unconditionalPut(inner, key, body),
  })

  const report = await probeBucket(bucket, options)

  expect(fatalChecks(report)).toEqual(['replace-if-unchanged'])
})

test('a bucket whose lists lag behind is unfit', async () => {
  const inner = openMemoryBucket()
  const bucket: Bucket = Object.assign(Object.create(inner) as Bucket, { list: async function* () {} })

  const report = await probeBucket(bucket, options)

  expect(fatalChecks(report)).toEqual(['list-after-write'])
  expect(() => refuseIfUnfit(report)).toThrow('A list after a write does not show it.')
})

test('a store that ignores the condition of a delete is accepted, without that ability', async () => {
  const bucket = changed({
    delete: async (inner, key) => {
      const entry = await inner.head(key)
      return entry === undefined ? 'absent' : inner.delete(key, entry.tag)
    },
  })

  const report = await probeBucket(bucket, options)

  expect(report.findings.filter(({ ok }) => !ok)).toMatchObject([
    { check: 'conditional-delete', fatal: false },
  ])
  expect(report.abilities.conditionalDelete).toBe(false)
  refuseIfUnfit(report)
})

test('with abilities taken away, a delete looks before it deletes', async () => {
  const ignoring = changed({
    delete: async (inner, key) => {
      const entry = await inner.head(key)
      return entry === undefined ? 'absent' : inner.delete(key, entry.tag)
    },
  })
  const bucket = withAbilities(ignoring, { conditionalDelete: false, listsInOneRequest: true })
  const written = await bucket.put('a', bodyOf('1'), 'absent')
  if (written.kind !== 'written') throw new Error('not written')
  await bucket.put('a', bodyOf('2'), written.tag)

  expect(bucket.can).toEqual({ conditionalDelete: false, listsInOneRequest: true })
  expect(await bucket.delete('a', written.tag)).toEqual({ kind: 'conflict' })
  expect(await bucket.delete('b', written.tag)).toBe('absent')
  expect(await bucket.delete('a', (await bucket.head('a'))?.tag ?? written.tag)).toBe('deleted')
})

test("a clock far from the store's is reported, and is not a reason to refuse", async () => {
  const late: Clock = { ...systemClock, now: () => Date.now() - 60_000 }

  const report = await probeBucket(openMemoryBucket(), { ...options, clock: late })

  expect(report.findings.find(({ check }) => check === 'clock')).toMatchObject({ ok: false, fatal: false })
  expect(report.findings.find(({ check }) => check === 'clock')?.detail).toMatch(/(59|6\d) s behind/)
})

test('a bucket that refuses us gives its own error and hint', async () => {
  const refused = new TacoError('BUCKET_REFUSED', 'no', { hint: 'Ask for access.' })
  const bucket = changed({ put: () => Promise.reject(refused) })

  const report = await probeBucket(bucket, options)

  expect(report.findings[0]).toMatchObject({ check: 'access', fatal: true, hint: 'Ask for access.' })
  expect(() => refuseIfUnfit(report)).toThrow(
    expect.objectContaining({ code: 'BUCKET_REFUSED', hint: 'Ask for access.' }),
  )
})

test('what a probe that died has left is cleaned up an hour later', async () => {
  let now = Date.now()
  const bucket = openMemoryBucket({ now: () => now })
  await bucket.put('.taco/probe/old/object', bodyOf('x'), 'absent')
  now += 2 * 3600_000
  await bucket.put('.taco/probe/young/object', bodyOf('x'), 'absent')

  await probeBucket(bucket, { ...options, clock: { ...systemClock, now: () => now } })

  expect(await everything(bucket)).toMatchObject([{ key: '.taco/probe/young/object' }])
})

type Changes = {
  readonly put?: (inner: Bucket, ...args: Parameters<Bucket['put']>) => ReturnType<Bucket['put']>
  readonly delete?: (inner: Bucket, ...args: Parameters<Bucket['delete']>) => ReturnType<Bucket['delete']>
}

function changed(changes: Changes): Bucket {
  const inner = openMemoryBucket()
  const { put, delete: remove } = changes
  return Object.assign(Object.create(inner) as Bucket, {
    ...(put === undefined ? {} : { put: (...args: Parameters<Bucket['put']>) => put(inner, ...args) }),
    ...(remove === undefined
      ? {}
      : { delete: (...args: Parameters<Bucket['delete']>) => remove(inner, ...args) }),
  })
}

async function unconditionalPut(inner: Bucket, key: string, body: Parameters<Bucket['put']>[1]) {
  const entry = await inner.head(key)
  return inner.put(key, body, entry?.tag ?? 'absent')
}

async function everything(bucket: Bucket): Promise<readonly Entry[]> {
  const entries: Entry[] = []
  for await (const page of bucket.list('')) entries.push(...page)
  return entries
}

function checks(report: ProbeReport): readonly string[] {
  return report.findings.map(({ check }) => check)
}

function fatalChecks(report: ProbeReport): readonly string[] {
  return report.findings.filter(({ fatal }) => fatal).map(({ check }) => check)
}
