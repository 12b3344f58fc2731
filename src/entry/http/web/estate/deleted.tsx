import { sayAuthor } from '../../../../base/text/author.ts'
import type { Caller, UnitView } from '../../../../state/index.ts'
import { defined } from '../../kit/drop-undefined.ts'
import type { WebServices } from '../services.ts'
import { unitPath } from '../shell/addresses.ts'
import { option, shell } from '../shell/command-line.ts'
import { exported } from '../shell/export.ts'
import { FindForm } from '../shell/form/find-form.tsx'
import { Layout } from '../shell/layout.tsx'
import { Ago, Card, Command } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { type Column, CursorFooter, DataTable } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import type { EstateQuery } from './selection.ts'

const PAGE_SIZE = 100

const columnsOf = ({ now }: Pick<OrgView, 'now'>): readonly Column<UnitView>[] => [
  {
    name: 'name',
    label: 'Unit',
    cell: ({ name }) => <span class="mono">{name}</span>,
    value: ({ name }) => name,
  },
  {
    name: 'deletedAt',
    label: 'Deleted',
    cell: ({ deleted }) => deleted && <Ago at={deleted.at} now={now} />,
    value: ({ deleted }) => deleted?.at ?? null,
  },
  {
    name: 'deletedBy',
    label: 'By',
    cell: ({ deleted }) => deleted && sayAuthor(deleted),
    value: ({ deleted }) => deleted?.by ?? null,
  },
  { name: 'id', label: 'Id', cell: ({ id }) => <span class="mono muted">{id}</span>, value: ({ id }) => id },
]

/** `?deleted`: units that can be restored. */
export async function deletedUnits(
  { org, query, view }: { readonly org: string; readonly query: EstateQuery; readonly view: OrgView },
  caller: Caller,
  { control }: WebServices,
) {
  const { format, cursor, search } = query
  const columns = columnsOf(view)
  const limit = format === undefined ? PAGE_SIZE : Number.MAX_SAFE_INTEGER
  // An export has all of them, from whichever page it was asked for.
  const from = format === undefined ? cursor : undefined
  const asked = { org, deleted: 'only' as const, limit, ...defined({ cursor: from, search }) }
  const { items, next } = await control.units.list(asked, caller)
  if (format !== undefined) return exported(format, 'deleted-units', columns, items)
  const restore: Column<UnitView> = {
    name: 'restore',
    label: 'Restore',
    cell: (unit) =>
      view.may('unit:restore', unit) && (
        <a href={unitPath(view.org.base, unit.id, 'restore')} aria-label={`Restore ${unit.name}`}>
          Restore…
        </a>
      ),
    value: () => null,
  }
  return htmlReply(
    <Layout view={view} title="Deleted units">
      <nav class="crumbs" aria-label="Path">
        <a href={view.org.base}>Estate</a> /
      </nav>
      <h1>Deleted units</h1>
      <div class="grid">
        <Card>
          {(next !== undefined || cursor !== undefined || search !== undefined || items.length > 10) && (
            <FindForm path={view.path} search={search ?? ''} />
          )}
          {items.length === 0 ? (
            <p class="muted">
              No unit that you may see was deleted{search !== undefined && ' that matches'}.
            </p>
          ) : (
            <DataTable
              path={view.path}
              caption="Deleted units"
              columns={items.some((unit) => view.may('unit:restore', unit)) ? [...columns, restore] : columns}
              items={items}
            />
          )}
          <CursorFooter path={view.path} next={next} />
        </Card>
        <Command>{shell`taco unit ls --deleted ${option('search', search)}`}</Command>
      </div>
    </Layout>,
  )
}
