import { check, fields, flag, list as listOf, maybe, number, record, text } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { confirm } from '../../terminal/ask.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { age } from '../../terminal/format.ts'
import { parseLabels } from '../../terminal/labels.ts'
import { pathIn } from '../access/shared.ts'

const project = fields({
  id: text,
  name: text,
  description: text,
  labels: record(text),
  isDefault: flag,
  createdAt: maybe(text),
  createdBy: text,
  /** Null: the answer to a change does not count them. */
  units: maybe(number),
})

async function ask(session: Session, method: string, parts: readonly string[], json?: unknown) {
  const client = await session.client()
  const path = pathIn(session, 'projects', ...parts)
  return client.json(method, path, { query: ofWholeServer, ...(json === undefined ? {} : { json }) })
}

export async function list(session: Session): Promise<void> {
  const { output } = session
  const answer = await ask(session, 'GET', [])
  if (output.asJson) return output.json(answer)
  output.table(
    ['PROJECT', 'UNITS', 'DESCRIPTION', 'ID'],
    check(fields({ items: listOf(project) }), answer).items.map((one) => [
      one.isDefault ? `${one.name} (default)` : one.name,
      String(one.units ?? ''),
      one.description,
      one.id,
    ]),
  )
}

export async function show(session: Session, [name = '']: readonly string[]): Promise<void> {
  const { output, world } = session
  const answer = await ask(session, 'GET', [name])
  if (output.asJson) return output.json(answer)
  const one = check(project, answer)
  output.facts([
    ['project', one.name],
    ['id', one.id],
    ['description', one.description === '' ? undefined : one.description],
    ['labels', sayLabels(one.labels)],
    ['units', String(one.units ?? '')],
    [
      'created',
      one.createdAt === null ? undefined : `${age(one.createdAt, world.now())} by ${one.createdBy}`,
    ],
  ])
}

interface Settings {
  readonly description?: string
  readonly label?: readonly string[]
}

export async function create(
  session: Session,
  [name = '']: readonly string[],
  { description, label = [] }: Settings,
): Promise<void> {
  const labels = Object.entries(parseLabels(label)).map(([key, value]) => [key, value ?? ''])
  const json = {
    name,
    ...(description === undefined ? {} : { description }),
    ...(labels.length === 0 ? {} : { labels: Object.fromEntries(labels) }),
  }
  const answer = await ask(session, 'POST', [], json)
  if (session.output.asJson) return session.output.json(answer)
  const made = check(project, answer)
  session.output.say(`created ${made.name} (${made.id})`)
}

export async function change(
  session: Session,
  [name = '']: readonly string[],
  flags: Settings & { readonly name?: string },
): Promise<void> {
  const { description, label } = flags
  const json = {
    ...(flags.name === undefined ? {} : { name: flags.name }),
    ...(description === undefined ? {} : { description }),
    ...(label === undefined ? {} : { labels: parseLabels(label) }),
  }
  if (Object.keys(json).length === 0)
    throw usageError('No change was given.', 'Give --name, --description or --label.')
  const answer = await ask(session, 'PATCH', [name], json)
  if (session.output.asJson) return session.output.json(answer)
  session.output.say(`changed ${check(project, answer).name}`)
}

export async function remove(
  session: Session,
  [name = '']: readonly string[],
  { yes }: { readonly yes?: boolean },
): Promise<void> {
  await session.client()
  await confirm(session, `delete the project ${name}?`, yes)
  await ask(session, 'DELETE', [name])
  if (session.output.asJson) return session.output.json({ project: name, status: 'deleted' })
  session.output.say(`deleted ${name}`)
}

function sayLabels(labels: Readonly<Record<string, string>>): string | undefined {
  const all = Object.entries(labels).map(([name, value]) => (value === '' ? name : `${name}=${value}`))
  return all.length === 0 ? undefined : all.join(', ')
}
