import { resolve } from 'node:path'
import { systemClock } from '../../../../base/clock.ts'
import type { Claims, RolloutView, StepView } from '../../../../rollouts/index.ts'
import {
  type Repository,
  type RunnerEvent,
  claiming,
  hasUnstored,
  openEngines,
  removeAbandoned,
  startWorker,
  terragruntUnits,
  withoutUnits,
} from '../../../../runner/index.ts'
import { check } from '../../api/check-answer.ts'
import { rolloutAnswer, startedAnswer, statusAnswer } from '../../api/rollout-answers.ts'
import { rolloutApi, rolloutPath } from '../../api/rollout-api.ts'
import { openBackend, stepTokenApi } from '../../api/run-backend.ts'
import { openRepository } from '../../config/open-repository.ts'
import { withUnit } from '../../config/unit-name.ts'
import type { Session } from '../../session.ts'
import { EXIT, exitCodeOfSignal, usageError } from '../../terminal/exit-codes.ts'
import { parseDuration } from '../../terminal/format.ts'
import { isColourful } from '../../terminal/output.ts'
import { show } from '../../terminal/rollout-picture.ts'
import { lineOf } from '../../terminal/runner-events.ts'
import { traceLog } from '../../terminal/trace-log.ts'
import { stopOnSignals } from './stop-on-signals.ts'

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
const IDLE_EVERY_MS = 60_000

/** All that a worker needs before it has something to do. */
async function prepare(session: Session, options: WorkOptions) {
  const { world } = session
  const leaseMs = parseDuration(options.lease ?? '30s')
  const jobs = options.jobs ?? 4
  if (leaseMs === undefined || leaseMs < 100)
    throw usageError(
      `--lease ${options.lease} is too short or not a duration.`,
      'Write --lease as 30s or 5m.',
    )
  if (jobs < 1) throw usageError('-j must be at least 1.', 'Give -j 1 or more.')
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
    repository: withoutUnits(whole, terragrunt),
    terragrunt,
    client,
    backend,
    worker: `${world.who}/${process.pid}`,
  }
}

/** Works on an existing rollout. */
export async function joinRollout(session: Session, id: string, options: WorkOptions): Promise<number> {
  const ready = await prepare(session, options)
  if (ready.terragrunt.size > 0) {
    const { steps } = check(rolloutAnswer, await ready.client.json('GET', rolloutPath(id)))
    warnOfTerragrunt(session, ready.terragrunt, steps)
  }
  return workOn(session, ready, options, id)
}

/** Said once and at the start: such a step cannot end well here, and what needs it will wait. */
function warnOfTerragrunt(
  { output }: Session,
  terragrunt: ReadonlySet<string>,
  steps: readonly Pick<StepView, 'unit' | 'status'>[],
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
  const claim = claiming(ready.repository, ready, ready.jobs, true)
  const answer = await withUnit(session, from, () =>
    ready.client.json('POST', '/v1/rollouts', { json: { from, claim } }),
  )
  const { id, status, steps, claims } = check(startedAnswer, answer)
  warnOfTerragrunt(session, ready.terragrunt, steps)
  return workOn(session, ready, options, id, { rollout: { id, status, steps: counted(steps) }, claims })
}

function counted(steps: readonly Pick<StepView, 'status'>[]): Claims['rollout']['steps'] {
  const of = (status: StepView['status']) => steps.filter((step) => step.status === status).length
  return {
    waiting: of('waiting'),
    running: of('running'),
    applied: of('applied'),
    skipped: of('skipped'),
    failed: of('failed'),
  }
}

