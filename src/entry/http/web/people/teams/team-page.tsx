import { type Binding, type PersonDocument, type Team, partEtag } from '../../../../../access/index.ts'
import type { Project } from '../../../../../projects/index.ts'
import { shell } from '../../shell/command-line.ts'
import { Confirm } from '../../shell/confirm.tsx'
import type { Faults } from '../../shell/faults.ts'
import { TextField } from '../../shell/form/text-field.tsx'
import { Form } from '../../shell/layout.tsx'
import { type Arranged, List } from '../../shell/list.tsx'
import { Card, Notice } from '../../shell/parts.tsx'
import type { Column } from '../../shell/table.tsx'
import type { OrgView } from '../../shell/view.ts'
import { PeopleFrame, peoplePath, rolePath, teamPath } from '../frame.tsx'
import { whereGranted } from '../roster.ts'
import { TeamForm, type TeamInput, teamInputOf } from './team-form.tsx'

interface TeamPageProps {
  readonly view: OrgView
  readonly team: Team
  readonly isOwners: boolean
  readonly members: Arranged<TeamMember>
  readonly bindings: readonly Binding[]
  readonly projects: readonly Pick<Project, 'id' | 'name'>[]
  readonly input?: TeamInput
  readonly etag?: string
  readonly person?: string
  readonly faults?: Faults
  readonly isOvertaken?: boolean
}

/** Someone in a team: a person, or an address that was invited and has not signed in yet. */
export interface TeamMember {
  /** Undefined: invited. */
  readonly id?: string
  readonly email?: string | undefined
  readonly person?: PersonDocument | undefined
}

const nameOf = ({ id, person, email }: TeamMember) => person?.login ?? id ?? email ?? ''

export const memberColumns: readonly Column<TeamMember>[] = [
  {
    name: 'name',
    label: 'Person',
    cell: (member) =>
      member.id === undefined ? (
        <span class="muted">has not signed in yet</span>
      ) : (
        <>
          {nameOf(member)}{' '}
          {member.person?.suspended !== undefined && <span class="chip warn">suspended</span>}
          {member.person?.displayName !== undefined && <div class="faint">{member.person.displayName}</div>}
        </>
      ),
    value: nameOf,
  },
  {
    name: 'email',
    label: 'E-mail',
    cell: ({ email }) => email ?? '',
    value: ({ email }) => email ?? null,
  },
]

function removeColumn(view: OrgView, path: string): Column<TeamMember> {
  return {
    name: 'remove',
    label: 'Remove',
    cell: (member) =>
      member.id !== undefined && (
        <Form view={view} action={`${path}/remove`}>
          <input type="hidden" name="person" value={member.id} />
          <button class="button small danger" type="submit" aria-label={`Remove ${nameOf(member)}`}>
            Remove
          </button>
        </Form>
      ),
    value: () => null,
  }
}

export function TeamPage(props: TeamPageProps) {
  const { view, team, isOwners, members, faults = {}, isOvertaken = false } = props
  const isManager = view.may('team:manage')
  const now = teamInputOf(team)
  return (
    <PeopleFrame
      view={view}
      tab="teams"
      title={team.name}
      command={shell`taco team show ${team.name}`}
      side={
        <>
          <TeamRoles {...props} />
          {isManager && !isOwners && (
            <Card title="Delete">
              <Confirm
                view={view}
                action={`${teamPath(view, team.name)}/delete`}
                label="Delete the team"
                word={team.name}
                faults={faults}
              >
                <p>Its members lose the roles that the team has. Its tokens stop working.</p>
              </Confirm>
            </Card>
          )}
        </>
      }
    >
      {isOvertaken && (
        <Notice kind="fail">
          <p>
            Someone changed the team while you looked at this page. Nothing was saved. What you typed is in
            the form. This is what the team has now:
          </p>
          <dl class="keyed">
            <dt>Name</dt>
            <dd>{now.name}</dd>
            <dt>Description</dt>
            <dd>{now.description || 'none'}</dd>
            <dt>Groups</dt>
            <dd class="mono">{now.groups.replaceAll('\n', ' ') || 'none'}</dd>
          </dl>
        </Notice>
      )}
      <MembersCard view={view} team={team} members={members} person={props.person ?? ''} faults={faults} />
      <Card title="Name and groups">
        {isManager ? (
          <TeamForm
            view={view}
            action={`${teamPath(view, team.name)}/settings`}
            input={props.input ?? now}
            faults={faults}
            etag={props.etag ?? partEtag(team)}
            isNameFixed={isOwners}
            button="Save"
          />
        ) : (
          <dl class="keyed">
            <dt>Description</dt>
            <dd>{now.description || 'none'}</dd>
            <dt>Groups</dt>
            <dd class="mono">{now.groups.replaceAll('\n', ' ') || 'none'}</dd>
          </dl>
        )}
      </Card>
    </PeopleFrame>
  )
}

interface MembersCardProps {
  readonly view: OrgView
  readonly team: Team
  readonly members: Arranged<TeamMember>
  readonly person: string
  readonly faults: Faults
}

function MembersCard({ view, team, members, person, faults }: MembersCardProps) {
  const path = `${teamPath(view, team.name)}/members`
  const isManager = view.may('team:manage')
  return (
    <Card title="Members">
      <List
        path={teamPath(view, team.name)}
        caption="Members"
        list={members}
        actions={isManager ? [removeColumn(view, path)] : []}
        empty={team.groups.length === 0 ? 'The team has no members yet.' : 'Only the members of its groups.'}
      />
      {isManager && (
        <Form view={view} action={path} class="form">
          <TextField
            id="person"
            label="Add a person"
            hint="The login name. People appear when they sign in for the first time."
            value={person}
            faults={faults}
            isRequired
          />
          <div>
            <button class="button" type="submit">
              Add
            </button>
          </div>
        </Form>
      )}
    </Card>
  )
}

function TeamRoles({ view, bindings, projects }: Pick<TeamPageProps, 'view' | 'bindings' | 'projects'>) {
  return (
    <Card title="Roles of the team">
      {bindings.length === 0 ? (
        <p class="muted">None yet.</p>
      ) : (
        <ul class="units">
          {bindings.map((binding) => (
            <li>
              <a href={rolePath(view, binding.role)}>{binding.role}</a>{' '}
              <span class="muted">{whereGranted(binding, projects)}</span>
            </li>
          ))}
        </ul>
      )}
      {view.may('role:manage') && (
        <p>
          <a href={peoplePath(view, 'grants')}>Give it a role</a>
        </p>
      )}
    </Card>
  )
}
