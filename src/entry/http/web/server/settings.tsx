import { z } from 'zod'
import { type ServerPolicy, parseSubject, saySubject } from '../../../../access/index.ts'
import { sayPrincipal } from '../../../../base/text/author.ts'
import { signInOf } from '../../auth/sign-in-of.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { form, page } from '../define.ts'
import type { WebServices } from '../services.ts'
import { Confirm, ConfirmRow, checkConfirmed } from '../shell/confirm.tsx'
import { type Faults, faultsAt } from '../shell/faults.ts'
import { setFlash } from '../shell/flash.ts'
import { SelectField } from '../shell/form/select-field.tsx'
import { TextField } from '../shell/form/text-field.tsx'
import { Form } from '../shell/layout.tsx'
import { Card, Time } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { type Column, DataTable } from '../shell/table.tsx'
import { type View, accountViewOf } from '../shell/view.ts'
import { ServerFrame } from './frame.tsx'

const PATH = '/server'
const action = 'server:admin'
const text = z.string().trim().default('')

interface Shown {
  readonly subject?: string
  readonly faults?: Faults
}

async function settingsPage(x: Exchange, services: WebServices, { subject = '', faults = {} }: Shown = {}) {
  const { settings, people } = signInOf(services)
  const policy = await settings.get(x.caller)
  const known = await people.among(
    policy.administrators.flatMap((one) => (one.startsWith('user:') ? [one.slice('user:'.length)] : [])),
  )
  const administrators = await Promise.all(
    policy.administrators.map(async (stored) => ({
      stored,
      named: await saySubject(stored, { people: { fresh: (id) => known.get(id) } }),
    })),
  )
  const props = { view: await accountViewOf(x, services), policy, administrators, subject, faults }
  return htmlReply(<SettingsPage {...props} />, Object.keys(faults).length === 0 ? 200 : 400)
}

export const serverSettingsRoutes: readonly Route[] = [
  page({
    path: PATH,
    id: 'showServer',
    action,
    summary: 'Settings and administrators of the server',
    handle: ({ x }, services) => settingsPage(x, services),
  }),
  form({
    path: `${PATH}/settings`,
    id: 'changeServerByForm',
    action,
    summary: 'Change who may create organizations',
    fields: { orgCreators: z.enum(['administrators', 'everyone']) },
    async handle({ x, body, caller }, services) {
      await signInOf(services).settings.update(body, caller)
      setFlash(x, services.cookies, { kind: 'ok', text: 'Saved.' })
      return seeOther(PATH)
    },
  }),
  form({
    path: `${PATH}/root-token`,
    id: 'switchRootTokenByForm',
    action,
    summary: 'Accept the root token, or refuse it from now on',
    fields: { off: z.enum(['yes', 'no']), confirm: text },
    async handle({ x, body, caller }, services) {
      const isRootTokenOff = body.off === 'yes'
      try {
        if (isRootTokenOff) checkConfirmed(body.confirm, 'root token')
        await signInOf(services).settings.update({ isRootTokenOff }, caller)
      } catch (error) {
        return settingsPage(x, services, { faults: faultsAt(error, ['confirm']) })
      }
      const said = isRootTokenOff
        ? 'The root token is refused from now on.'
        : 'The root token is accepted again.'
      setFlash(x, services.cookies, { kind: 'ok', text: said })
      return seeOther(PATH)
    },
  }),
  form({
    path: `${PATH}/administrators`,
    id: 'addAdministratorByForm',
    action,
    summary: 'Make someone an administrator of the server',
    fields: { subject: text },
    async handle({ x, body, caller }, services) {
      const { settings, people } = signInOf(services)
      try {
        await settings.addAdministrator(await parseSubject(body.subject, { people }, caller), caller)
      } catch (error) {
        const faults = faultsAt(error, ['subject'], 'NOT_FOUND')
        return settingsPage(x, services, { subject: body.subject, faults })
      }
      setFlash(x, services.cookies, { kind: 'ok', text: `${body.subject} administers the server now.` })
      return seeOther(PATH)
    },
  }),
  form({
    path: `${PATH}/administrators/remove`,
    id: 'removeAdministratorByForm',
    action,
    summary: 'Remove an administrator of the server',
    fields: { subject: z.string() },
    async handle({ x, body, caller }, services) {
      try {
        await signInOf(services).settings.removeAdministrator(body.subject, caller)
      } catch (error) {
        return settingsPage(x, services, { faults: faultsAt(error, ['subject'], 'CONFLICT') })
      }
      setFlash(x, services.cookies, { kind: 'ok', text: 'Removed.' })
      return seeOther(PATH)
    },
  }),
]

