import { unitPath } from '../../api/client.ts'
import type { Client } from '../../api/client.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import {
  type DependenciesAnswer,
  dependenciesAnswer,
  graphAnswer,
  warningsAnswer,
} from '../../api/graph-answers.ts'
import type { Session } from '../../session.ts'
import { check } from '../../api/check-answer.ts'
import { withUnit } from '../../config/unit-name.ts'
import { age } from '../../terminal/format.ts'

interface AddOptions {
  readonly on?: readonly string[]
  readonly input?: readonly string[]
}

export async function add(
  session: Session,
  [unit = '']: readonly string[],
  options: AddOptions,
): Promise<void> {
  const wanted = edgesOf(options.on, 'add')
  const inputs = inputsOf(options.input ?? [])
  if (inputs !== undefined && wanted.length > 1)
    throw usageError('--input works with one --on only.', 'Declare one dependency at a time.')
  const json = wanted.map((edge) => ({ ...edge, ...(inputs === undefined ? {} : { inputs }) }))
  await eachEdge(session, unit, json, (client, edge) =>
    client.json('POST', unitPath(unit, '/dependencies'), { json: edge }),
  )
}

export async function remove(
  session: Session,
  [unit = '']: readonly string[],
  options: AddOptions,
): Promise<void> {
  await eachEdge(session, unit, edgesOf(options.on, 'rm'), (client, { on, outputs }) =>
    client.json('DELETE', unitPath(unit, '/dependencies'), { query: { on, outputs: outputs?.join(',') } }),
  )
}

export async function list(session: Session, [unit]: readonly string[]): Promise<void> {
  const { output } = session
  const client = await session.client()
  if (unit !== undefined) {
    const answer = await withUnit(session, unit, () => client.json('GET', unitPath(unit, '/dependencies')))
    if (output.asJson) return output.json(answer)
    return show(session, check(dependenciesAnswer, answer))
  }
  const answer = await client.json('GET', '/v1/graph')
  if (output.asJson) return output.json(answer)
  const { nodes, edges } = check(graphAnswer, answer)
  // Only a unit whose document cannot be read goes by its id.
  const damaged = nodes.filter(({ id, name }) => id === name)
  for (const { id } of damaged)
    output.warn(`what ${id} uses is left out: its document cannot be read; see \`taco doctor --deep\``)
  if (edges.length === 0) {
    if (damaged.length === 0)
      output.note(
        'no dependencies yet: `taco dep add app --on network` declares one, reading outputs makes them',
      )
    return
  }
  const names = new Map(nodes.map(({ id, name }) => [id, name]))
  output.table(
    ['UNIT', 'USES', 'OUTPUTS', 'FROM', 'STATE'],
    edges.map((edge) => [
      names.get(edge.from) ?? edge.from,
      edge.name,
      sayOutputs(edge.outputs),
      edge.source,
      edge.state,
    ]),
  )
}

interface EdgeText {
  readonly on: string
  readonly outputs?: readonly string[]
}

async function eachEdge<E>(
  session: Session,
  unit: string,
  edges: readonly E[],
  send: (client: Client, edge: E) => Promise<unknown>,
): Promise<void> {
  const client = await session.client()
  let answer: unknown
  for (const edge of edges) {
    answer = await withUnit(session, unit, () => send(client, edge))
    for (const warning of check(warningsAnswer, answer).warnings ?? []) session.output.warn(warning)
  }
  if (session.output.asJson) return session.output.json(answer)
  show(session, check(dependenciesAnswer, answer))
}

/** `network`, `network:vpc_id,subnet_ids`; `network:` alone is for the order only. */
function edgesOf(given: readonly string[] | undefined, verb: string): EdgeText[] {
  if (given === undefined)
    throw usageError('--on is missing.', `Write \`taco dep ${verb} app --on network:vpc_id,subnet_ids\`.`)
  return given.map((text) => {
    const at = text.indexOf(':')
    if (at === 0 || text === '')
      throw usageError(
        `${JSON.stringify(text)} does not name a unit.`,
        'Write --on network or --on network:vpc_id.',
      )
    if (at === -1) return { on: text }
    const outputs = text
      .slice(at + 1)
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
    return { on: text.slice(0, at), outputs }
  })
}

function inputsOf(pairs: readonly string[]): Record<string, string> | undefined {
  if (pairs.length === 0) return undefined
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=')
      if (at < 1 || at === pair.length - 1)
        throw usageError(
          `The input ${JSON.stringify(pair)} does not have the form variable=output.`,
          'Write --input vpc=vpc_id.',
        )
      return [pair.slice(0, at), pair.slice(at + 1)]
    }),
  )
}

function show({ output, world }: Session, { unit, uses, usedBy }: DependenciesAnswer): void {
  if (uses.length === 0) output.note(`${unit.name} uses no other unit, as far as is known`)
  else {
    output.table(
      [`${unit.name} USES`, 'OUTPUTS', 'FROM', 'STATE', 'READ'],
      uses.map(({ on, outputs, source, state, read, changed }) => [
        on.name,
        sayOutputs(outputs),
        source,
        changed.length === 0 ? state : `${state}: ${changed.join(', ')}`,
        read === null ? 'never' : `commit ${read.commit}, ${age(read.at, world.now())}`,
      ]),
    )
  }
  if (usedBy.length === 0) return
  if (uses.length > 0) output.print('\n')
  output.table(
    [`${unit.name} IS USED BY`, 'OUTPUTS', 'FROM', 'STATE'],
    usedBy.map(({ name, outputs, source, state }) => [name, sayOutputs(outputs), source, state]),
  )
}

function sayOutputs(outputs: readonly string[] | null): string {
  if (outputs === null) return 'all'
  return outputs.length === 0 ? 'none (order only)' : outputs.join(', ')
}
