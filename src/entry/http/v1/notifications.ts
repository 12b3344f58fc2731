import { z } from 'zod'
import type { Resource } from '../../../access/index.ts'
import { isoTime } from '../../../base/clock.ts'
import {
  type Configuration,
  type DeliveryResponse,
  type DeliveryState,
  DestinationKind,
} from '../../../notifications/index.ts'
import { recordTag } from '../../../records/index.ts'
import { checkTriggers, scopeOf, userIds } from '../kit/notification-input.ts'
import { etagOf, expectedBy } from '../kit/response/etag.ts'
import { withShownUrl } from '../kit/webhook-url.ts'
import { IfMatch, NoQuery, jsonAnswer, jsonBody } from '../openapi/api.ts'
import { OrgParams } from './access/shared.ts'
import { type V1Services, route } from './define.ts'

const tags = ['notifications']
const path = '/v1/orgs/{org}/notifications'
const IdParams = OrgParams.extend({ id: z.string() })

const ScopeQuery = z.strictObject({
  unit: z
    .string()
    .optional()
    .meta({ description: 'Of this unit (name or id). Left out: of the organization.' }),
  project: z.string().optional().meta({ description: 'Of this project (name or id).' }),
  team: z.string().optional().meta({ description: 'Of this team (name or id).' }),
})
type ScopeQuery = z.infer<typeof ScopeQuery>

const Delivery = z
  .object({
    at: z.iso.datetime(),
    trigger: z.string(),
    isSuccessful: z.boolean(),
    code: z
      .string()
      .meta({ description: 'The status, or a word such as ECONNREFUSED if there was no answer.' }),
    headers: z.record(z.string(), z.array(z.string())).meta({ description: 'Of the answer.' }),
    body: z.string().meta({ description: 'The beginning of the answer.' }),
  })
  .meta({ id: 'NotificationDelivery' })

const View = z
  .object({
    id: z.string().meta({ example: 'nc-Gx4vUkP2sWq7ZrTn' }),
    name: z.string(),
    destination: z.string(),
    enabled: z.boolean(),
    triggers: z.array(z.string()),
    scope: z.object({ kind: z.string(), id: z.string().nullable() }),
    url: z.string().nullable().meta({ description: 'Masked for those who may not change the notification.' }),
    isSigned: z.boolean().meta({ description: 'Whether there is a token. It is never shown.' }),
    emails: z.array(z.string()),
    users: z.array(z.string()).meta({ description: 'Ids of people who get e-mail.' }),
    createdAt: z.iso.datetime(),
    createdBy: z.string(),
  })
  .meta({ id: 'Notification' })
const Detailed = View.extend({
  deliveries: z.array(Delivery).meta({ description: 'The last ones, the newest first.' }),
  waiting: z.number().int().meta({ description: 'How many events wait for delivery.' }),
  givenUp: z.number().int().meta({ description: 'How many events were never delivered.' }),
}).meta({ id: 'NotificationWithDeliveries' })

const Name = z.string().trim().min(1).max(255)
const Changeable = {
  name: Name,
  enabled: z.boolean().meta({ description: 'A webhook that is enabled must accept a test first.' }),
  triggers: z.array(z.string()).min(1).max(100),
  url: z.string().meta({ description: 'Of a webhook.' }),
  token: z.string().max(1_000).meta({ description: 'Signs what is sent to a generic webhook.' }),
  emails: z.array(z.string()).max(100),
  users: z.array(z.string()).max(100).meta({ description: 'Ids or login names of people who get e-mail.' }),
}

function view(one: Configuration): z.input<typeof View> {
  const { id, name, destination, isEnabled, triggers, scope, url, token, emails, users } = one
  return {
    id,
    name,
    destination,
    enabled: isEnabled,
    triggers,
    scope: { kind: scope.kind, id: scope.id ?? null },
    url: url ?? null,
    isSigned: token !== undefined,
    emails,
    users,
    createdAt: isoTime(one.createdAt),
    createdBy: one.createdBy,
  }
}

function tagged(record: Configuration) {
  return { etag: etagOf(recordTag(record)) }
}

function detailed(
  one: Configuration,
  { responses, waiting, givenUp }: DeliveryState,
): z.input<typeof Detailed> {
  return { ...view(one), deliveries: responses.map(viewDelivery), waiting, givenUp }
}

function viewDelivery({
  sentAt,
  trigger,
  isSuccessful,
  code,
  headers,
  body,
}: DeliveryResponse): z.input<typeof Delivery> {
  return { at: isoTime(sentAt), trigger, isSuccessful, code, headers, body }
}

/** Rights on one unit are enough for the notifications of that unit. */
function ofScope({
  params,
  query,
}: {
  readonly params: { readonly org: string }
  readonly query: ScopeQuery
}) {
  return { org: params.org, ...(query.unit === undefined ? {} : { unit: query.unit }) } satisfies Resource
}

