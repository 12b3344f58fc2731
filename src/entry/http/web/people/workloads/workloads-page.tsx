import type { WorkloadRule } from '../../../../../access/index.ts'
import { withQuery } from '../../shell/addresses.ts'
import { matchingLines } from '../../shell/command-line.ts'
import { Confirm } from '../../shell/confirm.tsx'
import type { Faults } from '../../shell/faults.ts'
import { TextArea } from '../../shell/form/text-area.tsx'
import { TextField } from '../../shell/form/text-field.tsx'
import { Form } from '../../shell/layout.tsx'
import { type Arranged, List } from '../../shell/list.tsx'
import { Card, Notice } from '../../shell/parts.tsx'
import type { Column } from '../../shell/table.tsx'
import type { OrgView } from '../../shell/view.ts'
import { PeopleFrame, peoplePath } from '../frame.tsx'
import { RoleChoices } from '../tokens/tokens-page.tsx'
import { type WorkloadInput, claimLines } from './workload-form.ts'

interface WorkloadsPageProps {
  readonly view: OrgView
  readonly list: Arranged<WorkloadRule>
  readonly roles: readonly string[]
  /** Undefined: the form is for a new one. */
  readonly edited: WorkloadRule | undefined
  readonly etag: string
  readonly input: WorkloadInput
  readonly faults: Faults
  readonly isOvertaken: boolean
  /** What jobs ask their platform for, if a rule names none. */
  readonly audience: string | undefined
}

const lines = (texts: readonly string[]) => texts.map((one) => <div>{one}</div>)
const minutes = ({ ttlMs }: WorkloadRule) => `${ttlMs / 60_000} min`
const rightsOf = ({ roles, scope }: WorkloadRule) => [
  roles.join(', '),
  ...(scope?.actions === undefined ? [] : [`only ${scope.actions.join(', ')}`]),
  ...(scope?.units === undefined ? [] : [`only on ${scope.units.join(', ')}`]),
]

export const workloadColumns: readonly Column<WorkloadRule>[] = [
  { name: 'name', label: 'Rule', cell: ({ name }) => name, value: ({ name }) => name },
  {
    name: 'issuer',
    label: 'Jobs of',
    cell: ({ issuer }) => <span class="mono">{issuer}</span>,
    value: ({ issuer }) => issuer,
  },
  {
    name: 'claims',
    label: 'With',
    cell: ({ claims }) => <span class="mono">{lines(claimLines(claims))}</span>,
    value: ({ claims }) => claimLines(claims).join('; '),
  },
  {
    name: 'roles',
    label: 'Get',
    cell: (rule) => lines(rightsOf(rule)),
    value: (rule) => rightsOf(rule).join('; '),
  },
  { name: 'minutes', label: 'For', cell: minutes, value: ({ ttlMs }) => ttlMs / 60_000 },
]

export function WorkloadsPage(props: WorkloadsPageProps) {
  const { view, list, edited, isOvertaken } = props
  const path = peoplePath(view, 'workloads')
  const isManager = view.may('token:manage')
  const command = matchingLines('taco workload ls', list.asked.search ?? '')
  return (
    <PeopleFrame view={view} tab="workloads" command={command}>
      {isOvertaken && <Overtaken rule={edited} />}
      <Card title="Workload rules">
        <p class="muted">
          A job of GitHub Actions, GitLab, Kubernetes or another platform proves who it is and gets a token
          for minutes, so that no secret has to be stored. The first rule that matches counts.
        </p>
        <List
          path={path}
          caption="Workload rules"
          list={list}
          actions={isManager ? [editColumn(path)] : []}
          empty="There are none yet."
        />
      </Card>
      {isManager && <WorkloadForm {...props} />}
    </PeopleFrame>
  )
}

function editColumn(path: string): Column<WorkloadRule> {
  return {
    name: 'edit',
    label: 'Change',
    cell: ({ name }) => (
      <a href={withQuery(path, { edit: name })} aria-label={`Change ${name}`}>
        Change
      </a>
    ),
    value: () => null,
  }
}

function Overtaken({ rule }: { readonly rule: WorkloadRule | undefined }) {
  return (
    <Notice kind="fail">
      <p>
        Someone {rule === undefined ? 'deleted' : 'changed'} the rule while you looked at this page. Nothing
        was saved. What you typed is in the form; save it again to{' '}
        {rule === undefined ? 'create the rule again.' : 'replace what is stored now:'}
      </p>
      {rule !== undefined && (
        <dl class="keyed">
          <dt>Jobs of</dt>
          <dd class="mono">{rule.issuer}</dd>
          <dt>With</dt>
          <dd class="mono">{lines(claimLines(rule.claims))}</dd>
          {rule.audience !== undefined && (
            <>
              <dt>For the audience</dt>
              <dd class="mono">{rule.audience}</dd>
            </>
          )}
          <dt>Get</dt>
          <dd>{lines(rightsOf(rule))}</dd>
          <dt>For</dt>
          <dd>{minutes(rule)}</dd>
        </dl>
      )}
    </Notice>
  )
}

function WorkloadForm({ view, roles, edited, etag, input, faults, audience }: WorkloadsPageProps) {
  const field = (
    id: 'issuer' | 'audience' | 'units' | 'actions' | 'minutes',
    label: string,
    hint: string,
  ) => <TextField id={id} label={label} hint={hint} value={input[id]} faults={faults} />
  const path = peoplePath(view, 'workloads')
  return (
    <Card title={edited === undefined ? 'Add a rule' : `Change ${edited.name}`}>
      <Form view={view} action={path} class="form wide">
        <input type="hidden" name="was" value={edited?.name ?? ''} />
        <input type="hidden" name="etag" value={etag} />
        <div class="pair">
          <TextField
            id="name"
            label="Name"
            hint="Lower-case letters, digits, - and _."
            value={input.name}
            faults={faults}
            isRequired
            isReadonly={edited !== undefined}
          />
          {field('issuer', 'Issuer', 'Of the identity tokens, as in their iss.')}
        </div>
        <TextArea
          id="claims"
          label="Claims"
          hint="One on each line: repository=acme/infra. All must match; * is any text."
          value={input.claims}
          faults={faults}
          isMono
        />
        <RoleChoices roles={roles} chosen={input.roles} error={faults['roles'] ?? faults['role']} />
        <div class="pair">
          {field('minutes', 'Minutes', 'How long a token is valid, up to 60.')}
          {field('audience', 'Audience', `Empty: ${audience ?? 'the address of this server'}.`)}
        </div>
        <div class="pair">
          {field('units', 'Only these units', 'Patterns such as prod/**. Empty: all that the roles allow.')}
          {field('actions', 'Only these actions', 'Such as state:read. Empty: all that the roles allow.')}
        </div>
        <div class="bar">
          <button class="button primary" type="submit">
            Save the rule
          </button>
          {edited !== undefined && (
            <a class="button" href={path}>
              Cancel
            </a>
          )}
        </div>
      </Form>
      {edited !== undefined && (
        <Confirm
          view={view}
          action={`${path}/${encodeURIComponent(edited.name)}/delete`}
          label="Delete the rule"
          word={edited.name}
          faults={faults}
        >
          <p>Jobs can no longer get tokens with it. Tokens that were issued stay valid for up to an hour.</p>
        </Confirm>
      )}
    </Card>
  )
}
