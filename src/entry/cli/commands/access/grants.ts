import { check, fields, list as listOf, maybe, text } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { pathIn, required, subjectOf } from './shared.ts'

const binding = fields({ role: text, to: text, units: maybe(listOf(text)), project: maybe(text) })
const bindings = fields({ items: listOf(binding) })

const WHO = 'Name a login, team:<name>, group:<provider>/<group>, email:<address>, or everyone.'

/** What a grant is narrowed to. */
interface Where {
  readonly unit?: readonly string[]
  readonly project?: string
}

export async function list(session: Session): Promise<void> {
  const { output } = session
  const answer = await (
    await session.client()
  ).json('GET', pathIn(session, 'bindings'), { query: ofWholeServer })
  if (output.asJson) return output.json(answer)
  output.table(
    ['WHO', 'ROLE', 'UNITS'],
    check(bindings, answer).items.map(({ role, to, units, project }) => [
      to,
      role,
      [...(units ?? []), ...(project === null ? [] : [`of ${project}`])].join(', ') || 'all',
    ]),
  )
}

export async function grant(
  session: Session,
  [role = '']: readonly string[],
  { to, unit, project }: { readonly to?: string } & Where,
): Promise<void> {
  const { output } = session
  const json = {
    role,
    to: subjectOf(required(to, 'to', WHO)),
    ...(unit === undefined ? {} : { units: unit }),
    ...(project === undefined ? {} : { project }),
  }
  const answer = await (
    await session.client()
  ).json('POST', pathIn(session, 'bindings'), { query: ofWholeServer, json })
  if (output.asJson) return output.json(answer)
  const given = check(binding, answer)
  output.say(`granted ${given.role} to ${given.to}${where(given.units, project)}`)
}

export async function revoke(
  session: Session,
  [role = '']: readonly string[],
  { from, unit, project }: { readonly from?: string } & Where,
): Promise<void> {
  const to = subjectOf(required(from, 'from', WHO))
  const query = { ...ofWholeServer, role, to, units: unit, project }
  await (await session.client()).json('DELETE', pathIn(session, 'bindings'), { query })
  if (session.output.asJson)
    return session.output.json({ role, to, units: unit ?? null, project: project ?? null })
  session.output.say(`revoked ${role} from ${to}${where(unit, project)}`)
}

function where(units: readonly string[] | null | undefined, project: string | undefined): string {
  return [
    units == null ? '' : ` on ${units.join(', ')}`,
    project === undefined ? '' : ` in the project ${project}`,
  ].join('')
}
