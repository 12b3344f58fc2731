import fc from 'fast-check'
import { expect, test } from 'vitest'
import { openMemoryBucket } from '../../bucket/adapters/memory.ts'
import { LockInfo } from '../../state/index.ts'
import {
  alice,
  openEstate,
  org,
  type Outputs,
  UNITS,
  type Written,
  type Estate,
} from '../../../test/support/receipt-world.ts'

interface Step {
  readonly unit: number
  readonly other: number
  readonly value: string
}

const KEEPING = [
  'state-mv',
  'state-rm',
  'state-replace-provider',
  'taint',
  'untaint',
  'OperationTypeInvalid',
  'OperationTypeRefresh',
]

type Fresh = 'nothing' | 'what it read itself' | 'everything'

function outputsOf({ unit, value, other }: Step): Outputs {
  if (unit > 0) return { x: value }
  return { x: value, y: other % 2 === 0 ? 'a' : 'bb', z: other < 2 ? 'a' : 'bb' }
}

/** Each gives what must be fresh after it. */
const steps = {
  async apply(at: Estate, one: Step): Promise<Fresh> {
    const { unit, value, other } = one
    // What somebody fetched for any purpose since the last apply may be in a file by now, and what a plan read may be
    // in one that is applied here.
    const isCertain = !at.world(unit).hasFetched
    await at.locked(unit, 'OperationTypeApply', async (lockId) => {
      const made = await at.read(unit)
      await at.write(unit, { outputs: outputsOf(one), made }, { lockId })
      if (other % 2 === 0)
        await at.write(unit, { outputs: { ...outputsOf(one), y: value }, made }, { lockId })
    })
    at.change(unit, { hasFetched: false })
    return isCertain ? 'what it read itself' : 'nothing'
  },
  async plan(at: Estate, { unit }: Step): Promise<Fresh> {
    await at.locked(unit, 'OperationTypePlan', async () => {
      const plan = { made: await at.read(unit), serial: at.world(unit).serial }
      at.change(unit, { plan, hasFetched: true })
    })
    return 'nothing'
  },
  async planWithoutLock(at: Estate, { unit }: Step): Promise<Fresh> {
    const plan = { made: await at.read(unit), serial: at.world(unit).serial }
    at.change(unit, { plan, hasFetched: true })
    return 'nothing'
  },
  /** While somebody fetches outputs for the unit beside it. Some of what it uses is read only now. */
  async applySavedPlan(at: Estate, one: Step): Promise<Fresh> {
    const { unit, value, other } = one
    const { plan, serial } = at.world(unit)
    if (plan === undefined || plan.serial !== serial) return 'nothing'
    await at.locked(unit, 'OperationTypeApply', async (lockId) => {
      // Whoever fetches what is given as a file is believed to write it.
      if (other > 0) await at.fetch(unit, other)
      const reads = value === 'a' ? undefined : await at.read(unit)
      const deferred = reads && { deferred: new Map([...reads].filter(([up]) => up > 0)) }
      await at.write(unit, { outputs: outputsOf(one), made: plan.made, ...deferred }, { lockId })
    })
    at.change(unit, { hasFetched: false })
    return 'nothing'
  },
  /** Each of its writes takes a lock of its own. */
  async applyWithoutLock(at: Estate, one: Step): Promise<Fresh> {
    const { unit, value, other } = one
    const made = await at.read(unit)
    await at.write(unit, { outputs: outputsOf(one), made })
    if (other % 2 === 0) await at.write(unit, { outputs: { ...outputsOf(one), y: value }, made })
    at.change(unit, { hasFetched: false })
    return 'nothing'
  },
  /** `tofu state mv`, `untaint` and the like; a refresh reads first. */
  async tinker(at: Estate, { unit, other, value }: Step): Promise<Fresh> {
    const last = at.current(unit)
    if (last === undefined) return 'nothing'
    const operation = KEEPING[(other + value.length * 3) % KEEPING.length] ?? ''
    await at.locked(unit, operation, async (lockId) => {
      if (operation.startsWith('OperationType')) await at.read(unit)
      await at.write(unit, last, { lockId })
    })
    return 'nothing'
  },
  async tinkerWithoutLock(at: Estate, { unit }: Step): Promise<Fresh> {
    const last = at.current(unit)
    if (last !== undefined) await at.write(unit, last)
    return 'nothing'
  },
  /** Resources stay as they are; outputs are made from what is read now, and from the file as it is. */
  async refresh(at: Estate, one: Step): Promise<Fresh> {
    const { unit } = one
    const last = at.current(unit)
    if (last === undefined || last.outputs['x'] === one.value) return 'nothing'
    await at.locked(unit, 'OperationTypeRefresh', async (lockId) => {
      const shown = await at.read(unit)
      await at.write(unit, { ...last, outputs: { ...last.outputs, x: one.value }, shown }, { lockId })
    })
    return 'nothing'
  },
  async removeState(at: Estate, { unit }: Step): Promise<Fresh> {
    if (at.current(unit) === undefined) return 'nothing'
    await at.control.states.remove(at.ref(unit), { force: true }, alice)
    at.change(unit, { isStateless: true, plan: undefined })
    return 'nothing'
  },
  async refusedInputs(at: Estate, { unit }: Step): Promise<Fresh> {
    if (unit > 0 && at.standing(0) !== undefined) await at.takeRefused(unit)
    return 'nothing'
  },
  /** By hand, or by a project. */
  async remap(at: Estate, { unit, value }: Step): Promise<Fresh> {
    const { mapping, isSynced } = at.world(unit)
    if (unit === 0 || at.world(0).isDeleted) return 'nothing'
    if (value === 'a') at.change(unit, { mapping: mapping === 'x' ? 'z' : 'x' })
    else at.change(unit, { isSynced: !isSynced })
    if (at.standing(0) !== undefined || at.world(0).history.length === 0) await at.declare(unit)
    else at.change(unit, { mapping, isSynced })
    return 'nothing'
  },
  async push(at: Estate, { unit, other }: Step): Promise<Fresh> {
    const { history } = at.world(unit)
    const old = history[other % Math.max(history.length, 1)]
    if (old !== undefined) await at.write(unit, old, { how: 'push', force: true })
    return 'nothing'
  },
  /** Into the bucket itself: an older state, or an apply through another backend, which takes the file as it is. */
  async writeAround(at: Estate, one: Step): Promise<Fresh> {
    const { unit, other, value } = one
    const old = at.world(unit).history[other]
    const applied = { outputs: outputsOf(one), made: at.world(unit).file }
    await at.writeAround(unit, value === 'a' ? (old ?? applied) : applied)
    return 'nothing'
  },
  async rollBack(at: Estate, { unit, other }: Step): Promise<Fresh> {
    const { history, serial } = at.world(unit)
    const index = other % Math.max(history.length, 1)
    const old = history[index]
    if (old === undefined) return 'nothing'
    await at.control.versions.rollback(at.ref(unit), String(index + 1), {}, alice)
    at.change(unit, { history: [...history, old], serial: serial + 1, isStateless: false })
    return 'nothing'
  },
  async takeInputs(at: Estate, { unit }: Step): Promise<Fresh> {
    const file = await at.take(unit)
    if (file.size > 0) at.change(unit, { file, hasFetched: true })
    return 'nothing'
  },
  /** A rollout's step that holds the lock; what it was given beats any file. */
  async run(at: Estate, one: Step): Promise<Fresh> {
    const { unit, other } = one
    const run = `run-${at.clock.now()}`
    const since = at.clock.now()
    const lock = LockInfo.parse({ ID: run, Operation: 'OperationTypeApply' })
    await at.control.locks.lock(at.ref(unit), lock, {}, alice)
    const given = await at.take(unit, run)
    const made = new Map([...(await at.read(unit)), ...given])
    // Half of them have nothing to write, because nothing would become of other values.
    if (other % 2 === 0) await at.write(unit, { outputs: outputsOf(one), made }, { lockId: run })
    else at.remake(unit, made)
    await at.control.graph.applied(at.ref(unit), { run, since, fingerprint: null }, alice)
    await at.control.locks.unlock(at.ref(unit), run, alice)
    if (other % 2 === 0) at.change(unit, { hasFetched: false })
    return at.standing(unit) === undefined || at.standing(0) === undefined ? 'nothing' : 'everything'
  },
  /** One whose engine takes its own lock, with somebody else's saved plan now and then before it is told. */
  async runWithLockOfEngine(at: Estate, { unit, value, other }: Step): Promise<Fresh> {
    const run = `run-${at.clock.now()}`
    const since = at.clock.now()
    // A claim may bring a lock along, which the step lets go again.
    if (other > 1) {
      const lock = LockInfo.parse({ ID: run, Operation: 'OperationTypeApply' })
      await at.control.locks.lock(at.ref(unit), lock, {}, alice)
      await at.take(unit, run)
      await at.control.locks.unlock(at.ref(unit), run, alice)
    }
    const given = await at.take(unit, run)
    await at.locked(unit, 'OperationTypeApply', async (lockId) => {
      const made = new Map([...(await at.read(unit)), ...given])
      await at.write(unit, { outputs: outputsOf({ unit, value, other }), made }, { lockId })
    })
    at.change(unit, { hasFetched: false })
    if (other === 0) await steps.planAndApply(at, { unit, value, other })
    await at.control.graph.applied(at.ref(unit), { run, since, fingerprint: null }, alice)
    return other === 0 || at.standing(0) === undefined ? 'nothing' : 'everything'
  },
  /** One that is given its inputs and gets no further: its plan fails, or its worker is killed. */
  async runCutShort(at: Estate, { unit, other }: Step): Promise<Fresh> {
    const run = `run-${at.clock.now()}`
    const lock = LockInfo.parse({ ID: run, Operation: 'OperationTypeApply' })
    if (other % 2 === 0) await at.control.locks.lock(at.ref(unit), lock, {}, alice)
    await at.take(unit, run)
    if (other % 2 === 0) await at.control.locks.unlock(at.ref(unit), run, alice)
    return 'nothing'
  },
  async planAndApply(at: Estate, one: Step): Promise<Fresh> {
    await steps.plan(at, one)
    return steps.applySavedPlan(at, one)
  },
  async rename(at: Estate, { unit }: Step): Promise<Fresh> {
    const name = `${at.world(unit).name}x`
    await at.control.units.rename(at.ref(unit), name, alice)
    at.change(unit, { name })
    return 'nothing'
  },
  async remove(at: Estate, { unit }: Step): Promise<Fresh> {
    await at.control.units.remove(at.ref(unit), { force: true }, alice)
    at.change(unit, { isDeleted: true })
    return 'nothing'
  },
}

