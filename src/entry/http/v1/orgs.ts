import { z } from 'zod'
import type { OrgChange } from '../../../state/index.ts'
import { defined } from '../kit/drop-undefined.ts'
import { etagOf, expectedBy, isUnchanged } from '../kit/response/etag.ts'
import {
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
import { Organization } from '../openapi/openapi-schemas.ts'
import { ofServer, route } from './define.ts'

const OrgParams = z.object({ org: z.string() })
const ofNamed = ({ params }: { readonly params: z.output<typeof OrgParams> }) => ({ org: params.org })
const tags = ['organizations']

export const orgRoutes = [
  route({
    method: 'GET',
    path: '/v1/orgs',
    id: 'listOrganizations',
    action: 'org:read',
    tags,
    summary: 'List organizations',
    query: z.strictObject({ limit: Limit, cursor: z.string().optional() }),
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
    async handle({ query, caller }, { control }) {
      const { items, next, damaged } = await control.orgs.list(defined(query), caller)
      return { status: 200, json: { items: [...items], next: next ?? null, damaged: [...damaged] } }
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
        retention: RetentionInput.optional(),
        eventRetention: EventRetentionInput.optional(),
      }),
    ),
    target: ofServer,
    answers: { 201: jsonAnswer(Organization, 'Created') },
    async handle({ body: { name, ...settings }, caller }, { control }) {
      const view = await control.orgs.create({ name, ...orgChange(settings) }, caller)
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
          retention: RetentionInput.nullable().optional(),
          eventRetention: EventRetentionInput.nullable().optional(),
        })
        .meta({ description: 'What is left out stays as it is; null keeps everything.' })
        .refine((change) => Object.keys(change).length > 0, 'no change was given'),
    ),
    target: ofNamed,
    answers: { 200: jsonAnswer(Organization, 'Changed') },
    async handle({ target, body, headers, caller }, { control }) {
      const view = await control.orgs.update(target.org, orgChange(body), caller, expectedBy(headers))
      return { status: 200, json: view, headers: { etag: etagOf(view.etag) } }
    },
  }),
]

interface ChangeInput {
  readonly retention?: z.infer<typeof RetentionInput> | null | undefined
  readonly eventRetention?: z.infer<typeof EventRetentionInput> | null | undefined
}

function orgChange({ retention, eventRetention }: ChangeInput): OrgChange {
  return defined({ retention: retention == null ? retention : defined(retention), eventRetention })
}
