import { z } from 'zod'
import type { Resource } from '../../../../access/index.ts'
import { DestinationKind, type Scope } from '../../../../notifications/index.ts'
import { ignoredBody, resource, toMany } from '../kit/body.ts'
import { NO_CONTENT, type TfcServices, documented, route } from '../kit/define.ts'
import { document } from '../kit/json-api.ts'
import { listed, paged, paging } from '../kit/paging.ts'
import { viewNotification } from './view.ts'

const tags = ['terraform cloud']
const type = 'notification-configurations'
const Name = z.string().trim().min(1).max(255)
/** Also those that nothing sets off yet. */
const Triggers = z
  .array(
    z
      .string()
      .regex(/^[a-z_-]+:[a-z_-]+$/, 'must be a trigger such as run:completed')
      .max(100),
  )
  .max(100)
const attributes = {
  enabled: z.boolean(),
  name: Name,
  token: z.string().max(1_000).nullish(),
  triggers: Triggers.nullish(),
  url: z.string().nullish(),
  'email-addresses': z.array(z.string()).nullish(),
}
const relationships = { users: toMany('users') }

type Located = Resource & { readonly org: string; readonly scope: Scope }
type Locate = (id: string, services: TfcServices) => Promise<Located>

/** What configurations can be about: the collection in the address, and where an id leads. */
const SUBSCRIBABLES = {
  workspaces: async (id, { locator }) => {
    const { org, unit } = await locator.workspace(id)
    return { org, unit, scope: { kind: 'unit', id: unit } }
  },
  projects: async (id, { locator, projects }) => {
    const { org, record } = await locator.record(projects, id)
    return { org, scope: { kind: 'project', id: record.id } }
  },
  teams: async (id, { locator }) => {
    const { org, team } = await locator.team(id)
    return { org, scope: { kind: 'team', id: team } }
  },
} satisfies Readonly<Record<string, Locate>>

const params = z.object({ notification: z.string() })

async function ofNotification(
  { params: { notification } }: { readonly params: z.infer<typeof params> },
  { locator, notifications }: Pick<TfcServices, 'locator' | 'notifications'>,
) {
  const { org, record } = await locator.record(notifications, notification)
  const { kind, id } = record.scope
  return { org, record, ...(kind === 'unit' && id !== undefined ? { unit: id } : {}) }
}

/** Listing and creating, for one collection. */
function collection(path: string, word: string, locate: Locate) {
  const collectionParams = z.object({ id: z.string() })
  const target = (
    { params: { id } }: { readonly params: { readonly id: string } },
    services: TfcServices,
  ): Promise<Located> => locate(id, services)
  return [
    route({
      method: 'GET',
      path: `/api/v2/${path}/{id}/notification-configurations`,
      id: `tfcList${word}Notifications`,
      action: 'notification:read',
      tags,
      summary: `List notifications of ${path}`,
      params: collectionParams,
      query: z.object(paging),
      target,
      answers: { 200: documented('The configurations') },
      async handle({ target: { org, scope }, query, caller, x }, services) {
        const page = paged(await services.notifications.list(org, scope), query, x)
        const items = await Promise.all(page.items.map((one) => viewNotification(services, org, one, caller)))
        return { status: 200, ...listed({ ...page, items }) }
      },
    }),
    route({
      method: 'POST',
      path: `/api/v2/${path}/{id}/notification-configurations`,
      id: `tfcCreate${word}Notification`,
      action: 'notification:manage',
      tags,
      summary: `Notify of what happens to ${path}`,
      description: 'If it is enabled, the destination must accept a test first.',
      params: collectionParams,
      body: resource(type, {
        attributes: { ...attributes, 'destination-type': DestinationKind },
        relationships,
      }),
      target,
      answers: { 201: documented('The configuration') },
      async handle({ target: { org, scope }, body, caller }, services) {
        const { 'destination-type': destination, ...rest } = body.attributes
        const made = await services.notifications.create(
          org,
          {
            name: rest.name,
            isEnabled: rest.enabled,
            destination,
            scope,
            triggers: rest.triggers ?? [],
            url: rest.url || undefined,
            token: rest.token ?? undefined,
            emails: rest['email-addresses'] ?? [],
            users: body.relationships.users ?? [],
          },
          caller,
        )
        return { status: 201, ...document(await viewNotification(services, org, made, caller)) }
      },
    }),
  ]
}

export const notificationRoutes = [
  ...collection('workspaces', 'Workspace', SUBSCRIBABLES.workspaces),
  ...collection('projects', 'Project', SUBSCRIBABLES.projects),
  ...collection('teams', 'Team', SUBSCRIBABLES.teams),
  route({
    method: 'GET',
    path: '/api/v2/notification-configurations/{notification}',
    id: 'tfcShowNotification',
    action: 'notification:read',
    tags,
    summary: 'Show a notification and its last deliveries',
    params,
    target: ofNotification,
    answers: { 200: documented('The configuration') },
    async handle({ target: { org, record }, caller }, services) {
      return { status: 200, ...document(await viewNotification(services, org, record, caller)) }
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/notification-configurations/{notification}',
    id: 'tfcUpdateNotification',
    action: 'notification:manage',
    tags,
    summary: 'Change a notification',
    description: 'If it becomes enabled or gets another address, the destination must accept a test first.',
    params,
    body: resource(type, {
      attributes: { ...attributes, enabled: attributes.enabled.nullish(), name: Name.nullish() },
      relationships,
    }),
    target: ofNotification,
    answers: { 200: documented('The configuration') },
    async handle(
      { target: { org, record }, body: { attributes: given, relationships: linked }, caller },
      services,
    ) {
      const change = {
        name: given.name ?? undefined,
        isEnabled: given.enabled ?? undefined,
        triggers: given.triggers ?? undefined,
        url: given.url || undefined,
        token: given.token ?? undefined,
        emails: given['email-addresses'] ?? undefined,
        users: linked.users,
      }
      const changed = await services.notifications.update(org, record.id, change, caller)
      return { status: 200, ...document(await viewNotification(services, org, changed, caller)) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v2/notification-configurations/{notification}',
    id: 'tfcDeleteNotification',
    action: 'notification:manage',
    tags,
    summary: 'Delete a notification',
    params,
    target: ofNotification,
    answers: { 204: NO_CONTENT },
    async handle({ target: { org, record }, caller }, { notifications }) {
      await notifications.remove(org, record.id, caller)
      return { status: 204 }
    },
  }),
  route({
    method: 'POST',
    path: '/api/v2/notification-configurations/{notification}/actions/verify',
    id: 'tfcVerifyNotification',
    action: 'notification:manage',
    tags,
    summary: 'Send a test to the destination',
    params,
    body: ignoredBody,
    target: ofNotification,
    answers: { 200: documented('The configuration, with the delivery') },
    async handle({ target: { org, record }, caller }, services) {
      await services.notifications.verify(org, record.id, caller)
      return { status: 200, ...document(await viewNotification(services, org, record, caller)) }
    },
  }),
]
