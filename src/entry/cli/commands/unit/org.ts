import { sayCreator } from '../../../../base/text/author.ts'
import { orgAnswer } from '../../api/answers.ts'
import { ofWholeServer } from '../../api/client.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { eventRetentionOf, retentionOf, sayRetention } from '../../terminal/labels.ts'
import type { KeepFlags } from '../../terminal/labels.ts'
import { wholeList } from '../../api/pages.ts'
import type { Session } from '../../session.ts'
import { check, fields, list as listOf, maybe, text } from '../../api/check-answer.ts'
import { age } from '../../terminal/format.ts'

export async function list(session: Session): Promise<void> {
  const damaged: string[] = []
  const items = await wholeList(await session.client(), '/v1/orgs', ofWholeServer, Infinity, (page) => {
    damaged.push(...(check(fields({ damaged: maybe(listOf(text)) }), page).damaged ?? []))
  })
  if (damaged.length > 0)
    session.output.warn(
      `the ${damaged.length === 1 ? 'organization' : 'organizations'} ${damaged.join(', ')} cannot be read; see \`taco doctor\``,
    )
  if (session.output.asJson) return session.output.json({ items, next: null, damaged })
  const rows = items
    .map((item) => check(orgAnswer, item))
    .map((org) => [
      org.name,
      sayRetention(org.retention),
      age(org.createdAt, session.world.now()),
      sayCreator(org),
    ])
  session.output.table(['ORGANIZATION', 'KEEPS', 'CREATED', 'BY'], rows)
}

export async function show(session: Session, [org = session.org()]: readonly string[]): Promise<void> {
  showOrg(session, await (await session.client()).json('GET', pathOf(org), { query: ofWholeServer }))
}

export async function create(
  session: Session,
  [name = '']: readonly string[],
  options: OrgFlags,
): Promise<void> {
  const json = { name, ...changeOf(options) }
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
      'Give --keep-versions, --keep-days, --keep-events or --keep-all.',
    )
  showOrg(session, await (await session.client()).json('PATCH', pathOf(org), { query: ofWholeServer, json }))
}

interface OrgFlags extends KeepFlags {
  readonly keepEvents?: string
}

function changeOf(flags: OrgFlags) {
  const retention = retentionOf(flags)
  const eventRetention = eventRetentionOf(flags.keepEvents)
  return {
    ...(retention === undefined ? {} : { retention }),
    ...(eventRetention === undefined ? {} : { eventRetention }),
  }
}

function showOrg({ output, world }: Session, answer: unknown): void {
  if (output.asJson) return output.json(answer)
  const org = check(orgAnswer, answer)
  output.facts([
    ['organization', org.name],
    ['created', `${age(org.createdAt, world.now())} by ${sayCreator(org)}`],
    ['keeps', sayRetention(org.retention)],
    ['keeps events', org.eventRetention === null ? 'everything' : `the last ${org.eventRetention.days} days`],
  ])
}

function pathOf(org: string): string {
  return `/v1/orgs/${encodeURIComponent(org)}`
}
