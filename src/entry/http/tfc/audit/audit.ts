import { z } from 'zod'
import type { Caller, Principal } from '../../../../access/index.ts'
import { TacoError } from '../../../../base/errors.ts'
import { forEachLimit } from '../../../../base/for-each-limit.ts'
import type { AuditRecord } from '../../../../state/index.ts'
import { resource } from '../kit/body.ts'
import { OrgParams, type TfcServices, documented, ofOrg, route } from '../kit/define.ts'
import { invalidAttribute } from '../kit/errors.ts'
import { type ResourceObject, document, one, time } from '../kit/json-api.ts'

const tags = ['terraform cloud']
const MOST = 1_000
const MOST_PAGES = 1_000

const Query = z.object({
  since: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .optional(),
  'page[number]': z.coerce.number().int().min(1).max(MOST_PAGES).default(1),
  'page[size]': z.coerce
    .number()
    .int()
    .min(1)
    .transform((size) => Math.min(size, MOST))
    .default(MOST),
  org: z.string().optional().meta({ description: 'Default: that of the token.' }),
})

/** The address does not say which organization is meant. Tokens of an organization have one. */
async function orgFor(services: TfcServices, caller: Caller): Promise<string> {
  const { principal } = caller
  const own = orgOf(principal)
  if (own !== undefined) return own
  const orgs = await services.control.orgs.names(caller)
  const readable: string[] = []
  await forEachLimit(orgs, 8, async (org) => {
    const sight = await services.access.sight(principal, org)
    if (sight === undefined || sight.may('audit:read', undefined)) readable.push(org)
  })
  const [first, ...others] = readable
  if (first === undefined)
    throw new TacoError('FORBIDDEN', 'You have no permission for audit:read in any organization.', {
      facts: { action: 'audit:read' },
    })
  if (others.length === 0) return first
  throw new TacoError('BAD_REQUEST', 'The request does not say which organization it is about.', {
    facts: { field: 'org' },
    hint: 'Use the audit trail token of an organization, or add ?org=<name>.',
  })
}

function orgOf(principal: Principal): string | undefined {
  return 'org' in principal ? principal.org : undefined
}

/** The caller was let in without an organization: what it may read there is decided now. */
async function checkMayRead(services: TfcServices, org: string, { principal }: Caller): Promise<void> {
  const sight = await services.access.sight(principal, org)
  if (sight === undefined || sight.may('audit:read', undefined)) return
  throw new TacoError('FORBIDDEN', 'You have no permission for audit:read.', {
    facts: { action: 'audit:read' },
    hint: 'Use the audit trail token of the organization, or ask an owner.',
  })
}

/** The newest records, as many as it takes to know whether there are more than `count`. */
async function newest(
  { control }: TfcServices,
  { org, since, count }: { readonly org: string; readonly since: number | undefined; readonly count: number },
  caller: Caller,
): Promise<readonly AuditRecord[]> {
  const found: AuditRecord[] = []
  let cursor: string | undefined
  do {
    const limit = Math.min(MOST, count + 1 - found.length)
    const from = {
      org,
      limit,
      ...(since !== undefined && { since }),
      ...(cursor !== undefined && { cursor }),
    }
    const page = await control.audit.read(from, caller)
    found.push(...page.items)
    cursor = page.next
  } while (cursor !== undefined && found.length <= count)
  return found
}

function view(record: AuditRecord, orgName: string) {
  const { id, at, by, who, via, unit, type, action, requestId, data } = record
  return {
    id,
    version: '0',
    type: 'Resource',
    timestamp: at,
    auth: {
      accessor_id: via?.id ?? by,
      description: who === null ? by : `${by} (${who})`,
      type: via?.kind === 'session' ? 'Session' : 'Client',
      impersonator_id: null,
      organization_id: orgName,
    },
    request: { id: requestId ?? '' },
    resource: {
      id: unit?.id ?? orgName,
      type: unit === null ? 'organization' : 'workspace',
      action: type === 'request.served' ? (action ?? type) : type,
      meta: { ...data, result: record.result, address: record.address, ...(unit && { name: unit.name }) },
    },
  }
}

const Trail = {
  description: 'A page, newest first',
  content: { 'application/json': { schema: z.unknown() } },
} as const

/** Everything is always recorded, and nothing is sent elsewhere. */
function configuration(orgName: string): ResourceObject {
  return {
    id: `aconf-${orgName}`,
    type: 'audit-configurations',
    attributes: {
      'audit-trails': { enabled: true },
      'hcp-audit-log-streaming': { enabled: false, 'organization-id': '', 'use-default-organization': false },
      permissions: {
        'can-enable-hcp-audit-log-streaming': false,
        'can-set-hcp-audit-log-streaming-organization-id': false,
        'can-use-default-audit-log-streaming-organization': false,
      },
      timestamps: {},
      'updated-at': time(0),
    },
    relationships: { organization: one('organizations', orgName) },
  }
}

const Enabled = z.object({ enabled: z.boolean().nullish() }).nullish()

export const auditRoutes = [
  route({
    method: 'GET',
    path: '/api/v2/organization/audit-trail',
    id: 'tfcListAuditTrail',
    action: 'audit:read',
    // Without an organization in the address, the handler finds it and decides.
    isFiltered: true,
    tags,
    summary: 'List who changed what, and who was refused, newest first',
    description: 'Counts go as far as the page after the one that is asked for.',
    query: Query,
    target: ({ query: { org } }) => ({ org }),
    answers: { 200: Trail },
    async handle({ query, caller }, services) {
      const org = query.org ?? (await orgFor(services, caller))
      await checkMayRead(services, org, caller)
      const { 'page[number]': number, 'page[size]': size, since } = query
      const found = await newest(services, { org, since, count: number * size }, caller)
      const hasNext = found.length > number * size
      const orgName = services.control.orgNames.nameOf(org)
      const items = found.slice((number - 1) * size, number * size)
      return {
        status: 200,
        json: {
          data: items.map((record) => view(record, orgName)),
          pagination: {
            current_page: number,
            prev_page: number > 1 ? number - 1 : null,
            next_page: hasNext ? number + 1 : null,
            total_pages: hasNext ? number + 1 : Math.max(1, Math.ceil(found.length / size)),
            total_count: found.length,
          },
        },
      }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v2/organizations/{org}/audit-configuration',
    id: 'tfcShowAuditConfiguration',
    action: 'org:read',
    tags,
    summary: 'Show how an organization is audited',
    params: OrgParams,
    target: ofOrg,
    answers: { 200: documented('The configuration') },
    async handle({ target: { org }, caller }, { control }) {
      const { name } = await control.orgs.get(org, caller)
      return { status: 200, ...document(configuration(name)) }
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v2/organizations/{org}/audit-configuration',
    id: 'tfcUpdateAuditConfiguration',
    action: 'org:admin',
    tags,
    summary: 'Refuse to switch the audit off',
    params: OrgParams,
    body: resource('audit-configurations', {
      attributes: { 'audit-trails': Enabled, 'hcp-audit-log-streaming': Enabled },
    }),
    target: ofOrg,
    answers: { 200: documented('The configuration') },
    async handle({ target: { org }, body: { attributes }, caller }, { control }) {
      if (attributes['audit-trails']?.enabled === false)
        throw invalidAttribute('audit-trails', 'The audit cannot be switched off.')
      if (attributes['hcp-audit-log-streaming']?.enabled === true)
        throw invalidAttribute('hcp-audit-log-streaming', 'The audit is not sent to other services.')
      const { name } = await control.orgs.get(org, caller)
      return { status: 200, ...document(configuration(name)) }
    },
  }),
]
