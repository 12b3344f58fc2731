import { sayPrincipal } from '../../../../../base/text/author.ts'
import type { DeliveryResponse, DeliveryState } from '../../../../../notifications/index.ts'
import { shell } from '../../shell/command-line.ts'
import { Confirm } from '../../shell/confirm.tsx'
import type { Faults } from '../../shell/faults.ts'
import { RaceNotice } from '../../shell/form/race-notice.tsx'
import { Form } from '../../shell/layout.tsx'
import { List, arrange } from '../../shell/list.tsx'
import { Ago, Card, Command, Split } from '../../shell/parts.tsx'
import type { Column } from '../../shell/table.tsx'
import type { OrgView } from '../../shell/view.ts'
import { SettingsFrame, settingsPath } from '../frame.tsx'
import { NewFields, NotificationFields } from './fields.tsx'
import { type NewInput, type NotificationInput, destinationWord } from './input.ts'
import { StateChip, notificationPath, recipientWords, stateOf } from './list-page.tsx'
import type { Shown } from './sight.ts'

interface NewPageProps {
  readonly view: OrgView
  readonly input: NewInput
  readonly faults: Faults
  readonly hasPeople: boolean
}

export function NewNotificationPage({ view, input, faults, hasPeople }: NewPageProps) {
  const path = settingsPath(view, 'notifications')
  return (
    <SettingsFrame view={view} tab="notifications" title="New notification">
      <nav class="crumbs" aria-label="Path">
        <a href={path}>Notifications</a> /
      </nav>
      <Split
        side={
          <Command>taco notification create --name alerts --url https://… --trigger rollout:failed</Command>
        }
      >
        <Card title="New notification">
          <Form view={view} action={path} class="form notification" isOnce>
            <NewFields input={input} faults={faults} />
            <NotificationFields
              input={input}
              faults={faults}
              destination={input.destination}
              hasPeople={hasPeople}
            />
            <div class="bar">
              <button class="button primary" type="submit">
                Create
              </button>
              <a class="button" href={path}>
                Cancel
              </a>
            </div>
          </Form>
        </Card>
      </Split>
    </SettingsFrame>
  )
}

interface NotificationPageProps {
  readonly view: OrgView
  readonly now: number
  readonly shown: Shown
  readonly deliveries: DeliveryState
  readonly input: NotificationInput
  /** Of the notification when the form was made. */
  readonly etag: string
  readonly faults: Faults
  /** What is stored now. Given: someone else was faster. */
  readonly stored?: NotificationInput | undefined
  readonly hasPeople: boolean
}

export function NotificationPage(props: NotificationPageProps) {
  const { view, now, shown, deliveries, input, etag, faults, stored, hasPeople } = props
  const { configuration, mayManage } = shown
  const path = notificationPath(view, configuration.id)
  return (
    <SettingsFrame view={view} tab="notifications" title={configuration.name}>
      <nav class="crumbs" aria-label="Path">
        <a href={settingsPath(view, 'notifications')}>Notifications</a> /
      </nav>
      <div class="bar">
        <h2 class="page-name">{configuration.name}</h2>
        <StateChip state={stateOf({ ...shown, deliveries })} />
        {mayManage && <Buttons view={view} path={path} isEnabled={configuration.isEnabled} />}
      </div>
      <Split
        side={
          <>
            <About shown={shown} deliveries={deliveries} now={now} />
            {mayManage && <Deletion view={view} path={path} name={configuration.name} faults={faults} />}
            <Command>{shell`taco notification show ${configuration.id}`}</Command>
          </>
        }
      >
        {stored !== undefined && <RaceNotice what="the notification" facts={factsOf(stored)} />}
        <Card title="Last deliveries">
          <List
            path={path}
            caption="Last deliveries"
            list={arrange(deliveries.responses, deliveryColumns(now), {})}
            empty="Nothing was sent yet."
          />
        </Card>
        {mayManage && (
          <Card title="Settings">
            <Form view={view} action={path} class="form notification">
              <input type="hidden" name="etag" value={etag} />
              <NotificationFields
                input={input}
                faults={faults}
                destination={configuration.destination}
                hasToken={configuration.token !== undefined}
                hasPeople={hasPeople}
              />
              <div>
                <button class="button" type="submit">
                  Save
                </button>
              </div>
            </Form>
          </Card>
        )}
      </Split>
    </SettingsFrame>
  )
}

