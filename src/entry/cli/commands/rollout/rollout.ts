import { sayAuthor } from '../../../../base/text/author.ts'
import { allPages } from '../../api/pages.ts'
import { planAnswer, rolloutAnswer } from '../../api/rollout-answers.ts'
import { show, tree } from '../../terminal/rollout-picture.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import type { Session } from '../../session.ts'
import { check, list as listOf } from '../../api/check-answer.ts'
import { oneLine } from '../../../../base/text/terminal-text.ts'
import { withUnit } from '../../config/unit-name.ts'
import { age, count } from '../../terminal/format.ts'
import { rolloutPath, stepPath } from '../../api/rollout-api.ts'
import { joinRollout, startAndWork } from './run-worker.ts'
import type { WorkOptions } from './run-worker.ts'

interface FromOptions {
  readonly from?: readonly string[]
}

export async function plan(session: Session, _args: readonly string[], options: FromOptions): Promise<void> {
  const from = rootsOf(options)
  const client = await session.client()
  const answer = await withUnit(session, from, () =>
    client.json('GET', '/v1/rollouts/plan', { query: { from } }),
  )
  if (session.output.asJson) return session.output.json(answer)
  const { steps } = check(planAnswer, answer)
  const { output } = session
  output.print(
    tree(steps, ({ unit, isRoot }) =>
      isRoot ? `${output.style('bold', oneLine(unit.name))}  starts here` : oneLine(unit.name),
    ),
  )
  output.note(
    `${count(steps.length, 'unit')} at most; units with unchanged inputs are skipped. ` +
      `Start it with \`taco rollout start ${from.map((name) => `--from ${name}`).join(' ')}\``,
  )
}

export async function start(
  session: Session,
  _args: readonly string[],
  options: FromOptions & { readonly work?: boolean } & WorkOptions,
): Promise<number | void> {
  const from = rootsOf(options)
  if (options.work === true) return startAndWork(session, from, options)
  const client = await session.client()
  const answer = await withUnit(session, from, () => client.json('POST', '/v1/rollouts', { json: { from } }))
  const { id, steps } = check(rolloutAnswer, answer)
  if (session.output.asJson) return session.output.json(answer)
  session.output.print(`${id}\n`)
  session.output.note(`${count(steps.length, 'step')}; carry it out with \`taco rollout work ${id}\``)
}

export function work(session: Session, [id = '']: readonly string[], options: WorkOptions): Promise<number> {
  return joinRollout(session, id, options)
}

export async function status(session: Session, [id = '']: readonly string[]): Promise<void> {
  const answer = await (await session.client()).json('GET', rolloutPath(id))
  if (session.output.asJson) return session.output.json(answer)
  await show(session, check(rolloutAnswer, answer))
}

export const ROLLOUT_STATES = ['active', 'paused', 'failed', 'done', 'cancelled']

/** `failed`: it is under way, but a step failed, so what depends on that step waits. */
function stateOf({ status: of, steps }: Pick<ReturnType<typeof rolloutAnswer>, 'status' | 'steps'>): string {
  return of === 'active' && steps.some((step) => step.status === 'failed') ? 'failed' : of
}

export async function list(
  session: Session,
  _args: readonly string[],
  { limit, state: wanted }: { readonly limit?: number; readonly state?: string },
): Promise<void> {
  const { output, world } = session
  const most = limit ?? (world.stdout.isTTY === true && !output.asJson ? 20 : Infinity)
  // Those of other states are read too.
  const query = { limit: wanted === undefined ? Math.min(most, 100) : 100 }
  const found: unknown[] = []
  for await (const page of allPages(await session.client(), '/v1/rollouts', query)) {
    const isWanted = (one: unknown) => wanted === undefined || stateOf(check(rolloutAnswer, one)) === wanted
    found.push(...page.filter(isWanted))
    if (found.length >= most) break
  }
  const answer = found.slice(0, most)
  if (output.asJson) return output.json({ items: answer })
  const items = check(listOf(rolloutAnswer), answer)
  if (items.length === 0 && wanted !== undefined) return session.output.note(`no rollouts are ${wanted}`)
  if (items.length === 0) return session.output.note('no rollouts yet: `taco rollout start --from <unit>`')
  session.output.table(
    ['ID', 'STATUS', 'FROM', 'STEPS', 'SETTLED', 'BY', 'STARTED'],
    items.map(({ id, status, roots, steps, by, who, createdAt }) => [
      id,
      stateOf({ status, steps }),
      roots.join(', '),
      String(steps.length),
      String(steps.filter((step) => step.status === 'applied' || step.status === 'skipped').length),
      sayAuthor({ by, who }),
      age(createdAt, session.world.now()),
    ]),
  )
}

export async function skip(
  session: Session,
  [id = '', unit = '']: readonly string[],
  options: { readonly reason?: string },
): Promise<void> {
  if (!options.reason)
    throw usageError('The reason is missing.', 'Give a reason: --reason "applied by hand".')
  const client = await session.client()
  const answer = await client.json('POST', stepPath(id, unit, 'skip'), { json: { reason: options.reason } })
  if (session.output.asJson) return session.output.json(answer)
  session.output.print(`skipped ${unit}\n`)
}

export const pause = changing('pause', 'paused')
export const resume = changing('resume', 'resumed')
export const cancel = changing('cancel', 'cancelled')

function changing(what: string, done: string) {
  return async (session: Session, [id = '']: readonly string[]): Promise<void> => {
    const answer = await (await session.client()).json('POST', `${rolloutPath(id)}/${what}`)
    if (session.output.asJson) return session.output.json(answer)
    session.output.print(`${done} ${id}\n`)
    if (what === 'resume') session.output.note(`continue with \`taco rollout work ${id}\``)
  }
}

function rootsOf({ from = [] }: FromOptions): readonly string[] {
  const names = from.flatMap((text) => text.split(',')).filter((name) => name !== '')
  if (names.length > 0) return names
  throw usageError('No starting unit was given.', 'Name the units that changed: --from network.')
}
