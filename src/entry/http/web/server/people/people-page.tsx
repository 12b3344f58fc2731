import { type PersonDocument, groupsOf } from '../../../../../access/index.ts'
import { withQuery } from '../../shell/addresses.ts'
import { matchingLines } from '../../shell/command-line.ts'
import { SelectField } from '../../shell/form/select-field.tsx'
import { TextField } from '../../shell/form/text-field.tsx'
import { type Arranged, List } from '../../shell/list.tsx'
import { Ago, Card, Notice } from '../../shell/parts.tsx'
import type { Column } from '../../shell/table.tsx'
import type { View } from '../../shell/view.ts'
import { ServerFrame } from '../frame.tsx'
import { personPath } from './person-page.tsx'

export const personColumns = ({ now }: View): readonly Column<PersonDocument>[] => [
  {
    name: 'login',
    label: 'Person',
    cell: (person) => (
      <>
        <a href={personPath(person)}>{person.displayName ?? person.login}</a>{' '}
        {person.suspended !== undefined && <span class="chip warn">suspended</span>}
        {person.displayName !== undefined && <div class="faint">{person.login}</div>}
      </>
    ),
    value: ({ login }) => login,
  },
  { name: 'email', label: 'E-mail', cell: ({ email }) => email ?? '', value: ({ email }) => email ?? null },
  {
    name: 'providers',
    label: 'Signs in with',
    cell: ({ identities }) => identities.map(({ provider }) => provider).join(', '),
    value: ({ identities }) => identities.map(({ provider }) => provider).join('; '),
  },
  {
    name: 'groups',
    label: 'Groups',
    cell: (person) => <span class="num">{groupsOf(person).length}</span>,
    value: (person) => groupsOf(person).join('; '),
  },
  {
    name: 'signedInAt',
    label: 'Last sign-in',
    cell: ({ signedInAt }) => (signedInAt === undefined ? 'never' : <Ago at={signedInAt} now={now} />),
    value: ({ signedInAt }) => (signedInAt === undefined ? null : new Date(signedInAt).toISOString()),
  },
  {
    name: 'suspended',
    label: '',
    cell: () => '',
    value: ({ suspended }) => suspended !== undefined,
  },
]

const SUSPENDED = [
  ['', 'all'],
  ['yes', 'yes'],
  ['no', 'no'],
] as const

interface PeoplePageProps {
  readonly view: View
  readonly list: Arranged<PersonDocument>
  readonly damaged: number
  readonly search: string
  readonly suspended: 'yes' | 'no' | undefined
}

export function PeoplePage({ view, list, damaged, search, suspended }: PeoplePageProps) {
  return (
    <ServerFrame view={view} tab="People" command={matchingLines('taco person ls', search)}>
      {damaged > 0 && (
        <Notice kind="warn">
          <p>
            {damaged} {damaged === 1 ? 'person is' : 'people are'} not listed: their records cannot be read.
            Run <code>taco doctor</code>.
          </p>
        </Notice>
      )}
      <Card title="People who have signed in">
        <form class="filters bar" action="/server/people">
          <TextField id="search" label="Search" value={search} type="search" />
          <SelectField id="suspended" label="Suspended" value={suspended ?? ''} options={SUSPENDED} />
          <button class="button" type="submit">
            Filter
          </button>
        </form>
        <List
          path={withQuery('/server/people', { search, suspended })}
          caption="People"
          list={list}
          hrefOf={personPath}
          hasSearch={false}
          empty="No one matches."
        />
      </Card>
    </ServerFrame>
  )
}
