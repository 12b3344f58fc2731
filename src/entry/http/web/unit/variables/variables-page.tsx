import type { Scope, Source, VariableSet } from '../../../../../variables/index.ts'
import { unitPath, withQuery } from '../../shell/addresses.ts'
import { shell } from '../../shell/command-line.ts'
import { SelectField } from '../../shell/form/select-field.tsx'
import { TextField } from '../../shell/form/text-field.tsx'
import { Ago, Card, Command, Empty, Split } from '../../shell/parts.tsx'
import { type Column, DataTable, ListFooter, pageOf } from '../../shell/table.tsx'
import { KeyCell, SourceCell, ValueCell, setPath, sourceWords } from '../../variables/cells.tsx'
import type { VariableShown } from '../../variables/save-variable.ts'
import { editColumn } from '../../variables/set-page.tsx'
import { VariableForm } from '../../variables/variable-form.tsx'
import { UnitFrame, type UnitPage } from '../frame.tsx'
import { type OutputInput, type VariableFilter, type VariableRow, isPriority } from './rows.ts'

const PAGE_SIZE = 100

interface VariablesPageProps {
  readonly page: UnitPage
  /** Of the page, without its query. */
  readonly path: string
  readonly rows: readonly VariableRow[]
  /** Before the filter. */
  readonly all: readonly VariableRow[]
  /** What it gets by its dependencies, as far as the person may see them. */
  readonly inputs: readonly OutputInput[]
  readonly filter: VariableFilter
  readonly number: number
  readonly sets: readonly { readonly set: VariableSet; readonly scope: Scope }[]
  readonly shown: VariableShown
  readonly now: number
}

export function VariablesPage(props: VariablesPageProps) {
  const { page, path, rows, all, inputs, filter, number, sets, shown, now } = props
  const { view, unit } = page
  const { base } = view.org
  const mayWrite = view.may('vars:write', unit)
  const listPath = withQuery(path, { search: filter.search, kind: filter.kind, from: filter.from })
  const part = pageOf(rows, number, PAGE_SIZE)
  const hasOwn = part.items.some(({ source }) => source.kind === 'unit')
  const actions = { save: path, remove: `${path}/delete` }
  return (
    <UnitFrame of={page} tab="variables">
      <Split
        side={
          <>
            <SetsCard base={base} sets={sets} />
            <Command>{shell`taco var ls --unit ${unit.name}`}</Command>
            {mayWrite && <Command>{setCommand(shown, unit.name)}</Command>}
          </>
        }
      >
        {all.length === 0 ? (
          <Empty title="No variables">
            <p class="muted">
              The unit has no variables of its own, and no variable set applies to it. Its dependencies can
              pass outputs of other units to it as variables.
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
                columns={variableColumns({ base, path, now, mayWrite: hasOwn && mayWrite })}
                items={part.items}
              />
            )}
            <ListFooter path={listPath} paging={part.paging} />
          </Card>
        )}
        {inputs.length > 0 && <InputsCard page={page} inputs={inputs} all={all} />}
        {mayWrite && (
          <VariableForm
            view={view}
            path={path}
            actions={actions}
            shown={shown}
            now={now}
            effect="A change is applied by the next run or rollout of the unit."
          />
        )}
      </Split>
    </UnitFrame>
  )
}

/** The command that does what the form does. A secret is read from a file, so that no list of processes has it. */
function setCommand({ fields: { id, key, category, sensitive, hcl } }: VariableShown, unit: string): string {
  const value = sensitive ? '--from-file value.txt' : id === '' ? 'eu-central-1' : '"…"'
  const flags = [
    ...(category === 'env' ? ['--env'] : []),
    ...(hcl ? ['--hcl'] : []),
    ...(sensitive ? ['--sensitive'] : []),
  ]
  const set = shell`taco var set ${id === '' ? 'region' : key}`
  return [set, value, ...flags, shell`--unit ${unit}`].join(' ')
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
              overridden by <Stronger base={base} by={overriddenBy} />
            </div>
          )}
        </>
      ),
      value: ({ source }) => sourceWords(source),
    },
    {
      name: 'changed',
      label: 'Changed',
      cell: ({ variable }) => (
        <span class="nowrap">
          <Ago at={variable.updatedAt} now={now} />
        </span>
      ),
      value: ({ variable }) => new Date(variable.updatedAt).toISOString(),
    },
  ]
  if (!mayWrite) return columns
  const own = ({ source, variable }: VariableRow) => (source.kind === 'unit' ? variable : undefined)
  return [...columns, editColumn(path, own)]
}

