import type { Child } from 'hono/jsx'
import { withQuery } from '../shell/addresses.ts'
import type { Faults } from '../shell/faults.ts'
import { Form, Layout } from '../shell/layout.tsx'
import { Card, Command, Field, Split, Tabs, describedBy } from '../shell/parts.tsx'
import { type Column, DataTable, ListFooter, pageOf } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'

export const PEOPLE_TABS = ['members', 'teams', 'grants', 'roles'] as const
export type PeopleTab = (typeof PEOPLE_TABS)[number]

const WORDS: Readonly<Record<PeopleTab, { label: string; command: string; about: string }>> = {
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
}

interface PeoplePageProps<T> {
  readonly view: OrgView
  readonly tab: PeopleTab
  readonly counts: Readonly<Record<PeopleTab, number>>
  readonly columns: readonly Column<T>[]
  readonly items: readonly T[]
  readonly page: number
  readonly roles: readonly string[]
  readonly input?: GrantInput | undefined
  readonly faults?: Faults | undefined
  readonly side: Child
}

const PAGE_SIZE = 50

export function PeoplePage<T>({
  view,
  tab,
  counts,
  columns,
  items,
  page,
  side,
  ...grant
}: PeoplePageProps<T>) {
  const path = `${view.org.base}/people`
  const shown = tab === 'members' ? path : withQuery(path, { tab })
  const part = pageOf(items, page, PAGE_SIZE)
  const { label, about, command } = WORDS[tab]
  return (
    <Layout view={view} title={`People: ${label}`}>
      <h1>People</h1>
      <Tabs
        label="People"
        tabs={PEOPLE_TABS.map((one) => ({
          label: WORDS[one].label,
          href: one === 'members' ? path : withQuery(path, { tab: one }),
          isCurrent: one === tab,
          count: counts[one],
        }))}
      />
      <Split
        side={
          <>
            {side}
            <Command>{command}</Command>
          </>
        }
      >
        <Card title={label}>
          <p class="muted">{about}</p>
          {items.length === 0 ? (
            <p class="muted">There are none yet.</p>
          ) : (
            <DataTable path={shown} caption={label} columns={columns} items={part.items} />
          )}
          <ListFooter path={shown} paging={part.paging} />
        </Card>
        {tab === 'grants' && view.may('role:manage') && <GrantForm view={view} {...grant} />}
      </Split>
    </Layout>
  )
}

interface GrantFormProps {
  readonly view: OrgView
  readonly roles: readonly string[]
  readonly input?: GrantInput | undefined
  readonly faults?: Faults | undefined
}

const TO_HINT = 'user:alice, team:ops, group:okta/platform, email:bob@example.com, or everyone.'

function GrantForm({ view, roles, input, faults = {} }: GrantFormProps) {
  return (
    <Card title="Give a role">
      <Form view={view} action={`${view.org.base}/people/grant`} class="form">
        <Field id="to" label="To" hint={TO_HINT} error={faults['to']}>
          <input
            type="text"
            id="to"
            name="to"
            value={input?.to ?? ''}
            required
            {...describedBy('to', faults)}
          />
        </Field>
        <Field id="role" label="Role" hint="The tab Roles says what each allows." error={faults['role']}>
          <select id="role" name="role" {...describedBy('role', faults)}>
            {roles.map((role) => (
              <option value={role} selected={role === (input?.role ?? 'reader')}>
                {role}
              </option>
            ))}
          </select>
        </Field>
        <Field
          id="units"
          label="Only on these units"
          hint="Patterns such as prod/**, separated by spaces. Empty: as far as the role goes."
          error={faults['units']}
        >
          <input
            type="text"
            id="units"
            name="units"
            value={input?.units ?? ''}
            {...describedBy('units', faults)}
          />
        </Field>
        <div>
          <button class="button primary" type="submit">
            Give the role
          </button>
        </div>
      </Form>
    </Card>
  )
}
