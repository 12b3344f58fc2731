import { TacoError } from '../../../../base/errors.ts'
import { check, fields, flag, list as listOf, maybe, text } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { count } from '../../terminal/format.ts'
import { fileOf, pathIn } from './shared.ts'

const role = fields({ name: text, description: maybe(text), isBuiltIn: flag, words: listOf(text) })
const roles = fields({ items: listOf((value, at) => ({ raw: value, shown: role(value, at) })) })

export async function list(session: Session): Promise<void> {
  const { output } = session
  const answer = await all(session)
  if (output.asJson) return output.json(answer)
  output.table(
    ['ROLE', 'KIND', 'RULES', 'DESCRIPTION'],
    check(roles, answer).items.map(({ shown: { name, isBuiltIn, words, description } }) => [
      name,
      isBuiltIn ? 'built-in' : 'custom',
      String(words.length),
      description ?? '',
    ]),
  )
}

export async function show(session: Session, [name = '']: readonly string[]): Promise<void> {
  // A role of the organization comes before a built-in one of that name, as in decisions.
  const found = check(roles, await all(session)).items.findLast(({ shown }) => shown.name === name)
  if (found === undefined)
    throw new TacoError('NOT_FOUND', `There is no role ${name}.`, {
      facts: { field: 'role', role: name },
      hint: 'See `taco role ls`.',
    })
  const { output } = session
  if (output.asJson) return output.json(found.raw)
  const { description, isBuiltIn, words } = found.shown
  output.facts([
    ['role', `${name} (${isBuiltIn ? 'built-in' : 'custom'})`],
    ['description', description ?? undefined],
  ])
  for (const line of words) output.say(`  ${line}`)
}

export async function put(
  session: Session,
  [name = '']: readonly string[],
  { file }: { readonly file?: string },
): Promise<void> {
  const { output, world } = session
  const { text: content, path } = await fileOf(session, file)
  const json = (await world.accessFiles()).readRoleFile(content, path, name)
  const client = await session.client()
  const answer = await client.json('PUT', pathIn(session, 'roles', name), { query: ofWholeServer, json })
  if (output.asJson) return output.json(answer)
  output.say(`stored ${name} with ${count(check(role, answer).words.length, 'rule')}`)
}

export async function remove(session: Session, [name = '']: readonly string[]): Promise<void> {
  const client = await session.client()
  await client.json('DELETE', pathIn(session, 'roles', name), { query: ofWholeServer })
  if (session.output.asJson) return session.output.json({ role: name, status: 'deleted' })
  session.output.say(`deleted ${name}`)
}

async function all(session: Session): Promise<unknown> {
  return (await session.client()).json('GET', pathIn(session, 'roles'), { query: ofWholeServer })
}
