import type { Child } from 'hono/jsx'
import type { Project } from '../../../../projects/index.ts'
import type { Faults } from '../shell/faults.ts'
import { SelectField, optionsOf } from '../shell/form/select-field.tsx'
import { TextField } from '../shell/form/text-field.tsx'
import { Form } from '../shell/layout.tsx'
import { Card } from '../shell/parts.tsx'
import { type Column, DataTable, ListFooter, pageOf } from '../shell/table.tsx'
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
  readonly columns: readonly Column<T>[]
  readonly items: readonly T[]
  readonly page: number
  readonly roles: readonly string[]
  readonly projects: readonly Pick<Project, 'id' | 'name'>[]
  readonly input?: GrantInput | undefined
  readonly team?: TeamInput | undefined
  readonly faults?: Faults | undefined
  readonly side: Child
}

const PAGE_SIZE = 50

export function PeoplePage<T>(props: PeoplePageProps<T>) {
  const { view, tab, counts, columns, items, page, side, team = NEW_TEAM, faults = {} } = props
  const path = peoplePath(view, tab)
  const part = pageOf(items, page, PAGE_SIZE)
  const { label, about, command } = WORDS[tab]
  return (
    <PeopleFrame
      view={view}
      tab={tab}
      counts={counts}
      side={side}
      command={command}
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
        {items.length === 0 ? (
          <p class="muted">There are none yet.</p>
        ) : (
          <DataTable
            path={path}
            caption={label}
            columns={columns.filter(({ label: of }) => of !== '')}
            items={part.items}
          />
        )}
        <ListFooter path={path} paging={part.paging} />
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
          hint="Patterns such as prod/**, separated by spaces. Empty: as far as the role goes."
          value={input?.units ?? ''}
          faults={faults}
        />
        {projects.length > 1 && (
          <SelectField
            id="project"
            label="Only in this project"
            hint="The role counts for the units of the project, whichever they are."
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
