import type { Child } from 'hono/jsx'
import type { Project } from '../../../../projects/index.ts'
import { matchingLines } from '../shell/command-line.ts'
import type { Faults } from '../shell/faults.ts'
import { SelectField, optionsOf } from '../shell/form/select-field.tsx'
import { TextField } from '../shell/form/text-field.tsx'
import { Form } from '../shell/layout.tsx'
import { type Arranged, List } from '../shell/list.tsx'
import { Card } from '../shell/parts.tsx'
import type { Column } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { PeopleFrame, type PeopleList, peoplePath } from './frame.tsx'
import { NEW_TEAM, TeamForm, type TeamInput } from './teams/team-form.tsx'

const WORDS: Readonly<Record<PeopleList, { label: string; command: string; about: string }>> = {
  members: {
    label: 'Members',
    command: 'taco access ls',
    about: 'Everyone who is named here. People can also have roles through groups of their sign-in provider.',
  },
  teams: { label: 'Teams', command: 'taco team ls', about: 'A role of a team is a role of everyone in it.' },
  grants: { label: 'Roles given', command: 'taco access ls', about: 'Who has which role, and where.' },
  roles: { label: 'Roles', command: 'taco role ls', about: 'What each role allows, in words.' },
}

export interface GrantInput {
  readonly to: string
  readonly role: string
  readonly units: string
  readonly project: string
}

interface PeoplePageProps<T> {
  readonly view: OrgView
  readonly tab: PeopleList
  readonly counts: Readonly<Record<PeopleList, number>>
  readonly list: Arranged<T>
  /** Further columns, with buttons. */
  readonly actions: readonly Column<T>[]
  readonly roles: readonly string[]
  readonly projects: readonly Pick<Project, 'id' | 'name'>[]
  readonly input?: GrantInput | undefined
  readonly team?: TeamInput | undefined
  readonly faults?: Faults | undefined
  readonly side: Child
}

export function PeoplePage<T>(props: PeoplePageProps<T>) {
  const { view, tab, counts, list, actions, side, team = NEW_TEAM, faults = {} } = props
  const { label, about, command } = WORDS[tab]
  const shown = matchingLines(command, list.asked.search ?? '')
  return (
    <PeopleFrame
      view={view}
      tab={tab}
      counts={counts}
      side={side}
      command={shown}
      action={
        tab === 'roles' &&
        view.may('role:manage') && (
          <a class="button primary end" href={`${view.org.base}/people/roles`}>
            Create a role
          </a>
        )
      }
    >
      <Card title={label}>
        <p class="muted">{about}</p>
        <List
          path={peoplePath(view, tab)}
          caption={label}
          list={list}
          actions={actions}
          empty="There are none yet."
        />
      </Card>
      {tab === 'grants' && view.may('role:manage') && <GrantForm {...props} />}
      {tab === 'teams' && view.may('team:manage') && (
        <Card title="Create a team">
          <TeamForm
            view={view}
            action={`${view.org.base}/people/teams`}
            input={team}
            faults={faults}
            button="Create the team"
          />
        </Card>
      )}
    </PeopleFrame>
  )
}

interface GrantFormProps {
  readonly view: OrgView
  readonly roles: readonly string[]
  readonly projects: readonly Pick<Project, 'id' | 'name'>[]
  readonly input?: GrantInput | undefined
  readonly faults?: Faults | undefined
}

const TO_HINT = 'user:alice, team:ops, group:okta/platform, email:bob@example.com, or everyone.'

function GrantForm({ view, roles, projects, input, faults = {} }: GrantFormProps) {
  return (
    <Card title="Give a role">
      <Form view={view} action={`${view.org.base}/people/grant`} class="form">
        <TextField id="to" label="To" hint={TO_HINT} value={input?.to ?? ''} faults={faults} isRequired />
        <SelectField
          id="role"
          label="Role"
          hint="The tab Roles says what each allows."
          value={input?.role ?? 'reader'}
          options={optionsOf(roles)}
          faults={faults}
        />
        <TextField
          id="units"
          label="Only on these units"
          hint="Patterns such as prod/**, separated by spaces. Leave empty to apply the role everywhere."
          value={input?.units ?? ''}
          faults={faults}
        />
        {projects.length > 1 && (
          <SelectField
            id="project"
            label="Only in this project"
            hint="The role applies to all units of the project, future ones included."
            value={input?.project ?? ''}
            options={[['', 'any'], ...projects.map(({ id, name }) => [id, name] as const)]}
            faults={faults}
          />
        )}
        <div>
          <button class="button primary" type="submit">
            Give the role
          </button>
        </div>
      </Form>
    </Card>
  )
}
