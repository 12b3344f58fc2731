import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { TacoError } from '../base/errors.ts'
import { readProject } from '../project/index.ts'
import type { Client } from '../entry/cli/api/client.ts'
import { unreachable } from '../entry/cli/terminal/exit-codes.ts'
import { noRunToken } from './run-token.ts'
import { testWorld } from '../../test/support/cli.ts'
import { work } from './worker.ts'

/** Counts its interrupts, as only an engine that ends in order can, and ends when it is let go. */
const ENGINE = `#!/bin/sh
trap 'echo interrupted >> ints' INT
touch began
until [ -e go ]; do sleep 0.02; done
`

interface Asked {
  readonly path: string
  readonly json: unknown
}

/** A worker with a step of each unit, whose engines go on until they are let go, and a server as the test says. */
function atWork(names: readonly string[], answer: (asked: Asked) => unknown, sayEveryMs = 60_000) {
  const world = testWorld()
  onTestFinished(world.dispose)
  const program = join(world.cwd, 'engine')
  writeFileSync(program, ENGINE)
  chmodSync(program, 0o755)
  for (const name of names) {
    mkdirSync(join(world.cwd, name, '.terraform'), { recursive: true })
    writeFileSync(join(world.cwd, name, 'main.tf'), 'terraform {\n  backend "http" {}\n}\n')
  }
  const file = join(world.cwd, 'taco.yaml')
  const project = readProject(`units: {${names.map((name) => `${name}: {}`).join(', ')}}`, file)
  const asked: Asked[] = []
  const said: string[] = []
  let waits = 0
  const client: Client = {
    label: 'test',
    send: () => Promise.reject(new Error('not asked for')),
    json(_method, path, options) {
      const one = { path, json: options?.json }
      asked.push(one)
      return Promise.resolve().then(() => answer(one))
    },
    serverTime: () => undefined,
    close: () => {},
  }
  const ended = work(
    {
      world: { ...world, now: () => Date.now() },
      client,
      org: 'default',
      repository: {
        project,
        file,
        root: world.cwd,
        folders: new Set(project.units.map(({ dir }) => join(world.cwd, dir))),
        unit: (name) => project.units.find((unit) => unit.name === name),
      },
      engines: { find: () => program, version: () => Promise.resolve('1'), foresee: () => {} },
      backend: { url: 'http://127.0.0.1:1', env: {}, takeToken: () => Promise.resolve(noRunToken) },
      rollout: 'ro-1',
      leaseMs: 60_000,
      jobs: names.length,
      separatePlan: false,
      skips: true,
      colour: false,
      say: (_, line) => void said.push(line),
    },
    {
      name: 'w',
      jobs: names.length,
      renewEveryMs: 10,
      lookEveryMs: 10,
      patienceMs: 300,
      sayEveryMs,
      onStart: () => {},
      onEnd: () => {},
      onWait: () => (waits += 1),
    },
    {
      rollout: { status: 'active', steps: { waiting: 0, running: names.length } },
      claims: names.map((name) => claimOf(name, `token of ${name}`)),
    },
  )
  const place = (name: string, what: string) => join(world.cwd, name, what)
  return {
    ended,
    signal: world.signal,
    said,
    waits: () => waits,
    ends: () => asked.flatMap(({ path }) => (path.endsWith('/end') ? [path] : [])),
    looks: () => asked.flatMap(({ path, json }) => (path.endsWith('/claims') ? [json] : [])),
    told: () => asked.flatMap(({ path, json }) => (path.endsWith('/end') ? [json] : [])),
    renewed: () => asked.filter(({ path }) => path.endsWith('/renew')),
    began: (name: string) => vi.waitUntil(() => existsSync(place(name, 'began')), { timeout: 20_000 }),
    interrupts: (name: string) =>
      existsSync(place(name, 'ints'))
        ? readFileSync(place(name, 'ints'), 'utf8').trim().split('\n').length
        : 0,
    letGo: (name: string) => writeFileSync(place(name, 'go'), ''),
  }
}

function claimOf(name: string, token: string) {
  const start = { lock: 'rl-1', inputs: {} }
  const rest = { attempt: 1, why: '', version: null, fingerprint: null, fingerprintKey: 'k', uses: [], start }
  return { unit: { id: name, name }, token, ...rest }
}

const over = { rollout: { status: 'active', steps: { waiting: 0, running: 0 } }, claims: [] }

test('an engine whose step was lost is interrupted once: a second time would throw away what it made', async () => {
  let isLost = false
  const worker = atWork(['a', 'b'], ({ path }) =>
    path.endsWith('/renew') ? { lost: isLost ? ['token of a'] : [] } : over,
  )
  await Promise.all([worker.began('a'), worker.began('b')])
  isLost = true
  await vi.waitUntil(() => worker.interrupts('a') > 0, { timeout: 20_000 })
  const before = worker.renewed().length
  await vi.waitUntil(() => worker.renewed().length > before + 20, { timeout: 20_000 })
  worker.signal('SIGTERM')
  await vi.waitUntil(() => worker.interrupts('b') > 0, { timeout: 20_000 })
  worker.letGo('a')
  worker.letGo('b')

  expect(await worker.ended).toBe('SIGTERM')
  expect(worker.interrupts('a')).toBe(1)
  expect(worker.ends()).toEqual(['/v1/rollouts/ro-1/steps/b/end'])
})

