import type { Project } from '../../../../projects/index.ts'
import type { Scope, SetSight, VariableSet, VariableView } from '../../../../variables/index.ts'
import { unitPath, withQuery } from '../shell/addresses.ts'
import { shell } from '../shell/command-line.ts'
import { Confirm } from '../shell/confirm.tsx'
import type { Faults } from '../shell/faults.ts'
import { Form, Layout } from '../shell/layout.tsx'
import { type Arranged, List } from '../shell/list.tsx'
import { Ago, Card, Command, Notice, Split, Tabs } from '../shell/parts.tsx'
import type { Column } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { KeyCell, ValueCell, setPath } from './cells.tsx'
import { scopeWords } from './list-page.tsx'
import type { VariableShown } from './save-variable.ts'
import { SetFields } from './set-fields.tsx'
import type { SetInput } from './set-form.ts'
import { VariableForm } from './variable-form.tsx'

export const SET_TABS = ['variables', 'units', 'settings'] as const
export type SetTab = (typeof SET_TABS)[number]

interface UnitOfSet {
  readonly id: string
  readonly name: string
  readonly scope: Scope
}

interface SetPageProps {
  readonly view: OrgView
  readonly now: number
  readonly set: VariableSet
  readonly sight: SetSight
  readonly tab: SetTab
  readonly variables: Arranged<VariableView>
  /** That get it, among those whose variables the person may read. */
  readonly units: Arranged<UnitOfSet>
  readonly projects: readonly Project[]
  readonly variable: VariableShown
  readonly input: SetInput
  readonly faults: Faults
  /** Someone else changed the set. */
  readonly isRace: boolean
}

export function SetPage(props: SetPageProps) {
  const { view, set, sight, tab, variables, units, projects } = props
  const path = setPath(view.org.base, set)
  const mayWrite = view.may('vars:write')
  const owner = projects.find(({ id }) => id === set.parent?.project)
  const tabs = [
    { of: 'variables', label: 'Variables', count: variables.total },
    { of: 'units', label: 'Units', count: units.total },
    ...(mayWrite ? [{ of: 'settings', label: 'Settings', count: undefined }] : []),
  ]
  return (
    <Layout view={view} title={`Variable set ${set.name}`}>
      <nav class="crumbs" aria-label="Path">
        <a href={`${view.org.base}/variables`}>Variables</a> /
      </nav>
      <h1>{set.name}</h1>
      {set.description !== '' && <p class="muted">{set.description}</p>}
      <Tabs
        label="Variable set"
        tabs={tabs.map(({ of, label, count }) => ({
          label,
          count,
          href: of === 'variables' ? path : withQuery(path, { tab: of }),
          isCurrent: of === tab,
        }))}
      />
      <Split
        side={
          <>
            <Card title="About">
              <dl class="keyed">
                <dt>For</dt>
                <dd>{scopeWords(set, sight)}</dd>
                <dt>Strength</dt>
                <dd>{set.priority ? 'overrides everything' : 'usual'}</dd>
                {owner !== undefined && (
                  <>
                    <dt>Owner</dt>
                    <dd>project {owner.name}</dd>
                  </>
                )}
                <dt>Changed</dt>
                <dd>
                  <Ago at={set.updatedAt} now={props.now} />
                </dd>
              </dl>
            </Card>
            <Command>{commandOf(tab, set)}</Command>
          </>
        }
      >
        {tab === 'variables' && <VariablesTab {...props} path={path} mayWrite={mayWrite} />}
        {tab === 'units' && <UnitsTab {...props} path={withQuery(path, { tab })} />}
        {tab === 'settings' && mayWrite && <SettingsTab {...props} path={path} />}
      </Split>
    </Layout>
  )
}

function commandOf(tab: SetTab, { name }: VariableSet): string {
  return tab === 'settings'
    ? shell`taco varset set ${name} --description "…"`
    : shell`taco var ls --set ${name}`
}

type TabProps = SetPageProps & { readonly path: string }

