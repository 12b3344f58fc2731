import { basename, relative, resolve } from 'node:path'
import { TacoError, isTacoError, messageOf } from '../base/errors.ts'
import { nearest } from '../base/text/nearest.ts'
import { type Engine, backendKind, errorOf } from '../engines/index.ts'
import type { ProjectUnit } from '../project/index.ts'
import { fingerprintOf, isOfConfiguration } from './index.ts'
import { unitPath } from '../entry/cli/api/client.ts'
import type { Client } from '../entry/cli/api/client.ts'
import { applyUnit } from './host/engine-run.ts'
import type { Engines } from './host/engine-run.ts'
import { isAway } from '../entry/cli/terminal/exit-codes.ts'
import { type EngineLeft, engineLeft, hasUnstored, unstored } from './host/left-engine.ts'
import type { ClaimAnswer } from '../entry/cli/api/rollout-answers.ts'
import { startAnswer } from '../entry/cli/api/rollout-answers.ts'
import type { RunBackend } from '../entry/cli/api/run-backend.ts'
import { during } from './run-token.ts'
import { check } from '../entry/cli/api/check-answer.ts'
import { printOf } from './unit-fingerprint.ts'
import { stepEnv, variablesText } from './step-env.ts'
import { readUnitFiles } from './host/unit-files.ts'
import { isFolder } from '../entry/cli/config/open-repository.ts'
import type { Repository } from '../entry/cli/config/open-repository.ts'
import type { World } from '../entry/cli/world.ts'

/** What all steps of a worker share. */
export interface Bench {
  readonly world: World
  readonly client: Client
  readonly org: string
  readonly repository: Repository
  readonly engines: Engines
  readonly backend: Pick<RunBackend, 'url' | 'env' | 'takeToken'>
  readonly rollout: string
  readonly leaseMs: number
  /** How long a step waits for a lock that somebody else holds. Undefined: for two leases, and for an engine that was left at work as long as it takes. */
  readonly lockTimeoutMs?: number | undefined
  /** Steps at once. */
  readonly jobs: number
  readonly separatePlan: boolean
  /** False: apply even what is proven to be up to date. */
  readonly skips: boolean
  readonly colour: boolean
  say(unit: string, line: string): void
}

/** One step in the hands of this worker. */
export interface Hold {
  readonly claim: ClaimAnswer
  engine: Engine | undefined
  /** Its engine was told to apply, so the unit may be half applied. */
  isBegun: boolean
  /** Its engine locks by itself. */
  hasOwnLock: boolean
  isStopping: boolean
  /** Others have it: nothing may be said about it any more. */
  isLost: boolean
}

export type StepEnd =
  | { readonly kind: 'applied'; readonly fingerprint: string | null; readonly engineMs: number }
  | {
      readonly kind: 'failed'
      readonly reason: string
      readonly exitCode: number
      readonly engineMs: number
      readonly begun: boolean
    }
  | { readonly kind: 'unchanged'; readonly fingerprint: string }
  | { readonly kind: 'returned'; readonly begun?: boolean }

/** Carries a claimed step out; failures are an end like others. */
export async function runStep(bench: Bench, hold: Hold): Promise<StepEnd> {
  try {
    return await carryOut(bench, hold)
  } catch (error) {
    if (hold.isStopping) return { kind: 'returned', begun: hold.isBegun }
    return failed(error, hold.isBegun)
  }
}

function failed(error: unknown, begun: boolean) {
  const hint = isTacoError(error) && error.hint !== undefined ? ` (${error.hint})` : ''
  const reason = `${messageOf(error)}${hint}`.slice(0, 1500)
  return { kind: 'failed' as const, reason, exitCode: 1, engineMs: 0, begun }
}

async function carryOut(bench: Bench, hold: Hold): Promise<StepEnd> {
  const { claim } = hold
  const { repository, engines, world } = bench
  const unit = unitNamed(repository, claim.unit.name)
  const folder = folderOf(repository, unit)
  const program = engines.find(unit)
  const files = readUnitFiles(repository, unit)
  const print = printOf(files, unit, { env: world.env, uses: claim.uses, key: claim.fingerprintKey })
  if (print === null) bench.say(unit.name, `nothing proves it up to date: ${files.hidden[0]} cannot be read`)
  const last = bench.skips && print !== null ? claim.fingerprint : null
  if (print !== null && last !== null && isOfConfiguration(last, print)) {
    const fingerprint = fingerprintOf(print, await engines.version(program))
    if (last === fingerprint) return { kind: 'unchanged', fingerprint }
  }
  const kind = backendKind(files.code)
  if (kind === 'none') throw noBackend(unit)
  const left = () =>
    unstored(
      unit.name,
      relative(world.cwd, folder),
      unit.engine ?? world.env['TACO_ENGINE'] ?? basename(program),
    )
  await untilEngineEnded(bench, hold, folder)
  if (hold.isStopping) return { kind: 'returned' }
  if (hasUnstored(folder)) return failed(left(), true)
  hold.hasOwnLock = kind === 'own'
  const isBegun = claim.start !== null && !hold.hasOwnLock
  const { lock, inputs } = isBegun ? claim.start : await begin(bench, hold, !hold.hasOwnLock)
  const run = await untilItPasses(bench, hold, () =>
    bench.backend.takeToken(claim.unit.id, (line) => bench.say(unit.name, line)),
  )
  if (hold.isStopping) {
    await run.end()
    return { kind: 'returned' }
  }
  const end = await during(run, () =>
    applyUnit({
      program,
      folder,
      env: stepEnv(world, bench.backend, {
        org: bench.org,
        // By id: a name may be another unit's by now.
        unit: claim.unit.id,
        token: run.token,
        lock,
        jobs: bench.jobs,
      }),
      varFiles: unit.varFiles,
      variables: variablesText(unit.variables, inputs),
      separatePlan: bench.separatePlan,
      colour: bench.colour,
      ownGroup: true,
      onLine: (line) => bench.say(unit.name, line),
      onEngine: (engine, command) => {
        hold.engine = engine
        hold.isBegun = command === 'apply'
        // Told to stop just when the command before had ended.
        if (hold.isStopping) engine.signal('SIGINT')
      },
    }),
  )
  const { exitCode, engineMs } = end
  if (exitCode === 0) {
    // It did its work: that it does not say its version costs the next rollout a proof, no more.
    const version = await engines.version(program).catch(() => undefined)
    const fingerprint = version === undefined || print === null ? null : fingerprintOf(print, version)
    return { kind: 'applied', fingerprint, engineMs }
  }
  const begun = hold.isBegun
  if (hasUnstored(folder)) return { ...failed(left(), true), exitCode, engineMs }
  if (hold.isStopping) return { kind: 'returned', begun }
  return { kind: 'failed', reason: errorOf(end.output), exitCode, engineMs, begun }
}

