import type { DependenciesView } from '../../../../../graph/index.ts'
import { unitPath, withQuery } from '../../shell/addresses.ts'
import type { Faults } from '../../shell/faults.ts'
import { Form } from '../../shell/layout.tsx'
import { Card, Command, Field, Split, describedBy } from '../../shell/parts.tsx'
import { LookChip } from '../../shell/status.tsx'
import { type Column, DataTable, ListFooter, pageOf } from '../../shell/table.tsx'
import { UnitFrame, type UnitPage } from '../frame.tsx'

/** What was typed. */
export interface DependencyForm {
  readonly on: string
  readonly which: 'all' | 'some' | 'order'
  readonly outputs: string
  readonly inputs: string
}

/** One line of the table. */
interface Edge {
  readonly direction: 'uses' | 'used by'
  readonly id: string
  readonly name: string
  readonly outputs: readonly string[] | null
  readonly source: string
  readonly state: string
  readonly changed: readonly string[]
  readonly inputs: Readonly<Record<string, string>>
  readonly commit: number | null
}

export function edgesIn({ uses, usedBy }: DependenciesView): readonly Edge[] {
  return [
    ...uses.map(({ on, outputs, source, state, changed, inputs, read }) => ({
      direction: 'uses' as const,
      ...on,
      outputs,
      source,
      state,
      changed,
      inputs,
      commit: read?.commit ?? null,
    })),
    ...usedBy.map(({ id, name, outputs, source, state }) => ({
      direction: 'used by' as const,
      id,
      name,
      outputs,
      source,
      state,
      changed: [],
      inputs: {},
      commit: null,
    })),
  ]
}

interface DependenciesPageProps {
  readonly page: UnitPage
  readonly edges: readonly Edge[]
  readonly input?: DependencyForm
  readonly faults?: Faults
}

export function DependenciesPage({ page, edges, input, faults }: DependenciesPageProps) {
  const { view, unit } = page
  const uses = edges.filter(({ direction }) => direction === 'uses')
  const usedBy = edges.filter(({ direction }) => direction === 'used by')
  const mayChange = view.may('graph:write', unit)
  const columns = columnsOf(page).filter(({ name }) => name !== 'direction')
  return (
    <UnitFrame of={page} tab="dependencies" title="Dependencies">
      <Split
        side={
          <>
            {mayChange && <AddForm page={page} {...(input && { input })} {...(faults && { faults })} />}
            <Command>{`taco dep ls ${unit.name}`}</Command>
            <Command>{`taco dep add ${unit.name} <other unit>`}</Command>
          </>
        }
      >
        <EdgeCard
          page={page}
          title="Uses"
          columns={mayChange ? [...columns, removeColumn(page)] : columns}
          edges={uses}
          empty="It uses no other unit."
        />
        <EdgeCard
          page={page}
          title="Used by"
          columns={columns.filter(({ name }) => name !== 'inputs')}
          edges={usedBy}
          empty="No other unit uses it."
        />
        <p class="plain-links">
          <a href={withQuery(view.org.base, { view: 'graph', around: unit.name })}>
            Show it in the graph of the estate
          </a>
        </p>
      </Split>
    </UnitFrame>
  )
}

interface EdgeCardProps {
  readonly page: UnitPage
  readonly title: string
  readonly columns: readonly Column<Edge>[]
  readonly edges: readonly Edge[]
  readonly empty: string
}

function EdgeCard({ page, title, columns, edges, empty }: EdgeCardProps) {
  const { paging } = pageOf(edges, 1, Math.max(1, edges.length))
  const path = unitPath(page.view.org.base, page.unit.name, 'dependencies')
  return (
    <Card title={title}>
      {edges.length === 0 ? (
        <p class="muted">{empty}</p>
      ) : (
        <>
          <DataTable path={path} caption={title} columns={columns} items={edges} />
          <ListFooter path={path} paging={paging} />
        </>
      )}
    </Card>
  )
}

const SOURCES: Readonly<Record<string, string>> = {
  declared: 'declared',
  code: 'found in the code',
  reads: 'read by the last apply',
}

