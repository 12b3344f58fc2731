import { check, fields, flag, list as listOf, maybe, text } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { confirm } from '../../terminal/ask.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { pathIn } from '../access/shared.ts'

const named = fields({ name: text })
const set = fields({
  id: text,
  name: text,
  description: text,
  global: flag,
  priority: flag,
  project: maybe(text),
  units: listOf(named),
  projects: listOf(named),
})

async function ask(session: Session, method: string, parts: readonly string[], json?: unknown) {
  const client = await session.client()
  const path = pathIn(session, 'variable-sets', ...parts)
  return client.json(method, path, { query: ofWholeServer, ...(json === undefined ? {} : { json }) })
}

export async function list(session: Session): Promise<void> {
  const { output } = session
  const answer = await ask(session, 'GET', [])
  if (output.asJson) return output.json(answer)
  const { items } = check(fields({ items: listOf(set) }), answer)
  if (items.length === 0) return output.note('no variable sets yet: `taco varset create cloud` creates one')
  output.table(
    ['SET', 'FOR', 'PRIORITY', 'DESCRIPTION'],
    items.map((one) => [one.name, sayScope(one), one.priority ? 'yes' : '-', one.description]),
  )
}

function sayScope({ global, project, units, projects }: ReturnType<typeof set>): string {
  const parts = [
    ...(global ? [project === null ? 'all units' : `all units of ${project}`] : []),
    ...projects.map(({ name }) => `project ${name}`),
    ...units.map(({ name }) => name),
  ]
  return parts.join(', ') || '-'
}

interface Settings {
  readonly description?: string
  readonly global?: boolean
  readonly priority?: boolean
}

function settingsOf({ description, global, priority }: Settings) {
  return {
    ...(description === undefined ? {} : { description }),
    ...(global === undefined ? {} : { global }),
    ...(priority === undefined ? {} : { priority }),
  }
}

export async function create(
  session: Session,
  [name = '']: readonly string[],
  flags: Settings & { readonly project?: string },
): Promise<void> {
  const { project } = flags
  const owner = project === undefined ? {} : { project }
  const answer = await ask(session, 'POST', [], { name, ...settingsOf(flags), ...owner })
  if (session.output.asJson) return session.output.json(answer)
  const made = check(set, answer)
  session.output.say(`created ${made.name} (${made.id})`)
  session.output.note(`next: \`taco var set <key> --set ${made.name}\`, then \`taco varset attach\``)
}

export async function change(
  session: Session,
  [name = '']: readonly string[],
  flags: Settings & { readonly name?: string },
): Promise<void> {
  const json = { ...settingsOf(flags), ...(flags.name === undefined ? {} : { name: flags.name }) }
  if (Object.keys(json).length === 0)
    throw usageError('No change was given.', 'Give --name, --description, --global or --priority.')
  const answer = await ask(session, 'PATCH', [name], json)
  if (session.output.asJson) return session.output.json(answer)
  session.output.say(`changed ${check(set, answer).name}`)
}

export async function remove(
  session: Session,
  [name = '']: readonly string[],
  { yes }: { readonly yes?: boolean },
): Promise<void> {
  await session.client()
  await confirm(session, `delete the variable set ${name} with its variables?`, yes)
  await ask(session, 'DELETE', [name])
  if (session.output.asJson) return session.output.json({ set: name, status: 'deleted' })
  session.output.say(`deleted ${name}`)
}

interface Attachments {
  readonly unit?: readonly string[]
  readonly project?: readonly string[]
}

export function attach(session: Session, [name = '']: readonly string[], flags: Attachments): Promise<void> {
  return changeAttachments(session, name, 'add', flags)
}

export function detach(session: Session, [name = '']: readonly string[], flags: Attachments): Promise<void> {
  return changeAttachments(session, name, 'remove', flags)
}

async function changeAttachments(
  session: Session,
  name: string,
  how: 'add' | 'remove',
  { unit: units, project: projects }: Attachments,
): Promise<void> {
  if (units === undefined && projects === undefined)
    throw usageError('No unit or project was given.', 'Give --unit or --project.')
  const json = {
    ...(units === undefined ? {} : { units: { [how]: units } }),
    ...(projects === undefined ? {} : { projects: { [how]: projects } }),
  }
  const answer = await ask(session, 'PATCH', [name], json)
  if (session.output.asJson) return session.output.json(answer)
  const changed = check(set, answer)
  session.output.say(`${changed.name} is for ${sayScope(changed)}`)
}