/** A worker that was killed leaves its engine, which has yet to store what it made. It holds the lock meanwhile. */
async function untilEngineEnded(bench: Bench, hold: Hold, folder: string): Promise<void> {
  let told = false
  const until = bench.world.now() + (bench.lockTimeoutMs ?? Infinity)
  for (;;) {
    const left = engineLeft(folder, bench.world.env)
    if (left === undefined || hold.isStopping) return
    if (left.kind !== 'elsewhere' && bench.world.now() >= until)
      throw stillLeft(hold.claim.unit.name, left.pid)
    if (!told) bench.say(hold.claim.unit.name, saysLeft(left))
    told = true
    if (left.kind === 'elsewhere') return
    await new Promise((done) => setTimeout(done, Math.min(500, bench.leaseMs / 4)))
  }
}

function stillLeft(unit: string, pid: number): TacoError {
  return new TacoError(
    'CONFLICT',
    `the engine of an earlier worker (process ${pid}) is still at work on ${unit}`,
    {
      hint: 'Wait until it ends, then resume the rollout; --lock-timeout sets how long a step waits.',
    },
  )
}

function saysLeft(left: EngineLeft): string {
  switch (left.kind) {
    case 'running':
      return `waiting: the engine of an earlier worker (process ${left.pid}) is still at work`
    case 'perhaps':
      return `waiting: process ${left.pid} may be the engine of an earlier worker; if it is not, remove ${left.note}`
    default:
      return `an earlier worker may have left its engine at work on ${left.host} (process ${left.pid}): that cannot be seen from here`
  }
}

async function begin(bench: Bench, hold: Hold, lock: boolean) {
  const { client, leaseMs } = bench
  const { token, unit } = hold.claim
  const path = stepPath(bench.rollout, unit.id, 'begin')
  const send = () => client.json('POST', path, { json: { token, leaseMs, lock } })
  return check(startAnswer, await untilItPasses(bench, hold, send))
}

/** Somebody may be at work on the unit by hand, or the server away; that ends, as a rule. */
async function untilItPasses<T>(bench: Bench, hold: Hold, ask: () => Promise<T>): Promise<T> {
  const { leaseMs, world } = bench
  const { unit } = hold.claim
  const until = world.now() + (bench.lockTimeoutMs ?? 2 * leaseMs)
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      const mayPass = isTacoError(error, 'LOCKED') || isAway(error)
      if (!mayPass || hold.isStopping || world.now() >= until) throw error
      bench.say(unit.name, `waiting: ${messageOf(error)}`)
      await new Promise((done) => setTimeout(done, Math.min(1000, leaseMs / 4)))
    }
  }
}

export function stepPath(rollout: string, unit: string, what: string): string {
  return `/v1/rollouts/${encodeURIComponent(rollout)}/steps/${unitPath(unit).split('/').at(-1) ?? ''}/${what}`
}

export function unitNamed({ unit, project }: Repository, name: string): ProjectUnit {
  const found = unit(name)
  if (found !== undefined) return found
  const guess = nearest(
    name,
    project.units.map((one) => one.name),
  )
  const hint = project.units.length === 0 ? 'it names no units at all' : 'add it, or work where it is named'
  throw new TacoError('NOT_FOUND', `taco.yaml does not say in which folder ${name} is`, {
    facts: { unit: name, ...(guess === undefined ? {} : { nearest: guess }) },
    hint: guess === undefined ? hint : `did you mean ${guess}?`,
  })
}

/** The unit's folder, absolute. */
export function folderOf({ root }: Repository, { name, dir }: ProjectUnit): string {
  const folder = resolve(root, dir)
  if (isFolder(folder)) return folder
  throw new TacoError('NOT_FOUND', `there is no folder ${dir}, which taco.yaml names for ${name}`, {
    facts: { unit: name, dir },
    hint: 'correct `dir` in taco.yaml, or bring the folder here',
  })
}

function noBackend({ name }: ProjectUnit): TacoError {
  return new TacoError('CONFLICT', `the code of ${name} keeps its state on this disk`, {
    hint: `run \`taco backend ${name} --write\` in its folder; \`taco state push ${name} terraform.tfstate\` takes over what is there`,
  })
}
