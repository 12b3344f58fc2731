import { EXIT, usageError } from '../failures.ts'
import { openEngines } from '../engine-run.ts'
import { isColourful } from '../output.ts'
import { removeAbandoned } from '../run-folder.ts'
import type { Session } from '../session.ts'
import { work as workOn } from '../worker.ts'
import type { StepEnd } from '../worker-step.ts'
import type { RolloutAnswer } from '../rollout-answers.ts'
import { openRepository } from '../worker-project.ts'
import type { Repository } from '../worker-project.ts'
import { parseDuration } from '../words.ts'
import { openBackend } from './exec.ts'
import { show } from '../rollout-picture.ts'

export interface WorkOptions {
  readonly jobs?: number
  readonly plan?: boolean
  readonly skip?: boolean
  readonly file?: string
  readonly lease?: string
}

/** Until nothing is left to do here. Ctrl-C lets engines end in order and gives their steps back. */
export async function work(
  session: Session,
  [id = '']: readonly string[],
  options: WorkOptions,
): Promise<number> {
  const { world, output } = session
  const leaseMs = parseDuration(options.lease ?? '30s')
  const jobs = options.jobs ?? 4
  if (leaseMs === undefined || leaseMs < 100)
    throw usageError(`${JSON.stringify(options.lease)} is not a lease`, 'write --lease as 30s or 5m')
  if (jobs < 1) throw usageError('at least one step at once', 'give -j 1 or more')
  const engines = openEngines(world)
  // Most projects use one engine: it says its version while everything else is being opened.
  engines.foresee()
  const repository = await openRepository(session, options.file)
  const [client, backend] = await Promise.all([session.client(), openBackend(session, undefined)])
  const isTerminal = world.stdin.isTTY === true || world.stdout.isTTY === true || world.stderr.isTTY === true
  const say = (unit: string, line: string) =>
    void (output.asJson ? world.stderr : world.stdout).write(`${output.style('cyan', `[${unit}]`)} ${line}\n`)

  const rollout = await workOn(
    {
      world,
      client,
      org: session.org(),
      repository,
      engines,
      backend,
      rollout: id,
      leaseMs,
      separatePlan: options.plan === true,
      skips: options.skip !== false,
      colour: isColourful(world.stdout, world.env, session.flags),
      ownGroup: !isTerminal,
      say,
    },
    {
      name: `${world.who}/${process.pid}`,
      jobs,
      renewEveryMs: leaseMs / 3,
      lookEveryMs: Math.min(500, leaseMs / 4),
      engineHearsInterrupt: isTerminal,
      onStart: ({ unit, why }) => say(unit.name, output.style('bold', `begins: ${why}`)),
      onEnd: ({ unit }, end) => say(unit.name, output.style('bold', saysEnd(end))),
    },
  )
  removeAbandoned(Date.now())
  if (output.asJson) output.json(rollout)
  else show(session, rollout)
  if (rollout.status === 'done') return EXIT.ok
  const elsewhere = othersIn(rollout, repository)
  if (elsewhere.length > 0)
    output.note(`taco.yaml here does not name ${elsewhere.join(', ')}: work where it does`)
  const isStuck = rollout.steps.some(({ status }) => status === 'failed')
  if (isStuck) output.note(`try what failed again with \`taco rollout resume ${id}\`, or skip it`)
  else output.note(`it is ${rollout.status}; go on with \`taco rollout work ${id}\``)
  return EXIT.failed
}

/** Steps that are ready but whose folders this repository does not have. */
function othersIn({ steps }: RolloutAnswer, { unit }: Repository): readonly string[] {
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
