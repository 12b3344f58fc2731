import { EXIT } from '../../terminal/exit-codes.ts'
import { statusAnswer } from '../../api/graph-answers.ts'
import type { Session } from '../../session.ts'
import { check } from '../../api/check-answer.ts'
import { paintStatus, signOf } from '../../terminal/status-words.ts'
import { oneLine } from '../../../../base/text/terminal-text.ts'
import { withUnit } from '../../config/unit-name.ts'
import { count } from '../../terminal/format.ts'

interface StatusOptions {
  readonly subtree?: boolean
  readonly upstream?: boolean
  readonly at?: string
  readonly all?: boolean
  readonly exitCode?: boolean
}

export async function status(
  session: Session,
  [unit]: readonly string[],
  options: StatusOptions,
): Promise<number> {
  const { output } = session
  const client = await session.client()
  const direction = directionOf(options)
  const isWhole = unit === undefined || direction !== undefined
  const query = {
    unit,
    direction: unit === undefined ? undefined : direction,
    at: options.at,
    attention: isWhole && options.all !== true && !output.asJson ? true : undefined,
  }
  const ask = () => client.json('GET', '/v1/status', { query })
  const answer = unit === undefined ? await ask() : await withUnit(session, unit, ask)
  const { items, counts } = check(statusAnswer, answer)
  const code = options.exitCode === true && needsWork(counts) ? EXIT.found : EXIT.ok
  if (output.asJson) {
    output.json(answer)
    return code
  }
  const widest = Math.max(0, ...items.map(({ name }) => name.length))
  for (const item of items) {
    const name = oneLine(item.name).padEnd(widest)
    output.print(
      `${signOf(item, output.style)} ${output.style('bold', name)}  ${paintStatus(item, output.style)}\n`,
    )
    for (const { says } of item.reasons) output.print(`    ${output.style('dim', oneLine(says))}\n`)
  }
  if (isWhole) output.print(`${items.length === 0 ? '' : '\n'}${sayCounts(counts)}\n`)
  return code
}

export function directionOf({ subtree, upstream }: StatusOptions): 'up' | 'down' | 'both' | undefined {
  if (subtree === true) return upstream === true ? 'both' : 'down'
  return upstream === true ? 'up' : undefined
}

function needsWork(counts: Readonly<Record<string, number>>): boolean {
  return (counts['stale'] ?? 0) + (counts['state-missing'] ?? 0) > 0
}

function sayCounts(counts: Readonly<Record<string, number>>): string {
  const all = Object.values(counts).reduce((sum, one) => sum + one, 0)
  if (all === 0) return 'no units yet'
  if (counts['up-to-date'] === all)
    return all === 1 ? 'the unit is up to date' : `all ${count(all, 'unit')} are up to date`
  const parts = ['state-missing', 'stale', 'waiting', 'unknown', 'never-applied', 'up-to-date']
  const said = parts.flatMap((word) => (counts[word] ? [`${counts[word]} ${word.replaceAll('-', ' ')}`] : []))
  return `${count(all, 'unit')}: ${said.join(', ')}`
}