function factsOf({ name, enabled, triggers, url, emails, users }: NotificationInput) {
  const all = [
    ['Name', name],
    ['Enabled', enabled ? 'yes' : 'no'],
    ['URL', url],
    ['Addresses', emails],
    ['People', users],
    ['When', triggers.join(', ')],
  ] as const
  return all.filter(([, value]) => value !== '')
}

interface ButtonsProps {
  readonly view: OrgView
  readonly path: string
  readonly isEnabled: boolean
}

function Buttons({ view, path, isEnabled }: ButtonsProps) {
  return (
    <div class="bar end">
      <Form view={view} action={`${path}/enabled`}>
        <input type="hidden" name="enabled" value={isEnabled ? '' : 'on'} />
        <button class="button" type="submit">
          {isEnabled ? 'Disable' : 'Enable'}
        </button>
      </Form>
      <Form view={view} action={`${path}/test`}>
        <button class="button primary" type="submit">
          Send a test
        </button>
      </Form>
    </div>
  )
}

interface AboutProps {
  readonly shown: Shown
  readonly deliveries: DeliveryState
  readonly now: number
}

function About({ shown, deliveries, now }: AboutProps) {
  const { configuration, about } = shown
  return (
    <Card title="About">
      <dl class="keyed">
        <dt>For</dt>
        <dd>{about.href === undefined ? about.name : <a href={about.href}>{about.name}</a>}</dd>
        <dt>To</dt>
        <dd>
          {destinationWord(configuration.destination)}, {recipientWords(shown) || 'no one yet'}
        </dd>
        <dt>When</dt>
        <dd class="mono">{configuration.triggers.join(', ')}</dd>
        {configuration.destination === 'generic' && (
          <>
            <dt>Signed</dt>
            <dd>{configuration.token === undefined ? 'no' : 'yes'}</dd>
          </>
        )}
        <dt>Waiting</dt>
        <dd class="num">{deliveries.waiting}</dd>
        <dt>Given up</dt>
        <dd class="num">{deliveries.givenUp}</dd>
        <dt>Created</dt>
        <dd>
          <Ago at={configuration.createdAt} now={now} /> by {sayPrincipal(configuration.createdBy)}
        </dd>
        <dt>Id</dt>
        <dd class="mono">{configuration.id}</dd>
      </dl>
    </Card>
  )
}

export function deliveryColumns(now: number): readonly Column<DeliveryResponse>[] {
  return [
    {
      name: 'sentAt',
      label: 'Sent',
      cell: ({ sentAt }) => <Ago at={sentAt} now={now} />,
      value: ({ sentAt }) => new Date(sentAt).toISOString(),
    },
    {
      name: 'trigger',
      label: 'What',
      cell: ({ trigger }) => <span class="mono">{trigger === 'verification' ? 'a test' : trigger}</span>,
      value: ({ trigger }) => trigger,
    },
    {
      name: 'answer',
      label: 'Answer',
      cell: ({ code, isSuccessful }) => (
        <span class={isSuccessful ? 'chip ok' : 'chip look-fail'}>
          <span aria-hidden="true">{isSuccessful ? '✓' : '✕'}</span> {code}
        </span>
      ),
      value: ({ code }) => code,
    },
    {
      name: 'body',
      label: 'It said',
      cell: (response) => <AnswerText {...response} />,
      value: ({ body }) => body,
    },
  ]
}

/** The beginning, and all of it on request. */
function AnswerText({ body, headers }: Pick<DeliveryResponse, 'body' | 'headers'>) {
  const lines = Object.entries(headers).map(([name, values]) => `${name}: ${values.join(', ')}`)
  if (body === '' && lines.length === 0) return <span class="faint">nothing</span>
  return (
    <details class="more">
      <summary>{body === '' ? 'an empty answer' : body.slice(0, 60)}</summary>
      <pre class="mono">{[...lines, '', body].join('\n')}</pre>
    </details>
  )
}

interface DeletionProps {
  readonly view: OrgView
  readonly path: string
  readonly name: string
  readonly faults: Faults
}

function Deletion({ view, path, name, faults }: DeletionProps) {
  return (
    <Card title="Delete">
      <Confirm
        view={view}
        action={`${path}/delete`}
        label="Delete the notification"
        word={name}
        faults={faults}
      >
        <p class="muted">What still waits for delivery is not sent.</p>
      </Confirm>
    </Card>
  )
}
