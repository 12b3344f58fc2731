import { basename, relative } from 'node:path'
import { TacoError, isTacoError, messageOf } from '../base/errors.ts'
import { type Engine, backendKind, errorOf } from '../engines/index.ts'
import type { ProjectUnit } from '../project/index.ts'
import type { ClaimView, StepEnd } from '../rollouts/index.ts'
import { fingerprintOf, isOfConfiguration } from './fingerprint.ts'
import { applyUnit } from './host/engine-run.ts'
import { engineLeft, hasUnstored, unstored } from './host/left-engine.ts'
import type { RunFolder } from './host/run-folder.ts'
import { folderOf, readUnitFiles } from './host/unit-files.ts'
import type { RunnerNeeds, RunnerOptions } from './needs.ts'
import { patiently } from './patience.ts'
import { unitNamed } from './repository.ts'
import { type RunToken, during, takeRunToken } from './run-token.ts'
import { variableFiles, variablesOfEnv } from './run-variables.ts'
import { stepEnv } from './step-env.ts'
import { printOf } from './unit-fingerprint.ts'

/** A claimed step while this worker has it. */
export interface Hold {
  readonly claim: ClaimView
  engine: Engine | undefined
  /** Its engine was started to apply, so the unit may be half applied. */
  isBegun: boolean
  /** Its engine locks by itself. */
  hasOwnLock: boolean
  isStopping: boolean
  /** Another worker has it: nothing more is reported about it. */
  isLost: boolean
}

/** What all steps of a worker share. */
export interface StepNeeds extends RunnerNeeds {
  readonly runFolder: RunFolder
}

/** Runs a claimed step; a failure is an end like others. */
export async function runStep(needs: StepNeeds, options: RunnerOptions, hold: Hold): Promise<StepEnd> {
  try {
    return await carryOut(needs, options, hold)
  } catch (error) {
    if (hold.isStopping) return { kind: 'returned', begun: hold.isBegun }
    return failed(error, hold.isBegun)
  }
}

function failed(error: unknown, begun: boolean) {
  const hint = isTacoError(error) && error.hint !== undefined ? ` ${error.hint}` : ''
  const reason = `${messageOf(error)}${hint}`.slice(0, 1500)
  return { kind: 'failed' as const, reason, exitCode: 1, engineMs: 0, begun }
}