/** A unit comes back with its last state, even if the state was deleted before the unit was. */
async function restore(at: Estate, unit: number): Promise<void> {
  await at.control.units.restore(at.ref(unit), {}, alice)
  const { history } = at.world(unit)
  const last = history.at(-1)
  at.change(unit, {
    isDeleted: false,
    isStateless: last === undefined,
    history: last === undefined ? history : [...history, last],
  })
}

const kinds = Object.keys(steps) as (keyof typeof steps)[]
const step: fc.Arbitrary<Step & { readonly kind: keyof typeof steps }> = fc.record({
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.constant('apply' as const) },
    { weight: 3, arbitrary: fc.constantFrom('plan' as const, 'applySavedPlan' as const) },
    { weight: 6, arbitrary: fc.constantFrom(...kinds) },
  ),
  // Most happens to two that use each other, so that something comes of it.
  unit: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(1, 2) },
    { weight: 1, arbitrary: fc.nat(UNITS - 1) },
  ),
  other: fc.nat(UNITS - 1),
  value: fc.constantFrom('a', 'bb'),
})

/** A run is given what stands, and then somebody applies with a file that is older than what the run was given. */
function olderFile(run: 'run' | 'runCutShort', last: 'apply' | 'applyWithoutLock' | 'writeAround') {
  const story = [
    ['apply', 0, 'a'],
    ['takeInputs', 1, 'a'],
    ['apply', 1, 'a'],
    ['apply', 0, 'bb'],
    [run, 1, 'a'],
    [last, 1, 'bb'],
  ] as const
  return story.map(([kind, unit, value]) => ({ kind, unit, value, other: 0 }))
}

