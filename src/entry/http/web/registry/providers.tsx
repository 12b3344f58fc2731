import { z } from 'zod'
import { type CatalogProvider, type ProviderVersion, installable } from '../../../../registry/index.ts'
import { orgPage } from '../org-page.ts'
import { matchingLines } from '../shell/command-line.ts'
import { ExportFormat, exported } from '../shell/export.ts'
import { Ago, Card, Command, Empty } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { type Column, DataTable, ListFooter, pageOf, sortingOf } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { RegistryFrame, providerPath, registryPath } from './frame.tsx'
import { sorted } from '../shell/list.tsx'

const PAGE_SIZE = 50

interface ProviderRow {
  readonly name: string
  /** Undefined: no version is complete. */
  readonly newest: ProviderVersion | undefined
  readonly versions: number
}

/** The newest version that engines can install, a pre-release only if there is no other. Pure. */
export function newestProvider(versions: readonly ProviderVersion[]): ProviderVersion | undefined {
  const complete = versions.filter((version) => installable(version).length > 0)
  return complete.find(({ version }) => !version.includes('-')) ?? complete[0]
}

function rowsOf(catalog: readonly CatalogProvider[]): readonly ProviderRow[] {
  return catalog
    .filter(({ provider }) => provider.registryName === 'private')
    .map(({ provider: { name }, versions }) => ({
      name,
      newest: newestProvider(versions),
      versions: versions.length,
    }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

const platformsOf = (version: ProviderVersion | undefined) =>
  version === undefined
    ? ''
    : installable(version)
        .map(({ os, arch }) => `${os}_${arch}`)
        .join(' ')

function columnsOf(view: OrgView, now: number): readonly Column<ProviderRow>[] {
  return [
    {
      name: 'provider',
      label: 'Provider',
      isSortable: true,
      cell: (row) => (
        <a class="mono" href={providerPath(view, row)}>
          {row.name}
        </a>
      ),
      value: ({ name }) => name,
    },
    {
      name: 'newest',
      label: 'Newest',
      cell: ({ newest }) =>
        newest === undefined ? <span class="muted">none</span> : <span class="mono">{newest.version}</span>,
      value: ({ newest }) => newest?.version ?? null,
    },
    {
      name: 'versions',
      label: 'Versions',
      isNumber: true,
      isSortable: true,
      cell: ({ versions }) => versions,
      value: ({ versions }) => versions,
    },
    {
      name: 'platforms',
      label: 'Platforms',
      cell: ({ newest }) => <span class="mono muted">{platformsOf(newest)}</span>,
      value: ({ newest }) => platformsOf(newest),
    },
    {
      name: 'publishedAt',
      label: 'Published',
      isSortable: true,
      cell: ({ newest }) => newest && <Ago at={newest.updatedAt} now={now} />,
      value: ({ newest }) => (newest === undefined ? null : new Date(newest.updatedAt).toISOString()),
    },
  ]
}

export const providerList = orgPage({
  path: '/registry/providers',
  id: 'showRegistryProviders',
  action: 'registry:read',
  summary: 'Providers of the registry',
  query: z.object({
    search: z.string().trim().catch('').default(''),
    sort: z.string().optional().catch(undefined),
    page: z.coerce.number().int().catch(1).default(1),
    format: ExportFormat.catch(undefined),
  }),
  async handle({ params: { org }, query, view }, services) {
    const all = rowsOf(await services.registry.providers.catalog(org))
    const found = all.filter(({ name }) => name.includes(query.search.toLowerCase()))
    const columns = columnsOf(view, services.clock.now())
    const sorting = sortingOf(query.sort, columns)
    const inOrder = sorted(found, columns, sorting)
    if (query.format !== undefined) return exported(query.format, 'providers', columns, inOrder)
    const { items, paging } = pageOf(inOrder, query.page, PAGE_SIZE)
    return htmlReply(
      <RegistryFrame view={view} tab="providers">
        {all.length === 0 ? (
          <Empty title="No providers yet">
            <p>
              Publish a provider from the folder that GoReleaser writes: a zip file for each platform, their
              checksums, and the signature of the checksums.
            </p>
            {view.may('registry:publish') && (
              <Command>taco registry provider publish internal 0.1.0 ./dist --key key.asc</Command>
            )}
          </Empty>
        ) : (
          <Card>
            <search>
              <form class="bar filters" action={`${registryPath(view)}/providers`}>
                <input
                  type="search"
                  name="search"
                  value={query.search}
                  placeholder="Name"
                  aria-label="Search providers"
                />
                <button class="button" type="submit">
                  Filter
                </button>
              </form>
            </search>
            {items.length === 0 ? (
              <p class="muted">No provider matches.</p>
            ) : (
              <DataTable
                path={view.path}
                caption="Providers"
                columns={columns}
                items={items}
                sorting={sorting}
                hrefOf={(row) => providerPath(view, row)}
              />
            )}
            <ListFooter path={view.path} paging={paging} />
          </Card>
        )}
        <div class="grid">
          <Command>{matchingLines('taco registry provider ls', query.search)}</Command>
        </div>
      </RegistryFrame>,
    )
  },
})
