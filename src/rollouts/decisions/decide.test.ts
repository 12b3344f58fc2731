import { expect, test } from 'vitest'
import type { GraphFacts } from '../../state/index.ts'
import { decideAll, type FreshFacts, usedIds, usesOf, verdictOn } from './decide.ts'
import type { Rollout, Step } from '../model.ts'
import { dependsOn, factsOf, headOf, readOf } from '../../../test/support/graph.ts'

function knowing(units: readonly GraphFacts[], doubted?: string) {
  const loaded: string[] = []
  const facts: FreshFacts = {
    load: (ids) => Promise.resolve(void loaded.push(...ids)),
    of: (id) => (loaded.includes(id) ? units.find((one) => one.id === id) : undefined),
    doubt: (id) => (id === doubted ? 'ro-9' : undefined),
  }
  return { facts, loaded }
}

const step = (name: string, needs: readonly string[] = []): Step => ({
  unit: { id: name, name },
  needs: [...needs],
  isRoot: false,
  status: 'waiting',
  attempts: 0,
})

function rollout(...steps: Step[]): Rollout {
  return {
    v: 1,
    rev: 1,
    nonce: 'n',
    id: 'ro-1',
    org: 'default',
    createdAt: 0,
    by: 'alice',
    status: 'active',
    roots: [],
    outbox: [],
    steps,
  }
}

const net = factsOf('net', { head: headOf({ vpc: 'd1', cidr: 'd2' }, 4) })
const app = factsOf('app', {
  head: headOf({ url: 'd3' }),
  dependencies: [dependsOn('net', ['vpc'])],
  reads: [readOf('net', { vpc: 'd1' }, { names: ['vpc'] })],
})
const web = factsOf('web', {
  head: headOf({}),
  dependencies: [dependsOn('app', ['url'])],
  reads: [readOf('app', { url: 'd3' }, { names: ['url'] })],
})

test('a whole branch is skipped at once, each step by the outputs of what it uses', async () => {
  const { facts, loaded } = knowing([net, app, web])

  const decided = await decideAll(rollout(step('app'), step('web', ['app'])), facts, 5)

  expect(decided).toMatchObject({
    status: 'done',
    steps: [
      { status: 'skipped', proof: { upstream: [{ unit: { id: 'net' }, outputs: { vpc: 'd1' } }] } },
      { status: 'skipped', proof: { upstream: [{ unit: { id: 'app' }, outputs: { url: 'd3' } }] } },
    ],
  })
  expect(loaded).toEqual(['app', 'net', 'web', 'app'])
})

test('a unit that was deleted is no reason to skip its step', async () => {
  const decided = await decideAll(rollout(step('gone'), step('web', ['gone'])), knowing([]).facts, 5)

  expect(decided.steps).toMatchObject([{ status: 'waiting', due: 'it is gone' }, { status: 'waiting' }])
  expect(decided.steps[1]?.due).toBeUndefined()
})

test.each(['paused', 'cancelled', 'done'] as const)('nothing is decided while it is %s', async (status) => {
  const before = { ...rollout(step('app')), status }
  const { facts, loaded } = knowing([net, app])

  expect(await decideAll(before, facts, 5)).toBe(before)
  expect(loaded).toEqual([])
})

test('a damaged rollout that may have left a unit half applied is a reason to run it, and not the only one', () => {
  const { facts } = knowing([net, app], 'app')
  void facts.load(['net', 'app'])
  const changed = factsOf('app', { ...app, reads: [readOf('net', { vpc: 'old' }, { names: ['vpc'] })] })

  expect(verdictOn(app, facts)).toEqual({
    kind: 'run',
    why: 'the rollout ro-9 cannot be read, and may have left it half applied',
  })
  expect(verdictOn(changed, facts)).toEqual({ kind: 'run', why: 'net changed vpc at commit 4' })
  expect(verdictOn(factsOf('app', { ...app, id: 'other' }), facts)).toMatchObject({ kind: 'skip' })
})

test('what a unit uses is the outputs upstream as they are now, and only those that it names', () => {
  const all = factsOf('all', {
    dependencies: [
      dependsOn('net', null),
      dependsOn('gone', null),
      dependsOn('bare', null),
      dependsOn('sealed', null),
    ],
  })
  const { facts } = knowing([
    net,
    factsOf('bare', { head: null }),
    factsOf('sealed', { head: { commit: 7, version: 'sv-7', at: 0, by: 'alice', who: null, outputs: null } }),
  ])
  void facts.load(['net', 'gone', 'bare', 'sealed'])
  const ref = (name: string) => ({ id: name, name })

  expect(usesOf(app, facts)).toEqual([
    { unit: ref('net'), commit: 4, outputs: { vpc: 'd1' }, inputs: { vpc: 'vpc' } },
  ])
  expect(usesOf(all, facts)).toEqual([
    { unit: ref('net'), commit: 4, outputs: { vpc: 'd1', cidr: 'd2' }, inputs: {} },
    { unit: ref('bare'), commit: 0, outputs: {}, inputs: {} },
    { unit: ref('sealed'), commit: 7, outputs: {}, inputs: {} },
  ])
  expect(usedIds(app)).toEqual(['net'])
  expect(usedIds(undefined)).toEqual([])
})
