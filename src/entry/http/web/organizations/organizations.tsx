import { z } from 'zod'
import { isTacoError } from '../../../../base/errors.ts'
import type { Caller, OrgView as Organization } from '../../../../state/index.ts'
import { defined } from '../../kit/drop-undefined.ts'
import type { Exchange } from '../../kit/exchange.ts'
import { giveToCreator } from '../../kit/org-creator.ts'
import { seeOther } from '../../kit/response/redirect.ts'
import type { Route } from '../../kit/routes/route.ts'
import { form, page } from '../define.ts'
import { knownUnits } from '../estate/last-known.ts'
import type { WebServices } from '../services.ts'
import { exported, ExportFormat } from '../shell/export.ts'
import { faultsAt } from '../shell/faults.ts'
import { setFlash } from '../shell/flash.ts'
import { type PageStatus, htmlReply, partReply } from '../shell/render.ts'
import { SwitcherList } from '../shell/switcher.tsx'
import { accountViewOf } from '../shell/view.ts'
import { type CreateForm, OrganizationsPage, type Row, orgColumns } from './organizations-page.tsx'
import { visibleOrgs } from './visible-orgs.ts'

const PAGE_SIZE = 100

const pathTo = (name: string) => `/app/${encodeURIComponent(name)}`

export const organizationRoutes: readonly Route[] = [
  page({
    path: '/app',
    id: 'showOrganizations',
    action: 'org:read',
    isFiltered: true,
    summary: 'The organizations',
    query: z.object({
      cursor: z.string().optional(),
      /** The deleted ones instead. */
      deleted: z.string().optional(),
      format: ExportFormat,
      part: z.enum(['switcher']).optional().catch(undefined),
    }),
    async handle({ x, query: { format, part, deleted, ...asked }, caller }, services) {
      if (part === 'switcher') {
        const { items } = await visibleOrgs(services, { limit: PAGE_SIZE }, caller)
        return partReply(<SwitcherList names={items.map(({ name }) => name)} />)
      }
      const isDeleted = deleted !== undefined
      if (format !== undefined) {
        const rows = await rowsOf(services, { limit: 10_000, isDeleted }, caller)
        return exported(format, 'organizations', orgColumns({ now: services.clock.now() }), rows.items)
      }
      return organizationsPage({ x, caller, isDeleted, ...asked }, services)
    },
  }),
  form({
    path: '/app',
    id: 'createOrganizationForm',
    action: 'org:create',
    summary: 'Create an organization',
    fields: { name: z.string().trim().default(''), prefix: z.string().trim().default('') },
    async handle({ x, body, caller }, services) {
      const { name, prefix } = body
      try {
        const input = { name, ...(prefix === '' ? {} : { prefix }) }
        const created = await services.control.orgs.create(input, caller)
        await giveToCreator(created.id, services.orgAccess, caller)
        setFlash(x, services.cookies, { kind: 'ok', text: `Created ${created.name}.` })
        return seeOther(pathTo(created.name))
      } catch (error) {
        const faults = faultsAt(error, ['name', 'prefix'], 'CONFLICT', 'ALREADY_EXISTS')
        return organizationsPage({ x, caller, isDeleted: false, create: { ...body, faults } }, services, 400)
      }
    },
  }),
  form({
    path: '/app/{org}/restore',
    id: 'restoreOrganizationForm',
    action: 'org:delete',
    summary: 'Restore a deleted organization',
    params: z.object({ org: z.string() }),
    target: ({ params: { org } }) => ({ org }),
    fields: {},
    async handle({ x, params: { org }, caller }, services) {
      const { name } = await services.control.orgs.restore(org, caller)
      setFlash(x, services.cookies, { kind: 'ok', text: `Restored ${name}.` })
      return seeOther(pathTo(name))
    },
  }),
]

interface Asked {
  readonly x: Exchange
  readonly caller: Caller
  readonly isDeleted: boolean
  readonly cursor?: string | undefined
  /** What was typed, and what is wrong with it. */
  readonly create?: CreateForm
}

async function organizationsPage(
  { x, caller, isDeleted, cursor, create = { name: '', prefix: '', faults: {} } }: Asked,
  services: WebServices,
  status: PageStatus = 200,
) {
  const asked = { limit: PAGE_SIZE, isDeleted, ...defined({ cursor }) }
  const { items, next } = await rowsOf(services, asked, caller)
  const { allowed } = await services.access.decide(caller.principal, 'org:create', {})
  const view = await accountViewOf(x, services)
  return htmlReply(
    <OrganizationsPage
      view={view}
      rows={items}
      next={next}
      isDeleted={isDeleted}
      create={allowed ? create : undefined}
    />,
    status,
  )
}

async function rowsOf(
  services: WebServices,
  { isDeleted, ...asked }: { readonly limit: number; readonly isDeleted: boolean; readonly cursor?: string },
  caller: Caller,
): Promise<{ readonly items: readonly Row[]; readonly next: string | undefined }> {
  const deleted = isDeleted ? 'only' : 'no'
  const { items, next } = await visibleOrgs(services, { ...asked, deleted }, caller)
  return { items: await Promise.all(items.map((org) => rowOf(services, org, caller))), next }
}

/** Everything that it asks was read to find out whether the person may see the organization. */
async function rowOf({ access, graph }: WebServices, org: Organization, { principal }: Caller): Promise<Row> {
  const [sight, decision] = [
    await readable(access.sight(principal, org.id)),
    org.deleted === null ? undefined : await access.decide(principal, 'org:delete', { org: org.id }),
  ]
  return {
    org,
    path: pathTo(org.name),
    // A number of units that includes some that the person may not see is not for them.
    units: sight === 'unreadable' || sight?.seesAll === false ? undefined : knownUnits(graph, org.id),
    canRestore: decision?.allowed === true,
  }
}

/** One organization that is damaged must not hide the others. */
async function readable<T>(asking: T | Promise<T>): Promise<T | 'unreadable'> {
  try {
    return await asking
  } catch (error) {
    if (isTacoError(error, 'BUCKET_CORRUPT', 'BUCKET_NEWER')) return 'unreadable'
    throw error
  }
}
