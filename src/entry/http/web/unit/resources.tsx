import { z } from 'zod'
import { type ResourceInstance, currentResources } from '../../kit/current-resources.ts'
import type { Route } from '../../kit/routes/route.ts'
import { UnitParams } from '../../openapi/api.ts'
import { orgPage } from '../org-page.ts'
import { unitPath } from '../shell/addresses.ts'
import { shell } from '../shell/command-line.ts'
import { ExportFormat, exported } from '../shell/export.ts'
import { Field } from '../shell/form/field.tsx'
import { SelectField } from '../shell/form/select-field.tsx'
import { Card, Command, Empty } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { type Column, DataTable, ListFooter, type Sorting, pageOf, sortingOf } from '../shell/table.tsx'
import { UnitFrame, openUnit } from './frame.tsx'

const PAGE_SIZE = 100

/** The module of what is in none, in the address of a filter. */
const ROOT = 'root'

const columns: readonly Column<ResourceInstance>[] = [
  {
    name: 'address',
    label: 'Address',
    isSortable: true,
    cell: ({ address }) => <span class="mono">{address}</span>,
    value: ({ address }) => address,
  },
  {
    name: 'type',
    label: 'Type',
    isSortable: true,
    cell: ({ type }) => <span class="mono">{type}</span>,
    value: ({ type }) => type,
  },
  {
    name: 'module',
    label: 'Module',
    isSortable: true,
    cell: ({ module }) => <span class="mono">{module ?? ''}</span>,
    value: ({ module }) => module ?? ROOT,
  },
  {
    name: 'mode',
    label: 'Kind',
    isSortable: true,
    cell: ({ mode }) => (mode === 'managed' ? 'managed' : <span class="muted">{mode}</span>),
    value: ({ mode }) => mode,
  },
  {
    name: 'provider',
    label: 'Provider',
    isSortable: true,
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
      type: z.string().default(''),
      module: z.string().default(''),
      provider: z.string().default(''),
      mode: z.string().default(''),
      sort: z.string().optional(),
      page: z.coerce.number().int().catch(1).default(1),
      format: ExportFormat.catch(undefined),
    }),
    async handle(request, services) {
      const { query, view, caller } = request
      const page = await openUnit(request, services)
      const all = await currentResources(services.control, page.unit, caller)
      const sorting = sortingOf(query.sort, columns)
      const found = sorted(selected(all ?? [], query), sorting)
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
                <Filters action={unitPath(view.org.base, name, 'resources')} query={query} all={all} />
                {items.length === 0 ? (
                  <p class="muted">No resource matches.</p>
                ) : (
                  <DataTable
                    path={view.path}
                    caption="Resources"
                    columns={columns}
                    items={items}
                    sorting={sorting}
                  />
                )}
                <ListFooter path={view.path} paging={paging} />
              </Card>
            )}
            <Command>{shell`taco state pull ${name} | jq '.resources'`}</Command>
          </div>
        </UnitFrame>,
      )
    },
  }),
]

interface Filter {
  readonly search: string
  readonly type: string
  readonly module: string
  readonly provider: string
  readonly mode: string
}

const FACETS = ['type', 'module', 'provider', 'mode'] as const
type Facet = (typeof FACETS)[number]

const LABELS: Readonly<Record<Facet, string>> = {
  type: 'Type',
  module: 'Module',
  provider: 'Provider',
  mode: 'Kind',
}

function facetOf(resource: ResourceInstance, facet: Facet): string {
  return resource[facet] ?? ROOT
}

function selected(all: readonly ResourceInstance[], filter: Filter): readonly ResourceInstance[] {
  const wanted = filter.search.trim().toLowerCase()
  return all.filter(
    (one) =>
      `${one.address} ${one.provider}`.toLowerCase().includes(wanted) &&
      FACETS.every((facet) => filter[facet] === '' || filter[facet] === facetOf(one, facet)),
  )
}

/** As they are in the state unless a column was chosen. */
function sorted(all: readonly ResourceInstance[], sorting: Sorting | undefined): readonly ResourceInstance[] {
  const column = columns.find(({ name }) => name === sorting?.by)
  if (sorting === undefined || column === undefined) return all
  const sign = sorting.isDescending ? -1 : 1
  return all.toSorted((a, b) => sign * String(column.value(a)).localeCompare(String(column.value(b))))
}

interface FiltersProps {
  readonly action: string
  readonly query: Filter & { readonly sort?: string | undefined }
  readonly all: readonly ResourceInstance[]
}

function Filters({ action, query, all }: FiltersProps) {
  return (
    <search>
      <form class="bar filters" action={action}>
        <Field id="search" label="Search">
          <input
            id="search"
            type="search"
            name="search"
            value={query.search}
            placeholder="Address, type or provider"
          />
        </Field>
        {FACETS.map((facet) => (
          <Choice facet={facet} all={all} chosen={query[facet]} />
        ))}
        {query.sort !== undefined && <input type="hidden" name="sort" value={query.sort} />}
        <button class="button" type="submit">
          Search
        </button>
      </form>
    </search>
  )
}

interface ChoiceProps {
  readonly facet: Facet
  readonly all: readonly ResourceInstance[]
  readonly chosen: string
}

/** Nothing to choose from: it is not shown. */
function Choice({ facet, all, chosen }: ChoiceProps) {
  const counts = new Map<string, number>()
  for (const one of all) {
    const value = facetOf(one, facet)
    counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  if (counts.size < 2 && chosen === '') return null
  const values = [...counts].toSorted(([a], [b]) => a.localeCompare(b))
  return (
    <SelectField
      id={facet}
      label={LABELS[facet]}
      value={chosen}
      options={[['', 'any'], ...values.map(([value, count]) => [value, `${value} (${count})`] as const)]}
    />
  )
}
