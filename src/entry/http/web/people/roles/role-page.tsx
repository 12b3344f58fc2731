import { ACTION_WORDS, type Role, type WorkloadRule, roleInWords } from '../../../../../access/index.ts'
import { withQuery } from '../../shell/addresses.ts'
import { shell } from '../../shell/command-line.ts'
import { Confirm } from '../../shell/confirm.tsx'
import type { Faults } from '../../shell/faults.ts'
import { Card, Notice } from '../../shell/parts.tsx'
import type { OrgView } from '../../shell/view.ts'
import { PeopleFrame, rolePath } from '../frame.tsx'
import type { GrantRow } from '../roster.ts'
import { RoleEditor } from './role-editor.tsx'
import type { RoleInput } from './role-form.ts'

interface RolePageProps {
  readonly view: OrgView
  /** Undefined: a new one. */
  readonly role?: Role | undefined
  readonly input: RoleInput
  readonly etag: string
  readonly isStored: boolean
  readonly isBuiltIn: boolean
  readonly grants: readonly GrantRow[]
  readonly workloads: readonly WorkloadRule[]
  readonly faults?: Faults
  readonly isOvertaken?: boolean
}

export function RolePage(props: RolePageProps) {
  const { view, role, input, etag, isStored, isOvertaken = false, faults = {} } = props
  const isEdited = view.may('role:manage') && (role === undefined || isStored)
  return (
    <PeopleFrame
      view={view}
      tab="roles"
      title={role?.name ?? 'New role'}
      command={role === undefined ? 'taco role put ops --file role.yaml' : shell`taco role show ${role.name}`}
      side={
        <>
          {role !== undefined && <HeldBy {...props} />}
          <Card title="How rules are combined">
            <p>
              A rule that denies wins over every rule that allows, in any role. What nothing allows is denied.
            </p>
            {isEdited && <ActionList />}
          </Card>
        </>
      }
    >
      {isOvertaken && <Overtaken role={role} />}
      {isEdited ? (
        <RoleEditor view={view} role={role} input={input} etag={etag} faults={faults} />
      ) : (
        role !== undefined && <RoleRules {...props} role={role} />
      )}
    </PeopleFrame>
  )
}

function Overtaken({ role }: { readonly role: Role | undefined }) {
  if (role === undefined)
    return (
      <Notice kind="fail">
        <p>
          Someone deleted the role while you looked at this page. Nothing was saved. What you typed is in the
          form: save it to create the role again.
        </p>
      </Notice>
    )
  return (
    <Notice kind="fail">
      <p>
        Someone changed the role while you looked at this page. Nothing was saved. What you typed is in the
        form; save it again to replace what the role says now:
      </p>
      {role.description !== undefined && <p>{role.description}</p>}
      <ol>
        {roleInWords(role).map((words) => (
          <li>{words}</li>
        ))}
      </ol>
    </Notice>
  )
}

/** For those who may not change it. Long lists of actions are easier to read below each other. */
function RoleRules({ view, role, isBuiltIn }: RolePageProps & { readonly role: Role }) {
  return (
    <>
      <Card title="Role">
        <p>
          {role.description ?? 'It has no description.'}
          {isBuiltIn && <span class="muted"> It is built in, so it cannot be changed.</span>}
        </p>
        {view.may('role:manage') && (
          <a class="button" href={withQuery(`${view.org.base}/people/roles`, { from: role.name })}>
            Copy as a new role
          </a>
        )}
      </Card>
      {role.rules.map((rule, at) => (
        <section class="card" id={`rule-${at + 1}`}>
          <h2>Rule {at + 1}</h2>
          {rule.actions.length < 8 ? (
            <p>{roleInWords({ rules: [rule] })[0]}</p>
          ) : (
            <>
              <p>
                {roleInWords({ rules: [{ ...rule, actions: ['*'] }] })[0]?.replace(
                  /everything|anything/,
                  'this',
                )}
                :
              </p>
              <ul class="plain-list">
                {rule.actions.map((action) => (
                  <li>
                    {ACTION_WORDS[action as keyof typeof ACTION_WORDS] ?? action}{' '}
                    <span class="faint mono">{action}</span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </section>
      ))}
    </>
  )
}

function HeldBy({ view, role, grants, workloads, isStored, faults = {} }: RolePageProps) {
  const isUsed = grants.length + workloads.length > 0
  return (
    <Card title="Who has it">
      {!isUsed && <p class="muted">No one yet.</p>}
      <ul class="units">
        {grants.map(({ named, where }) => (
          <li>
            {named} <span class="muted">{where}</span>
          </li>
        ))}
        {workloads.map(({ name }) => (
          <li>
            workload <a href={withQuery(`${view.org.base}/people/workloads`, { edit: name })}>{name}</a>
          </li>
        ))}
      </ul>
      {role !== undefined && isStored && view.may('role:manage') && (
        <Confirm
          view={view}
          action={`${rolePath(view, role.name)}/delete`}
          label="Delete the role"
          word={role.name}
          faults={faults}
        >
          <p>{isUsed ? 'Revoke it from all of them first.' : 'It is not in use, so no one loses a right.'}</p>
        </Confirm>
      )}
    </Card>
  )
}

function ActionList() {
  return (
    <details class="more">
      <summary>All actions</summary>
      <ul class="plain-list">
        {Object.entries(ACTION_WORDS).map(([name, words]) => (
          <li>
            <span class="mono">{name}</span> <span class="muted">{words}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