function VariablesTab(props: TabProps & { readonly mayWrite: boolean }) {
  const { view, now, path, variables, units, variable, mayWrite } = props
  const actions = { save: `${path}/variables`, remove: `${path}/variables/delete` }
  return (
    <>
      <Card title="Variables">
        <List
          path={path}
          caption="Variables of the set"
          list={variables}
          actions={mayWrite ? [editColumn(path, (one: VariableView) => one)] : []}
          empty="The set has no variables yet."
        />
      </Card>
      {mayWrite && (
        <VariableForm
          view={view}
          path={path}
          actions={actions}
          shown={variable}
          now={now}
          effect={`${unitCount(units.total)} these variables. A change is applied by their next run or rollout.`}
        />
      )}
    </>
  )
}

function unitCount(count: number): string {
  if (count === 0) return 'No unit gets'
  return count === 1 ? 'One unit gets' : `${count.toLocaleString('en')} units get`
}

export function variableColumns(now: number): readonly Column<VariableView>[] {
  return [
    {
      name: 'key',
      label: 'Key',
      cell: (variable) => <KeyCell variable={variable} />,
      value: ({ key }) => key,
    },
    {
      name: 'value',
      label: 'Value',
      cell: (variable) => <ValueCell variable={variable} />,
      value: ({ value }) => value,
    },
    {
      name: 'changed',
      label: 'Changed',
      cell: ({ updatedAt }) => (
        <span class="nowrap">
          <Ago at={updatedAt} now={now} />
        </span>
      ),
      value: ({ updatedAt }) => new Date(updatedAt).toISOString(),
    },
  ]
}

/** A link to the form that changes the variable of a row, if there is one to change. */
export function editColumn<T>(path: string, of: (item: T) => VariableView | undefined): Column<T> {
  return {
    name: 'edit',
    label: 'Edit',
    cell: (item) => {
      const variable = of(item)
      return (
        variable !== undefined && (
          <a
            class="button small"
            href={`${withQuery(path, { edit: variable.id })}#variable`}
            aria-label={`Change ${variable.key}`}
          >
            Change
          </a>
        )
      )
    },
    value: () => null,
  }
}

const SCOPES = { unit: 'named', project: 'its project', global: 'every unit' } as const

export function unitColumns(base: string): readonly Column<UnitOfSet>[] {
  return [
    {
      name: 'unit',
      label: 'Unit',
      cell: ({ name }) => (
        <a class="mono" href={unitPath(base, name, 'variables')}>
          {name}
        </a>
      ),
      value: ({ name }) => name,
    },
    {
      name: 'because',
      label: 'Because the set is for',
      cell: ({ scope }) => SCOPES[scope],
      value: ({ scope }) => scope,
    },
  ]
}

function UnitsTab({ view, path, units }: TabProps) {
  return (
    <Card title="Units that get it">
      <List
        path={path}
        caption="Units that get the set"
        list={units}
        hrefOf={({ name }) => unitPath(view.org.base, name, 'variables')}
        empty="No unit gets these variables."
      />
    </Card>
  )
}

function SettingsTab({ view, path, set, sight, input, faults, projects, variables, isRace }: TabProps) {
  const count = variables.total === 1 ? 'Its variable is' : `Its ${variables.total} variables are`
  return (
    <>
      {isRace && (
        <Notice kind="fail">
          <p>
            Someone changed the set while you looked at this page. Nothing was saved. What you typed is in the
            form. This is the set now:
          </p>
          <dl class="keyed">
            <dt>Name</dt>
            <dd>{set.name}</dd>
            <dt>Description</dt>
            <dd>{set.description === '' ? 'none' : set.description}</dd>
            <dt>For</dt>
            <dd>{scopeWords(set, sight)}</dd>
            <dt>Strength</dt>
            <dd>{set.priority ? 'overrides everything' : 'usual'}</dd>
          </dl>
        </Notice>
      )}
      <Card title="Settings">
        <Form view={view} action={`${path}/settings`} class="form">
          <SetFields input={input} faults={faults} projects={projects} isNew={false} />
          <div>
            <button class="button primary" type="submit">
              Save the set
            </button>
          </div>
        </Form>
      </Card>
      <Card title="Delete">
        <Confirm
          view={view}
          action={`${path}/delete`}
          label="Delete the variable set"
          word={set.name}
          faults={faults}
        >
          <p>{variables.total > 0 && `${count} deleted with it.`} This cannot be undone.</p>
        </Confirm>
      </Card>
    </>
  )
}
