import { z } from 'zod'
import { sayAuthor } from '../../../../base/text/author.ts'
import type { EventView } from '../../../../state/index.ts'
import { visibleEvents } from '../../kit/events/visible-events.ts'
import { defined } from '../../kit/drop-undefined.ts'
import type { Route } from '../../kit/routes/route.ts'
import { UnitParams } from '../../openapi/api.ts'
import { orgPage } from '../org-page.ts'
import { ExportFormat, exported } from '../shell/export.ts'
import { Card, Command, Empty, Time } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { type Column, CursorFooter, DataTable } from '../shell/table.tsx'
import { UnitFrame, openUnit } from './frame.tsx'

const PAGE_SIZE = 50
const MOST_EXPORTED = 1000

const columns: readonly Column<EventView>[] = [
  { name: 'at', label: 'When', cell: ({ at }) => <Time at={at} />, value: ({ at }) => at },
  {
    name: 'type',
    label: 'What',
    cell: ({ type }) => <span class="mono">{type}</span>,
    value: ({ type }) => type,
  },
  { name: 'by', label: 'By', cell: sayAuthor, value: ({ by }) => by },
  {
    name: 'data',
    label: 'Details',
    cell: ({ data }) => <span class="muted">{detailsOf(data)}</span>,
    value: ({ data }) => JSON.stringify(data),
  },
]

/** What is short enough for a line. */
function detailsOf(data: EventView['data']): string {
  return Object.entries(data)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '')
    .map(([name, value]) => `${name} ${String(value)}`)
    .join(', ')
    .slice(0, 200)
}

export const activityRoutes: readonly Route[] = [
  orgPage({
    path: '/units/{unit}/activity',
    params: UnitParams.shape,
    id: 'showUnitActivity',
    action: 'events:read',
    summary: 'What happened to a unit',
    query: z.object({ cursor: z.string().optional(), format: ExportFormat.catch(undefined) }),
    async handle(request, services) {
      const { query, x, caller, view } = request
      const page = await openUnit(request, services)
      const limit = query.format === undefined ? PAGE_SIZE : MOST_EXPORTED
      const asked = { ...page.ref, limit, order: 'desc', ...defined({ after: query.cursor }) } as const
      const { items: all, next, more } = await services.control.journal.read(asked, caller)
      const items = await visibleEvents(all, x, services)
      if (query.format !== undefined) return exported(query.format, 'activity', columns, items)
      return htmlReply(
        <UnitFrame of={page} tab="activity">
          <div class="grid">
            {items.length === 0 ? (
              <Empty title="No activity">
                <p class="muted">Nothing is recorded for this unit, or it was removed by retention.</p>
              </Empty>
            ) : (
              <Card>
                <DataTable path={view.path} caption="Activity" columns={columns} items={items} />
                <CursorFooter path={view.path} next={more ? next : undefined} />
              </Card>
            )}
            <Command>{`taco events --unit ${page.unit.name}`}</Command>
          </div>
        </UnitFrame>,
      )
    },
  }),
]