async function carryOut(needs: StepNeeds, options: RunnerOptions, hold: Hold): Promise<StepEnd> {
  const { claim } = hold
  const { repository, engines, machine, report } = needs
  const unit = unitNamed(repository, claim.unit.name)
  const folder = folderOf(repository, unit)
  const program = engines.find(unit)
  const files = readUnitFiles(repository, unit)
  const given = await untilItPasses(needs, options, hold, () => needs.api.variables(claim.unit.id))
  const print = printOf(files, unit, {
    env: machine.env,
    uses: claim.uses,
    given: given.print,
    key: claim.fingerprintKey,
  })
  const [path] = files.hidden
  if (path !== undefined) report({ kind: 'unproven', unit: unit.name, path })
  const last = options.skips ? claim.fingerprint : null
  if (print !== null && last !== null && isOfConfiguration(last, print)) {
    const fingerprint = fingerprintOf(print, await engines.version(program))
    if (last === fingerprint) return { kind: 'unchanged', fingerprint }
  }
  const kind = backendKind(files.code)
  if (kind === 'none') throw noBackend(unit)
  await untilEngineEnded(needs, options, hold, folder)
  if (hold.isStopping) return { kind: 'returned' }
  const left = () =>
    unstored(
      unit.name,
      relative(machine.cwd, folder),
      unit.engine ?? machine.env['TACO_ENGINE'] ?? basename(program),
    )
  if (hasUnstored(folder)) return failed(left(), true)
  hold.hasOwnLock = kind === 'own'
  const { lock, inputs } = await begin(needs, options, hold)
  const run = await takeToken(needs, options, hold)
  if (hold.isStopping) {
    await run.end()
    return { kind: 'returned' }
  }
  const end = await during(run, () =>
    applyUnit({
      program,
      folder,
      env: stepEnv(machine, needs.backend, {
        org: options.org,
        // By id: a name may be another unit's by now.
        unit: claim.unit.id,
        token: run.token,
        lock,
        jobs: options.jobs,
        variables: variablesOfEnv(given.items),
      }),
      runFolder: needs.runFolder,
      varFiles: unit.varFiles,
      variables: variableFiles(unit.variables, given.items, inputs),
      separatePlan: options.separatePlan,
      colour: options.colour,
      ownGroup: true,
      onLine: (line) => report({ kind: 'line', unit: unit.name, line }),
      onUnrecorded: (reason) => report({ kind: 'unrecorded', unit: unit.name, reason }),
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
function untilEngineEnded(
  { clock, machine, report }: RunnerNeeds,
  { lockTimeoutMs = Infinity, leaseMs }: RunnerOptions,
  hold: Hold,
  folder: string,
): Promise<void> {
  const unit = hold.claim.unit.name
  const patience = {
    clock,
    forMs: lockTimeoutMs,
    everyMs: Math.min(500, leaseMs / 4),
    mayPass: () => true,
  }
  let told = false
  return patiently(patience, () => {
    const left = engineLeft(folder, machine.env)
    if (left === undefined || hold.isStopping) return Promise.resolve()
    if (!told) report({ kind: 'engine-left', unit, left })
    told = true
    // Nobody can see from here when it ends.
    return left.kind === 'elsewhere' ? Promise.resolve() : Promise.reject(stillRuns(unit, left.pid))
  })
}

function stillRuns(unit: string, pid: number): TacoError {
  return new TacoError(
    'CONFLICT',
    `The engine of an earlier worker (process ${pid}) is still running on ${unit}.`,
    {
      hint: 'Wait until it ends, then resume the rollout. --lock-timeout sets how long a step waits.',
    },
  )
}

/** The lock and the inputs: those that came with the claim, if the engine can use that lock. */
function begin(needs: RunnerNeeds, options: RunnerOptions, hold: Hold) {
  const { start, token, unit } = hold.claim
  if (start !== null && !hold.hasOwnLock) return start
  const { leaseMs } = options
  return untilItPasses(needs, options, hold, () =>
    needs.api.begin(unit.id, { token, leaseMs, lock: !hold.hasOwnLock }),
  )
}

function takeToken(needs: RunnerNeeds, options: RunnerOptions, hold: Hold): Promise<RunToken> {
  const { backend, clock, log, report } = needs
  const { unit } = hold.claim
  return untilItPasses(needs, options, hold, () =>
    takeRunToken(backend.tokens, unit.id, {
      clock,
      log,
      claim: hold.claim.token,
      onLeft: (left) => report({ kind: 'token-left', unit: unit.name, ...left }),
    }),
  )
}

/** Somebody may be at work on the unit by hand, or the server away; that ends, as a rule. */
function untilItPasses<T>(
  { api, clock, report }: RunnerNeeds,
  { leaseMs, lockTimeoutMs = 2 * leaseMs }: RunnerOptions,
  hold: Hold,
  call: () => Promise<T>,
): Promise<T> {
  return patiently(
    {
      clock,
      forMs: lockTimeoutMs,
      everyMs: Math.min(1000, leaseMs / 4),
      mayPass: (error) => !hold.isStopping && (isTacoError(error, 'LOCKED') || api.isAway(error)),
      onWait: (error) => report({ kind: 'waiting', unit: hold.claim.unit.name, error }),
    },
    call,
  )
}

function noBackend({ name }: ProjectUnit): TacoError {
  return new TacoError('CONFLICT', `The code of ${name} has no backend, so its state stays on this disk.`, {
    hint: `Run \`taco backend ${name} --write\` in its folder. \`taco state push ${name} terraform.tfstate\` stores the existing state.`,
  })
}
