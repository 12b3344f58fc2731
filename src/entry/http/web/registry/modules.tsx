import { sayPrincipal } from '../../../../base/text/author.ts'
import { z } from 'zod'
import { type CatalogModule, type ModuleVersion, publishedAt } from '../../../../registry/index.ts'
import { orgPage } from '../org-page.ts'
import { matchingLines } from '../shell/command-line.ts'
import { ExportFormat, exported } from '../shell/export.ts'
import { Ago, Card, Command, Empty } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { type Column, DataTable, ListFooter, pageOf, sortingOf } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { RegistryFrame, modulePath, registryPath } from './frame.tsx'
import { newestOf } from './module-shown.ts'
import { sorted } from '../shell/list.tsx'

const PAGE_SIZE = 50

interface ModuleRow {
  readonly name: string
  readonly provider: string
  readonly summary: string
  /** Undefined: no version is complete. */
  readonly newest: ModuleVersion | undefined
  /** When the newest one was published. */
  readonly at: number | undefined
  readonly versions: number
}

/** Those that engines can install by the name of the organization. Pure. */
function moduleRows(catalog: readonly CatalogModule[]): readonly ModuleRow[] {
  return catalog
    .filter(({ module }) => module.registryName === 'private')
    .map(({ module: { name, provider }, versions }) => {
      const newest = newestOf(versions)
      const at = newest && publishedAt(newest)
      return { name, provider, summary: newest?.summary ?? '', newest, at, versions: versions.length }
    })
    .toSorted((a, b) => (`${a.name}/${a.provider}` < `${b.name}/${b.provider}` ? -1 : 1))
}

function columnsOf(view: OrgView, now: number): readonly Column<ModuleRow>[] {
  return [
    {
      name: 'module',
      label: 'Module',
      isSortable: true,
      cell: (row) => (
        <>
          <a class="mono" href={modulePath(view, row)}>
            {row.name}/{row.provider}
          </a>
          {row.summary !== '' && <div class="faint roomy">{row.summary}</div>}
        </>
      ),
      value: ({ name, provider }) => `${name}/${provider}`,
    },
    {
      name: 'newest',
      label: 'Newest',
      cell: ({ newest }) =>
        newest === undefined ? (
          <span class="muted">none</span>
        ) : (
          <>
            <span class="mono">{newest.version}</span>{' '}
            {newest.deprecation !== undefined && <span class="chip warn">deprecated</span>}
          </>
        ),
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
      name: 'publishedAt',
      label: 'Published',
      isSortable: true,
      cell: ({ at }) => at !== undefined && <Ago at={at} now={now} />,
      value: ({ at }) => (at === undefined ? null : new Date(at).toISOString()),
    },
    {
      name: 'by',
      label: 'By',
      cell: ({ newest }) => newest !== undefined && sayPrincipal(newest.createdBy),
      value: ({ newest }) => newest?.createdBy ?? null,
    },
  ]
}

const SUMMARY: Pick<Column<ModuleRow>, 'name' | 'value'> = {
  name: 'summary',
  value: ({ summary }) => summary,
}

export const moduleList = orgPage({
  path: '/registry',
  id: 'showRegistry',
  action: 'registry:read',
  summary: 'Modules of the registry',
  query: z.object({
    search: z.string().trim().catch('').default(''),
    provider: z.string().trim().catch('').default(''),
    sort: z.string().optional().catch(undefined),
    page: z.coerce.number().int().catch(1).default(1),
    format: ExportFormat.catch(undefined),
  }),
  async handle({ params: { org }, query, view }, services) {
    const all = moduleRows(await services.registry.modules.catalog(org))
    const words = query.search.toLowerCase().split(/\s+/).filter(Boolean)
    const found = all
      .filter(({ provider }) => query.provider === '' || provider === query.provider)
      .filter(({ name, provider, summary }) => {
        const text = `${name}/${provider} ${summary}`.toLowerCase()
        return words.every((word) => text.includes(word))
      })
    const columns = columnsOf(view, services.clock.now())
    const sorting = sortingOf(query.sort, columns)
    const inOrder = sorted(found, columns, sorting)
    if (query.format !== undefined) return exported(query.format, 'modules', [...columns, SUMMARY], inOrder)
    const { items, paging } = pageOf(inOrder, query.page, PAGE_SIZE)
    return htmlReply(
      <RegistryFrame
        view={view}
        tab="modules"
        action={
          view.may('registry:publish') && (
            <a class="button primary" href={`${registryPath(view)}/publish`}>
              Publish a module
            </a>
          )
        }
      >
        {all.length === 0 ? (
          <NoModules view={view} />
        ) : (
          <Card>
            <Filters view={view} rows={all} query={query} />
            {items.length === 0 ? (
              <p class="muted">No module matches.</p>
            ) : (
              <DataTable
                path={view.path}
                caption="Modules"
                columns={columns}
                items={items}
                sorting={sorting}
                hrefOf={(row) => modulePath(view, row)}
              />
            )}
            <ListFooter path={view.path} paging={paging} />
          </Card>
        )}
        <div class="grid">
          <Command>
            {matchingLines(matchingLines('taco registry module ls', query.provider), query.search)}
          </Command>
        </div>
      </RegistryFrame>,
    )
  },
})

interface FiltersProps {
  readonly view: OrgView
  readonly rows: readonly ModuleRow[]
  readonly query: { readonly search: string; readonly provider: string }
}

function Filters({ view, rows, query }: FiltersProps) {
  const providers = [...new Set(rows.map(({ provider }) => provider))].toSorted()
  return (
    <search>
      <form class="bar filters" action={registryPath(view)}>
        <input
          type="search"
          name="search"
          value={query.search}
          placeholder="Name or description"
          aria-label="Search modules"
        />
        <select name="provider" aria-label="Provider">
          <option value="">Every provider</option>
          {providers.map((provider) => (
            <option value={provider} selected={provider === query.provider}>
              {provider}
            </option>
          ))}
        </select>
        <button class="button" type="submit">
          Filter
        </button>
      </form>
    </search>
  )
}

function NoModules({ view }: { readonly view: OrgView }) {
  return (
    <Empty title="No modules yet">
      <p>
        Publish modules here, and OpenTofu and Terraform install them as from any other registry. A version
        never changes once it is published.
      </p>
      {view.may('registry:publish') && (
        <Command>taco registry module publish network/aws 1.0.0 ./modules/network</Command>
      )}
    </Empty>
  )
}
