import { sayPrincipal } from '../../../../base/text/author.ts'
import { BUILT_IN_ROLES, type Role, roleInWords } from '../../../../access/index.ts'
import { ConfirmRow } from '../shell/confirm.tsx'
import { Ago } from '../shell/parts.tsx'
import type { Column } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { rolePath, teamPath } from './frame.tsx'
import type { GrantRow, Member, TeamRow } from './roster.ts'

export const memberColumns = (now: number): readonly Column<Member>[] => [
  {
    name: 'name',
    label: 'Person',
    cell: ({ name, displayName, email, isSuspended }) => (
      <>
        {displayName ?? name} {isSuspended && <span class="chip warn">suspended</span>}
        <div class="faint">
          {[displayName === undefined ? undefined : name, email === name ? undefined : email]
            .filter((one) => one !== undefined)
            .join(' · ')}
        </div>
      </>
    ),
    value: ({ name }) => name,
  },
  {
    name: 'email',
    label: '',
    cell: () => '',
    value: ({ email }) => email ?? null,
  },
  {
    name: 'roles',
    label: 'Roles',
    cell: ({ roles }) =>
      roles.length === 0 ? <span class="muted">none by name</span> : lines(heldWords(roles)),
    value: ({ roles }) => heldWords(roles).join('; '),
  },
  {
    name: 'teams',
    label: 'Teams',
    cell: ({ teams }) => lines(teams),
    value: ({ teams }) => teams.join('; '),
  },
  {
    name: 'signedInAt',
    label: 'Signed in',
    cell: ({ signedInAt }) =>
      signedInAt === undefined ? <span class="muted">not yet</span> : <Ago at={signedInAt} now={now} />,
    value: ({ signedInAt }) => (signedInAt === undefined ? null : new Date(signedInAt).toISOString()),
  },
]

function heldWords(roles: Member['roles']): readonly string[] {
  return roles.map(({ role, team, units }) =>
    [
      role,
      units === undefined ? '' : ` on ${units.join(', ')}`,
      team === undefined ? '' : ` (team ${team})`,
    ].join(''),
  )
}

export const teamColumns = (view: OrgView): readonly Column<TeamRow>[] => [
  {
    name: 'name',
    label: 'Team',
    cell: ({ name, description }) => (
      <>
        <a href={teamPath(view, name)}>{name}</a>
        {description !== undefined && description !== '' && <div class="faint">{description}</div>}
      </>
    ),
    value: ({ name }) => name,
  },
  {
    name: 'members',
    label: 'Members added by hand',
    cell: ({ members }) => lines(members),
    value: ({ members }) => members.join('; '),
  },
  {
    name: 'groups',
    label: 'Groups whose members are in it',
    cell: ({ groups }) => <span class="mono">{lines(groups)}</span>,
    value: ({ groups }) => groups.join('; '),
  },
  {
    name: 'roles',
    label: 'Roles',
    cell: ({ roles }) => lines(roles),
    value: ({ roles }) => roles.join('; '),
  },
]

export interface RoleRow extends Role {
  readonly isBuiltIn: boolean
}

export function rolesIn(custom: readonly Role[]): readonly RoleRow[] {
  return [
    ...Object.values(BUILT_IN_ROLES).map((role) => ({ ...role, isBuiltIn: true })),
    ...custom.map((role) => ({ ...role, isBuiltIn: false })),
  ]
}

export const roleColumns = (view: OrgView): readonly Column<RoleRow>[] => [
  {
    name: 'name',
    label: 'Role',
    cell: ({ name, isBuiltIn }) => (
      <>
        <a href={rolePath(view, name)}>{name}</a> {isBuiltIn && <div class="faint">built in</div>}
      </>
    ),
    value: ({ name }) => name,
  },
  {
    name: 'words',
    label: 'What it allows',
    cell: (role) => (
      <>
        {role.description !== undefined && <div>{role.description}</div>}
        {roleInWords(role).map((words) => (
          <div class={role.isBuiltIn ? 'faint clipped' : undefined}>{words}</div>
        ))}
      </>
    ),
    value: (role) => roleInWords(role).join('; '),
  },
]

export function grantColumns(view: OrgView): readonly Column<GrantRow>[] {
  return [
    { name: 'to', label: 'Who', cell: ({ named }) => sayPrincipal(named), value: ({ named }) => named },
    {
      name: 'role',
      label: 'Role',
      cell: ({ role }) => <a href={rolePath(view, role)}>{role}</a>,
      value: ({ role }) => role,
    },
    { name: 'where', label: 'Where', cell: ({ where }) => where, value: ({ where }) => where },
  ]
}

/** A button that takes a grant away, for those who may. */
export function revokeColumn(view: OrgView): Column<GrantRow> {
  return {
    name: 'revoke',
    label: 'Revoke',
    cell: ({ role, to, named, units = [], project = '' }) => (
      <ConfirmRow
        view={view}
        action={`${view.org.base}/people/revoke`}
        label="Revoke"
        button={`Revoke ${role} of ${named}`}
      >
        <input type="hidden" name="role" value={role} />
        <input type="hidden" name="to" value={to} />
        <input type="hidden" name="units" value={units.join(' ')} />
        <input type="hidden" name="project" value={project} />
      </ConfirmRow>
    ),
    value: () => null,
  }
}

function lines(words: readonly string[]) {
  return words.map((word) => <div>{word}</div>)
}
