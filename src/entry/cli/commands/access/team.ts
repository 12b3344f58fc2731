import { check, fields, list as listOf, maybe, text } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { confirm } from '../../terminal/ask.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { age, count } from '../../terminal/format.ts'
import { pathIn } from './shared.ts'

const team = fields({
  id: text,
  name: text,
  description: maybe(text),
  members: listOf(fields({ id: text, login: maybe(text) })),
  groups: listOf(text),
  createdAt: text,
})

interface TeamFlags {
  readonly name?: string
  readonly description?: string
  readonly group?: readonly string[]
  readonly noGroups?: boolean
}

export async function list(session: Session): Promise<void> {
  const { output } = session
  const answer = await ask(session, 'GET', [])
  if (output.asJson) return output.json(answer)
  output.table(
    ['TEAM', 'MEMBERS', 'GROUPS', 'DESCRIPTION'],
    check(fields({ items: listOf(team) }), answer).items.map(({ name, members, groups, description }) => [
      name,
      String(members.length),
      groups.join(', '),
      description ?? '',
    ]),
  )
}

export async function create(
  session: Session,
  [name = '']: readonly string[],
  flags: TeamFlags,
): Promise<void> {
  const answer = await ask(session, 'POST', [], { name, ...changeOf(flags) })
  if (session.output.asJson) return session.output.json(answer)
  const made = check(team, answer)
  session.output.say(`created ${made.name} (${made.id})`)
}

export async function show(session: Session, [name = '']: readonly string[]): Promise<void> {
  showTeam(session, await ask(session, 'GET', [name]))
}

export async function set(session: Session, [name = '']: readonly string[], flags: TeamFlags): Promise<void> {
  const json = { ...(flags.name === undefined ? {} : { name: flags.name }), ...changeOf(flags) }
  if (Object.keys(json).length === 0)
    throw usageError('No change was given.', 'Give --name, --description, --group or --no-groups.')
  showTeam(session, await ask(session, 'PATCH', [name], json))
}

export async function remove(
  session: Session,
  [name = '']: readonly string[],
  { yes }: { readonly yes?: boolean },
): Promise<void> {
  await session.client()
  await confirm(session, `delete the team ${name}, with the roles that it has?`, yes)
  await ask(session, 'DELETE', [name])
  if (session.output.asJson) return session.output.json({ team: name, status: 'deleted' })
  session.output.say(`deleted ${name}`)
}

export async function add(session: Session, [name = '', person = '']: readonly string[]): Promise<void> {
  await changeMember(session, 'PUT', name, person)
}

export async function removeMember(
  session: Session,
  [name = '', person = '']: readonly string[],
): Promise<void> {
  await changeMember(session, 'DELETE', name, person)
}

async function changeMember(session: Session, method: 'PUT' | 'DELETE', name: string, person: string) {
  const login = person.replace(/^user:/, '')
  const answer = await ask(session, method, [name, 'members', login])
  if (session.output.asJson) return session.output.json(answer)
  const { name: said, members } = check(team, answer)
  const what = method === 'PUT' ? `added ${login} to ${said}` : `removed ${login} from ${said}`
  session.output.say(`${what}, which has ${count(members.length, 'member')}`)
}

function showTeam({ output, world }: Session, answer: unknown): void {
  if (output.asJson) return output.json(answer)
  const { id, name, description, members, groups, createdAt } = check(team, answer)
  output.facts([
    ['team', name],
    ['id', id],
    ['description', description ?? undefined],
    ['members', members.map((one) => one.login ?? one.id).join(', ') || 'none'],
    ['groups', groups.join(', ') || 'none'],
    ['created', age(createdAt, world.now())],
  ])
}

function changeOf({ description, group, noGroups }: TeamFlags) {
  if (group !== undefined && noGroups === true)
    throw usageError('--group and --no-groups exclude each other.', 'Choose one of them.')
  const groups = noGroups === true ? [] : group
  return {
    ...(description === undefined ? {} : { description }),
    ...(groups === undefined ? {} : { groups }),
  }
}

async function ask(session: Session, method: string, parts: readonly string[], json?: object) {
  const client = await session.client()
  return client.json(method, pathIn(session, 'teams', ...parts), { query: ofWholeServer, json })
}
