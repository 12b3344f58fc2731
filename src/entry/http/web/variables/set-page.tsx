import type { SetSight, VariableSet, VariableView } from '../../../../variables/index.ts'
import { withQuery } from '../shell/addresses.ts'
import type { Faults } from '../shell/faults.ts'
import { Form, Layout } from '../shell/layout.tsx'
import { Ago, Card, Command, Field, Split, describedBy } from '../shell/parts.tsx'
import { type Column, DataTable } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { Check, SetFields } from './set-fields.tsx'
import type { SetInput } from './set-form.ts'
import { KeyCell, ValueCell, scopeWords, setPath } from './variables-page.tsx'

/** The form of a variable, as it was sent. */
export interface VariableFields {
  /** Empty: a new one. */
  readonly id: string
  readonly key: string
  readonly category: 'terraform' | 'env'
  readonly value: string
  readonly sensitive: boolean
  readonly hcl: boolean
  readonly description: string
}

interface SetPageProps {
  readonly view: OrgView
  readonly now: number
  readonly set: VariableSet
  readonly sight: SetSight
  readonly variables: readonly VariableView[]
  readonly variable: VariableFields
  readonly variableFaults: Faults
  readonly input: SetInput
  readonly faults: Faults
}

export function SetPage(props: SetPageProps) {
  const { view, set, sight, variables, variable, variableFaults, input, faults } = props
  const path = setPath(view.org.base, set)
  const mayWrite = view.may('vars:write')
  return (
    <Layout view={view} title={`Variable set ${set.name}`}>
      <p class="crumbs">
        <a href={`${view.org.base}/variables`}>Variables</a> /
      </p>
      <h1>{set.name}</h1>
      <Split
        side={
          <>
            <Card title="About">
              <dl class="keyed">
                <dt>For</dt>
                <dd>{scopeWords(set, sight)}</dd>
                <dt>Strength</dt>
                <dd>{set.priority ? 'overrides everything' : 'usual'}</dd>
                <dt>Variables</dt>
                <dd class="num">{variables.length}</dd>
                <dt>Description</dt>
                <dd>{set.description === '' ? 'none' : set.description}</dd>
              </dl>
            </Card>
            {mayWrite && (
              <Card title="Change the set">
                <Form view={view} action={`${path}/settings`} class="form">
                  <SetFields input={input} faults={faults} />
                  <div>
                    <button class="button" type="submit">
                      Save the set
                    </button>
                  </div>
                </Form>
              </Card>
            )}
            {mayWrite && (
              <Card title="Delete the set">
                <p class="muted">Its {variables.length} variables are deleted with it.</p>
                <Form view={view} action={`${path}/delete`}>
                  <button class="button danger" type="submit">
                    Delete {set.name}
                  </button>
                </Form>
              </Card>
            )}
            <Command>{`taco var ls --set ${/^[\w.-]+$/.test(set.name) ? set.name : set.id}`}</Command>
          </>
        }
      >
        <Card title="Variables">
          {variables.length === 0 ? (
            <p class="muted">The set has no variables yet.</p>
          ) : (
            <DataTable
              path={path}
              caption="Variables of the set"
              columns={variableColumns(props, path)}
              items={variables}
            />
          )}
        </Card>
        {mayWrite && <VariableForm view={view} path={path} fields={variable} faults={variableFaults} />}
      </Split>
    </Layout>
  )
}

function variableColumns({ view, now }: SetPageProps, path: string): readonly Column<VariableView>[] {
  const columns: Column<VariableView>[] = [
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
      cell: ({ updatedAt }) => <Ago at={updatedAt} now={now} />,
      value: ({ updatedAt }) => updatedAt,
    },
  ]
  if (!view.may('vars:write')) return columns
  return [
    ...columns,
    {
      name: 'change',
      label: 'Edit',
      cell: ({ id, key }) => (
        <Form view={view} action={`${path}/variables/delete`} class="bar">
          <a
            class="button small"
            href={`${withQuery(path, { edit: id })}#variable`}
            aria-label={`Change ${key}`}
          >
            Change
          </a>
          <input type="hidden" name="id" value={id} />
          <button class="button small danger" type="submit" aria-label={`Delete ${key}`}>
            Delete
          </button>
        </Form>
      ),
      value: () => null,
    },
  ]
}

const CATEGORIES = [
  ['terraform', 'of the code'],
  ['env', 'of the environment'],
] as const

interface VariableFormProps {
  readonly view: OrgView
  readonly path: string
  readonly fields: VariableFields
  readonly faults: Faults
}

function VariableForm({ view, path, fields, faults }: VariableFormProps) {
  const isNew = fields.id === ''
  const valueHint =
    fields.sensitive && !isNew ? 'It is never shown. Empty: it stays as it is.' : 'A text, or an expression.'
  return (
    <Card title={isNew ? 'Add a variable' : `Change ${fields.key}`}>
      <Form view={view} action={`${path}/variables`} class="form">
        <input type="hidden" name="id" value={fields.id} />
        <Field id="key" label="Key" hint="Such as region or AWS_REGION." error={faults['key']}>
          <input
            type="text"
            id="key"
            name="key"
            value={fields.key}
            required
            {...describedBy('key', faults)}
          />
        </Field>
        <Field id="category" label="A variable" error={faults['category']}>
          <select id="category" name="category">
            {CATEGORIES.map(([value, label]) => (
              <option value={value} selected={value === fields.category}>
                {label}
              </option>
            ))}
          </select>
        </Field>
        <Field id="value" label="Value" hint={valueHint} error={faults['value']}>
          <textarea id="value" name="value" rows={3} spellcheck={false} {...describedBy('value', faults)}>
            {`\n${fields.value}`}
          </textarea>
        </Field>
        <Field
          id="variable-description"
          label="Description"
          hint="What it is for."
          error={faults['description']}
        >
          <input type="text" id="variable-description" name="description" value={fields.description} />
        </Field>
        <Check id="hcl" label="The value is an expression, such as a list" isOn={fields.hcl} />
        {faults['hcl'] !== undefined && <span class="error">{faults['hcl']}</span>}
        <Check id="sensitive" label="Sensitive: encrypt it and never show it again" isOn={fields.sensitive} />
        {faults['sensitive'] !== undefined && <span class="error">{faults['sensitive']}</span>}
        <div class="bar" id="variable">
          <button class="button primary" type="submit">
            {isNew ? 'Add the variable' : 'Save the variable'}
          </button>
          {!isNew && <a href={path}>Cancel</a>}
        </div>
      </Form>
    </Card>
  )
}