const CREATORS = [
  ['administrators', 'administrators of the server'],
  ['everyone', 'everyone who can sign in'],
] as const

interface SettingsPageProps {
  readonly view: View
  readonly policy: ServerPolicy
  readonly administrators: readonly Administrator[]
  readonly subject: string
  readonly faults: Faults
}

function SettingsPage(props: SettingsPageProps) {
  const { view, policy } = props
  return (
    <ServerFrame view={view} tab="Settings" command="taco server settings" side={<RootToken {...props} />}>
      <Administrators {...props} />
      <Card title="Organizations">
        <Form view={view} action={`${PATH}/settings`} class="form">
          <SelectField
            id="orgCreators"
            label="Who may create organizations"
            hint="The person who creates one is its owner."
            value={policy.orgCreators === 'everyone' ? 'everyone' : 'administrators'}
            options={CREATORS}
          />
          <div>
            <button class="button" type="submit">
              Save
            </button>
          </div>
        </Form>
      </Card>
    </ServerFrame>
  )
}

interface Administrator {
  readonly stored: string
  readonly named: string
}

function columnsOf(view: View): readonly Column<Administrator>[] {
  return [
    {
      name: 'who',
      label: 'Who',
      cell: ({ named }) => sayPrincipal(named),
      value: ({ named }) => named,
    },
    {
      name: 'remove',
      label: 'Remove',
      cell: ({ stored, named }) => (
        <ConfirmRow
          view={view}
          action={`${PATH}/administrators/remove`}
          label="Remove"
          button={`Remove ${named}`}
        >
          <input type="hidden" name="subject" value={stored} />
        </ConfirmRow>
      ),
      value: () => null,
    },
  ]
}

const TO_HINT = 'user:alice, group:okta/platform or email:bob@example.com.'

function Administrators({ view, administrators, subject, faults }: SettingsPageProps) {
  return (
    <Card title="Administrators">
      <p class="muted">They may do everything, in every organization.</p>
      {administrators.length === 0 ? (
        <p class="muted">No one yet: only the root token administers the server.</p>
      ) : (
        <DataTable path={PATH} caption="Administrators" columns={columnsOf(view)} items={administrators} />
      )}
      <Form view={view} action={`${PATH}/administrators`} class="form">
        <TextField
          id="subject"
          label="Add an administrator"
          hint={TO_HINT}
          value={subject}
          faults={faults}
          isRequired
        />
        <div>
          <button class="button primary" type="submit">
            Add
          </button>
        </div>
      </Form>
    </Card>
  )
}

function RootToken({ view, policy: { rootTokenOff: off }, faults }: SettingsPageProps) {
  return (
    <Card title="Root token">
      {off === undefined ? (
        <>
          <p>
            The server accepts the root token, which opens everything. Turn it off once people can sign in.
          </p>
          <Confirm
            view={view}
            action={`${PATH}/root-token`}
            label="Turn the root token off"
            word="root token"
            faults={faults}
          >
            <input type="hidden" name="off" value="yes" />
            <p>From then on only administrators who sign in can change these settings.</p>
          </Confirm>
        </>
      ) : (
        <>
          <p>
            It has been refused since <Time at={off.at} />. {sayPrincipal(off.by)} turned it off.
          </p>
          <Form view={view} action={`${PATH}/root-token`}>
            <input type="hidden" name="off" value="no" />
            <button class="button" type="submit">
              Accept it again
            </button>
          </Form>
        </>
      )}
    </Card>
  )
}
