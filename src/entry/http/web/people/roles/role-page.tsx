import { ACTION_WORDS, type Role, type WorkloadRule, roleInWords } from '../../../../../access/index.ts'
import { withQuery } from '../../shell/addresses.ts'
import { Confirm } from '../../shell/confirm.tsx'
import type { Faults } from '../../shell/faults.ts'
import { Card, Notice } from '../../shell/parts.tsx'
import type { OrgView } from '../../shell/view.ts'
import { PeopleFrame, rolePath } from '../frame.tsx'
import type { GrantRow } from '../roster.ts'
import { RoleEditor } from './role-editor.tsx'
import { type RoleInput, type RuleInput, readRule } from './role-form.ts'

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
      command={role === undefined ? 'taco role put ops --file role.yaml' : `taco role show ${role.name}`}
      side={
        <>
          {isEdited && <RoleWords rules={input.rules} />}
          {role !== undefined && <HeldBy {...props} />}
          {isEdited && <ActionList />}
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
  return (
    <Notice kind="fail">
      {role === undefined ? (
        <p>
          Someone deleted the role while you looked at this page. Nothing was saved. What you typed is in the
          form: save it to create the role again.
        </p>
      ) : (
        <>
          <p>
            Someone changed the role while you looked at this page. Nothing was saved. What you typed is in
            the form. This is what the role says now:
          </p>
          <ol>
            {roleInWords(role).map((words) => (
              <li>{words}</li>
            ))}
          </ol>
        </>
      )}
    </Notice>
  )
}

/** What the rules of a form say, in words. Also by itself, while somebody types. */
export function RoleWords({ rules }: { readonly rules: readonly RuleInput[] }) {
  return (
    <section class="card role-words" id="role-words" aria-live="polite">
      <h2>In words</h2>
      {rules.length === 0 ? (
        <p class="muted">The role has no rules, so it allows nothing.</p>
      ) : (
        <ol>
          {rules.map((rule) => {
            const { words, faults } = readRule(rule)
            return words === undefined ? (
              <li class="error">{Object.values(faults).join(' ')}</li>
            ) : (
              <li>{words}</li>
            )
          })}
        </ol>
      )}
      <p class="faint">A rule that denies wins over every rule that allows, in any role.</p>
    </section>
  )
}

function RoleRules({ view, role, isBuiltIn }: RolePageProps & { readonly role: Role }) {
  return (
    <Card title="Rules">
      <p class="muted">
        {role.description ?? 'What the role allows.'}{' '}
        {isBuiltIn && 'It is built in, so it cannot be changed.'}
      </p>
      <ol class="rules">
        {role.rules.map((rule, at) => (
          <li id={`rule-${at + 1}`}>
            {roleInWords({ rules: [rule] })[0]}
            <div class="faint mono">
              {rule.effect} {rule.actions.join(' ')}
            </div>
          </li>
        ))}
      </ol>
      {view.may('role:manage') && (
        <p>
          <a class="button" href={withQuery(`${view.org.base}/people/roles`, { from: role.name })}>
            Copy as a new role
          </a>
        </p>
      )}
    </Card>
  )
}

function HeldBy({ view, role, grants, workloads, isStored, faults = {} }: RolePageProps) {
  const isUsed = grants.length + workloads.length > 0
  return (
    <Card title="Who has it">
      {!isUsed && <p class="muted">Nobody yet.</p>}
      <ul class="units">
        {grants.map(({ named, where }) => (
          <li>
            {named} <span class="muted">{where}</span>
          </li>
        ))}
        {workloads.map(({ name }) => (
          <li>
            workload <a href={`${view.org.base}/people/workloads`}>{name}</a>
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
          <p>{isUsed ? 'Revoke it from all of them first.' : 'Nobody loses a right: it is not in use.'}</p>
        </Confirm>
      )}
    </Card>
  )
}

function ActionList() {
  return (
    <Card title="Actions">
      <p class="muted">
        <code>*</code> at the end takes in all that begin like it: <code>state:*</code>.
      </p>
      <details class="more">
        <summary>All actions</summary>
        <dl class="keyed">
          {Object.entries(ACTION_WORDS).map(([name, words]) => (
            <>
              <dt class="mono">{name}</dt>
              <dd>{words}</dd>
            </>
          ))}
        </dl>
      </details>
    </Card>
  )
}