test('signals of different kinds are one interrupt, and Ctrl-C pressed again is another', async () => {
  const worker = atWork(['a'], ({ path }) => (path.endsWith('/renew') ? { lost: [] } : over))
  await worker.began('a')
  worker.signal('SIGINT')
  await vi.waitUntil(() => worker.interrupts('a') === 1, { timeout: 20_000 })
  worker.signal('SIGTERM')
  worker.signal('SIGHUP')
  const before = worker.renewed().length
  await vi.waitUntil(() => worker.renewed().length > before + 20, { timeout: 20_000 })
  expect(worker.interrupts('a')).toBe(1)

  worker.signal('SIGINT')
  await vi.waitUntil(() => worker.interrupts('a') === 2, { timeout: 20_000 })
  worker.letGo('a')
  expect(await worker.ended).toBe('SIGINT')
})

test('Ctrl-C pressed twice is urgent whatever signal came before', async () => {
  const worker = atWork(['a'], ({ path }) => (path.endsWith('/renew') ? { lost: [] } : over))
  await worker.began('a')
  worker.signal('SIGTERM')
  await vi.waitUntil(() => worker.interrupts('a') === 1, { timeout: 20_000 })
  worker.signal('SIGINT')
  const before = worker.renewed().length
  await vi.waitUntil(() => worker.renewed().length > before + 20, { timeout: 20_000 })
  expect(worker.interrupts('a')).toBe(1)

  worker.signal('SIGINT')
  const isHeard = vi.waitUntil(() => worker.interrupts('a') === 2, { timeout: 5000 })
  await isHeard.catch(() => {}).finally(() => worker.letGo('a'))
  await isHeard
  expect(await worker.ended).toBe('SIGTERM')
})

test('while a worker that cannot tell an end waits for its other engines, it keeps their claims', async () => {
  const worker = atWork(['a', 'b'], ({ path }) => {
    if (path.endsWith('/renew')) return { lost: [] }
    if (path.includes('/a/')) throw new TacoError('BUCKET_CORRUPT', 'the bucket is damaged')
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
  expect(worker.renewed().at(-1)?.json).toMatchObject({ tokens: ['token of b'] })
  expect(worker.ends()).toEqual(['/v1/rollouts/ro-1/steps/a/end', '/v1/rollouts/ro-1/steps/b/end'])
})

test('a server that is away for a while hears of the end later; one that stays away is given up', async () => {
  let awayUntil = 3
  const answer = ({ path }: Asked) => {
    if (!path.endsWith('/end')) return { lost: [] }
    if (awayUntil-- > 0) throw unreachable('nobody answers', 'is it running?', undefined)
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
  const worker = atWork(['a'], ({ path }) => {
    if (!path.endsWith('/end')) return { lost: [] }
    tries += 1
    if (tries === 2) worker.signal('SIGTERM')
    if (tries < 4) throw unreachable('nobody answers', 'is it running?', undefined)
    // It had heard the first time, and gave what came next.
    return tries === 4 ? { ...over, claims: [claimOf('a', 'another token')] } : over
  })
  await worker.began('a')
  worker.letGo('a')

  expect(await worker.ended).toBe('SIGTERM')
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
  const worker = atWork(['a'], ({ path }) => {
    if (path.endsWith('/renew')) return { lost: [] }
    if (path.endsWith('/claims')) looks += 1
    if (looks === 1) throw unreachable('nobody answers', 'is it running?', undefined)
    return { rollout: { status: 'active', steps: { waiting: 1, running: looks < 3 ? 1 : 0 } }, claims: [] }
  })
  await worker.began('a')
  worker.letGo('a')
  await worker.ended

  const requests = worker.looks().map((json) => (json as { request: string }).request)
  const [first, again, later] = requests
  expect(first).toMatch(/^[0-9a-f-]{36}$/)
  expect(again).toBe(first)
  expect(later).not.toBe(first)
})

test('a step that is not up to date after all is given back, and not left until its lease is over', async () => {
  const worker = atWork(['a'], ({ path, json }) => {
    if (path.endsWith('/renew')) return { lost: [] }
    const { token, end } = json as { token: string; end: { kind: string; fingerprint?: string } }
    if (end.kind === 'unchanged') throw new TacoError('CONFLICT', 'its last apply had another fingerprint')
    if (end.kind === 'returned') return over
    // Its engine leaves files at the first apply, and the same ones at the second.
    const third = { ...claimOf('a', 'third'), fingerprint: end.fingerprint }
    return { ...over, claims: [token === 'second' ? third : claimOf('a', 'second')] }
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
    ({ path }) => {
      if (path.endsWith('/renew')) return { lost: [] }
      return { rollout: { status: 'active', steps: { waiting: 1, running: isOver ? 0 : 1 } }, claims: [] }
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
  const worker = atWork(['a'], ({ path }) => {
    if (path.endsWith('/renew')) return { lost: [] }
    if (path.endsWith('/claims')) looks += 1
    return { rollout: { status: 'active', steps: { waiting: 1, running: looks < 3 ? 1 : 0 } }, claims: [] }
  })
  await worker.began('a')
  expect(worker.waits()).toBe(0)
  worker.letGo('a')
  await worker.ended

  expect(looks).toBe(3)
  expect(worker.waits()).toBe(1)
})
