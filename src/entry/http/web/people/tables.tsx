import { BUILT_IN_ROLES, type Role, roleInWords } from '../../../../access/index.ts'
import { Form } from '../shell/layout.tsx'
import { Time } from '../shell/parts.tsx'
import type { Column } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { rolePath, teamPath } from './frame.tsx'
import type { GrantRow, Member, TeamRow } from './roster.ts'

export const memberColumns: readonly Column<Member>[] = [
  {
    name: 'name',
    label: 'Person',
    cell: ({ name, displayName, isSuspended }) => (
      <>
        {name} {isSuspended && <span class="chip warn">suspended</span>}
        {displayName !== undefined && <div class="faint">{displayName}</div>}
      </>
    ),
    value: ({ name }) => name,
  },
  { name: 'email', label: 'E-mail', cell: ({ email }) => email ?? '', value: ({ email }) => email ?? null },
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
    name: 'signed_in_at',
    label: 'Signed in',
    cell: ({ signedInAt }) =>
      signedInAt === undefined ? <span class="muted">not yet</span> : <Time at={signedInAt} />,
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
    cell: ({ name, description, isBuiltIn }) => (
      <>
        <a href={rolePath(view, name)}>{name}</a> {isBuiltIn && <span class="chip">built in</span>}
        {description !== undefined && <div class="faint">{description}</div>}
      </>
    ),
    value: ({ name }) => name,
  },
  {
    name: 'words',
    label: 'What it allows',
    cell: (role) => lines(roleInWords(role)),
    value: (role) => roleInWords(role).join('; '),
  },
]

/** With a button that takes a grant away, for those who may. */
export function grantColumns(view: OrgView): readonly Column<GrantRow>[] {
  const columns: Column<GrantRow>[] = [
    { name: 'to', label: 'Who', cell: ({ named }) => named, value: ({ named }) => named },
    {
      name: 'role',
      label: 'Role',
      cell: ({ role }) => <a href={rolePath(view, role)}>{role}</a>,
      value: ({ role }) => role,
    },
    { name: 'where', label: 'Where', cell: ({ where }) => where, value: ({ where }) => where },
  ]
  if (!view.may('role:manage')) return columns
  return [
    ...columns,
    {
      name: 'revoke',
      label: 'Revoke',
      cell: ({ role, to, named, units = [], project = '' }) => (
        <Form view={view} action={`${view.org.base}/people/revoke`}>
          <input type="hidden" name="role" value={role} />
          <input type="hidden" name="to" value={to} />
          <input type="hidden" name="units" value={units.join(' ')} />
          <input type="hidden" name="project" value={project} />
          <button class="button small danger" type="submit" aria-label={`Revoke ${role} of ${named}`}>
            Revoke
          </button>
        </Form>
      ),
      value: () => null,
    },
  ]
}

function lines(words: readonly string[]) {
  return words.map((word) => <div>{word}</div>)
}
