import { z } from 'zod'
import { type ResourceInstance, currentResources } from '../../kit/current-resources.ts'
import type { Route } from '../../kit/routes/route.ts'
import { UnitParams } from '../../openapi/api.ts'
import { orgPage } from '../org-page.ts'
import { unitPath } from '../shell/addresses.ts'
import { ExportFormat, exported } from '../shell/export.ts'
import { Card, Command, Empty } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { type Column, DataTable, ListFooter, pageOf } from '../shell/table.tsx'
import { UnitFrame, openUnit } from './frame.tsx'

const PAGE_SIZE = 100

const columns: readonly Column<ResourceInstance>[] = [
  {
    name: 'address',
    label: 'Address',
    cell: ({ address }) => <span class="mono">{address}</span>,
    value: ({ address }) => address,
  },
  {
    name: 'type',
    label: 'Type',
    cell: ({ type }) => <span class="mono">{type}</span>,
    value: ({ type }) => type,
  },
  {
    name: 'mode',
    label: 'Kind',
    cell: ({ mode }) => (mode === 'managed' ? 'managed' : <span class="muted">{mode}</span>),
    value: ({ mode }) => mode,
  },
  {
    name: 'provider',
    label: 'Provider',
    cell: ({ provider }) => <span class="mono muted">{provider}</span>,
    value: ({ provider }) => provider,
  },
]

export const resourceRoutes: readonly Route[] = [
  orgPage({
    path: '/units/{unit}/resources',
    params: UnitParams.shape,
    id: 'showUnitResources',
    action: 'state:read',
    summary: 'What the state of a unit manages',
    query: z.object({
      search: z.string().default(''),
      page: z.coerce.number().int().catch(1).default(1),
      format: ExportFormat.catch(undefined),
    }),
    async handle(request, services) {
      const { query, view, caller } = request
      const page = await openUnit(request, services)
      const all = await currentResources(services.control, page.unit, caller)
      const wanted = query.search.trim().toLowerCase()
      const found = (all ?? []).filter(({ address, provider }) =>
        `${address} ${provider}`.toLowerCase().includes(wanted),
      )
      if (query.format !== undefined) return exported(query.format, 'resources', columns, found)
      const { items, paging } = pageOf(found, query.page, PAGE_SIZE)
      const { name } = page.unit
      return htmlReply(
        <UnitFrame of={page} tab="resources">
          <div class="grid">
            {all === undefined || all.length === 0 ? (
              <Empty title="No resources">
                <p class="muted">
                  {page.unit.state === null
                    ? 'The unit has no state yet.'
                    : all === undefined
                      ? 'The state is encrypted, unreadable or very large, so they are not listed.'
                      : 'The state is empty.'}
                </p>
              </Empty>
            ) : (
              <Card>
                <search>
                  <form class="bar filters" action={unitPath(view.org.base, name, 'resources')}>
                    <input
                      type="search"
                      name="search"
                      value={query.search}
                      placeholder="Address, type or provider"
                      aria-label="Search resources"
                    />
                    <button class="button" type="submit">
                      Search
                    </button>
                  </form>
                </search>
                <DataTable path={view.path} caption="Resources" columns={columns} items={items} />
                <ListFooter path={view.path} paging={paging} />
              </Card>
            )}
            <Command>{`taco state pull ${name} | jq '.resources'`}</Command>
          </div>
        </UnitFrame>,
      )
    },
  }),
]
