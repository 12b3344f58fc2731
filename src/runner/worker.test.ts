import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { systemClock } from '../base/clock.ts'
import { TacoError } from '../base/errors.ts'
import { silentLog } from '../base/log.ts'
import { readProject } from '../project/index.ts'
import type { ClaimView, Claims } from '../rollouts/index.ts'
import type { RunnerEvent } from './events.ts'
import type { RolloutApi } from './needs.ts'
import { repositoryOf } from './repository.ts'
import { startWorker } from './worker.ts'

/** Counts its interrupts, as only an engine that ends in order can, and ends when it is let go. */
const ENGINE = `#!/bin/sh
trap 'echo interrupted >> ints' INT
touch began
until [ -e go ]; do sleep 0.02; done
`

type Asked =
  | { readonly call: 'claim'; readonly options: Parameters<RolloutApi['claim']>[0] }
  | { readonly call: 'renew'; readonly options: Parameters<RolloutApi['renew']>[0] }
  | { readonly call: 'end'; readonly unit: string; readonly options: Parameters<RolloutApi['end']>[1] }

/** What the test answers: the progress of the rollout and new claims; for a renewal, which claims are lost. */
type Answer = Claims | { readonly lost: readonly string[] }

/** A worker with a step of each unit, whose engines run until they are let go, and an API as the test says. */
function atWork(names: readonly string[], answer: (asked: Asked) => Answer, idleEveryMs = 60_000) {
  const root = mkdtempSync(join(tmpdir(), 'taco-worker-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const program = join(root, 'engine')
  writeFileSync(program, ENGINE)
  chmodSync(program, 0o755)
  for (const name of names) {
    mkdirSync(join(root, name, '.terraform'), { recursive: true })
    writeFileSync(join(root, name, 'main.tf'), 'terraform {\n  backend "http" {}\n}\n')
  }
  const file = join(root, 'taco.yaml')
  const project = readProject(`units: {${names.map((name) => `${name}: {}`).join(', ')}}`, file)
  const asked: Asked[] = []
  const events: RunnerEvent[] = []
  const ask = (one: Asked) => {
    asked.push(one)
    return Promise.resolve().then(() => answer(one))
  }
  const claims = async (one: Asked) => {
    const answered = await ask(one)
    return 'lost' in answered ? over : answered
  }
  const worker = startWorker(
    {
      api: {
        claim: (options) => claims({ call: 'claim', options }),
        async renew(options) {
          const answered = await ask({ call: 'renew', options })
          return 'lost' in answered ? answered.lost : []
        },
        begin: () => Promise.reject(new Error('not asked for')),
        end: (unit, options) => claims({ call: 'end', unit, options }),
        variables: () => Promise.resolve({ print: null, items: [] }),
        isAway: (error) => error === away,
      },
      backend: { url: 'http://127.0.0.1:1', env: { PATH: process.env['PATH'] ?? '' }, tokens: undefined },
      repository: repositoryOf(project, file),
      engines: { find: () => program, version: () => Promise.resolve('1'), foresee: () => {} },
      machine: { env: {}, cwd: root, freeMemory: () => 0 },
      clock: systemClock,
      log: silentLog,
      report: (event) => void events.push(event),
    },
    {
      worker: 'w',
      org: 'default',
      jobs: names.length,
      leaseMs: 40,
      lockTimeoutMs: 60_000,
      patienceMs: 300,
      idleEveryMs,
      separatePlan: false,
      skips: true,
      colour: false,
    },
    progress({ running: names.length }, ...names.map((name) => claimOf(name, `token of ${name}`))),
  )
  const place = (name: string, what: string) => join(root, name, what)
  return {
    ...worker,
    waits: () => events.filter(({ kind }) => kind === 'idle').length,
    ends: () => asked.flatMap((one) => (one.call === 'end' ? [one.unit] : [])),
    looks: () => asked.flatMap((one) => (one.call === 'claim' ? [one.options] : [])),
    told: () => asked.flatMap((one) => (one.call === 'end' ? [one.options] : [])),
    renewed: () => asked.flatMap((one) => (one.call === 'renew' ? [one.options] : [])),
    began: (name: string) => vi.waitUntil(() => existsSync(place(name, 'began')), { timeout: 20_000 }),
    interrupts: (name: string) =>
      existsSync(place(name, 'ints'))
        ? readFileSync(place(name, 'ints'), 'utf8').trim().split('\n').length
        : 0,
    letGo: (name: string) => writeFileSync(place(name, 'go'), ''),
  }
}

function claimOf(name: string, token: string, fingerprint: string | null = null): ClaimView {
  return {
    unit: { id: name, name },
    token,
    until: '2026-01-01T00:00:00.000Z',
    attempt: 1,
    why: '',
    version: null,
    fingerprint,
    fingerprintKey: 'k',
    uses: [],
    start: { lock: 'rl-1', inputs: {} },
  }
}

function progress(steps: Partial<Claims['rollout']['steps']>, ...claims: ClaimView[]): Claims {
  const none = { waiting: 0, running: 0, applied: 0, skipped: 0, failed: 0 }
  return { rollout: { id: 'ro-1', status: 'active', steps: { ...none, ...steps } }, claims }
}

const away = new TacoError('BUCKET_UNAVAILABLE', 'nobody answers')
const nothingLost = { lost: [] }
const over = progress({})

test('an engine whose step was lost is interrupted once: a second time would throw away what it made', async () => {
  let isLost = false
  const worker = atWork(['a', 'b'], ({ call }) =>
    call === 'renew' ? { lost: isLost ? ['token of a'] : [] } : over,
  )
  await Promise.all([worker.began('a'), worker.began('b')])
  isLost = true
  await vi.waitUntil(() => worker.interrupts('a') > 0, { timeout: 20_000 })
  const before = worker.renewed().length
  await vi.waitUntil(() => worker.renewed().length > before + 20, { timeout: 20_000 })
  worker.stop()
  await vi.waitUntil(() => worker.interrupts('b') > 0, { timeout: 20_000 })
  worker.letGo('a')
  worker.letGo('b')

  await worker.ended
  expect(worker.interrupts('a')).toBe(1)
  expect(worker.ends()).toEqual(['b'])
})

test('engines are interrupted once however often the worker is stopped, and again when it has to hurry', async () => {
  const worker = atWork(['a'], ({ call }) => (call === 'renew' ? nothingLost : over))
  await worker.began('a')
  worker.stop()
  await vi.waitUntil(() => worker.interrupts('a') === 1, { timeout: 20_000 })
  worker.stop()
  const before = worker.renewed().length
  await vi.waitUntil(() => worker.renewed().length > before + 20, { timeout: 20_000 })
  expect(worker.interrupts('a')).toBe(1)

  worker.hurry()
  await vi.waitUntil(() => worker.interrupts('a') === 2, { timeout: 20_000 })
  worker.letGo('a')
  await worker.ended
})

test('while a worker that cannot tell an end waits for its other engines, it keeps their claims', async () => {
  const worker = atWork(['a', 'b'], (asked) => {
    if (asked.call === 'renew') return nothingLost
    if (asked.call === 'end' && asked.unit === 'a')
      throw new TacoError('BUCKET_CORRUPT', 'the bucket is damaged')
    return over
  })
  await Promise.all([worker.began('a'), worker.began('b')])
  worker.letGo('a')
  await vi.waitUntil(() => worker.ends().length > 0, { timeout: 20_000 })
  const before = worker.renewed().length
  const isRenewed = vi.waitUntil(() => worker.renewed().length > before + 2, { timeout: 2000 })
  await isRenewed.catch(() => {}).finally(() => worker.letGo('b'))

  await expect(worker.ended).rejects.toThrow('the bucket is damaged')
  await isRenewed
  expect(worker.renewed().at(-1)).toMatchObject({ tokens: ['token of b'] })
  expect(worker.ends()).toEqual(['a', 'b'])
})

test('a server that is away for a while hears of the end later; one that stays away is given up', async () => {
  let awayUntil = 3
  const answer = ({ call }: Asked) => {
    if (call !== 'end') return nothingLost
    if (awayUntil-- > 0) throw away
    return over
  }
  const patient = atWork(['a'], answer)
  await patient.began('a')
  patient.letGo('a')
  await patient.ended
  expect(patient.ends()).toHaveLength(4)

  awayUntil = Infinity
  const vain = atWork(['a'], answer)
  await vain.began('a')
  vain.letGo('a')
  await expect(vain.ended).rejects.toThrow('nobody answers')
})

test('a worker that is told to stop still waits for the server to hear what ended, and asks for no more than it got', async () => {
  let tries = 0
  const worker = atWork(['a'], (asked) => {
    if (asked.call !== 'end') return nothingLost
    tries += 1
    if (tries === 2) worker.stop()
    if (tries < 4) throw away
    // It had heard the first time, and gave what came next.
    return tries === 4 ? progress({}, claimOf('a', 'another token')) : over
  })
  await worker.began('a')
  worker.letGo('a')

  await worker.ended
  expect(worker.told()).toMatchObject([
    { next: { most: 1 } },
    { next: { most: 1 } },
    { next: { most: 0 } },
    { next: { most: 0 } },
    { token: 'another token', end: { kind: 'returned' } },
  ])
})

test('a look without an answer is repeated as the same request, so that nothing it brought is lost', async () => {
  let looks = 0
  const worker = atWork(['a'], (asked) => {
    if (asked.call === 'renew') return nothingLost
    if (asked.call === 'claim') looks += 1
    if (looks === 1) throw away
    return progress({ waiting: 1, running: looks < 3 ? 1 : 0 })
  })
  await worker.began('a')
  worker.letGo('a')
  await worker.ended

  const requests = worker.looks().map(({ request }) => request)
  const [first, again, later] = requests
  expect(first).toMatch(/^[0-9a-f-]{36}$/)
  expect(again).toBe(first)
  expect(later).not.toBe(first)
})

test('a step that is not up to date after all is given back, and not left until its lease is over', async () => {
  const worker = atWork(['a'], (asked) => {
    if (asked.call !== 'end') return nothingLost
    const { token, end } = asked.options
    if (end.kind === 'unchanged') throw new TacoError('CONFLICT', 'its last apply had another fingerprint')
    if (end.kind !== 'applied') return over
    // Its engine leaves files at the first apply, and the same ones at the second.
    const next = token === 'second' ? claimOf('a', 'third', end.fingerprint) : claimOf('a', 'second')
    return progress({}, next)
  })
  await worker.began('a')
  worker.letGo('a')
  await worker.ended

  expect(worker.told()).toMatchObject([{}, {}, { end: { kind: 'unchanged' } }, { end: { kind: 'returned' } }])
})

test('a worker that waits for others for long says so again', async () => {
  let isOver = false
  const worker = atWork(
    ['a'],
    (asked) => {
      if (asked.call === 'renew') return nothingLost
      return progress({ waiting: 1, running: isOver ? 0 : 1 })
    },
    50,
  )
  await worker.began('a')
  worker.letGo('a')
  const isSaid = vi.waitUntil(() => worker.waits() > 2, { timeout: 20_000 })
  await isSaid.catch(() => {}).finally(() => (isOver = true))
  await worker.ended

  await expect(isSaid).resolves.toBe(true)
})

test('a worker that can only wait for others says so once', async () => {
  let looks = 0
  const worker = atWork(['a'], (asked) => {
    if (asked.call === 'renew') return nothingLost
    if (asked.call === 'claim') looks += 1
    return progress({ waiting: 1, running: looks < 3 ? 1 : 0 })
  })
  await worker.began('a')
  expect(worker.waits()).toBe(0)
  worker.letGo('a')
  await worker.ended

  expect(looks).toBe(3)
  expect(worker.waits()).toBe(1)
})
