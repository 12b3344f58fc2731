import { textOf } from '../../api/client.ts'
import { graphAnswer } from '../../api/graph-answers.ts'
import { treeLines } from '../../terminal/graph-tree.ts'
import type { Session } from '../../session.ts'
import { check } from '../../api/check-answer.ts'
import { withUnit } from '../../config/unit-name.ts'
import { directionOf } from './status.ts'

interface GraphOptions {
  readonly subtree?: boolean
  readonly upstream?: boolean
  readonly at?: string
  readonly format: string
}

export async function graph(
  session: Session,
  [unit]: readonly string[],
  options: GraphOptions,
): Promise<void> {
  const { output } = session
  const client = await session.client()
  const direction = directionOf(options)
  const isJson = output.asJson || options.format === 'json'
  const isDrawn = !isJson && options.format !== 'tree'
  const query = {
    unit,
    direction: unit === undefined || direction === 'both' ? undefined : direction,
    at: options.at,
    format: isDrawn ? options.format : undefined,
  }
  const ask = async () =>
    isDrawn
      ? textOf(await client.send('GET', '/v1/graph', { query, accept: '*/*' }))
      : client.json('GET', '/v1/graph', { query })
  const answer = unit === undefined ? await ask() : await withUnit(session, unit, ask)
  if (isDrawn) return output.data(String(answer))
  if (isJson) return output.json(answer)
  const view = check(graphAnswer, answer)
  if (view.nodes.length === 0) return output.note('no units yet')
  output.print([...treeLines(view, output.style)].map((line) => `${line}\n`).join(''))
}
