import { z } from 'zod'
import { TacoError } from '../../../../base/errors.ts'
import type { AuditQuery, AuditRecord } from '../../../../state/index.ts'
import { defined } from '../../kit/drop-undefined.ts'
import type { Route } from '../../kit/routes/route.ts'
import { orgPage } from '../org-page.ts'
import type { WebServices } from '../services.ts'
import { ExportFormat, exported } from '../shell/export.ts'
import { type Faults, faultsAt } from '../shell/faults.ts'
import { htmlReply } from '../shell/render.ts'
import { AuditPage, type AuditFilters, EXPORTED, auditColumns } from './audit-page.tsx'
import { momentIn } from './moment.ts'
import { RecordPage } from './record-page.tsx'

const text = z.string().trim().default('').catch('')
const Query = z.object({
  who: text,
  action: text,
  unit: text,
  result: z.enum(['done', 'refused']).optional().catch(undefined),
  since: text,
  until: text,
  cursor: text,
  format: ExportFormat.catch(undefined),
})

const PAGE_SIZE = 100
const FIELDS = ['who', 'action', 'unit', 'since', 'until'] as const
const WRONG_TIME = 'This is not a time. Write 2026-03-04 or 2026-03-04T05:06, in UTC.'

/** What the address asks for, and what is wrong in it. Pure. */
function readFilters(filters: AuditFilters): {
  readonly query: Omit<AuditQuery, 'limit'>
  readonly faults: Faults
} {
  const since = momentIn(filters.since, 'first')
  const until = momentIn(filters.until, 'last')
  const given = (value: string) => (value === '' ? undefined : value)
  return {
    query: defined({
      who: given(filters.who),
      action: given(filters.action),
      unit: given(filters.unit),
      result: filters.result,
      since: since ?? undefined,
      until: until ?? undefined,
    }),
    faults: {
      ...(since === null ? { since: WRONG_TIME } : {}),
      ...(until === null ? { until: WRONG_TIME } : {}),
    },
  }
}

export const auditRoutes: readonly Route[] = [
  orgPage({
    path: '/audit',
    id: 'showAudit',
    action: 'audit:read',
    summary: 'Who changed what, and who was refused',
    query: Query,
    async handle({ params: { org }, query: { cursor, format, ...filters }, view, caller }, { control }) {
      const { query, faults } = readFilters(filters)
      const frame = { view, filters }
      if (Object.keys(faults).length > 0)
        return htmlReply(<AuditPage {...frame} records={[]} next={undefined} faults={faults} />, 400)
      const read = (limit: number, from: string) =>
        control.audit.read({ ...query, org, limit, ...(from === '' ? {} : { cursor: from }) }, caller)
      try {
        if (format !== undefined)
          return exported(format, 'audit', auditColumns(view.org.base), await readAll(read))
        const { items, next } = await read(PAGE_SIZE, cursor)
        return htmlReply(<AuditPage {...frame} records={items} next={next} faults={{}} />)
      } catch (error) {
        const wrong = faultsAt(error, FIELDS, 'NOT_FOUND')
        return htmlReply(<AuditPage {...frame} records={[]} next={undefined} faults={wrong} />, 400)
      }
    },
  }),
  orgPage({
    path: '/audit/{record}',
    params: { record: z.string() },
    id: 'showAuditRecord',
    action: 'audit:read',
    summary: 'An audit record',
    query: z.object({ at: z.iso.datetime().optional().catch(undefined) }),
    async handle({ params: { org, record: id }, query: { at }, view, caller }, { control }) {
      const when = at === undefined ? {} : { since: Date.parse(at), until: Date.parse(at) }
      const read = (limit: number, from: string) =>
        control.audit.read({ org, limit, ...when, ...(from === '' ? {} : { cursor: from }) }, caller)
      return htmlReply(<RecordPage view={view} record={await readOne(read, id)} />)
    },
  }),
]

/** The record with this id at this time. */
async function readOne(read: Read, id: string): Promise<AuditRecord> {
  let from: string | undefined = ''
  for (let pages = 0; from !== undefined && pages < 20; pages++) {
    const { items, next }: Awaited<ReturnType<Read>> = await read(1_000, from)
    const found = items.find((record) => record.id === id)
    if (found !== undefined) return found
    from = next
  }
  throw new TacoError('NOT_FOUND', 'There is no such audit record.', {
    hint: 'Records are kept as long as the events of the organization. Look for it in the list.',
  })
}

type Read = (limit: number, from: string) => ReturnType<WebServices['control']['audit']['read']>

/** Up to what an export may hold. */
async function readAll(read: Read): Promise<readonly AuditRecord[]> {
  const all: AuditRecord[] = []
  let from: string | undefined = ''
  while (from !== undefined && all.length < EXPORTED) {
    const { items, next }: Awaited<ReturnType<Read>> = await read(
      Math.min(1_000, EXPORTED - all.length),
      from,
    )
    all.push(...items)
    from = next
  }
  return all
}
