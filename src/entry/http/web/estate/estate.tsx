import type { Action } from '../../../../access/index.ts'
import { TacoError } from '../../../../base/errors.ts'
import type { NodeView } from '../../../../graph/index.ts'
import type { Route } from '../../kit/routes/route.ts'
import { lookPrint } from '../live/look-changes.ts'
import { orgPage } from '../org-page.ts'
import { withQuery } from '../shell/addresses.ts'
import { InOrg } from '../shell/command-org.tsx'
import { exported } from '../shell/export.ts'
import { Layout } from '../shell/layout.tsx'
import { Empty, Notice, Split, Time } from '../shell/parts.tsx'
import { htmlReply, partReply } from '../shell/render.ts'
import { addressOf } from '../shell/server-address.ts'
import { type OrgView, hasPlace } from '../shell/view.ts'
import { deletedUnits } from './deleted.tsx'
import { FirstRun } from './first-run.tsx'
import { aroundUnit, gatherEstate } from './gather.ts'
import { type DrawnGraph, EstateGraph, drawEstate } from './graph.tsx'
import { EstateMap } from './map.tsx'
import { newUnitRoutes } from './new-unit.tsx'
import { NextSteps } from './next-steps.tsx'
import { LastKnown, Panel } from './panel.tsx'
import { EstateQuery, countLooks, estateCommand, isFiltered, leftOut, momentOf } from './selection.ts'
import { COLUMNS, UnitTable, sortUnits, sortingIn } from './table.tsx'
import { AsOf, Counts, Views } from './toolbar.tsx'
import { UnitTree } from './tree.tsx'

export const estateRoutes: readonly Route[] = [
  ...newUnitRoutes,
  orgPage({
    path: '',
    id: 'showEstate',
    action: 'graph:read',
    isFiltered: true,
    summary: 'All units and their status: as a map, a graph, a table or a tree',
    query: EstateQuery,
    async handle({ params: { org }, query, caller, view, x }, services) {
      if (query.deleted) return deletedUnits({ org, query, view }, caller, services)
      const { now } = view
      const path = withQuery(view.path, { part: undefined })
      const at = query.at === undefined ? undefined : momentOf(query.at, now)
      const { graph, isLast, found, selected } = await gatherEstate(services, { org, at, query }, caller)
      const panel = (
        <Panel
          base={view.org.base}
          path={path}
          now={now}
          canRollOut={at === undefined && hasPlace(view, '/rollouts')}
          graph={graph}
          found={found}
          selected={selected}
          name={query.unit}
          command={estateCommand(query, at)}
          lastAt={isLast && query.part === 'panel' ? graph.asOf : undefined}
        />
      )
      if (query.part === 'panel') return partReply(<InOrg view={view}>{panel}</InOrg>)
      if (query.format !== undefined && isLast)
        throw new TacoError('BUCKET_UNAVAILABLE', 'The bucket does not answer.')
      if (query.format !== undefined)
        return exported(query.format, 'units', COLUMNS, sortUnits(found, sortingIn(query.sort)))
      const drawn =
        query.view === 'graph'
          ? await drawEstate(
              await aroundUnit(services, { org, at, query, graph, found }, caller),
              graph.edges,
              query,
              path,
            )
          : undefined
      const mayOnSome = async (action: Action) =>
        (await services.access.decide(x.principal, action, { org }, { isFiltered: true })).allowed
      const [mayCreate, mayRestore] = [await mayOnSome('unit:create'), await mayOnSome('unit:restore')]
      const notes = [
        ...leftOut(x.query),
        ...(isLast && query.label.length > 0 ? ['Which units have the label cannot be told now.'] : []),
      ]
      const isEmpty = graph.nodes.length === 0 && at === undefined && !isLast
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
              {!isEmpty && (
                <>
                  <span class="muted num">
                    {counted(graph.nodes, 'unit', 'units')},{' '}
                    {counted(graph.edges, 'dependency', 'dependencies')}
                  </span>
                  <AsOf path={view.path} query={query} at={at} />
                </>
              )}
              {mayCreate && (
                <a class={isEmpty ? 'button end' : 'button'} href={`${view.org.base}/new-unit`}>
                  New unit
                </a>
              )}
            </div>
            {isLast && <LastKnown at={graph.asOf} />}
            {notes.length > 0 && (
              <Notice kind="warn">
                {notes.map((note) => (
                  <p>{note}</p>
                ))}
                <p>The page is shown without it.</p>
              </Notice>
            )}
            {query.at !== undefined && at === undefined && (
              <Notice kind="fail">
                <p>“{query.at}” is not a time in the past. This is the estate now.</p>
              </Notice>
            )}
            {at !== undefined && (
              <Notice kind="warn">
                <p>
                  The estate as it was at <Time at={at} />.{' '}
                  <a href={withQuery(view.path, { at: undefined })}>Show it as it is now</a>
                </p>
              </Notice>
            )}
            {isEmpty ? (
              <FirstRun
                view={view}
                services={services}
                address={addressOf(x, services.publicUrl)}
                given={query.unit}
                mayCreate={mayCreate}
              />
            ) : (
              <>
                <Counts path={view.path} query={query} counts={countLooks(graph.nodes)} />
                <Views path={view.path} query={query} hasDeleted={mayRestore} />
                <Split
                  side={
                    <>
                      {panel}
                      {at === undefined && <NextSteps view={view} auth={services.auth} nodes={graph.nodes} />}
                    </>
                  }
                >
                  {graph.nodes.length === 0 ? (
                    <Empty title="There were no units then" />
                  ) : found.length === 0 ? (
                    <Empty title="No units match">
                      <p class="muted">
                        Remove a filter, or <a href={view.org.base}>show all units</a>.
                      </p>
                    </Empty>
                  ) : (
                    <Shown view={view} query={query} found={found} drawn={drawn} />
                  )}
                </Split>
              </>
            )}
          </div>
        </Layout>,
        // As other pages that are shown as they were. It is not kept as if it were new.
        isLast ? 503 : 200,
      )
    },
  }),
]

function counted({ length }: readonly unknown[], one: string, many: string): string {
  return `${length.toLocaleString('en')} ${length === 1 ? one : many}`
}

interface ShownProps {
  readonly view: OrgView
  readonly query: EstateQuery
  readonly found: readonly NodeView[]
  readonly drawn: DrawnGraph | undefined
}

function Shown({ view: { path, org, now }, query, found, drawn }: ShownProps) {
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
          now={now}
        />
      )
    case 'tree':
      return <UnitTree path={path} nodes={found} opened={query.opened ?? query.path} selected={query.unit} />
    default:
      return <EstateMap path={path} nodes={found} selected={query.unit} />
  }
}
