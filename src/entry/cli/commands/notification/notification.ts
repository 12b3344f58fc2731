import { check, fields, list as listOf, maybe, number, text, flag } from '../../api/check-answer.ts'
import { ofWholeServer } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { age } from '../../terminal/format.ts'
import { pathIn, required } from '../access/shared.ts'

interface ScopeFlags {
  readonly unit?: string
  readonly project?: string
  readonly team?: string
}

interface CreateFlags extends ScopeFlags {
  readonly name?: string
  readonly kind?: string
  readonly url?: string
  readonly tokenEnv?: string
  readonly email?: readonly string[]
  readonly person?: readonly string[]
  readonly trigger?: readonly string[]
  readonly disabled?: boolean
}

const delivery = fields({ at: text, trigger: text, isSuccessful: flag, code: text, body: text })
const notification = fields({
  id: text,
  name: text,
  destination: text,
  enabled: flag,
  triggers: listOf(text),
  scope: fields({ kind: text, id: maybe(text) }),
  url: maybe(text),
  isSigned: flag,
  emails: listOf(text),
  createdAt: text,
  createdBy: text,
})
const deliveries = fields({ deliveries: listOf(delivery), waiting: number, givenUp: number })

export async function list(session: Session, _: readonly string[], flags: ScopeFlags): Promise<void> {
  const query = { ...ofWholeServer, ...scopeOf(flags) }
  const answer = await (await session.client()).json('GET', pathIn(session, 'notifications'), { query })
  const { output } = session
  if (output.asJson) return output.json(answer)
  output.table(
    ['ID', 'NAME', 'OF', 'DESTINATION', 'TRIGGERS', 'ENABLED'],
    check(fields({ items: listOf(notification) }), answer).items.map((one) => [
      one.id,
      one.name,
      one.scope.id ?? one.scope.kind,
      one.destination,
      one.triggers.join(', '),
      one.enabled ? 'yes' : 'no',
    ]),
  )
}

export async function create(session: Session, _: readonly string[], flags: CreateFlags): Promise<void> {
  const { url, email, person, trigger, kind } = flags
  if (trigger === undefined)
    throw usageError(
      'There is no trigger.',
      'Give --trigger, such as state:changed. docs/notifications.md lists all.',
    )
  if ((url === undefined) === (email === undefined && person === undefined))
    throw usageError(
      'A notification needs one destination.',
      'Give --url for a webhook, or --email or --person for e-mail.',
    )
  const json = {
    name: required(flags.name, 'name', 'Say what it is for.'),
    destination: url === undefined ? 'email' : (kind ?? kindOf(url)),
    triggers: trigger,
    enabled: flags.disabled !== true,
    ...(url === undefined ? {} : { url }),
    ...(email === undefined ? {} : { emails: email }),
    ...(person === undefined ? {} : { users: person }),
    ...tokenOf(session, flags.tokenEnv),
  }
  const query = { ...ofWholeServer, ...scopeOf(flags) }
  const answer = await (
    await session.client()
  ).json('POST', pathIn(session, 'notifications'), { query, json })
  if (session.output.asJson) return session.output.json(answer)
  const made = check(notification, answer)
  session.output.say(`created ${made.id} (${made.name})`)
  if (made.enabled && made.destination !== 'email') session.output.note('the destination accepted a test')
}

export async function show(session: Session, [id = '']: readonly string[]): Promise<void> {
  const { output, world } = session
  const client = await session.client()
  const answer = await client.json('GET', pathIn(session, 'notifications', id), { query: ofWholeServer })
  if (output.asJson) return output.json(answer)
  const one = check(notification, answer)
  const { deliveries: last, waiting, givenUp } = check(deliveries, answer)
  const now = world.now()
  output.facts([
    ['notification', one.id],
    ['name', one.name],
    ['of', one.scope.id ?? one.scope.kind],
    ['destination', [one.destination, one.url ?? one.emails.join(', ')].join(' ')],
    ['signed', one.isSigned ? 'yes' : undefined],
    ['triggers', one.triggers.join(', ')],
    ['enabled', one.enabled ? 'yes' : 'no'],
    ['created', `${age(one.createdAt, now)} by ${one.createdBy}`],
    ['waiting', waiting === 0 ? undefined : String(waiting)],
    ['given up', givenUp === 0 ? undefined : String(givenUp)],
  ])
  if (last.length === 0) return
  output.table(
    ['SENT', 'TRIGGER', 'ANSWER', ''],
    last.map(({ at, trigger, isSuccessful, code, body }) => [
      age(at, now),
      trigger,
      code,
      isSuccessful ? '' : body.slice(0, 80),
    ]),
  )
}

export async function test(session: Session, [id = '']: readonly string[]): Promise<void> {
  const client = await session.client()
  const answer = await client.json('POST', pathIn(session, 'notifications', id, 'test'), {
    query: ofWholeServer,
  })
  if (session.output.asJson) return session.output.json(answer)
  session.output.say(`the destination accepted a test (${check(delivery, answer).code})`)
}

export async function setEnabled(session: Session, id: string, enabled: boolean): Promise<void> {
  const client = await session.client()
  const path = pathIn(session, 'notifications', id)
  const answer = await client.json('PATCH', path, { query: ofWholeServer, json: { enabled } })
  if (session.output.asJson) return session.output.json(answer)
  session.output.say(`${enabled ? 'enabled' : 'disabled'} ${check(notification, answer).id}`)
}

export async function remove(session: Session, [id = '']: readonly string[]): Promise<void> {
  const client = await session.client()
  await client.json('DELETE', pathIn(session, 'notifications', id), { query: ofWholeServer })
  if (session.output.asJson) return session.output.json({ id, status: 'deleted' })
  session.output.say(`deleted ${id}`)
}

function scopeOf({ unit, project, team }: ScopeFlags) {
  if ([unit, project, team].filter((one) => one !== undefined).length > 1)
    throw usageError('A notification has one scope.', 'Give one of --unit, --project and --team, or none.')
  return { unit, project, team }
}

/** The services whose webhooks understand only their own form. */
function kindOf(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : ''
  if (host === 'hooks.slack.com') return 'slack'
  return /\.(webhook\.office\.com|logic\.azure\.com)$/.test(host) ? 'microsoft-teams' : 'generic'
}

function tokenOf({ world }: Session, name: string | undefined): { readonly token?: string } {
  if (name === undefined) return {}
  const token = world.env[name]
  if (token) return { token }
  throw usageError(
    `The environment variable ${name} is empty.`,
    'Put the token that signs notifications there.',
  )
}
