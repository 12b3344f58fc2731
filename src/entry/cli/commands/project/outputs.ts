import { sayAuthor } from '../../../../base/text/author.ts'
import { oneLine, plainJson } from '../../../../base/text/terminal-text.ts'
import { textOf, unitPath } from '../../api/client.ts'
import { EXIT, usageError } from '../../terminal/exit-codes.ts'
import { outputsAnswer, outputsDiff, outputsLogItem } from '../../api/outputs-answers.ts'
import { wholeList } from '../../api/pages.ts'
import type { Session } from '../../session.ts'
import { check } from '../../api/check-answer.ts'
import { withUnit } from '../../config/unit-name.ts'
import { age } from '../../terminal/format.ts'

interface ShowOptions {
  readonly only?: string
  readonly sensitive?: boolean
  readonly for?: string
}

export async function show(
  session: Session,
  [unit = '', commit]: readonly string[],
  options: ShowOptions,
): Promise<void> {
  const { output } = session
  const client = await session.client()
  const query = {
    commit: commit === undefined ? undefined : commitNumber(commit),
    names: options.only,
    sensitive: options.sensitive === true ? true : undefined,
    consumer: options.for,
  }
  const path = unitPath(unit, '/outputs')
  // Either of the two names may be wrong.
  const named = [unit, ...(options.for === undefined ? [] : [options.for])]
  if (output.asJson) {
    // As it came: a number may have more digits than JavaScript keeps.
    const reply = await withUnit(session, named, () => client.send('GET', path, { query }))
    return output.data(`${plainJson(await textOf(reply))}\n`)
  }
  const answer = await withUnit(session, named, () =>
    client.json('GET', path, { query: { ...query, values: 'text' } }),
  )
  const { outputs, commit: number, at, by, who } = check(outputsAnswer, answer)
  if (outputs === null) return output.note(`the outputs of ${unit} are encrypted`)
  output.note(`commit ${number}, ${age(at, session.world.now())} by ${sayAuthor({ by, who })}`)
  if (outputs.length === 0) return output.note(`${unit} has no outputs`)
  output.table(
    ['OUTPUT', 'SINCE', 'VALUE'],
    outputs.map(({ name, since, sensitive, value }) => [
      name,
      String(since),
      value ?? (sensitive ? '(sensitive)' : '(large)'),
    ]),
  )
}

export async function log(
  session: Session,
  [unit = '']: readonly string[],
  options: { readonly limit?: number },
): Promise<void> {
  const { output, world } = session
  const client = await session.client()
  const most = options.limit ?? (world.stdout.isTTY === true && !output.asJson ? 20 : Infinity)
  const items = await withUnit(session, unit, () =>
    wholeList(client, unitPath(unit, '/outputs/log'), { limit: Math.min(most, 1000) }, most),
  )
  if (output.asJson) return output.json({ items, next: null })
  if (items.length === 0) return output.note(`no output of ${unit} has ever changed`)
  output.table(
    ['COMMIT', 'VERSION', 'SERIAL', 'WHEN', 'BY', 'CHANGED'],
    items
      .map((item) => check(outputsLogItem, item))
      .map(({ commit, version, serial, at, by, who, changed, outputs }) => [
        String(commit),
        version,
        String(serial),
        age(at, world.now()),
        sayAuthor({ by, who }),
        outputs === null ? '(encrypted)' : changed.join(', ') || '-',
      ]),
  )
  if (items.length === most && options.limit === undefined)
    output.note(`the newest ${most} are shown; -n shows more`)
}

/** If one commit is named, it is compared with the current one. */
export async function diff(
  session: Session,
  [unit = '', from, to]: readonly string[],
  options: { readonly only?: string; readonly exitCode?: boolean },
): Promise<number> {
  const { output } = session
  const client = await session.client()
  const query = {
    from: from === undefined ? undefined : commitNumber(from),
    to: to === undefined ? undefined : commitNumber(to),
    only: options.only,
  }
  const answer = await withUnit(session, unit, () =>
    client.json('GET', unitPath(unit, '/outputs/diff'), { query }),
  )
  const found = check(outputsDiff, answer)
  const code = options.exitCode === true && found.changed.length > 0 ? EXIT.found : EXIT.ok
  if (output.asJson) {
    output.json(answer)
    return code
  }
  output.note(`${unit}: commit ${found.from} → ${found.to}`)
  if (found.changed.length === 0) output.print('unchanged\n')
  const [before, after] = await Promise.all([
    valuesAt(session, unit, found.from),
    valuesAt(session, unit, found.to),
  ])
  for (const { name, kind, sensitive, wasSensitive } of found.changed) {
    const [earlier, now] = [before.get(name), after.get(name)].map((value) =>
      sensitive ? '(sensitive)' : oneLine(value ?? '?'),
    )
    const old = wasSensitive === true && !sensitive ? '(was sensitive)' : earlier
    const shown = oneLine(name)
    if (kind === 'added') output.print(output.style('green', `+ ${shown} = ${now}\n`))
    else if (kind === 'removed') output.print(output.style('red', `- ${shown} = ${old}\n`))
    else output.print(output.style('yellow', `~ ${shown} = ${old} → ${now}\n`))
  }
  return code
}

/** For show only: that an output changed is known without its value. */
async function valuesAt(
  session: Session,
  unit: string,
  commit: number,
): Promise<ReadonlyMap<string, string>> {
  if (commit === 0) return new Map()
  const client = await session.client()
  try {
    const query = { commit, values: 'text' }
    const { outputs } = check(outputsAnswer, await client.json('GET', unitPath(unit, '/outputs'), { query }))
    return new Map((outputs ?? []).flatMap(({ name, value }) => (value === null ? [] : [[name, value]])))
  } catch {
    return new Map()
  }
}

function commitNumber(text: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw usageError(
    `${JSON.stringify(text)} is not a commit number.`,
    '`taco outputs log` lists the commits of a unit.',
  )
}
