import {
  type GraphView,
  type NodeView,
  type StatusItem,
  visibleGraph,
  visibleStatus,
} from '../../../../graph/index.ts'
import type { Caller } from '../../../../state/index.ts'
import type { Route } from '../../kit/routes/route.ts'
import { lookPrint } from '../live/look-changes.ts'
import { orgPage } from '../org-page.ts'
import type { WebServices } from '../services.ts'
import { withQuery } from '../shell/addresses.ts'
import { exported } from '../shell/export.ts'
import { Layout } from '../shell/layout.tsx'
import { Notice, Split, Time } from '../shell/parts.tsx'
import { htmlReply, partReply } from '../shell/render.ts'
import type { OrgView } from '../shell/view.ts'
import { FirstRun, addressOf } from './first-run.tsx'
import { type DrawnGraph, EstateGraph, drawEstate } from './graph.tsx'
import { EstateMap } from './map.tsx'
import { Panel } from './panel.tsx'
import { EstateQuery, countLooks, isFiltered, momentOf, selectUnits } from './selection.ts'
import { UnitTable, sortUnits, sortingIn, unitColumns } from './table.tsx'
import { AsOf, Counts, Views } from './toolbar.tsx'
import { UnitTree } from './tree.tsx'

export const estateRoutes: readonly Route[] = [
  orgPage({
    path: '',
    id: 'showEstate',
    action: 'graph:read',
    isFiltered: true,
    summary: 'All units and their status: as a map, a graph, a table or a tree',
    query: EstateQuery,
    async handle({ params: { org }, query, caller, view, x }, services) {
      const now = services.clock.now()
      const path = withQuery(view.path, { part: undefined })
      const at = query.at === undefined ? undefined : momentOf(query.at, now)
      const graph = await seenGraph(services, { org, at }, caller)
      const selected = await selectedUnit(services, { org, at, query, graph }, caller)
      const found = selectUnits(graph.nodes, query, await labelledUnits(services, { org, query }, caller))
      const panel = (
        <Panel
          base={view.org.base}
          path={path}
          now={now}
          graph={graph}
          found={found}
          selected={selected}
          name={query.unit}
        />
      )
      if (query.part === 'panel') return partReply(panel)
      if (query.format !== undefined)
        return exported(query.format, 'units', unitColumns, sortUnits(found, sortingIn(query.sort)))
      const drawn =
        query.view === 'graph'
          ? await drawnGraph(services, { org, at, query, view, graph, found }, caller)
          : undefined
      const isEmpty = graph.nodes.length === 0 && at === undefined
      return htmlReply(
        <Layout
          view={view}
          title="Estate"
          scripts={drawn === undefined ? ['estate.js'] : ['estate.js', 'picture.js']}
          {...(at === undefined ? { live: `?looks=${lookPrint(graph.nodes)}` } : {})}
        >
          <div id="estate" data-is-filtered={isFiltered(query) || query.view !== 'map' ? '' : undefined}>
            <div class="bar">
              <h1>Estate</h1>
              <span class="muted num">
                {graph.nodes.length.toLocaleString('en')} units, {graph.edges.length.toLocaleString('en')}{' '}
                dependencies
              </span>
              {!isEmpty && <AsOf path={view.path} query={query} at={at} />}
            </div>
            {query.at !== undefined && at === undefined && (
              <Notice kind="fail">
                <p>“{query.at}” is not a time in the past. This is the estate now.</p>
              </Notice>
            )}
            {at !== undefined && (
              <Notice kind="warn">
                <p>
                  The estate as it was at <Time at={at} />.
                </p>
              </Notice>
            )}
            {isEmpty ? (
              <FirstRun view={view} services={services} address={addressOf(x, services.publicUrl)} />
            ) : (
              <>
                <Counts path={view.path} query={query} counts={countLooks(graph.nodes)} />
                <Views path={view.path} query={query} />
                <Split side={panel}>
                  {found.length === 0 ? (
                    <p class="muted">No unit is like this. Remove a filter.</p>
                  ) : (
                    <Shown view={view} query={query} found={found} drawn={drawn} />
                  )}
                </Split>
              </>
            )}
          </div>
        </Layout>,
      )
    },
  }),
]

interface ShownProps {
  readonly view: OrgView
  readonly query: EstateQuery
  readonly found: readonly NodeView[]
  readonly drawn: DrawnGraph | undefined
}

function Shown({ view: { path, org }, query, found, drawn }: ShownProps) {
  if (drawn !== undefined) return <EstateGraph graph={drawn} query={query} path={path} />
  switch (query.view) {
    case 'table':
      return (
        <UnitTable
          path={path}
          base={org.base}
          nodes={found}
          page={query.page}
          sorting={sortingIn(query.sort)}
        />
      )
    case 'tree':
      return <UnitTree path={path} nodes={found} opened={query.opened ?? query.path} selected={query.unit} />
    default:
      return <EstateMap path={path} nodes={found} selected={query.unit} />
  }
}

interface Asked {
  readonly org: string
  readonly at: number | undefined
}

type Services = Pick<WebServices, 'graph' | 'control'>

async function seenGraph(
  { graph, control }: Services,
  { org, at, ...of }: Asked & { readonly unit?: string },
  caller: Caller,
): Promise<GraphView> {
  const whole = await graph.view({ org, ...of, ...(at === undefined ? {} : { at }) }, caller)
  const visible = await control.units.visible(org, caller)
  return visible === undefined ? whole : visibleGraph(whole, visible)
}

interface Selecting extends Asked {
  readonly query: EstateQuery
  readonly graph: GraphView
}

/** Undefined: none is selected. Null: there is none of that name. */
async function selectedUnit(
  { graph, control }: Services,
  { org, at, query, graph: { nodes } }: Selecting,
  caller: Caller,
): Promise<StatusItem | null | undefined> {
  if (query.unit === undefined) return undefined
  const node = nodes.find(({ name }) => name === query.unit)
  if (node === undefined) return null
  const asked = { org, unit: node.id, direction: 'none' as const, ...(at === undefined ? {} : { at }) }
  const status = await graph.status(asked, caller)
  const visible = await control.units.visible(org, caller)
  return (visible === undefined ? status : visibleStatus(status, visible)).items[0] ?? null
}

/** Ids of the units that have all the labels that are asked for. */
async function labelledUnits(
  { control }: Services,
  { org, query }: { readonly org: string; readonly query: EstateQuery },
  caller: Caller,
): Promise<ReadonlySet<string> | undefined> {
  if (query.label.length === 0) return undefined
  const labels = Object.fromEntries(query.label.map((text) => text.split(/=(.*)/s).slice(0, 2)))
  const { items } = await control.units.list({ org, labels, limit: Number.MAX_SAFE_INTEGER }, caller)
  return new Set(items.map(({ id }) => id))
}

async function drawnGraph(
  services: Services,
  {
    org,
    at,
    query,
    view,
    graph,
    found,
  }: Selecting & { readonly view: OrgView; readonly found: readonly NodeView[] },
  caller: Caller,
): Promise<DrawnGraph> {
  const around = graph.nodes.find(({ name }) => name === query.around)
  if (around === undefined) return drawEstate(found, graph.edges, query, view.path)
  const { nodes } = await seenGraph(services, { org, at, unit: around.id }, caller)
  const near = new Set(nodes.map(({ id }) => id))
  return drawEstate(
    found.filter(({ id }) => near.has(id)),
    graph.edges,
    query,
    view.path,
  )
}
