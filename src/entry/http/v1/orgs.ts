import { z } from 'zod'
import type { OrgChange, OrgView } from '../../../state/index.ts'
import { defined } from '../kit/drop-undefined.ts'
import { giveToCreator } from '../kit/org-creator.ts'
import { etagOf, expectedBy, isUnchanged } from '../kit/response/etag.ts'
import {
  Flag,
  Idempotent,
  IfMatch,
  Limit,
  NoQuery,
  EventRetentionInput,
  RetentionInput,
  UNCHANGED,
  jsonAnswer,
  jsonBody,
} from '../openapi/api.ts'
import { Organization, Usage } from '../openapi/openapi-schemas.ts'
import { ofServer, route } from './define.ts'

const OrgParams = z.object({ org: z.string() })
const ofNamed = ({ params }: { readonly params: z.output<typeof OrgParams> }) => ({ org: params.org })
const tags = ['organizations']
const most = (least: number) => z.int().min(least).nullable().optional()
const LimitsInput = z
  .strictObject({ units: most(0), versions: most(1), bytes: most(0) })
  .meta({ description: 'Most units, versions kept of each unit, and bytes of states and versions.' })

export const orgRoutes = [
  route({
    method: 'GET',
    path: '/v1/orgs',
    id: 'listOrganizations',
    action: 'org:read',
    isFiltered: true,
    tags,
    summary: 'List organizations',
    query: z.strictObject({
      limit: Limit,
      cursor: z.string().optional(),
      deleted: Flag.meta({ description: 'The deleted ones instead.' }),
    }),
    target: ofServer,
    answers: {
      200: jsonAnswer(
        z.object({
          items: z.array(Organization),
          next: z.string().nullable(),
          damaged: z.array(z.string()).meta({
            description: 'Names of organizations that are left out because their documents cannot be read.',
          }),
        }),
        'A page',
      ),
    },
    async handle({ query: { deleted, ...page }, caller }, { control, access }) {
      const asked = { ...defined(page), deleted: deleted ? ('only' as const) : ('no' as const) }
      const { items, next, damaged } = await control.orgs.list(asked, caller)
      const isSeen = (org: string) => access.seesOrg(caller.principal, org)
      const seen = await Promise.all(items.map(({ id }) => isSeen(id)))
      const shown = await Promise.all(damaged.map(isSeen))
      return {
        status: 200,
        json: {
          items: items.filter((_, i) => seen[i]),
          next: next ?? null,
          damaged: damaged.filter((_, i) => shown[i]),
        },
      }
    },
  }),
  route({
    method: 'POST',
    path: '/v1/orgs',
    id: 'createOrganization',
    action: 'org:create',
    tags,
    summary: 'Create an organization',
    headers: Idempotent,
    query: NoQuery,
    body: jsonBody(
      z.strictObject({
        name: z.string(),
        prefix: z.string().optional().meta({
          description: 'The folder of its states, such as `teams/a/`. Default: one that is named after it.',
        }),
        limits: LimitsInput.optional(),
        retention: RetentionInput.optional(),
        eventRetention: EventRetentionInput.optional(),
      }),
    ),
    target: ofServer,
    answers: { 201: jsonAnswer(Organization, 'Created') },
    async handle({ body: { name, prefix, ...settings }, caller }, { control, orgAccess }) {
      const input = { name, ...defined({ prefix }), ...orgChange(settings) }
      const view = await control.orgs.create(input, caller)
      await giveToCreator(view.id, orgAccess, caller)
      return { status: 201, json: view, headers: { etag: etagOf(view.etag) } }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/orgs/{org}',
    id: 'getOrganization',
    action: 'org:read',
    tags,
    summary: 'Show an organization',
    params: OrgParams,
    query: NoQuery,
    target: ofNamed,
    answers: { 200: jsonAnswer(Organization, 'The organization'), 304: UNCHANGED },
    async handle({ target, headers, caller }, { control }) {
      const view = await control.orgs.get(target.org, caller)
      const etag = etagOf(view.etag)
      if (isUnchanged(headers, view.etag, `The organization ${view.name}`))
        return { status: 304, headers: { etag } }
      return { status: 200, json: view, headers: { etag } }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/orgs/{org}/usage',
    id: 'getOrganizationUsage',
    action: 'org:read',
    tags,
    summary: 'Show how much an organization uses',
    description: 'It costs a listing of all its versions, at most once a minute.',
    params: OrgParams,
    query: NoQuery,
    target: ofNamed,
    answers: { 200: jsonAnswer(Usage, 'Units, versions and bytes') },
    async handle({ target, caller }, { control }) {
      return { status: 200, json: await control.orgs.usage(target.org, caller) }
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/orgs/{org}',
    id: 'updateOrganization',
    action: 'org:admin',
    tags,
    summary: 'Change an organization',
    params: OrgParams,
    query: NoQuery,
    headers: IfMatch.extend(Idempotent.shape),
    body: jsonBody(
      z
        .strictObject({
          limits: LimitsInput.optional(),
          retention: RetentionInput.nullable().optional(),
          eventRetention: EventRetentionInput.nullable().optional(),
        })
        .meta({
          description: 'What is left out stays as it is; null keeps everything, or takes a limit away.',
        })
        .refine((change) => Object.keys(change).length > 0, 'no change was given'),
    ),
    target: ofNamed,
    answers: { 200: jsonAnswer(Organization, 'Changed') },
    async handle({ target, body, headers, caller }, { control }) {
      const view = await control.orgs.update(target.org, orgChange(body), caller, expectedBy(headers))
      return changed(view)
    },
  }),
  route({
    method: 'POST',
    path: '/v1/orgs/{org}/rename',
    id: 'renameOrganization',
    action: 'org:admin',
    tags,
    summary: 'Rename an organization',
    description:
      'Nothing moves in the bucket. Former names still lead to it, and no other organization gets them.',
    params: OrgParams,
    query: NoQuery,
    headers: IfMatch.extend(Idempotent.shape),
    body: jsonBody(z.strictObject({ name: z.string() })),
    target: ofNamed,
    answers: { 200: jsonAnswer(Organization, 'Renamed') },
    async handle({ target, body, headers, caller }, { control }) {
      return changed(await control.orgs.rename(target.org, body.name, caller, expectedBy(headers)))
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/orgs/{org}',
    id: 'deleteOrganization',
    action: 'org:delete',
    tags,
    summary: 'Delete an organization; it can be restored',
    description:
      'Its units, states and history stay in the bucket, and requests for them are refused. Refused while units are locked unless forced; then the holders of locks can still write and unlock.',
    params: OrgParams,
    query: z.strictObject({ force: Flag }),
    headers: IfMatch.extend(Idempotent.shape),
    target: ofNamed,
    answers: { 200: jsonAnswer(Organization, 'Deleted') },
    async handle({ target, query, headers, caller }, { control }) {
      return changed(await control.orgs.remove(target.org, query, caller, expectedBy(headers)))
    },
  }),
  route({
    method: 'POST',
    path: '/v1/orgs/{org}/restore',
    id: 'restoreOrganization',
    action: 'org:delete',
    tags,
    summary: 'Restore a deleted organization',
    params: OrgParams,
    query: NoQuery,
    headers: Idempotent,
    target: ofNamed,
    answers: { 200: jsonAnswer(Organization, 'Restored') },
    async handle({ target, caller }, { control }) {
      return changed(await control.orgs.restore(target.org, caller))
    },
  }),
]

function changed(view: OrgView) {
  return { status: 200 as const, json: view, headers: { etag: etagOf(view.etag) } }
}

interface ChangeInput {
  readonly limits?: z.infer<typeof LimitsInput> | undefined
  readonly retention?: z.infer<typeof RetentionInput> | null | undefined
  readonly eventRetention?: z.infer<typeof EventRetentionInput> | null | undefined
}

function orgChange({ retention, eventRetention, limits }: ChangeInput): OrgChange {
  return defined({
    retention: retention == null ? retention : defined(retention),
    eventRetention,
    limits: limits && defined(limits),
  })
}