export function columnsOf({ view }: UnitPage): readonly Column<Edge>[] {
  return [
    {
      name: 'direction',
      label: 'Direction',
      cell: ({ direction }) => direction,
      value: ({ direction }) => direction,
    },
    {
      name: 'unit',
      label: 'Unit',
      cell: ({ name }) => (
        <a class="mono" href={unitPath(view.org.base, name)}>
          {name}
        </a>
      ),
      value: ({ name }) => name,
    },
    {
      name: 'outputs',
      label: 'Outputs',
      cell: ({ outputs }) => <span class="mono">{outputWords(outputs)}</span>,
      value: ({ outputs }) => outputWords(outputs),
    },
    {
      name: 'inputs',
      label: 'Variables',
      cell: ({ inputs }) => <span class="mono">{inputWords(inputs)}</span>,
      value: ({ inputs }) => inputWords(inputs),
    },
    {
      name: 'source',
      label: 'Known from',
      cell: ({ source }) => SOURCES[source] ?? source,
      value: ({ source }) => source,
    },
    {
      name: 'state',
      label: 'State',
      cell: (edge) => <EdgeState of={edge} />,
      value: ({ state }) => state,
    },
  ]
}

/** Only what was declared can be removed: the rest follows from what the unit reads. */
function removeColumn({ view, unit }: UnitPage): Column<Edge> {
  return {
    name: 'remove',
    label: 'Action',
    cell: ({ source, id, name }) =>
      source === 'declared' ? (
        <details>
          <summary>Remove</summary>
          <Form view={view} action={unitPath(view.org.base, unit.name, 'dependencies/remove')} class="stack">
            <input type="hidden" name="on" value={id} />
            <p>A change of {name} will no longer make this unit stale.</p>
            <button class="button danger small" type="submit">
              Remove the dependency
            </button>
          </Form>
        </details>
      ) : null,
    value: () => null,
  }
}

function outputWords(outputs: readonly string[] | null): string {
  return outputs === null ? 'all' : outputs.join(', ') || 'none, only the order'
}

function inputWords(inputs: Readonly<Record<string, string>>): string {
  return Object.entries(inputs)
    .map(([variable, output]) => `${variable}=${output}`)
    .join(', ')
}

function EdgeState({ of: { state, changed, commit } }: { readonly of: Edge }) {
  const read = commit === null ? null : <span class="muted">read at commit {commit}</span>
  switch (state) {
    case 'changed':
      return (
        <>
          <LookChip look="stale">changed since</LookChip> <span class="mono">{changed.join(', ')}</span>{' '}
          {read}
        </>
      )
    case 'fresh':
      return (
        <>
          <LookChip look="ok">current</LookChip> {read}
        </>
      )
    case 'dangling':
      return <LookChip look="missing">does not exist</LookChip>
    default:
      return <LookChip look="unknown">not read yet</LookChip>
  }
}

interface AddFormProps {
  readonly page: UnitPage
  readonly input?: DependencyForm
  readonly faults?: Faults
}

const WHICH = [
  ['all', 'All of its outputs'],
  ['some', 'These outputs'],
  ['order', 'No outputs: only the order counts'],
] as const

function AddForm({ page: { view, unit }, input, faults = {} }: AddFormProps) {
  const { on = '', which = 'all', outputs = '', inputs = '' } = input ?? {}
  return (
    <Card title="Declare a dependency">
      <Form view={view} action={unitPath(view.org.base, unit.name, 'dependencies')} class="form">
        <Field
          id="on"
          label="Unit that it uses"
          hint="If one of its outputs changes, this unit is stale."
          error={faults['on']}
        >
          <input
            id="on"
            class="mono"
            type="text"
            name="on"
            value={on}
            autocomplete="off"
            spellcheck={false}
            {...describedBy('on', faults)}
          />
        </Field>
        <fieldset>
          <legend>What it uses</legend>
          {WHICH.map(([value, label]) => (
            <label class="check">
              <input type="radio" name="which" value={value} checked={value === which} />
              {label}
            </label>
          ))}
        </fieldset>
        <Field
          id="outputs"
          label="Outputs"
          hint="For “These outputs”. Separate several by commas."
          error={faults['outputs']}
        >
          <input
            id="outputs"
            class="mono"
            type="text"
            name="outputs"
            value={outputs}
            autocomplete="off"
            spellcheck={false}
            {...describedBy('outputs', faults)}
          />
        </Field>
        <Field
          id="inputs"
          label="Variables"
          hint="Optional. One variable=output on each line: rollouts and taco exec set the variable to the output."
          error={faults['inputs']}
        >
          <textarea
            id="inputs"
            class="mono"
            name="inputs"
            rows={2}
            spellcheck={false}
            {...describedBy('inputs', faults)}
          >
            {inputs}
          </textarea>
        </Field>
        <div>
          <button class="button primary" type="submit">
            Declare
          </button>
        </div>
      </Form>
    </Card>
  )
}
