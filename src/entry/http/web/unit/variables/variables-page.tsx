import type { Scope, VariableSet } from '../../../../../variables/index.ts'
import { withQuery } from '../../shell/addresses.ts'
import { Ago, Card, Command, Empty, Split } from '../../shell/parts.tsx'
import { type Column, DataTable, ListFooter, pageOf } from '../../shell/table.tsx'
import { KeyCell, SourceCell, ValueCell, setPath, sourceWords } from '../../variables/cells.tsx'
import type { VariableShown } from '../../variables/save-variable.ts'
import { editColumn } from '../../variables/set-page.tsx'
import { VariableForm } from '../../variables/variable-form.tsx'
import { UnitFrame, type UnitPage } from '../frame.tsx'
import type { VariableFilter, VariableRow } from './rows.ts'

const PAGE_SIZE = 100

interface VariablesPageProps {
  readonly page: UnitPage
  /** Of the page, without its query. */
  readonly path: string
  readonly rows: readonly VariableRow[]
  /** Before the filter. */
  readonly total: number
  readonly filter: VariableFilter
  readonly number: number
  readonly sets: readonly { readonly set: VariableSet; readonly scope: Scope }[]
  readonly shown: VariableShown
  readonly now: number
}

export function VariablesPage(props: VariablesPageProps) {
  const { page, path, rows, total, filter, number, sets, shown, now } = props
  const { view, unit } = page
  const { base } = view.org
  const mayWrite = view.may('vars:write', unit)
  const listPath = withQuery(path, { search: filter.search, kind: filter.kind, from: filter.from })
  const part = pageOf(rows, number, PAGE_SIZE)
  const actions = { save: path, remove: `${path}/delete` }
  return (
    <UnitFrame of={page} tab="variables">
      <Split
        side={
          <>
            <SetsCard base={base} sets={sets} />
            <Command>{`taco var ls --unit ${unit.name}`}</Command>
            {mayWrite && <Command>{`taco var set region eu-central-1 --unit ${unit.name}`}</Command>}
          </>
        }
      >
        {total === 0 ? (
          <Empty title="No variables">
            <p class="muted">
              The unit has no variables of its own, and no variable set applies to it. Outputs of other units
              become its variables by its dependencies.
            </p>
          </Empty>
        ) : (
          <Card>
            <Filters path={path} filter={filter} />
            {rows.length === 0 ? (
              <p class="muted">No variable matches.</p>
            ) : (
              <DataTable
                path={listPath}
                caption="Variables"
                columns={variableColumns({ base, path, now, mayWrite })}
                items={part.items}
              />
            )}
            <ListFooter path={listPath} paging={part.paging} />
          </Card>
        )}
        {mayWrite && <VariableForm view={view} path={path} actions={actions} shown={shown} now={now} />}
      </Split>
    </UnitFrame>
  )
}

interface ColumnsOf {
  readonly base: string
  readonly path: string
  readonly now: number
  readonly mayWrite: boolean
}

export function variableColumns({ base, path, now, mayWrite }: ColumnsOf): readonly Column<VariableRow>[] {
  const columns: readonly Column<VariableRow>[] = [
    {
      name: 'key',
      label: 'Key',
      cell: ({ variable }) => <KeyCell variable={variable} />,
      value: ({ variable }) => variable.key,
    },
    {
      name: 'value',
      label: 'Value',
      cell: ({ variable, overriddenBy }) =>
        overriddenBy === undefined ? (
          <ValueCell variable={variable} />
        ) : (
          <s class="faint">
            <ValueCell variable={variable} />
          </s>
        ),
      value: ({ variable }) => variable.value,
    },
    {
      name: 'from',
      label: 'From',
      cell: ({ source, overriddenBy }) => (
        <>
          {source.kind === 'unit' ? 'this unit' : <SourceCell base={base} source={source} />}
          {overriddenBy !== undefined && (
            <div class="faint">
              overridden by{' '}
              {overriddenBy.kind === 'unit' ? (
                'this unit'
              ) : (
                <>
                  <SourceCell base={base} source={overriddenBy} />
                  {overriddenBy.priority && ', which overrides everything'}
                </>
              )}
            </div>
          )}
        </>
      ),
      value: ({ source }) => sourceWords(source),
    },
    {
      name: 'changed',
      label: 'Changed',
      cell: ({ variable }) => <Ago at={variable.updatedAt} now={now} />,
      value: ({ variable }) => new Date(variable.updatedAt).toISOString(),
    },
  ]
  if (!mayWrite) return columns
  const own = ({ source, variable }: VariableRow) => (source.kind === 'unit' ? variable : undefined)
  return [...columns, editColumn(path, own)]
}

/** What only exports have. */
export const exportColumns: readonly Pick<Column<VariableRow>, 'name' | 'value'>[] = [
  { name: 'kind', value: ({ variable }) => variable.category },
  { name: 'hcl', value: ({ variable }) => variable.hcl },
  { name: 'sensitive', value: ({ variable }) => variable.sensitive },
  { name: 'description', value: ({ variable }) => variable.description },
  {
    name: 'overridden_by',
    value: ({ overriddenBy }) => (overriddenBy === undefined ? null : sourceWords(overriddenBy)),
  },
]

const KINDS = [
  ['', 'All kinds'],
  ['terraform', 'Input variables'],
  ['env', 'Environment'],
] as const
const PLACES = [
  ['', 'From anywhere'],
  ['unit', 'From this unit'],
  ['sets', 'From sets'],
] as const

function Filters({ path, filter }: { readonly path: string; readonly filter: VariableFilter }) {
  return (
    <form class="bar filters" action={path}>
      <input
        type="search"
        name="search"
        value={filter.search}
        placeholder="Key or description"
        aria-label="Key or description"
      />
      <select name="kind" aria-label="Kind">
        {KINDS.map(([value, label]) => (
          <option value={value} selected={value === (filter.kind ?? '')}>
            {label}
          </option>
        ))}
      </select>
      <select name="from" aria-label="From">
        {PLACES.map(([value, label]) => (
          <option value={value} selected={value === (filter.from ?? '')}>
            {label}
          </option>
        ))}
      </select>
      <button class="button" type="submit">
        Filter
      </button>
    </form>
  )
}

const SCOPES = { unit: 'for this unit', project: 'for its project', global: 'for every unit' } as const

function SetsCard({ base, sets }: { readonly base: string; readonly sets: VariablesPageProps['sets'] }) {
  return (
    <Card title="Variable sets that apply">
      {sets.length === 0 ? (
        <p class="muted">None.</p>
      ) : (
        <dl class="keyed">
          {sets.map(({ set, scope }) => (
            <>
              <dt>
                <a href={setPath(base, set)}>{set.name}</a>
              </dt>
              <dd>
                {SCOPES[scope]}
                {set.priority && ', overrides everything'}
              </dd>
            </>
          ))}
        </dl>
      )}
      <p class="faint">
        A set that overrides everything wins over the unit's own variables; other sets do not. The{' '}
        <a href={`${base}/variables`}>page of sets</a> has the whole order.
      </p>
    </Card>
  )
}
