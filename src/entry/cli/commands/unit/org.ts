import { sayRetention } from '../../../../base/text/retention.ts'
import { sayAuthor, sayCreator } from '../../../../base/text/author.ts'
import { orgAnswer, usageAnswer } from '../../api/answers.ts'
import { ofWholeServer } from '../../api/client.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { eventRetentionOf, retentionOf } from '../../terminal/labels.ts'
import type { KeepFlags } from '../../terminal/labels.ts'
import { wholeList } from '../../api/pages.ts'
import type { Session } from '../../session.ts'
import { type Of, check, fields, list as listOf, maybe, text } from '../../api/check-answer.ts'
import { confirm } from '../../terminal/ask.ts'
import { age, bytes, parseBytes } from '../../terminal/format.ts'

export async function list(
  session: Session,
  _args: readonly string[],
  options: { readonly deleted?: boolean },
): Promise<void> {
  const damaged: string[] = []
  const query = options.deleted === true ? { ...ofWholeServer, deleted: true } : ofWholeServer
  const items = await wholeList(await session.client(), '/v1/orgs', query, Infinity, (page) => {
    damaged.push(...(check(fields({ damaged: maybe(listOf(text)) }), page).damaged ?? []))
  })
  if (damaged.length > 0)
    session.output.warn(
      `the ${damaged.length === 1 ? 'organization' : 'organizations'} ${damaged.join(', ')} cannot be read; see \`taco doctor\``,
    )
  if (session.output.asJson) return session.output.json({ items, next: null, damaged })
  const orgs = items.map((item) => check(orgAnswer, item))
  const now = session.world.now()
  if (options.deleted === true)
    return session.output.table(
      ['ORGANIZATION', 'DELETED', 'BY'],
      orgs.map(({ name, deleted }) => [
        name,
        ...(deleted === null ? [] : [age(deleted.at, now), sayAuthor(deleted)]),
      ]),
    )
  session.output.table(
    ['ORGANIZATION', 'KEEPS', 'CREATED', 'BY'],
    orgs.map((org) => [org.name, sayRetention(org.retention), age(org.createdAt, now), sayCreator(org)]),
  )
}

export async function show(
  session: Session,
  [org = session.org()]: readonly string[],
  options: { readonly usage?: boolean },
): Promise<void> {
  const client = await session.client()
  const answer = await client.json('GET', pathOf(org), { query: ofWholeServer })
  if (options.usage !== true) return showOrg(session, answer)
  const usage = await client.json('GET', `${pathOf(org)}/usage`, { query: ofWholeServer })
  if (session.output.asJson) return session.output.json({ ...(answer as object), usage })
  showOrg(session, answer)
  const used = check(usageAnswer, usage)
  const more = used.isComplete ? '' : 'more than '
  session.output.facts([
    ['units', String(used.units)],
    ['versions', `${more}${used.versions}`],
    ['stored', `${more}${bytes(used.bytes)}`],
  ])
}

export async function create(
  session: Session,
  [name = '']: readonly string[],
  options: OrgFlags & { readonly prefix?: string },
): Promise<void> {
  const { prefix } = options
  const json = { name, ...(prefix === undefined ? {} : { prefix }), ...changeOf(options) }
  const answer = await (await session.client()).json('POST', '/v1/orgs', { query: ofWholeServer, json })
  if (session.output.asJson) return session.output.json(answer)
  session.output.say(`created ${check(orgAnswer, answer).name}`)
  session.output.note(`next: name it with --org ${name} or TACO_ORG=${name}`)
}

export async function set(
  session: Session,
  [org = '']: readonly string[],
  options: OrgFlags & { readonly keepAll?: boolean },
): Promise<void> {
  const json = {
    ...(options.keepAll === true ? { retention: null, eventRetention: null } : {}),
    ...changeOf(options),
  }
  if (Object.keys(json).length === 0)
    throw usageError(
      'No change was given.',
      'Give a limit (--max-units, --max-versions, --max-bytes), --keep-versions, --keep-days, --keep-events or --keep-all.',
    )
  showOrg(session, await (await session.client()).json('PATCH', pathOf(org), { query: ofWholeServer, json }))
}

