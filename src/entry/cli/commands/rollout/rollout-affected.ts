import { systemClock } from '../../../../base/clock.ts'
import { isTacoError } from '../../../../base/errors.ts'
import { errorOf } from '../../../../engines/index.ts'
import type { ProjectUnit } from '../../../../project/index.ts'
import {
  during,
  fingerprintOf,
  folderOf,
  isOfConfiguration,
  openEngines,
  openRunFolder,
  planUnit,
  printOf,
  readUnitFiles,
  stepEnv,
  takeRunToken,
  unitNamed,
  variableFiles,
  variablesOfEnv,
} from '../../../../runner/index.ts'
import { check } from '../../api/check-answer.ts'
import { unitPath } from '../../api/client.ts'
import { inputsAnswer } from '../../api/outputs-answers.ts'
import { planAnswer } from '../../api/rollout-answers.ts'
import { openBackend } from '../../api/run-backend.ts'
import { openRepository } from '../../config/open-repository.ts'
import type { Session } from '../../session.ts'
import { EXIT, usageError } from '../../terminal/exit-codes.ts'
import { isColourful } from '../../terminal/output.ts'
import { saysTokenLeft } from '../../terminal/runner-events.ts'
import { traceLog } from '../../terminal/trace-log.ts'
import { variablesOf } from '../../api/variable-answers.ts'

interface AffectedOptions {
  readonly affected?: boolean
  readonly jobs?: number
  readonly skip?: boolean
  readonly file?: string
}

/** Of many units, one that cannot be planned does not keep the others from it. */
const failed =
  ({ name }: ProjectUnit) =>
  (error: unknown): Planned => {
    if (!isTacoError(error)) throw error
    return { unit: name, outcome: 'failed', error: error.message }
  }

interface Planned {
  readonly unit: string
  readonly outcome: 'changes' | 'no-changes' | 'skipped' | 'failed'
  /** Why it was skipped: the fingerprint, and the state version that was applied with it. */
  readonly proof?: { readonly fingerprint: string; readonly version: string | null }
  readonly error?: string
}

/** Plans what may have changed. Inputs are those that stand now: a plan does not see what others will change. */
export async function planAffected(
  session: Session,
  [only]: readonly string[],
  options: AffectedOptions,
): Promise<number> {
  const { world, output } = session
  if (options.affected !== true && only === undefined)
    throw usageError('No units to plan were given.', 'Give --affected, or name a unit.')
  const repository = await openRepository(session, options.file)
  const units = only === undefined ? repository.project.units : [unitNamed(repository, only)]
  const [client, backend] = await Promise.all([session.client(), openBackend(session)])
  const engines = openEngines(world)
  const runFolder = openRunFolder()
  const answer = check(
    planAnswer,
    await client.json('GET', '/v1/rollouts/plan', { query: { downstream: false, keys: true } }),
  )
  const known = new Map(answer.steps.map((step) => [step.unit.name, step]))
  const colour = isColourful(world.stdout, world.env, session.flags)
  const screen = output.asJson ? world.stderr : world.stdout

  async function one(unit: ProjectUnit): Promise<Planned> {
    const step = known.get(unit.name)
    const folder = folderOf(repository, unit)
    const program = engines.find(unit)
    const files = readUnitFiles(repository, unit)
    const last = step?.fingerprint ?? null
    const key = step?.fingerprintKey ?? null
    const maySkip = options.affected === true && options.skip !== false && key !== null
    const { print: given, items } = await variablesOf(client, unit.name)
    const print = maySkip
      ? printOf(files, unit, { env: world.env, uses: step?.uses ?? [], given, key })
      : null
    if (print !== null && last !== null && isOfConfiguration(last, print)) {
      const fingerprint = fingerprintOf(print, await engines.version(program))
      if (fingerprint === last)
        return { unit: unit.name, outcome: 'skipped', proof: { fingerprint, version: step?.version ?? null } }
    }
    const inputs =
      step === undefined
        ? []
        : check(
            inputsAnswer,
            await client.json('GET', unitPath(unit.name, '/inputs'), {
              // Nothing is applied with them: a file of variables that is there stays as it is.
              query: { sensitive: true, peek: true, values: 'text' },
            }),
          ).inputs
    const run = await takeRunToken(backend.tokens, unit.name, {
      clock: systemClock,
      log: traceLog(output),
      onLeft: (left) => output.warn(saysTokenLeft(left)),
    })
    const end = await during(run, () =>
      planUnit({
        program,
        folder,
        env: stepEnv(world, backend, {
          org: session.org(),
          unit: unit.name,
          token: run.token,
          lock: null,
          jobs: options.jobs ?? 4,
          variables: variablesOfEnv(items),
        }),
        runFolder,
        varFiles: unit.varFiles,
        variables: variableFiles(
          unit.variables,
          items,
          Object.fromEntries(
            inputs.flatMap(({ variable, value }) => (value === null ? [] : [[variable, value]])),
          ),
        ),
        separatePlan: false,
        colour,
        ownGroup: false,
        onLine: (line) => void screen.write(`${output.style('cyan', `[${unit.name}]`)} ${line}\n`),
        onUnrecorded: () => {},
        onEngine: () => {},
      }),
    )
    if (end.exitCode === 0) return { unit: unit.name, outcome: 'no-changes' }
    if (end.exitCode === 2) return { unit: unit.name, outcome: 'changes' }
    return { unit: unit.name, outcome: 'failed', error: errorOf(end.output) }
  }

  const planned: Planned[] = []
  const queue = units.values()
  const lane = async () => {
    for (const unit of queue)
      planned.push(await (only === undefined ? one(unit).catch(failed(unit)) : one(unit)))
  }
  try {
    await Promise.all(Array.from({ length: options.jobs ?? 4 }, lane))
  } finally {
    runFolder.remove()
  }
  if (output.asJson) output.json({ items: planned })
  else
    output.table(
      ['UNIT', 'OUTCOME', 'PROOF'],
      planned.map(({ unit, outcome, proof, error }) => [
        unit,
        outcome,
        error ??
          (proof === undefined
            ? ''
            : `fingerprint ${proof.fingerprint.slice(0, 12)} as ${proof.version ?? '?'}`),
      ]),
    )
  return planned.some(({ outcome }) => outcome === 'failed') ? EXIT.failed : EXIT.ok
}
