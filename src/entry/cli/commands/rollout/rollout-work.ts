import { resolve } from 'node:path'
import { EXIT, exitCodeOfSignal, usageError } from '../../terminal/exit-codes.ts'
import { openEngines } from '../../../../runner/host/engine-run.ts'
import { hasUnstored } from '../../../../runner/host/left-engine.ts'
import { isColourful } from '../../terminal/output.ts'
import { rolloutAnswer, startedAnswer, statusAnswer } from '../../api/rollout-answers.ts'
import type { ClaimsAnswer, RolloutAnswer } from '../../api/rollout-answers.ts'
import { removeAbandoned } from '../../../../runner/host/run-folder.ts'
import type { Session } from '../../session.ts'
import { check } from '../../api/check-answer.ts'
import { withUnit } from '../../config/unit-name.ts'
import { claiming, work as runWorker } from '../../../../runner/worker.ts'
import type { StepEnd } from '../../../../runner/step.ts'
import { leavingOut, terragruntUnits } from '../../../../runner/host/terragrunt.ts'
import { openRepository } from '../../config/open-repository.ts'
import type { Repository } from '../../config/open-repository.ts'
import { parseDuration } from '../../terminal/format.ts'
import { openBackend } from '../../api/run-backend.ts'
import { show } from '../../terminal/rollout-picture.ts'

export interface WorkOptions {
  readonly jobs?: number
  readonly plan?: boolean
  readonly skip?: boolean
  readonly file?: string
  readonly lease?: string
  readonly lockTimeout?: string
}

/** About as long as an engine waits for the server to take its state. */
const PATIENCE_MS = 60_000
const SAY_EVERY_MS = 60_000

/** All that a worker needs before it has something to do. */
async function prepare(session: Session, options: WorkOptions) {
  const { world } = session
  const leaseMs = parseDuration(options.lease ?? '30s')
  const jobs = options.jobs ?? 4
  if (leaseMs === undefined || leaseMs < 100)
    throw usageError(`--lease ${options.lease} is too short, or no time at all`, 'write --lease as 30s or 5m')
  if (jobs < 1) throw usageError('at least one step at once', 'give -j 1 or more')
  const lockTimeoutMs = options.lockTimeout === undefined ? undefined : parseWait(options.lockTimeout)
  const engines = openEngines(world)
  // Most projects use one engine: it says its version while everything else is being opened.
  engines.foresee()
  const whole = await openRepository(session, options.file)
  const terragrunt = terragruntUnits(whole)
  const [client, backend] = await Promise.all([session.client(), openBackend(session)])
  return {
    leaseMs,
    lockTimeoutMs,
    jobs,
    engines,
    repository: leavingOut(whole, terragrunt),
    terragrunt,
    client,
    backend,
    name: `${world.who}/${process.pid}`,
  }
}

export async function work(
  session: Session,
  [id = '']: readonly string[],
  options: WorkOptions,
): Promise<number> {
  const ready = await prepare(session, options)
  if (ready.terragrunt.size > 0) {
    const { steps } = check(rolloutAnswer, await ready.client.json('GET', pathOf(id)))
    warnOfTerragrunt(session, ready.terragrunt, steps)
  }
  return workOn(session, ready, options, id)
}

/** Said once and at the start: such a step cannot end well here, and what needs it will wait. */
function warnOfTerragrunt(
  { output }: Session,
  terragrunt: ReadonlySet<string>,
  steps: readonly { readonly unit: { readonly name: string }; readonly status: string }[],
): void {
  const names = steps.flatMap(({ unit: { name }, status }) =>
    terragrunt.has(name) && status !== 'applied' && status !== 'skipped' ? [name] : [],
  )
  if (names.length > 0)
    output.warn(`rollouts do not run Terragrunt, so these steps are left alone: ${names.join(', ')}`)
}

/** Starts a rollout and works on it; one request brings the first steps, too. */
export async function startAndWork(
  session: Session,
  from: readonly string[],
  options: WorkOptions,
): Promise<number> {
  const ready = await prepare(session, options)
  const claim = claiming(ready, ready.jobs, true)
  const answer = await withUnit(session, from, () =>
    ready.client.json('POST', '/v1/rollouts', { json: { from, claim } }),
  )
  const { id, status, steps, claims } = check(startedAnswer, answer)
  warnOfTerragrunt(session, ready.terragrunt, steps)
  const running = steps.filter((step) => step.status === 'running').length
  const waiting = steps.filter((step) => step.status === 'waiting').length
  return workOn(session, ready, options, id, { rollout: { status, steps: { running, waiting } }, claims })
}