export async function rename(session: Session, [org = '', name = '']: readonly string[]): Promise<void> {
  const client = await session.client()
  const answer = await client.json('POST', `${pathOf(org)}/rename`, { query: ofWholeServer, json: { name } })
  if (session.output.asJson) return session.output.json(answer)
  session.output.say(`renamed ${org} to ${check(orgAnswer, answer).name}`)
  session.output.note(
    `${org} still leads to it, in backend addresses too, and no other organization gets the name`,
  )
}

export async function remove(
  session: Session,
  [org = '']: readonly string[],
  options: { readonly force?: boolean; readonly yes?: boolean },
): Promise<void> {
  const client = await session.client()
  await confirm(session, `delete the organization ${org}?`, options.yes)
  const query = { ...ofWholeServer, ...(options.force === true ? { force: true } : {}) }
  const answer = await client.json('DELETE', pathOf(org), { query })
  if (session.output.asJson) return session.output.json(answer)
  session.output.say(`deleted ${org}`)
  session.output.note(`its units and states are kept and refused: \`taco org restore ${org}\` restores it`)
}

export async function restore(session: Session, [org = '']: readonly string[]): Promise<void> {
  const client = await session.client()
  const answer = await client.json('POST', `${pathOf(org)}/restore`, { query: ofWholeServer, json: {} })
  if (session.output.asJson) return session.output.json(answer)
  session.output.say(`restored ${check(orgAnswer, answer).name}`)
}

interface OrgFlags extends KeepFlags {
  readonly maxUnits?: string
  readonly maxVersions?: string
  readonly maxBytes?: string
  readonly keepEvents?: string
}

function changeOf(flags: OrgFlags) {
  const retention = retentionOf(flags)
  const eventRetention = eventRetentionOf(flags.keepEvents)
  return {
    ...(retention === undefined ? {} : { retention }),
    ...(eventRetention === undefined ? {} : { eventRetention }),
    ...limitsOf(flags),
  }
}

function limitsOf({ maxUnits, maxVersions, maxBytes }: OrgFlags) {
  const limits = {
    ...limit('units', maxUnits, wholeNumber),
    ...limit('versions', maxVersions, wholeNumber),
    ...limit('bytes', maxBytes, parseBytes),
  }
  return Object.keys(limits).length === 0 ? {} : { limits }
}

function limit(name: string, text: string | undefined, parse: (text: string) => number | undefined) {
  if (text === undefined) return {}
  const most = text === 'none' ? null : parse(text)
  if (most !== undefined) return { [name]: most }
  throw usageError(
    `--max-${name} ${text} is not a number${name === 'bytes' ? ' of bytes' : ''}.`,
    `Write it as ${name === 'bytes' ? '20GB' : '100'}, or "none" to take the limit away.`,
  )
}

function wholeNumber(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined
}

function sayLimits({ units, versions, bytes: size }: NonNullable<Of<typeof orgAnswer>['limits']>): string {
  const parts = [
    ...(units === null ? [] : [`${units} units`]),
    ...(versions === null ? [] : [`${versions} versions of each`]),
    ...(size === null ? [] : [bytes(size)]),
  ]
  return parts.join(', ') || 'none'
}

function showOrg({ output, world }: Session, answer: unknown): void {
  if (output.asJson) return output.json(answer)
  const org = check(orgAnswer, answer)
  output.facts([
    ['organization', org.name],
    ...(org.deleted === null
      ? []
      : [['deleted', `${age(org.deleted.at, world.now())} by ${sayAuthor(org.deleted)}`] as const]),
    ...(org.id === null || org.id === org.name ? [] : [['id', org.id] as const]),
    ...(org.formerNames === null || org.formerNames.length === 0
      ? []
      : [['former names', org.formerNames.join(', ')] as const]),
    ...(org.folder === null || org.folder === '' ? [] : [['states', `in ${org.folder}`] as const]),
    ['created', `${age(org.createdAt, world.now())} by ${sayCreator(org)}`],
    ...(org.limits === null ? [] : [['limits', sayLimits(org.limits)] as const]),
    ['keeps', sayRetention(org.retention)],
    ['keeps events', org.eventRetention === null ? 'everything' : `the last ${org.eventRetention.days} days`],
  ])
}

function pathOf(org: string): string {
  return `/v1/orgs/${encodeURIComponent(org)}`
}