type States = readonly (Written | undefined)[]

function statesOf(at: Estate): States {
  return Array.from({ length: UNITS }, (_, i) => at.current(i))
}

/** Whoever is said to be up to date has a state, and all of it was made from what was current then. */
function checkTrue(
  at: Estate,
  nodes: readonly { readonly name: string; readonly status: string }[],
  states: States,
  when: string,
): void {
  for (const [unit, state] of states.entries()) {
    const { name } = at.world(unit)
    if (nodes.find((one) => one.name === name)?.status !== 'up-to-date') continue
    expect(state, `${name} is said to be up to date ${when}, and has no state`).toBeDefined()
    for (const made of [state?.made, state?.deferred, state?.shown])
      for (const [up, values] of made ?? []) {
        const outputs = states[up]?.outputs
        const current = up === 0 ? at.given(unit, outputs) : outputs
        expect(current, `${name} is said to be up to date ${when}, and was made from ${up}`).toEqual(values)
      }
  }
}

async function check(at: Estate, { unit }: Step, fresh: Fresh): Promise<void> {
  const { nodes, edges } = await at.graph.view({ org }, alice)
  checkTrue(at, nodes, statesOf(at), 'now')
  const node = nodes.find(({ name }) => name === at.world(unit).name)
  if (fresh === 'nothing' || node === undefined) return
  // An engine cannot read a unit without a state, so what was read of it before still counts.
  const readable = new Set(
    statesOf(at).flatMap((state, i) => (state === undefined ? [] : [at.world(i).name])),
  )
  const used = edges.filter(
    ({ from, name }) =>
      from === node.id && readable.has(name) && (fresh === 'everything' || name !== at.world(0).name),
  )
  expect(used.map(({ state }) => state)).toEqual(used.map(() => 'fresh'))
}