async function ofNotification(
  { params: { org, id } }: { readonly params: z.infer<typeof IdParams> },
  { notifications }: V1Services,
) {
  const record = await notifications.get(org, id)
  const { scope } = record
  return { org, record, ...(scope.kind === 'unit' && scope.id !== undefined ? { unit: scope.id } : {}) }
}

export const notificationRoutes = [
  route({
    method: 'GET',
    path,
    id: 'listNotifications',
    action: 'notification:read',
    tags,
    summary: 'List notifications',
    description: 'Without a scope, all of the organization.',
    params: OrgParams,
    query: ScopeQuery,
    target: ofScope,
    answers: { 200: jsonAnswer(z.object({ items: z.array(View) }), 'All notifications') },
    async handle({ target: { org }, query, caller }, services) {
      const isAll = Object.values(query).every((one) => one === undefined)
      const scope = isAll ? undefined : await scopeOf(services, org, query, caller)
      const all = await services.notifications.list(org, scope)
      const shown = await Promise.all(all.map((one) => withShownUrl(services.control, org, one, caller)))
      return { status: 200, json: { items: shown.map(view) } }
    },
  }),
  route({
    method: 'POST',
    path,
    id: 'createNotification',
    action: 'notification:manage',
    tags,
    summary: 'Notify of events',
    params: OrgParams,
    query: ScopeQuery,
    body: jsonBody(
      z.strictObject({
        ...Changeable,
        destination: DestinationKind,
        enabled: Changeable.enabled.default(true),
        url: Changeable.url.optional(),
        token: Changeable.token.optional(),
        emails: Changeable.emails.optional(),
        users: Changeable.users.optional(),
      }),
    ),
    target: ofScope,
    answers: { 201: jsonAnswer(Detailed, 'Created') },
    async handle({ target: { org }, query, body: { enabled, users, ...given }, caller }, services) {
      checkTriggers(given.triggers)
      const scope = await scopeOf(services, org, query, caller)
      const people = await userIds(services, users, caller)
      const { notifications } = services
      const made = await notifications.create(
        org,
        { ...given, users: people, isEnabled: enabled, scope },
        caller,
      )
      return { status: 201, json: detailed(made, await notifications.deliveriesOf(org, made.id)) }
    },
  }),
  route({
    method: 'GET',
    path: `${path}/{id}`,
    id: 'showNotification',
    action: 'notification:read',
    tags,
    summary: 'Show a notification and its last deliveries',
    params: IdParams,
    query: NoQuery,
    target: ofNotification,
    answers: { 200: jsonAnswer(Detailed, 'The notification') },
    async handle({ target: { org, record }, caller }, { notifications, control }) {
      const shown = await withShownUrl(control, org, record, caller)
      const json = detailed(shown, await notifications.deliveriesOf(org, record.id))
      // Only for those who see all of what it is a hash of.
      return { status: 200, json, headers: shown === record ? tagged(record) : {} }
    },
  }),
  route({
    method: 'PATCH',
    path: `${path}/{id}`,
    id: 'updateNotification',
    action: 'notification:manage',
    tags,
    summary: 'Change a notification',
    params: IdParams,
    query: NoQuery,
    headers: IfMatch,
    body: jsonBody(z.strictObject(Changeable).partial()),
    target: ofNotification,
    answers: { 200: jsonAnswer(Detailed, 'Changed') },
    async handle(
      { target: { org, record }, body: { enabled, users, ...change }, headers, caller },
      services,
    ) {
      checkTriggers(change.triggers)
      const people = await userIds(services, users, caller)
      const { notifications } = services
      const given = { ...change, users: people, isEnabled: enabled }
      const changed = await notifications.update(org, record.id, given, caller, expectedBy(headers))
      const json = detailed(changed, await notifications.deliveriesOf(org, record.id))
      return { status: 200, json, headers: tagged(changed) }
    },
  }),
  route({
    method: 'DELETE',
    path: `${path}/{id}`,
    id: 'deleteNotification',
    action: 'notification:manage',
    tags,
    summary: 'Delete a notification',
    params: IdParams,
    query: NoQuery,
    target: ofNotification,
    answers: { 204: { description: 'Deleted' } },
    async handle({ target: { org, record }, caller }, { notifications }) {
      await notifications.remove(org, record.id, caller)
      return { status: 204 }
    },
  }),
  route({
    method: 'POST',
    path: `${path}/{id}/test`,
    id: 'testNotification',
    action: 'notification:manage',
    tags,
    summary: 'Send a test to the destination',
    params: IdParams,
    query: NoQuery,
    target: ofNotification,
    answers: { 200: jsonAnswer(Delivery, 'The destination accepted it') },
    async handle({ target: { org, record }, caller }, { notifications }) {
      return { status: 200, json: viewDelivery(await notifications.verify(org, record.id, caller)) }
    },
  }),
]
