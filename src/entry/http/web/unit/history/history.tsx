import { z } from 'zod'
import { sayAuthor } from '../../../../../base/text/author.ts'
import { bytes } from '../../../../../base/text/bytes.ts'
import type { Caller, VersionChange, VersionView, Versions } from '../../../../../state/index.ts'
import { defined } from '../../../kit/drop-undefined.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { UnitParams } from '../../../openapi/api.ts'
import { orgPage } from '../../org-page.ts'
import { unitPath, withQuery } from '../../shell/addresses.ts'
import { ExportFormat, exported } from '../../shell/export.ts'
import { Card, Command, Empty, Notice, Time } from '../../shell/parts.tsx'
import { htmlReply } from '../../shell/render.ts'
import { type Column, CursorFooter, DataTable } from '../../shell/table.tsx'
import { changeWords } from './change-words.ts'
import { UnitFrame, type UnitPage, openUnit } from '../frame.tsx'

const PAGE_SIZE = 50
const EXPORT_PAGE = 1000

type Listed = Awaited<ReturnType<Versions['list']>>

export const historyRoutes: readonly Route[] = [
  orgPage({
    path: '/units/{unit}/history',
    params: UnitParams.shape,
    id: 'showUnitHistory',
    action: 'versions:read',
    summary: 'The versions of a unit',
    query: z.object({ cursor: z.string().optional(), format: ExportFormat.catch(undefined) }),
    async handle(request, services) {
      const { query, caller } = request
      const page = await openUnit(request, services)
      const { versions } = services.control
      if (query.format !== undefined) return exportAll(query.format, page, versions, caller)
      const asked = { limit: PAGE_SIZE, changes: true, ...defined({ cursor: query.cursor }) }
      const listed = await versions.list(page.ref, asked, caller)
      return htmlReply(<HistoryPage page={page} listed={listed} />)
    },
  }),
]

async function exportAll(format: 'csv' | 'json', page: UnitPage, versions: Versions, caller: Caller) {
  const found: VersionView[] = []
  const changes = new Map<string, VersionChange>()
  let cursor: string | undefined
  do {
    const asked = { limit: EXPORT_PAGE, changes: true, ...defined({ cursor }) }
    const part = await versions.list(page.ref, asked, caller)
    found.push(...part.items)
    for (const [id, change] of part.changes) changes.set(id, change)
    cursor = part.next
  } while (cursor !== undefined)
  return exported(format, 'versions', columnsOf(page, [], changes), found)
}

function HistoryPage({ page, listed }: { readonly page: UnitPage; readonly listed: Listed }) {
  const { view, unit } = page
  const { items, next, damaged, absences, changes } = listed
  const mayCompare = view.may('versions:read-state', unit)
  const table = (
    <DataTable path={view.path} caption="Versions" columns={columnsOf(page, items, changes)} items={items} />
  )
  return (
    <UnitFrame of={page} tab="history">
      <div class="grid">
        {damaged.length > 0 && (
          <Notice kind="warn">
            <p>
              {damaged.length === 1 ? 'A version' : `${damaged.length} versions`} cannot be read:{' '}
              {damaged.map(({ seq }) => seq).join(', ')}. <code>taco doctor --deep</code> says why.
            </p>
          </Notice>
        )}
        {absences.map(({ what, at, until, ...author }) => (
          <Notice kind="warn">
            <p>
              {ABSENCES[what] ?? 'There was no state'} <Time at={at} /> by {sayAuthor(author)}
              {until !== null && (
                <>
                  , until <Time at={until} />
                </>
              )}
              .
            </p>
          </Notice>
        ))}
        {items.length === 0 ? (
          <Empty title="No versions">
            <p class="muted">
              The first write of an engine, or of the command below, makes the first version.
            </p>
            <Command>{`taco state push ${unit.name} terraform.tfstate`}</Command>
          </Empty>
        ) : (
          <Card>
            {mayCompare && items.length > 1 ? (
              <form action={unitPath(view.org.base, unit.name, 'diff')}>
                {table}
                <p class="actions">
                  <button class="button" type="submit">
                    Compare selected
                  </button>
                </p>
              </form>
            ) : (
              table
            )}
            <CursorFooter path={view.path} next={next} />
          </Card>
        )}
        <Command>{`taco state versions ${unit.name}`}</Command>
      </div>
    </UnitFrame>
  )
}

const ABSENCES: Readonly<Record<string, string>> = {
  state: 'The state was deleted',
  unit: 'The unit was deleted',
  missing: 'The state was missing from',
}

/** `items`: those of the page, where two of them can be selected. */
function columnsOf(
  { view, unit }: UnitPage,
  items: readonly VersionView[],
  changes: ReadonlyMap<string, VersionChange>,
): readonly Column<VersionView>[] {
  const mayCompare = view.may('versions:read-state', unit)
  const mayRollBack = view.may('state:rollback', unit)
  const path = (tab: string) => unitPath(view.org.base, unit.name, tab)
  const [newest, older] = items
  const chooser = (name: 'from' | 'to', label: string, chosen: VersionView | undefined) => ({
    name,
    label,
    cell: ({ seq, id }: VersionView) => (
      <input
        type="radio"
        name={name}
        value={String(seq)}
        checked={id === chosen?.id}
        aria-label={`${label} version ${seq}`}
      />
    ),
    value: () => null,
  })
  return [
    ...(mayCompare && items.length > 1 ? [chooser('from', 'From', older), chooser('to', 'To', newest)] : []),
    {
      name: 'version',
      label: 'Version',
      isNumber: true,
      cell: ({ seq }) =>
        mayCompare && seq > 1 ? (
          <a href={withQuery(path('diff'), { from: String(seq - 1), to: String(seq) })}>{seq}</a>
        ) : (
          seq
        ),
      value: ({ seq }) => seq,
    },
    {
      name: 'changes',
      label: 'Changes',
      cell: ({ id }) => changeWords(changes.get(id)),
      value: ({ id }) => changeWords(changes.get(id)),
    },
    {
      name: 'serial',
      label: 'Serial',
      isNumber: true,
      cell: ({ serial }) => serial,
      value: ({ serial }) => serial,
    },
    { name: 'at', label: 'When', cell: ({ at }) => <Time at={at} />, value: ({ at }) => at },
    { name: 'by', label: 'By', cell: sayAuthor, value: ({ by }) => by },
    { name: 'how', label: 'How', cell: ({ how }) => how, value: ({ how }) => how },
    {
      name: 'resources',
      label: 'Resources',
      isNumber: true,
      cell: ({ resources }) => resources ?? '',
      value: ({ resources }) => resources,
    },
    {
      name: 'size',
      label: 'Size',
      isNumber: true,
      cell: ({ size }) => <span class="nowrap">{bytes(size)}</span>,
      value: ({ size }) => size,
    },
    {
      name: 'message',
      label: 'Message',
      cell: ({ message, warning }) => (
        <>
          <span class="muted">{message ?? ''}</span>
          {warning !== null && <span class="chip warn">{warning}</span>}
        </>
      ),
      value: ({ message }) => message,
    },
    {
      name: 'status',
      label: 'Status',
      cell: ({ status, id }) =>
        status === 'current' ? (
          <span class="chip ok">current</span>
        ) : mayRollBack ? (
          <a class="nowrap" href={withQuery(path('rollback'), { version: id })}>
            Roll back
          </a>
        ) : (
          <span class="muted">{status}</span>
        ),
      value: ({ status }) => status,
    },
  ]
}