type Told = readonly [kind: keyof typeof steps, unit: number, value: string]

function story(...told: readonly Told[]): [(Step & { readonly kind: keyof typeof steps })[]] {
  return [told.map(([kind, unit, value]) => ({ kind, unit, value, other: kind === 'apply' ? 3 : 0 }))]
}

const APPLIED: readonly Told[] = [
  ['apply', 0, 'a'],
  ['takeInputs', 1, 'a'],
  ['apply', 1, 'a'],
]
const BOTH_APPLIED: readonly Told[] = [...APPLIED, ['takeInputs', 2, 'a'], ['apply', 2, 'a']]

const EXAMPLES: [(Step & { readonly kind: keyof typeof steps })[]][] = [
  [olderFile('run', 'applyWithoutLock')],
  [olderFile('run', 'writeAround')],
  [olderFile('runCutShort', 'apply')],
  [olderFile('runCutShort', 'applyWithoutLock')],
  // Written for known bugs: chance rarely finds them within the runs of this test.
  story(...APPLIED, ['apply', 0, 'bb'], ['refusedInputs', 1, 'a'], ['apply', 1, 'a']),
  story(...APPLIED, ['remap', 1, 'a']),
  story(...BOTH_APPLIED, ['apply', 1, 'bb'], ['refresh', 2, 'bb'], ['apply', 1, 'a']),
  story(...BOTH_APPLIED, ['plan', 2, 'a'], ['apply', 1, 'bb'], ['applySavedPlan', 2, 'bb']),
  story(...APPLIED, ['apply', 1, 'a'], ['removeState', 1, 'a'], ['apply', 1, 'a']),
]

test(
  'no unit is up to date that was made from other values, and none is stale after a plain apply',
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40, size: 'max' }), async (all) => {
        const at = await openEstate(openMemoryBucket())
        const past: { readonly time: number; readonly states: States }[] = []
        for (const one of all) {
          if (at.world(one.unit).isDeleted) await restore(at, one.unit)
          else await check(at, one, await steps[one.kind](at, one))
          past.push({ time: at.clock.now(), states: statesOf(at) })
        }
        // A few times are enough of each history: every look at the past reads it all.
        for (const { time, states } of past.filter((_, i) => i % 8 === 4)) {
          const { nodes } = await at.graph.view({ org, at: time }, alice)
          checkTrue(at, nodes, states, `at ${time}`)
        }
        await at.control.close()
      }),
      { numRuns: Number(process.env['RUNS'] ?? 80), examples: EXAMPLES },
    )
  },
)
