import { type KnownSession, type PersonDocument, groupsOf } from '../../../../../access/index.ts'
import { sayPrincipal } from '../../../../../base/text/author.ts'
import { browserName } from '../../account/browser-name.ts'
import { shell } from '../../shell/command-line.ts'
import { Confirm } from '../../shell/confirm.tsx'
import type { Faults } from '../../shell/faults.ts'
import { Form } from '../../shell/layout.tsx'
import { type Arranged, List } from '../../shell/list.tsx'
import { Card, Time } from '../../shell/parts.tsx'
import type { Column } from '../../shell/table.tsx'
import type { View } from '../../shell/view.ts'
import { ServerFrame } from '../frame.tsx'

export const personPath = ({ login }: Pick<PersonDocument, 'login'>) =>
  `/server/people/${encodeURIComponent(login)}`

interface PersonPageProps {
  readonly view: View
  readonly person: PersonDocument
  readonly list: Arranged<KnownSession>
  readonly faults: Faults
}

export function PersonPage(props: PersonPageProps) {
  const { view, person } = props
  return (
    <ServerFrame
      view={view}
      tab="People"
      title={person.login}
      command={shell`taco person show ${person.login}`}
      side={
        <>
          <Facts person={person} />
          <Suspension {...props} />
        </>
      }
    >
      <Sessions {...props} />
      <Card title="Groups">
        {groupsOf(person).length === 0 ? (
          <p class="muted">No sign-in provider has reported any.</p>
        ) : (
          <ul class="units mono">
            {groupsOf(person).map((group) => (
              <li>{group}</li>
            ))}
          </ul>
        )}
        <p class="faint">As of the last sign-in, or when the provider was asked again.</p>
      </Card>
    </ServerFrame>
  )
}

function Facts({ person }: { readonly person: PersonDocument }) {
  const { id, displayName, email, identities, createdAt, signedInAt, suspended } = person
  return (
    <Card title="Person">
      <dl class="keyed">
        <dt>Name</dt>
        <dd>{displayName ?? 'unknown'}</dd>
        <dt>E-mail</dt>
        <dd>{email ?? 'none that a provider verified'}</dd>
        <dt>Signs in with</dt>
        <dd>
          {identities.map(({ provider, subject }) => (
            <div>
              {provider} <span class="faint mono">{subject}</span>
            </div>
          ))}
        </dd>
        <dt>First sign-in</dt>
        <dd>
          <Time at={createdAt} />
        </dd>
        <dt>Last sign-in</dt>
        <dd>{signedInAt === undefined ? 'never' : <Time at={signedInAt} />}</dd>
        {suspended !== undefined && (
          <>
            <dt>Suspended</dt>
            <dd>
              <Time at={suspended.at} /> by {sayPrincipal(suspended.by)}
            </dd>
          </>
        )}
        <dt>Id</dt>
        <dd class="mono">{id}</dd>
      </dl>
    </Card>
  )
}

function Suspension({ view, person, faults }: PersonPageProps) {
  const action = `${personPath(person)}/suspend`
  if (person.suspended === undefined)
    return (
      <Card title="Suspend">
        <Confirm
          view={view}
          action={action}
          label={`Suspend ${person.login}`}
          word={person.login}
          faults={faults}
        >
          <input type="hidden" name="suspended" value="yes" />
          <p>They are refused with every session and token. Roles and tokens are kept.</p>
        </Confirm>
      </Card>
    )
  return (
    <Card title="Suspended">
      <Form view={view} action={action}>
        <input type="hidden" name="suspended" value="no" />
        <button class="button" type="submit">
          Let {person.login} sign in again
        </button>
      </Form>
    </Card>
  )
}

function Sessions({ view, person, list }: PersonPageProps) {
  const action = `${personPath(person)}/sessions/end`
  const end: Column<KnownSession> = {
    name: 'end',
    label: 'End',
    cell: ({ id, userAgent }) => (
      <Form view={view} action={action}>
        <input type="hidden" name="session" value={id} />
        <button
          class="button small danger"
          type="submit"
          aria-label={`End the session of ${browserName(userAgent)}`}
        >
          End
        </button>
      </Form>
    ),
    value: () => null,
  }
  return (
    <Card title="Sessions">
      <List
        path={personPath(person)}
        caption="Sessions"
        list={list}
        actions={[end]}
        empty={`${person.login} is not signed in anywhere.`}
      />
      {list.total > 0 && (
        <Form view={view} action={action}>
          <input type="hidden" name="session" value="" />
          <button class="button danger" type="submit">
            Sign {person.login} out everywhere
          </button>
        </Form>
      )}
    </Card>
  )
}