/** Until nothing is left to do here. Ctrl-C lets engines end in order and gives their steps back. */
async function workOn(
  session: Session,
  ready: Awaited<ReturnType<typeof prepare>>,
  options: WorkOptions,
  id: string,
  first?: Claims,
): Promise<number> {
  const { world, output } = session
  const { client, backend, repository, engines, leaseMs, lockTimeoutMs, jobs, worker, terragrunt } = ready
  // Engines need the worker until they have stored what they made: a pager that was left, or a terminal, is no reason.
  world.goOnUnread()
  const worked = startWorker(
    {
      api: rolloutApi(client, id),
      backend: {
        ...backend,
        tokens: backend.tokens && stepTokenApi(backend.tokens, client, id),
      },
      repository,
      engines,
      machine: world,
      clock: systemClock,
      log: traceLog(output),
      report: (event) => report(session, id, event),
    },
    {
      worker,
      org: session.org(),
      jobs,
      leaseMs,
      lockTimeoutMs,
      patienceMs: PATIENCE_MS,
      idleEveryMs: IDLE_EVERY_MS,
      separatePlan: options.plan === true,
      skips: options.skip !== false,
      colour: isColourful(world.stdout, world.env, session.flags),
    },
    first,
  )
  const signal = await stopOnSignals(worked, world.onSignal)
  const asked = client.json('GET', rolloutPath(id))
  removeAbandoned(systemClock.now())
  const answer = await asked
  if (output.asJson) output.json(answer)
  else await show(session, check(rolloutAnswer, answer))
  if (check(statusAnswer, answer).status === 'done') return EXIT.ok
  const { status, steps } = check(rolloutAnswer, answer)
  const left = othersIn(steps, repository)
  const byHand = left.filter((unit) => terragrunt.has(unit))
  const elsewhere = left.filter((unit) => !terragrunt.has(unit))
  if (byHand.length > 0)
    output.note(
      `run \`terragrunt apply\` for ${byHand.join(', ')}, then \`taco rollout skip ${id} <unit> --reason "applied with Terragrunt"\``,
    )
  if (elsewhere.length > 0)
    output.note(`taco.yaml here does not name ${elsewhere.join(', ')}: work where it does`)
  output.note(whatNext(id, status, steps, repository))
  return signal === undefined ? EXIT.failed : exitCodeOfSignal(signal)
}

/** What engines print and what is waited for is progress; how a step ended is a result. */
function report({ world, output, flags }: Session, id: string, event: RunnerEvent): void {
  if (event.kind === 'idle')
    return output.note(
      `waiting for steps that others have (Ctrl-C ends this); see \`taco rollout status ${id}\``,
    )
  if (flags.quiet === true && event.kind !== 'ended') return
  const screen = output.asJson ? world.stderr : world.stdout
  screen.write(`${output.style('cyan', `[${event.unit}]`)} ${lineOf(event, output)}\n`)
}

function parseWait(text: string): number {
  const ms = text === '0' ? 0 : parseDuration(text)
  if (ms !== undefined) return ms
  throw usageError(`--lock-timeout ${text} is not a duration.`, 'Write it as 30s or 5m. 0 does not wait.')
}

function whatNext(
  id: string,
  status: string,
  steps: RolloutView['steps'],
  { root, unit: unitOf }: Repository,
): string {
  const failures = steps.filter((step) => step.status === 'failed')
  const folders = failures.flatMap(({ unit }) => unitOf(unit.name)?.dir ?? [])
  if (folders.some((dir) => hasUnstored(resolve(root, dir))))
    return `store what could not be stored first, then \`taco rollout resume ${id}\``
  if (status === 'cancelled') return 'it is cancelled; start another with `taco rollout start`'
  if (failures.length > 0) return `try what failed again with \`taco rollout resume ${id}\`, or skip it`
  return `it is ${status}; continue with \`taco rollout ${status === 'paused' ? 'resume' : 'work'} ${id}\``
}

/** Steps that are ready but whose folders this repository does not have. */
function othersIn(steps: RolloutView['steps'], { unit }: Repository): readonly string[] {
  const settled = new Set(
    steps.flatMap(({ unit: { id }, status }) => (status === 'applied' || status === 'skipped' ? [id] : [])),
  )
  return steps
    .filter(({ status, needs }) => status === 'waiting' && needs.every((id) => settled.has(id)))
    .flatMap(({ unit: { name } }) => (unit(name) === undefined ? [name] : []))
}
