import { z } from 'zod'
import type { Caller } from '../../../../../access/index.ts'
import { badRequest, isTacoError } from '../../../../../base/errors.ts'
import { DestinationKind, type Scope } from '../../../../../notifications/index.ts'
import { recordTag } from '../../../../../records/index.ts'
import { noSuchUnit } from '../../../../../state/index.ts'
import type { Exchange } from '../../../kit/exchange.ts'
import { checkTriggers, scopeOf, userIds } from '../../../kit/notification-input.ts'
import { seeOther } from '../../../kit/response/redirect.ts'
import type { Route } from '../../../kit/routes/route.ts'
import { orgForm, orgPage } from '../../org-page.ts'
import type { WebServices } from '../../services.ts'
import { exported } from '../../shell/export.ts'
import { checkConfirmed } from '../../shell/confirm.tsx'
import { type Faults, faultsAt } from '../../shell/faults.ts'
import { setFlash } from '../../shell/flash.ts'
import { ListQuery, arrange } from '../../shell/list.tsx'
import { htmlReply } from '../../shell/render.ts'
import type { OrgView } from '../../shell/view.ts'
import { settingsPath } from '../frame.tsx'
import {
  CHANGED_FIELDS,
  EMPTY_INPUT,
  NEW_FIELDS,
  NOTIFICATION_FIELDS,
  type NewInput,
  type NotificationInput,
  changeOf,
  inputOf,
  namedScope,
} from './input.ts'
import {
  type Listed,
  type NotificationFilters,
  NotificationsPage,
  notificationColumns,
  notificationPath,
  stateOf,
} from './list-page.tsx'
import { NewNotificationPage, NotificationPage, deliveryColumns } from './notification-page.tsx'
import { type Shown, refuseUnlessManaged, visibleNotification, visibleNotifications } from './sight.ts'

const path = '/settings/notifications'
const params = { notification: z.string() }
const text = z.string().trim().default('').catch('')

interface Request {
  readonly params: { readonly org: string; readonly notification: string }
  readonly view: OrgView
  readonly x: Exchange
  readonly caller: Caller
}

/** Pure. */
function matches(one: Listed, { search, scope, to, state, of }: NotificationFilters): boolean {
  const { configuration, about } = one
  return (
    configuration.name.toLowerCase().includes(search.toLowerCase()) &&
    (scope === '' || configuration.scope.kind === scope) &&
    (of === '' || about.of === of || configuration.scope.id === of) &&
    (to === '' || configuration.destination === to) &&
    (state === '' || stateOf(one) === state)
  )
}

interface PageShown {
  readonly input?: NotificationInput
  readonly faults?: Faults
  readonly isRace?: boolean
  readonly etag?: string
}

async function notificationPage(request: Request, services: WebServices, given: PageShown = {}) {
  const {
    params: { org },
    view,
  } = request
  const shown = await visibleNotification(request, services)
  const { configuration } = shown
  const stored = inputOf(configuration, await loginsOf(services, configuration.users))
  const { input = stored, faults = {}, isRace = false } = given
  const props = {
    view,
    now: services.clock.now(),
    shown,
    deliveries: await services.notifications.deliveriesOf(org, configuration.id),
    input,
    etag: given.etag ?? recordTag(configuration),
    faults,
    stored: isRace ? stored : undefined,
    hasPeople: services.signIn !== undefined,
  }
  const status = isRace ? 409 : Object.keys(faults).length > 0 ? 400 : 200
  return htmlReply(<NotificationPage {...props} />, status)
}

/** A person who is gone is shown by id. */
async function loginsOf({ signIn }: WebServices, ids: readonly string[]): Promise<readonly string[]> {
  return Promise.all(ids.map(async (id) => (await signIn?.people.fresh(id))?.login ?? id))
}

async function managed(request: Request, services: WebServices): Promise<Shown> {
  const shown = await visibleNotification(request, services)
  refuseUnlessManaged(shown)
  return shown
}