/** Until nothing is left to do here. Ctrl-C lets engines end in order and gives their steps back. */
async function workOn(
  session: Session,
  ready: Awaited<ReturnType<typeof prepare>>,
  options: WorkOptions,
  id: string,
  first?: ClaimsAnswer,
): Promise<number> {
  const { world, output } = session
  const { leaseMs, jobs, name, terragrunt, ...rest } = ready
  // Engines need the worker until they have stored what they made: a pager that was left, or a terminal, is no reason.
  world.goOnUnread()
  const print = (unit: string, line: string) =>
    void (output.asJson ? world.stderr : world.stdout).write(`${output.style('cyan', `[${unit}]`)} ${line}\n`)
  // What engines print and what is waited for is progress; how a step ended is a result.
  const say = session.flags.quiet === true ? () => {} : print

  const signal = await runWorker(
    {
      ...rest,
      world,
      org: session.org(),
      rollout: id,
      leaseMs,
      jobs,
      separatePlan: options.plan === true,
      skips: options.skip !== false,
      colour: isColourful(world.stdout, world.env, session.flags),
      say,
    },
    {
      name,
      jobs,
      renewEveryMs: leaseMs / 3,
      lookEveryMs: Math.min(500, leaseMs / 4),
      patienceMs: PATIENCE_MS,
      onStart: ({ unit, why }) => say(unit.name, output.style('bold', `begins: ${why}`)),
      onEnd: ({ unit }, end) => print(unit.name, output.style('bold', saysEnd(end))),
      onWait: () =>
        output.note(
          `waiting for steps that others have (Ctrl-C ends this); see \`taco rollout status ${id}\``,
        ),
      sayEveryMs: SAY_EVERY_MS,
    },
    first,
  )
  const asked = ready.client.json('GET', pathOf(id))
  removeAbandoned(Date.now())
  const answer = await asked
  if (output.asJson) output.json(answer)
  else await show(session, check(rolloutAnswer, answer))
  if (check(statusAnswer, answer).status === 'done') return EXIT.ok
  const { status, steps } = check(rolloutAnswer, answer)
  const left = othersIn(steps, ready.repository)
  const byHand = left.filter((unit) => terragrunt.has(unit))
  const elsewhere = left.filter((unit) => !terragrunt.has(unit))
  if (byHand.length > 0)
    output.note(
      `run \`terragrunt apply\` for ${byHand.join(', ')}, then \`taco rollout skip ${id} <unit> --reason "applied with Terragrunt"\``,
    )
  if (elsewhere.length > 0)
    output.note(`taco.yaml here does not name ${elsewhere.join(', ')}: work where it does`)
  output.note(whatNext(id, status, steps, ready.repository))
  return signal === undefined ? EXIT.failed : exitCodeOfSignal(signal)
}

function pathOf(id: string): string {
  return `/v1/rollouts/${encodeURIComponent(id)}`
}

function parseWait(text: string): number {
  const ms = text === '0' ? 0 : parseDuration(text)
  if (ms !== undefined) return ms
  throw usageError(`--lock-timeout ${text} is not a time`, 'write it as 30s or 5m; 0 does not wait')
}

function whatNext(
  id: string,
  status: string,
  steps: RolloutAnswer['steps'],
  { root, unit: unitOf }: Repository,
): string {
  const failures = steps.filter((step) => step.status === 'failed')
  const folders = failures.flatMap(({ unit }) => unitOf(unit.name)?.dir ?? [])
  if (folders.some((dir) => hasUnstored(resolve(root, dir))))
    return `store what could not be stored first, then \`taco rollout resume ${id}\``
  if (status === 'cancelled') return 'it is cancelled; start another with `taco rollout start`'
  if (failures.length > 0) return `try what failed again with \`taco rollout resume ${id}\`, or skip it`
  return `it is ${status}; go on with \`taco rollout ${status === 'paused' ? 'resume' : 'work'} ${id}\``
}

/** Steps that are ready but whose folders this repository does not have. */
function othersIn(steps: RolloutAnswer['steps'], { unit }: Repository): readonly string[] {
  const settled = new Set(
    steps.flatMap(({ unit: { id }, status }) => (status === 'applied' || status === 'skipped' ? [id] : [])),
  )
  return steps
    .filter(({ status, needs }) => status === 'waiting' && needs.every((id) => settled.has(id)))
    .flatMap(({ unit: { name } }) => (unit(name) === undefined ? [name] : []))
}

function saysEnd(end: StepEnd): string {
  switch (end.kind) {
    case 'applied':
      return `applied in ${(end.engineMs / 1000).toFixed(1)} s`
    case 'failed':
      return `failed: ${end.reason}`
    case 'unchanged':
      return `skipped: same fingerprint ${end.fingerprint.slice(0, 12)} as its last apply`
    default:
      return 'given back'
  }
}
