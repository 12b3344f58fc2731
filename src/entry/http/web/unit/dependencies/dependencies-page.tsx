import { unitPath, withQuery } from '../../shell/addresses.ts'
import { matchingLines, shell } from '../../shell/command-line.ts'
import type { Faults } from '../../shell/faults.ts'
import { List, arrange } from '../../shell/list.tsx'
import { Card, Command, Split, Tabs } from '../../shell/parts.tsx'
import { UnitFrame, type UnitPage } from '../frame.tsx'
import { AddForm, type DependencyForm } from './add-form.tsx'
import { columnsOf, removeColumn } from './edge-columns.tsx'
import { type Edge, matchingEdges } from './edges.ts'

/** What the address says. */
export interface DependencyQuery {
  readonly direction?: 'uses' | 'used-by' | undefined
  readonly search: string
  readonly sort?: string | undefined
  readonly page: number
}

interface DependenciesPageProps {
  readonly page: UnitPage
  readonly edges: readonly Edge[]
  readonly query: DependencyQuery
  /** Units that it could use. */
  readonly names: readonly string[]
  readonly input?: DependencyForm | undefined
  readonly faults?: Faults | undefined
}

export function DependenciesPage({ page, edges, query, names, input, faults }: DependenciesPageProps) {
  const { view, unit } = page
  const path = unitPath(view.org.base, unit.name, 'dependencies')
  const uses = edges.filter(({ direction }) => direction === 'uses')
  const usedBy = edges.filter(({ direction }) => direction === 'used by')
  const { direction = uses.length === 0 && usedBy.length > 0 ? 'used-by' : 'uses' } = query
  const mayChange = view.may('graph:write', unit)
  return (
    <UnitFrame of={page} tab="dependencies" title="Dependencies">
      <Split
        side={
          <>
            {mayChange && <AddForm page={page} names={names} input={input} faults={faults} />}
            <Command>{matchingLines(shell`taco dep ls ${unit.name}`, query.search.trim())}</Command>
            <Command>{shell`taco dep add ${unit.name} --on prod/network`}</Command>
          </>
        }
      >
        <div>
          <Tabs
            label="Dependencies"
            isMinor
            tabs={[
              {
                label: 'Uses',
                href: withQuery(path, { direction: 'uses' }),
                isCurrent: direction === 'uses',
                count: uses.length,
              },
              {
                label: 'Used by',
                href: withQuery(path, { direction: 'used-by' }),
                isCurrent: direction === 'used-by',
                count: usedBy.length,
              },
            ]}
          >
            <a class="muted" href={withQuery(view.org.base, { view: 'graph', around: unit.name })}>
              Show in the graph
            </a>
          </Tabs>
          <Card>
            <Edges page={page} edges={direction === 'uses' ? uses : usedBy} query={{ ...query, direction }} />
          </Card>
        </div>
      </Split>
    </UnitFrame>
  )
}

interface EdgesProps {
  readonly page: UnitPage
  readonly edges: readonly Edge[]
  readonly query: DependencyQuery
}

function Edges({ page, edges, query }: EdgesProps) {
  const { view, unit } = page
  const { direction, search } = query
  if (edges.length === 0)
    return <p class="muted">{direction === 'uses' ? 'It uses no other unit.' : 'No other unit uses it.'}</p>
  const action = unitPath(view.org.base, unit.name, 'dependencies')
  const path = withQuery(action, { direction, search })
  const hasInputs = edges.some(({ inputs }) => Object.keys(inputs).length > 0)
  const columns = columnsOf(page).filter(
    ({ name }) => name !== 'direction' && (name !== 'inputs' || hasInputs),
  )
  const mayRemove = direction === 'uses' && view.may('graph:write', unit)
  return (
    <>
      {(edges.length > 10 || search !== '') && (
        <search>
          <form class="bar filters" action={action}>
            <input type="hidden" name="direction" value={direction} />
            <input
              type="search"
              name="search"
              value={search}
              placeholder="Unit or output"
              aria-label="Search dependencies"
            />
            <button class="button" type="submit">
              Search
            </button>
          </form>
        </search>
      )}
      <List
        path={path}
        caption="Dependencies"
        list={arrange(matchingEdges(edges, search), columns, { sort: query.sort, page: query.page })}
        actions={mayRemove ? [removeColumn(page)] : []}
        hrefOf={({ name }) => unitPath(view.org.base, name)}
        hasSearch={false}
        empty="No dependency matches."
      />
    </>
  )
}
