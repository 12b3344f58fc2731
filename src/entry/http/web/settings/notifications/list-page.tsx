import type { DeliveryState } from '../../../../../notifications/index.ts'
import { withQuery } from '../../shell/addresses.ts'
import { matchingLines, option, shell } from '../../shell/command-line.ts'
import { SelectField } from '../../shell/form/select-field.tsx'
import { TextField } from '../../shell/form/text-field.tsx'
import { type Arranged, List } from '../../shell/list.tsx'
import { Ago, Card, Command, Empty } from '../../shell/parts.tsx'
import type { Column } from '../../shell/table.tsx'
import type { OrgView } from '../../shell/view.ts'
import { SettingsFrame, settingsPath } from '../frame.tsx'
import { DESTINATION_WORDS, destinationWord } from './input.ts'
import type { Shown } from './sight.ts'

/** As they are in the address. Empty: not filtered. */
export interface NotificationFilters {
  readonly search: string
  readonly scope: string
  readonly to: string
  readonly state: string
  /** The name or id of a unit, project or team. */
  readonly of: string
}

export interface Listed extends Shown {
  /** Undefined: nothing was sent yet. */
  readonly deliveries: DeliveryState | undefined
}

export const notificationPath = (view: OrgView, id: string) => `${settingsPath(view, 'notifications')}/${id}`

/** Where it sends to, without a secret. */
export function recipientWords({ configuration: { destination, url, emails, users } }: Shown): string {
  if (destination !== 'email') return url === undefined ? '' : hostOf(url)
  const people = users.length === 0 ? [] : [`${users.length} ${users.length === 1 ? 'person' : 'people'}`]
  return [...emails, ...people].join(', ')
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

/** Pure. */
export function stateOf({ configuration, deliveries }: Listed): 'enabled' | 'disabled' | 'failing' {
  if (!configuration.isEnabled) return 'disabled'
  return deliveries?.responses[0]?.isSuccessful === false ? 'failing' : 'enabled'
}

export function notificationColumns(view: OrgView, now: number): readonly Column<Listed>[] {
  return [
    {
      name: 'name',
      label: 'Notification',
      cell: ({ configuration: { id, name } }) => <a href={notificationPath(view, id)}>{name}</a>,
      value: ({ configuration: { name } }) => name,
    },
    {
      name: 'about',
      label: 'About',
      cell: ({ about }) => (about.href === undefined ? about.name : <a href={about.href}>{about.name}</a>),
      value: ({ about }) => about.name,
    },
    {
      name: 'to',
      label: 'To',
      cell: (one) => (
        <>
          {destinationWord(one.configuration.destination)}
          <div class="faint">{recipientWords(one)}</div>
        </>
      ),
      value: (one) => `${one.configuration.destination} ${recipientWords(one)}`,
    },
    {
      name: 'triggers',
      label: 'When',
      cell: ({ configuration: { triggers } }) => <span class="mono">{shortly(triggers)}</span>,
      value: ({ configuration: { triggers } }) => triggers.join(' '),
    },
    {
      name: 'state',
      label: 'State',
      cell: (one) => <StateChip state={stateOf(one)} />,
      value: stateOf,
    },
    {
      name: 'sent',
      label: 'Last delivery',
      cell: ({ deliveries }) => {
        const [last] = deliveries?.responses ?? []
        return last === undefined ? <span class="faint">none yet</span> : <Ago at={last.sentAt} now={now} />
      },
      value: ({ deliveries }) => {
        const [last] = deliveries?.responses ?? []
        return last === undefined ? null : new Date(last.sentAt).toISOString()
      },
    },
    {
      name: 'id',
      label: '',
      cell: () => '',
      value: ({ configuration: { id } }) => id,
    },
  ]
}

const STATES = {
  enabled: ['chip ok', '✓', 'enabled'],
  disabled: ['chip', '–', 'disabled'],
  failing: ['chip look-fail', '✕', 'not accepted'],
} as const

export function StateChip({ state }: { readonly state: ReturnType<typeof stateOf> }) {
  const [className, sign, word] = STATES[state]
  return (
    <span class={className}>
      <span aria-hidden="true">{sign}</span> {word}
    </span>
  )
}

function shortly(triggers: readonly string[]): string {
  const shown = triggers.slice(0, 3).join(', ')
  return triggers.length > 3 ? `${shown} and ${triggers.length - 3} more` : shown
}

interface ListPageProps {
  readonly view: OrgView
  readonly filters: NotificationFilters
  readonly list: Arranged<Listed>
  /** Of all, before the filters. */
  readonly total: number
  /** False: the person may create none. */
  readonly mayCreate: boolean
}

export function NotificationsPage(props: ListPageProps) {
  const { view, filters, list, total, mayCreate } = props
  const path = settingsPath(view, 'notifications')
  const newPath = withQuery(`${path}/new`, scopeQuery(filters))
  return (
    <SettingsFrame
      view={view}
      tab="notifications"
      actions={
        mayCreate && (
          <a class="button primary" href={newPath}>
            New notification
          </a>
        )
      }
    >
      {total === 0 ? (
        <Empty title="No notifications">
          <p class="muted">
            A notification tells a webhook, a channel of Slack or Microsoft Teams, or people by e-mail about
            what happens: a state changed, a unit was locked, a rollout failed.
          </p>
          <Command>taco notification create --name alerts --url https://… --trigger rollout:failed</Command>
        </Empty>
      ) : (
        <>
          <Filters path={path} filters={filters} />
          <div class="grid">
            <Card>
              <List
                path={withQuery(path, { ...filters })}
                caption="Notifications"
                list={list}
                hrefOf={({ configuration: { id } }) => notificationPath(view, id)}
                hasSearch={false}
                empty="No notification matches."
              />
            </Card>
            <Command>{commandOf(filters)}</Command>
          </div>
        </>
      )}
    </SettingsFrame>
  )
}

/** The scope that the list is filtered by, as the form for a new one takes it. */
function scopeQuery({ scope, of }: NotificationFilters): Readonly<Record<string, string>> {
  return of === '' || !['unit', 'project', 'team'].includes(scope) ? {} : { [scope]: of }
}

function commandOf(filters: NotificationFilters): string {
  const options = Object.entries(scopeQuery(filters)).flatMap(([scope, of]) => option(scope, of))
  return matchingLines(shell`taco notification ls ${options}`, filters.search)
}

const SCOPES = [
  ['', 'anything'],
  ['organization', 'the organization'],
  ['unit', 'units'],
  ['project', 'projects'],
  ['team', 'teams'],
] as const
const TO = [['', 'everywhere'], ...Object.entries(DESTINATION_WORDS)] as const
const OF_STATE = [
  ['', 'any'],
  ['enabled', 'enabled'],
  ['disabled', 'disabled'],
  ['failing', 'not accepted'],
] as const

function Filters({ path, filters }: { readonly path: string; readonly filters: NotificationFilters }) {
  const select = (
    id: 'scope' | 'to' | 'state',
    label: string,
    options: readonly (readonly [string, string])[],
  ) => <SelectField id={id} label={label} value={filters[id]} options={options} />
  return (
    <form class="filters bar" action={path}>
      <TextField id="search" label="Name" value={filters.search} />
      {select('scope', 'About', SCOPES)}
      <TextField id="of" label="Which one" value={filters.of} />
      {select('to', 'To', TO)}
      {select('state', 'State', OF_STATE)}
      <button class="button" type="submit">
        Filter
      </button>
    </form>
  )
}