export const notificationRoutes: readonly Route[] = [
  orgPage({
    path,
    id: 'listNotificationsPage',
    action: 'notification:read',
    isFiltered: true,
    summary: 'Notifications of an organization, its units, projects and teams',
    query: z.object({
      search: text,
      scope: text,
      to: text,
      state: text,
      of: text,
      sort: ListQuery.shape.sort,
      page: ListQuery.shape.page,
      format: ListQuery.shape.format,
    }),
    async handle(request, services) {
      const {
        params: { org },
        query,
        view,
      } = request
      const { sort, page, format, ...filters } = query
      const all = await visibleNotifications(request, services)
      const ids = all.map(({ configuration: { id } }) => id)
      const states = await services.notifications.deliveriesOfAll(org, ids)
      const listed = all.map((one) => ({ ...one, deliveries: states.get(one.configuration.id) }))
      const found = listed.filter((one) => matches(one, filters))
      const now = services.clock.now()
      const list = arrange(found, notificationColumns(view, now), { sort, page })
      if (format !== undefined) return exported(format, 'notifications', list.columns, list.found)
      const { allowed: mayCreate } = await services.access.decide(
        request.x.principal,
        'notification:manage',
        { org },
        { isFiltered: true },
      )
      const props = { view, filters, list, total: all.length, mayCreate }
      return htmlReply(<NotificationsPage {...props} />)
    },
  }),
  orgPage({
    path: `${path}/new`,
    id: 'newNotification',
    action: 'notification:manage',
    isFiltered: true,
    summary: 'The form for a new notification',
    query: z.object({ unit: text, project: text, team: text }),
    handle({ query: { unit, project, team }, view }, services) {
      const [scope, of] = unit
        ? ['unit', unit]
        : project
          ? ['project', project]
          : team
            ? ['team', team]
            : ['organization', '']
      const input = { ...EMPTY_INPUT, scope, of }
      const hasPeople = services.signIn !== undefined
      return htmlReply(<NewNotificationPage view={view} input={input} faults={{}} hasPeople={hasPeople} />)
    },
  }),
  orgForm({
    path,
    id: 'createNotificationByForm',
    action: 'notification:manage',
    isFiltered: true,
    isSecret: true,
    summary: 'Create a notification',
    fields: NEW_FIELDS,
    async handle({ params: { org }, body, view, x, caller }, services) {
      const { token, forgetToken: _, ...input } = body
      try {
        const destination = destinationIn(input)
        const { name = '', triggers = [], ...given } = changeOf({ ...input, token }, destination)
        checkTriggers(triggers)
        const scope = await scopeIn(services, org, input, caller)
        const users = await atField('users', () => userIds(services, given.users, caller))
        const isEnabled = input.enabled
        const made = await services.notifications.create(
          org,
          { ...given, name, triggers, isEnabled, destination, scope, users },
          caller,
        )
        setFlash(x, services.cookies, { kind: 'ok', text: `The notification ${made.name} was created.` })
        return seeOther(notificationPath(view, made.id))
      } catch (error) {
        const faults = faultsAt(error, NOTIFICATION_FIELDS, 'LIMIT_REACHED')
        const hasPeople = services.signIn !== undefined
        const props = { view, input, faults, hasPeople }
        return htmlReply(<NewNotificationPage {...props} />, 400)
      }
    },
  }),
  orgPage({
    path: `${path}/{notification}`,
    params,
    id: 'showNotificationPage',
    action: 'notification:read',
    isFiltered: true,
    summary: 'A notification and its last deliveries',
    query: z.object({ format: ListQuery.shape.format }),
    async handle(request, services) {
      const { format } = request.query
      if (format === undefined) return notificationPage(request, services)
      const { configuration } = await visibleNotification(request, services)
      const { responses } = await services.notifications.deliveriesOf(request.params.org, configuration.id)
      return exported(format, 'deliveries', deliveryColumns(services.clock.now()), responses)
    },
  }),
  orgForm({
    path: `${path}/{notification}`,
    params,
    id: 'changeNotificationByForm',
    action: 'notification:manage',
    isFiltered: true,
    isSecret: true,
    summary: 'Change a notification',
    fields: { ...CHANGED_FIELDS, etag: z.string().default('') },
    async handle(request, services) {
      const {
        params: { org },
        body,
        view,
        x,
        caller,
      } = request
      const { token, forgetToken, etag, ...input } = body
      const { configuration } = await managed(request, services)
      try {
        const change = changeOf({ ...input, token, forgetToken }, configuration.destination)
        const known = new Set(configuration.triggers)
        checkTriggers(change.triggers?.filter((one) => !known.has(one)))
        const users = await atField('users', () => userIds(services, change.users, caller))
        await services.notifications.update(org, configuration.id, { ...change, users }, caller, [etag])
      } catch (error) {
        if (isTacoError(error, 'PRECONDITION_FAILED'))
          return notificationPage(request, services, { input, isRace: true })
        const faults = faultsAt(error, NOTIFICATION_FIELDS)
        return notificationPage(request, services, { input, faults, etag })
      }
      setFlash(x, services.cookies, { kind: 'ok', text: 'Saved.' })
      return seeOther(notificationPath(view, configuration.id))
    },
  }),
  orgForm({
    path: `${path}/{notification}/enabled`,
    params,
    id: 'enableNotificationByForm',
    action: 'notification:manage',
    isFiltered: true,
    summary: 'Enable or disable a notification',
    fields: { enabled: CHANGED_FIELDS.enabled },
    async handle(request, services) {
      const {
        params: { org },
        body: { enabled },
        view,
        x,
        caller,
      } = request
      const { configuration } = await managed(request, services)
      try {
        await services.notifications.update(org, configuration.id, { isEnabled: enabled }, caller)
        setFlash(x, services.cookies, { kind: 'ok', text: enabled ? 'Enabled.' : 'Disabled.' })
      } catch (error) {
        faultsAt(error, ['url'])
        setFlash(x, services.cookies, {
          kind: 'fail',
          text: 'It stays disabled: the destination did not accept a test.',
        })
      }
      return seeOther(notificationPath(view, configuration.id))
    },
  }),
  orgForm({
    path: `${path}/{notification}/test`,
    params,
    id: 'testNotificationByForm',
    action: 'notification:manage',
    isFiltered: true,
    summary: 'Send a test to the destination of a notification',
    fields: {},
    async handle(request, services) {
      const {
        params: { org },
        view,
        x,
        caller,
      } = request
      const { configuration } = await managed(request, services)
      try {
        const { code } = await services.notifications.verify(org, configuration.id, caller)
        setFlash(x, services.cookies, { kind: 'ok', text: `The destination accepted a test (${code}).` })
      } catch (error) {
        faultsAt(error, ['url'])
        const text = 'The destination did not accept the test. Its answer is below.'
        setFlash(x, services.cookies, { kind: 'fail', text })
      }
      return seeOther(notificationPath(view, configuration.id))
    },
  }),
  orgForm({
    path: `${path}/{notification}/delete`,
    params,
    id: 'deleteNotificationByForm',
    action: 'notification:manage',
    isFiltered: true,
    summary: 'Delete a notification',
    fields: { confirm: z.string().trim().default('') },
    async handle(request, services) {
      const {
        params: { org },
        body,
        view,
        x,
        caller,
      } = request
      const {
        configuration: { id, name },
      } = await managed(request, services)
      try {
        checkConfirmed(body.confirm, name)
      } catch (error) {
        return notificationPage(request, services, { faults: faultsAt(error, ['confirm']) })
      }
      await services.notifications.remove(org, id, caller)
      setFlash(x, services.cookies, { kind: 'ok', text: `The notification ${name} was deleted.` })
      return seeOther(settingsPath(view, 'notifications'))
    },
  }),
]

