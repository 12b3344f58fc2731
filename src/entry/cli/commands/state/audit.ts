import { sayAuthor } from '../../../../base/text/author.ts'
import { check, fields, list, maybe, number, text } from '../../api/check-answer.ts'
import type { Of } from '../../api/check-answer.ts'
import type { Client, SendOptions } from '../../api/client.ts'
import type { Session } from '../../session.ts'
import { csvLine } from '../../terminal/csv.ts'
import { usageError } from '../../terminal/exit-codes.ts'
import { timeOf } from '../../terminal/time-option.ts'

const recordAnswer = fields({
  id: text,
  at: text,
  type: text,
  result: text,
  by: text,
  who: maybe(text),
  via: maybe(fields({ kind: text, id: text, name: maybe(text) })),
  address: maybe(text),
  action: maybe(text),
  route: maybe(text),
  org: maybe(text),
  unit: maybe(fields({ id: maybe(text), name: text })),
  requestId: maybe(text),
  count: number,
})
type AuditRecord = Of<typeof recordAnswer>
const page = fields({ items: list((value) => value), next: maybe(text) })

interface AuditOptions {
  readonly who?: string
  readonly unit?: string
  readonly action?: string
  readonly result?: string
  readonly since?: string
  readonly until?: string
  readonly limit?: number
  readonly csv?: boolean
}

/** For people, as much as fits a few screens; programs get everything. */
const SHOWN = 100
const MOST = 1000

/** Newest first. */
export async function audit(
  session: Session,
  _args: readonly string[],
  options: AuditOptions,
): Promise<void> {
  const { output, world } = session
  if (options.csv === true && output.asJson)
    throw usageError('--csv and --json exclude each other.', 'Choose one of them.')
  const now = world.now()
  const query = {
    who: options.who,
    unit: options.unit,
    action: options.action,
    result: options.result,
    since: timeOf('since', options.since, now),
    until: timeOf('until', options.until, now),
  }
  const isForPeople = options.csv !== true && !output.asJson
  const limit = options.limit ?? (isForPeople && world.stdout.isTTY === true ? SHOWN : Infinity)
  const records = pages(await session.client(), query, limit)
  if (options.csv === true) return writeCsv(session, records)
  if (output.asJson) {
    for await (const items of records) for (const item of items) output.jsonLine(item)
    return
  }
  const rows: (readonly string[])[] = []
  for await (const items of records) rows.push(...items.map((item) => rowOf(check(recordAnswer, item))))
  output.table(['TIME', 'WHO', 'VIA', 'ADDRESS', 'ACTION', 'ABOUT', 'RESULT'], rows)
  if (rows.length === limit)
    output.note(`showing the newest ${limit}; see --limit, --since and --json for more`)
}

async function* pages(
  client: Client,
  query: NonNullable<SendOptions['query']>,
  limit: number,
): AsyncGenerator<readonly unknown[]> {
  let cursor: string | undefined
  for (let left = limit; left > 0;) {
    const asked = { ...query, cursor, limit: Math.min(left, MOST) }
    const { items, next } = check(page, await client.json('GET', '/v1/audit', { query: asked }))
    yield items
    left -= items.length
    if (next === null) return
    cursor = next
  }
}

async function writeCsv({ output }: Session, records: AsyncIterable<readonly unknown[]>): Promise<void> {
  output.data(csvLine(COLUMNS.map(([name]) => name)))
  for await (const items of records)
    for (const item of items) {
      const record = check(recordAnswer, item)
      output.data(csvLine(COLUMNS.map(([, value]) => value(record))))
    }
}

const COLUMNS: readonly (readonly [string, (record: AuditRecord) => string | number | null])[] = [
  ['at', ({ at }) => at],
  ['result', ({ result }) => result],
  ['type', ({ type }) => type],
  ['by', ({ by }) => by],
  ['who', ({ who }) => who],
  ['via_kind', ({ via }) => via?.kind ?? null],
  ['via_id', ({ via }) => via?.id ?? null],
  ['via_name', ({ via }) => via?.name ?? null],
  ['address', ({ address }) => address],
  ['action', ({ action }) => action],
  ['route', ({ route }) => route],
  ['org', ({ org }) => org],
  ['unit_id', ({ unit }) => unit?.id ?? null],
  ['unit', ({ unit }) => unit?.name ?? null],
  ['count', ({ count }) => count],
  ['request_id', ({ requestId }) => requestId],
  ['id', ({ id }) => id],
]

function rowOf(record: AuditRecord): readonly string[] {
  const { via, unit, org } = record
  const what = record.type.startsWith('request.') ? (record.action ?? record.type) : record.type
  return [
    record.at,
    sayAuthor(record),
    via === null ? '' : `${via.kind} ${via.name ?? via.id}`,
    record.address ?? '',
    what,
    unit === null ? (org ?? 'server') : unit.name,
    record.count > 1 ? `${record.result} ×${record.count}` : record.result,
  ]
}