function Stronger({ base, by }: { readonly base: string; readonly by: Source | OutputInput }) {
  if (by.kind === 'unit') return <>this unit</>
  if (by.kind === 'dependency') return <OutputLink base={base} of={by} />
  return (
    <>
      <SourceCell base={base} source={by} />
      {by.priority && ', which overrides everything'}
    </>
  )
}

function OutputLink({ base, of: { unit, output } }: { readonly base: string; readonly of: OutputInput }) {
  return (
    <>
      the output <span class="mono">{output}</span> of{' '}
      <a class="mono" href={unitPath(base, unit, 'outputs')}>
        {unit}
      </a>
    </>
  )
}

const MOST_INPUTS = 50

function InputsCard({ page, inputs, all }: Pick<VariablesPageProps, 'page' | 'inputs' | 'all'>) {
  const { view, unit } = page
  const { base } = view.org
  const columns: readonly Column<OutputInput>[] = [
    {
      name: 'variable',
      label: 'Key',
      cell: ({ variable }) => <span class="mono">{variable}</span>,
      value: ({ variable }) => variable,
    },
    {
      name: 'output',
      label: 'Gets',
      cell: (input) => {
        const stronger = all.find(
          ({ variable, source }) =>
            variable.key === input.variable && variable.category !== 'env' && isPriority(source),
        )
        return (
          <>
            <OutputLink base={base} of={input} />
            {stronger !== undefined && (
              <div class="faint">
                overridden by <Stronger base={base} by={stronger.source} />
              </div>
            )}
          </>
        )
      },
      value: ({ unit: of, output }) => `${of} ${output}`,
    },
  ]
  return (
    <Card title="From dependencies">
      <DataTable
        path={view.path}
        caption="Variables that get outputs of other units"
        columns={columns}
        items={inputs.slice(0, MOST_INPUTS)}
      />
      <p class="faint">
        {inputs.length > MOST_INPUTS && `And ${inputs.length - MOST_INPUTS} more. `}
        Dependencies are on <a href={unitPath(base, unit.name, 'dependencies')}>a page of their own</a>.
      </p>
    </Card>
  )
}

/** What only exports have. */
export const exportColumns: readonly Pick<Column<VariableRow>, 'name' | 'value'>[] = [
  { name: 'kind', value: ({ variable }) => variable.category },
  { name: 'hcl', value: ({ variable }) => variable.hcl },
  { name: 'sensitive', value: ({ variable }) => variable.sensitive },
  { name: 'description', value: ({ variable }) => variable.description },
  {
    name: 'overridden_by',
    value: ({ overriddenBy: by }) => {
      if (by === undefined) return null
      return by.kind === 'dependency' ? `output ${by.output} of ${by.unit}` : sourceWords(by)
    },
  },
]

const KINDS = [
  ['', 'All'],
  ['terraform', 'Input variables'],
  ['env', 'Environment'],
] as const
const PLACES = [
  ['', 'All'],
  ['unit', 'This unit'],
  ['sets', 'Sets'],
] as const

function Filters({ path, filter }: { readonly path: string; readonly filter: VariableFilter }) {
  const isFiltered = filter.search !== '' || filter.kind !== undefined || filter.from !== undefined
  return (
    <form class="bar filters" action={path}>
      <TextField id="search" label="Key or description" value={filter.search} type="search" />
      <SelectField id="kind" label="Kind" value={filter.kind ?? ''} options={KINDS} />
      <SelectField id="from" label="From" value={filter.from ?? ''} options={PLACES} />
      <button class="button" type="submit">
        Filter
      </button>
      {isFiltered && <a href={path}>Show all</a>}
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