function destinationIn({ destination }: Pick<NewInput, 'destination'>): DestinationKind {
  const known = DestinationKind.safeParse(destination)
  if (known.success) return known.data
  throw badRequest('destination', 'There is no such destination.', 'Select one of the list.')
}

/** What a new notification is about, if the person may manage notifications there. */
function scopeIn(
  services: WebServices,
  org: string,
  input: Pick<NewInput, 'scope' | 'of'>,
  caller: Caller,
): Promise<Scope> {
  return atField('of', async () => {
    const named = namedScope(input)
    const target = { org, ...(named.unit === undefined ? {} : { unit: named.unit }) }
    const decision = await services.access.decide(caller.principal, 'notification:manage', target)
    if (!decision.allowed) {
      // A unit that is hidden is refused like one that does not exist.
      if (named.unit !== undefined && decision.reason === 'hidden')
        throw noSuchUnit({ org, unit: named.unit })
      throw badRequest('of', 'You may not manage notifications of this.', 'Name a unit of yours.')
    }
    return scopeOf(services, org, named, caller)
  })
}

/** What was not found, or not understood, is shown at this field. */
async function atField<T>(field: string, find: () => Promise<T>): Promise<T> {
  try {
    return await find()
  } catch (error) {
    if (isTacoError(error, 'NOT_FOUND', 'BAD_REQUEST')) throw badRequest(field, error.message, error.hint)
    throw error
  }
}
