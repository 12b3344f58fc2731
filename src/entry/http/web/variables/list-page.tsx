import type { Project } from '../../../../projects/index.ts'
import type { SetSight, VariableSet } from '../../../../variables/index.ts'
import { matchingLines } from '../shell/command-line.ts'
import type { Faults } from '../shell/faults.ts'
import { TextField } from '../shell/form/text-field.tsx'
import { Form, Layout } from '../shell/layout.tsx'
import { type Arranged, List } from '../shell/list.tsx'
import { Card, Command, Empty, Split } from '../shell/parts.tsx'
import type { Column } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { setPath } from './cells.tsx'
import { SetFields } from './set-fields.tsx'
import type { SetInput } from './set-form.ts'

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
  readonly list: Arranged<VariableSet>
  /** For those who may create sets. */
  readonly projects: readonly Project[]
  readonly unit: string
  readonly input: SetInput
  readonly faults: Faults
  readonly unitFaults: Faults
}

export function VariablesPage(props: VariablesPageProps) {
  const { view, list, projects, unit, input, faults, unitFaults } = props
  const base = `${view.org.base}/variables`
  return (
    <Layout view={view} title="Variables">
      <h1>Variables</h1>
      <Split
        side={
          <>
            <UnitBox path={base} unit={unit} faults={unitFaults} />
            <Order />
            <Command>{matchingLines('taco varset ls', list.asked.search ?? '')}</Command>
          </>
        }
      >
        {list.total === 0 ? (
          <Empty title="No variable sets">
            <p class="muted">
              A variable set holds variables for several units: for all of them, for projects, or for units
              that you name.
            </p>
          </Empty>
        ) : (
          <Card title="Variable sets">
            <List
              path={base}
              caption="Variable sets"
              list={list}
              hrefOf={(set) => setPath(view.org.base, set)}
              empty=""
            />
          </Card>
        )}
        {view.may('vars:write') && (
          <Card title="Create a variable set">
            <Form view={view} action={base} class="form">
              <SetFields input={input} faults={faults} projects={projects} isNew />
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

export function setColumns(view: OrgView, sight: SetSight): readonly Column<VariableSet>[] {
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
    { name: 'description', label: '', cell: () => '', value: ({ description }) => description },
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
        <TextField id="unit" label="Unit" hint="Name or id." value={unit} faults={faults} isRequired />
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
        <li>
          Sets that override everything. Of the organization: for all units, then for projects, then for
          single units; then those that a project owns
        </li>
        <li>Outputs of dependencies, and then the unit's own variables</li>
        <li>
          Other sets. Those that a project owns; then those of the organization: for single units, then for
          projects, then for all units
        </li>
      </ol>
      <p class="faint">In the same place, the set whose name comes first.</p>
    </Card>
  )
}
