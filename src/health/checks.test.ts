import { expect, test } from 'vitest'
import { systemCaller } from '../access/index.ts'
import { randomIds } from '../base/ids.ts'
import { silentLog } from '../base/log.ts'
import { openMemoryBucket } from '../bucket/adapters/memory.ts'
import type { DoctorFinding } from '../state/index.ts'
import { steppedClock } from '../../test/support/stepped-clock.ts'
import { MOST_FINDINGS, SILENT_MS } from './check-document.ts'
import { type CheckWork, createChecks } from './checks.ts'

const caller = systemCaller('opentaco')
const subject = { kind: 'bucket' } as const
const quick = { deep: false, repair: false }
const TELL_MS = 1_000

function finding(level: DoctorFinding['level'], message: string): DoctorFinding {
  return { level, check: 'x', message, hint: null, unit: null, org: null, repaired: false }
}

/** Goes on when the test says so. */
function steps() {
  let go = () => {}
  const wait = () => new Promise<void>((resolve) => (go = resolve))
  return { wait, go: () => go() }
}

function open(work: CheckWork) {
  const clock = steppedClock()
  const bucket = openMemoryBucket()
  const server = (id: string) =>
    createChecks({
      bucket,
      clock,
      ids: randomIds,
      log: silentLog,
      server: { id, host: `host-${id}` },
      work,
      tellEveryMs: TELL_MS,
    })
  return { clock, a: server('a'), b: server('b') }
}

test('every server shows how far a check got, and then what it found, the worst first', async () => {
  const { wait, go } = steps()
  const { clock, a, b } = open(async function* (_, __, ___, progress) {
    yield finding('ok', 'fine')
    progress({ checked: 3, total: 7 })
    await wait()
    yield finding('error', 'broken')
    yield { ...finding('warning', 'odd'), repaired: true }
  })
  expect(await b.show(subject)).toBeUndefined()
  await a.start(subject, quick, caller)
  await clock.pass(TELL_MS)
  expect(await b.show(subject)).toMatchObject({
    attempt: { state: 'running', checked: 3, total: 7, by: 'system:opentaco', server: { host: 'host-a' } },
    report: undefined,
  })
  await expect(b.start(subject, quick, caller)).rejects.toMatchObject({ code: 'CONFLICT' })

  go()
  await clock.pass(0)
  const shown = await b.show(subject)
  expect(shown).toMatchObject({
    attempt: { state: 'done' },
    report: { counts: { ok: 1, info: 0, warning: 0, error: 1, repaired: 1 }, omitted: 0 },
  })
  expect(shown?.report?.findings.map(({ message }) => message)).toEqual(['broken', 'odd', 'fine'])
})

test('a check of a server that was killed counts as interrupted, and another one can start', async () => {
  const { wait } = steps()
  const { clock, a, b } = open(async function* () {
    yield finding('ok', 'fine')
    await wait()
  })
  await a.start(subject, quick, caller)
  await clock.pass(TELL_MS)
  // Time passes for the others alone: nothing is heard of the server any more.
  const silent = steppedClock(clock.now() + SILENT_MS + 1)
  Object.assign(clock, { now: silent.now })
  expect(await b.show(subject)).toMatchObject({ attempt: { state: 'interrupted' } })
  expect(await b.start(subject, quick, caller)).toMatchObject({
    attempt: { state: 'running', server: { host: 'host-b' } },
  })
})

test('a server that stops says that its check was interrupted, and the last report stays', async () => {
  const { wait } = steps()
  let isFirst = true
  const { clock, a, b } = open(async function* (_, __, { signal }) {
    yield finding('error', 'broken')
    if (isFirst) return
    await Promise.race([
      wait(),
      new Promise((_resolve, reject) =>
        signal?.addEventListener('abort', () => reject(new Error('stopped'))),
      ),
    ])
  })
  await a.start(subject, quick, caller)
  await clock.pass(0)
  isFirst = false
  await a.start(subject, { deep: true, repair: false }, caller)
  await clock.pass(0)
  await a.stop()
  expect(await b.show(subject)).toMatchObject({
    attempt: { state: 'interrupted', options: { deep: true } },
    report: { counts: { error: 1 }, options: { deep: false } },
  })
})

test('a check that fails says why; findings that do not fit are counted', async () => {
  let fails = true
  const { clock, a } = open(async function* () {
    if (fails) throw new Error('no way in')
    for (let i = 0; i < MOST_FINDINGS + 5; i++) yield finding('warning', String(i))
    yield finding('error', 'the worst')
    await Promise.resolve()
  })
  await a.start(subject, quick, caller)
  await clock.pass(0)
  expect(await a.show(subject)).toMatchObject({ attempt: { state: 'failed', error: 'no way in' } })
  fails = false
  await a.start(subject, quick, caller)
  await clock.pass(0)
  const report = (await a.show(subject))?.report
  expect([report?.findings[0]?.message, report?.findings.length, report?.omitted]).toEqual([
    'the worst',
    MOST_FINDINGS,
    6,
  ])
})

test('the audits of two organizations are checked side by side', async () => {
  const { clock, a } = open(async function* ({ kind }) {
    yield await Promise.resolve(finding('ok', kind))
  })
  await a.start({ kind: 'audit', org: 'one' }, quick, caller)
  await a.start({ kind: 'audit', org: 'two' }, quick, caller)
  await clock.pass(0)
  expect(await a.show(subject)).toBeUndefined()
  for (const org of ['one', 'two'])
    expect(await a.show({ kind: 'audit', org })).toMatchObject({ attempt: { state: 'done' } })
})
