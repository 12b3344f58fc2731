import { check, fields, list as listOf, record, text } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { confirm } from '../../terminal/ask.ts'
import { age } from '../../terminal/format.ts'
import { fileOf } from '../access/shared.ts'

const provider = fields({ id: text, kind: text, label: text, changedAt: text, changedBy: text })
const checked = fields({ facts: record(text), warnings: listOf(text) })

export async function list(session: Session): Promise<void> {
  const { output, world } = session
  const answer = await (await session.client()).json('GET', '/v1/providers', { query: ofWholeServer })
  if (output.asJson) return output.json(answer)
  output.table(
    ['ID', 'KIND', 'LABEL', 'CHANGED', 'BY'],
    check(fields({ items: listOf(provider) }), answer).items.map((one) => [
      one.id,
      one.kind,
      one.label,
      age(one.changedAt, world.now()),
      one.changedBy,
    ]),
  )
}

export async function put(
  session: Session,
  [id = '']: readonly string[],
  { file }: { readonly file?: string },
): Promise<void> {
  const { output, world } = session
  const { text: content, path } = await fileOf(session, file)
  const { id: _, ...json } = (await world.accessFiles()).readProviderFile(content, path, {
    id,
    env: world.env,
  })
  const answer = await (await session.client()).json('PUT', pathOf(id), { query: ofWholeServer, json })
  if (output.asJson) return output.json(answer)
  const stored = check(provider, answer)
  output.say(`stored ${stored.id} (${stored.kind})`)
  output.note(`next: \`taco provider check ${stored.id}\``)
}

export async function remove(
  session: Session,
  [id = '']: readonly string[],
  { yes }: { readonly yes?: boolean },
): Promise<void> {
  const client = await session.client()
  await confirm(session, `remove the sign-in provider ${id}? People can no longer sign in with it.`, yes)
  await client.json('DELETE', pathOf(id), { query: ofWholeServer })
  if (session.output.asJson) return session.output.json({ id, status: 'removed' })
  session.output.say(`removed ${id}`)
}

export async function checkSettings(session: Session, [id = '']: readonly string[]): Promise<void> {
  const { output } = session
  const client = await session.client()
  const answer = await client.json('POST', `${pathOf(id)}/check`, { query: ofWholeServer })
  if (output.asJson) return output.json(answer)
  const { facts, warnings } = check(checked, answer)
  output.facts(Object.entries(facts))
  for (const warning of warnings) output.warn(warning)
  output.note(`people can sign in with ${id}`)
}

function pathOf(id: string): string {
  return `/v1/providers/${encodeURIComponent(id)}`
}
