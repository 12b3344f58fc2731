import type { Effective, SetSight, Source, VariableSet, VariableView } from '../../../../variables/index.ts'
import type { Faults } from '../shell/faults.ts'
import { Form, Layout } from '../shell/layout.tsx'
import { Card, Command, Empty, Field, Split, describedBy } from '../shell/parts.tsx'
import { type Column, DataTable } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { SetFields } from './set-fields.tsx'
import type { SetInput } from './set-form.ts'

export const setPath = (base: string, { id }: Pick<VariableSet, 'id'>) => `${base}/variables/${id}`

/** Whom a set is for, in words. */
export function scopeWords(set: VariableSet, sight: SetSight): string {
  const parts = [
    ...(set.global ? [set.parent === undefined ? 'every unit' : 'every unit of its project'] : []),
    ...sight.projectsOf(set).map(({ name }) => `project ${name}`),
    ...sight.unitsOf(set).map(({ name }) => name),
  ]
  const more = parts.length - 5
  if (parts.length === 0) return 'no unit yet'
  return more > 0 ? `${parts.slice(0, 5).join(', ')} and ${more} more` : parts.join(', ')
}

interface VariablesPageProps {
  readonly view: OrgView
  readonly sets: readonly VariableSet[]
  readonly sight: SetSight
  readonly unit: string
  readonly effective: readonly Effective<VariableView>[] | undefined
  readonly input: SetInput
  readonly faults: Faults
  readonly unitFaults: Faults
}

export function VariablesPage(props: VariablesPageProps) {
  const { view, sets, sight, unit, effective, input, faults, unitFaults } = props
  const base = `${view.org.base}/variables`
  return (
    <Layout view={view} title="Variables">
      <h1>Variables</h1>
      <Split
        side={
          <>
            <UnitBox path={base} unit={unit} faults={unitFaults} />
            <Order />
            <Command>{effective === undefined ? 'taco varset ls' : `taco var ls --unit ${unit}`}</Command>
          </>
        }
      >
        {effective !== undefined && <EffectiveCard view={view} unit={unit} effective={effective} />}
        {sets.length === 0 ? (
          <Empty title="No variable sets">
            <p class="muted">
              A variable set holds variables for several units: for all of them, for projects, or for units
              that you name.
            </p>
          </Empty>
        ) : (
          <Card title="Variable sets">
            <DataTable
              path={base}
              caption="Variable sets"
              columns={setColumns(view, sight)}
              items={sets}
              hrefOf={(set) => setPath(view.org.base, set)}
            />
          </Card>
        )}
        {view.may('vars:write') && (
          <Card title="Create a variable set">
            <Form view={view} action={base} class="form">
              <SetFields input={input} faults={faults} />
              <div>
                <button class="button primary" type="submit">
                  Create the set
                </button>
              </div>
            </Form>
          </Card>
        )}
      </Split>
    </Layout>
  )
}

function setColumns(view: OrgView, sight: SetSight): readonly Column<VariableSet>[] {
  return [
    {
      name: 'name',
      label: 'Set',
      cell: (set) => (
        <>
          <a href={setPath(view.org.base, set)}>{set.name}</a>
          {set.description !== '' && <div class="faint">{set.description}</div>}
        </>
      ),
      value: ({ name }) => name,
    },
    {
      name: 'scope',
      label: 'For',
      cell: (set) => scopeWords(set, sight),
      value: (set) => scopeWords(set, sight),
    },
    {
      name: 'priority',
      label: 'Strength',
      cell: ({ priority }) =>
        priority ? <span class="chip warn">overrides everything</span> : <span class="muted">usual</span>,
      value: ({ priority }) => priority,
    },
  ]
}

function UnitBox({ path, unit, faults }: { path: string; unit: string; faults: Faults }) {
  return (
    <Card title="What does a unit get?">
      <form class="form" action={path}>
        <Field id="unit" label="Unit" hint="Name or id." error={faults['unit']}>
          <input type="text" id="unit" name="unit" value={unit} required {...describedBy('unit', faults)} />
        </Field>
        <div>
          <button class="button" type="submit">
            Show
          </button>
        </div>
      </form>
    </Card>
  )
}

/** As in src/variables/precedence.ts. */
function Order() {
  return (
    <Card title="Which one wins">
      <ol>
        <li>Sets that override everything: those for all units, then for projects, then for single units</li>
        <li>The unit's own variables</li>
        <li>Other sets: those for single units, then for projects, then for all units</li>
      </ol>
      <p class="faint">In the same place, the set whose name comes first.</p>
    </Card>
  )
}

function EffectiveCard({
  view,
  unit,
  effective,
}: {
  readonly view: OrgView
  readonly unit: string
  readonly effective: readonly Effective<VariableView>[]
}) {
  const columns: readonly Column<Effective<VariableView>>[] = [
    {
      name: 'key',
      label: 'Key',
      cell: ({ variable }) => <KeyCell variable={variable} />,
      value: ({ variable }) => variable.key,
    },
    {
      name: 'value',
      label: 'Value',
      cell: ({ variable }) => <ValueCell variable={variable} />,
      value: ({ variable }) => variable.value,
    },
    {
      name: 'source',
      label: 'From',
      cell: ({ source }) => <SourceCell view={view} source={source} />,
      value: ({ source }) => source.kind,
    },
    {
      name: 'overrides',
      label: 'Overrides',
      cell: ({ overrides }) =>
        overrides.map((one) => (
          <div>
            <SourceCell view={view} source={one.source} />: <ValueCell variable={one.variable} />
          </div>
        )),
      value: ({ overrides }) => overrides.length,
    },
  ]
  return (
    <Card title={`What ${unit} gets`}>
      {effective.length === 0 ? (
        <p class="muted">No variable applies to it.</p>
      ) : (
        <DataTable path={view.path} caption={`Variables of ${unit}`} columns={columns} items={effective} />
      )}
    </Card>
  )
}

function SourceCell({ view, source }: { readonly view: OrgView; readonly source: Source }) {
  if (source.kind === 'unit') return <>the unit</>
  return (
    <>
      set <a href={setPath(view.org.base, source)}>{source.name}</a>
    </>
  )
}

export function KeyCell({ variable: { key, category, hcl, description } }: { variable: VariableView }) {
  return (
    <>
      <span class="mono">{key}</span> {category === 'env' && <span class="chip">environment</span>}{' '}
      {hcl && <span class="chip">HCL</span>}
      {description !== '' && <div class="faint">{description}</div>}
    </>
  )
}

export function ValueCell({ variable: { value } }: { variable: VariableView }) {
  if (value === null) return <span class="chip">sensitive</span>
  return <code class="mono">{value.length > 200 ? `${value.slice(0, 200)}…` : value}</code>
}
