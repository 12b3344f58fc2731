import { isTacoError } from '../../../../base/errors.ts'
import { check, fields, list as listOf, maybe, text } from '../../api/check-answer.ts'
import type { Of } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Client } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { age, parseDuration } from '../../terminal/format.ts'

interface OfFlags {
  readonly team?: string
  readonly orgToken?: boolean
  readonly agent?: boolean
}

interface CreateFlags extends OfFlags {
  readonly name?: string
  readonly expires?: string
  readonly action?: readonly string[]
  readonly unit?: readonly string[]
  readonly role?: readonly string[]
}

const tokenAnswer = fields({
  id: text,
  name: text,
  kind: text,
  org: maybe(text),
  roles: listOf(text),
  actions: maybe(listOf(text)),
  units: maybe(listOf(text)),
  status: text,
  createdAt: text,
  createdBy: text,
  expiresAt: maybe(text),
  lastUsedAt: maybe(text),
  revokedAt: maybe(text),
  revokedBy: maybe(text),
})
type TokenAnswer = Of<typeof tokenAnswer>

export async function create(session: Session, _: readonly string[], flags: CreateFlags): Promise<void> {
  const { name, action, unit, role, team } = flags
  if (name === undefined)
    throw usageError('The token has no name.', 'Give --name with a word that says what the token is for.')
  const kind = kindOf(flags)
  const hasRoles = kind === 'organization' || kind === 'agent'
  if (hasRoles !== (role !== undefined))
    throw usageError(
      hasRoles ? 'The token has no role.' : '--role is only for tokens of organizations and agents.',
      hasRoles
        ? 'Give --role, such as operator. docs/access.md lists the built-in roles.'
        : 'A personal token has the rights of its owner, and a team token those of the team. --action and --unit narrow them.',
    )
  const json = {
    name,
    ...(kind === 'personal' ? {} : { kind }),
    ...(team === undefined ? {} : { team }),
    ...(role === undefined ? {} : { roles: role }),
    ...(action === undefined ? {} : { actions: action }),
    ...(unit === undefined ? {} : { units: unit }),
    ...expiryOf(flags.expires, session.world.now()),
  }
  const path = kind === 'personal' ? '/v1/tokens' : pathIn(session)
  const answer = await (await session.client()).json('POST', path, { query: ofWholeServer, json })
  const { output, world } = session
  if (output.asJson) return output.json(answer)
  const made = check(tokenAnswer, answer)
  output.note(
    `created ${made.id} (${made.name}), which ${sayExpiry(made, world.now())}; it is not shown again:`,
  )
  output.data(`${check(fields({ token: text }), answer).token}\n`)
}

export async function list(session: Session, _: readonly string[], flags: OfFlags): Promise<void> {
  const kind = kindOf(flags)
  const query = { ...ofWholeServer, ...(kind === 'personal' ? {} : { kind, team: flags.team }) }
  const path = kind === 'personal' ? '/v1/tokens' : pathIn(session)
  const answer = await (await session.client()).json('GET', path, { query })
  const { output, world } = session
  if (output.asJson) return output.json(answer)
  const now = world.now()
  output.table(
    ['ID', 'NAME', 'ROLES', 'SCOPE', 'LAST USED', 'CREATED', 'STATUS'],
    check(fields({ items: listOf(tokenAnswer) }), answer).items.map((token) => [
      token.id,
      token.name,
      token.roles.join(', '),
      sayScope(token),
      token.lastUsedAt === null ? 'never' : age(token.lastUsedAt, now),
      age(token.createdAt, now),
      token.status === 'active' ? sayExpiry(token, now) : token.status,
    ]),
  )
}

export async function show(session: Session, [id = '']: readonly string[]): Promise<void> {
  const { output, world } = session
  const answer = await ownOrOfOrg(session, id, (client, path) =>
    client.json('GET', path, { query: ofWholeServer }),
  )
  if (output.asJson) return output.json(answer)
  const token = check(tokenAnswer, answer)
  const now = world.now()
  output.facts([
    ['token', token.id],
    ['name', token.name],
    ['kind', token.org === null ? token.kind : `${token.kind} (${token.org})`],
    ['roles', token.roles.length === 0 ? undefined : token.roles.join(', ')],
    ['scope', sayScope(token)],
    ['created', `${age(token.createdAt, now)} by ${token.createdBy}`],
    ['last used', token.lastUsedAt === null ? 'never' : age(token.lastUsedAt, now)],
    ['status', token.status === 'active' ? `active, ${sayExpiry(token, now)}` : token.status],
    ['revoked', token.revokedAt === null ? undefined : `${age(token.revokedAt, now)} by ${token.revokedBy}`],
  ])
}

export async function revoke(session: Session, [id = '']: readonly string[]): Promise<void> {
  await ownOrOfOrg(session, id, (client, path) => client.json('DELETE', path, { query: ofWholeServer }))
  if (session.output.asJson) return session.output.json({ id, status: 'revoked' })
  session.output.say(`revoked ${id}`)
}

/** An id does not say whose token it is: mine is tried first. What went wrong there is said if neither works. */
async function ownOrOfOrg<T>(
  session: Session,
  id: string,
  ask: (client: Client, path: string) => Promise<T>,
): Promise<T> {
  const client = await session.client()
  const rest = encodeURIComponent(id)
  try {
    return await ask(client, `/v1/tokens/${rest}`)
  } catch (error) {
    if (!isTacoError(error, 'NOT_FOUND', 'FORBIDDEN')) throw error
    return ask(client, `${pathIn(session)}/${rest}`).catch((other: unknown) => {
      throw isTacoError(other, 'NOT_FOUND', 'FORBIDDEN') && error.code === 'NOT_FOUND' ? error : other
    })
  }
}

function pathIn(session: Session): string {
  return `/v1/orgs/${encodeURIComponent(session.org())}/tokens`
}

function kindOf({ team, orgToken, agent }: OfFlags): 'personal' | 'team' | 'organization' | 'agent' {
  if ([team !== undefined, orgToken === true, agent === true].filter(Boolean).length > 1)
    throw usageError(
      'A token is of a team, of the organization or of an agent.',
      'Give one of --team, --org-token and --agent.',
    )
  if (team !== undefined) return 'team'
  return orgToken === true ? 'organization' : agent === true ? 'agent' : 'personal'
}

function expiryOf(given: string | undefined, now: number): { readonly expiresAt?: string | null } {
  if (given === undefined) return {}
  if (given === 'never') return { expiresAt: null }
  const after = parseDuration(given)
  const at =
    after === undefined && /^\d{4}-\d\d-\d\d/.test(given) ? Date.parse(given) : now + (after ?? Number.NaN)
  if (Number.isFinite(at) && Math.abs(at) < 8.64e15) return { expiresAt: new Date(at).toISOString() }
  throw usageError(`--expires ${given} is not a time.`, 'Write it as 30d, 12h, 2027-01-31 or never.')
}

function sayScope({ actions, units }: TokenAnswer): string {
  const parts = [
    ...(actions === null ? [] : [actions.join(', ')]),
    ...(units === null ? [] : [`on ${units.join(', ')}`]),
  ]
  return parts.length === 0 ? 'not narrowed' : parts.join(' ')
}

function sayExpiry({ expiresAt }: TokenAnswer, now: number): string {
  if (expiresAt === null) return 'never expires'
  const days = Math.round((Date.parse(expiresAt) - now) / 86_400_000)
  return days >= 1 ? `expires in ${days} d` : 'expires within a day'
}
