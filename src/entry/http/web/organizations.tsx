import { z } from 'zod'
import type { OrgView as Organization } from '../../../state/index.ts'
import { defined } from '../kit/drop-undefined.ts'
import type { Route } from '../kit/routes/route.ts'
import { page } from './define.ts'
import { ExportFormat, exported } from './shell/export.ts'
import { Layout } from './shell/layout.tsx'
import { Card, Command, Time } from './shell/parts.tsx'
import { htmlReply, partReply } from './shell/render.ts'
import { SwitcherList } from './shell/switcher.tsx'
import { type Column, CursorFooter, DataTable } from './shell/table.tsx'
import { accountViewOf } from './shell/view.ts'
import { visibleOrgs } from './visible-orgs.ts'

const pathTo = (name: string) => `/app/${encodeURIComponent(name)}`

const columns: readonly Column<Organization>[] = [
  {
    name: 'name',
    label: 'Name',
    cell: ({ name }) => <a href={pathTo(name)}>{name}</a>,
    value: ({ name }) => name,
  },
  {
    name: 'createdAt',
    label: 'Created',
    cell: ({ createdAt }) => <Time at={createdAt} />,
    value: ({ createdAt }) => createdAt,
  },
]

export const organizationRoutes: readonly Route[] = [
  page({
    path: '/app',
    id: 'showOrganizations',
    action: 'org:read',
    isFiltered: true,
    summary: 'The organizations',
    query: z.object({
      cursor: z.string().optional(),
      format: ExportFormat,
      part: z.enum(['switcher']).optional().catch(undefined),
    }),
    async handle({ x, query: { format, part, ...asked }, caller }, services) {
      const { items, next } = await visibleOrgs(services, { limit: 100, ...defined(asked) }, caller)
      if (part === 'switcher') return partReply(<SwitcherList names={items.map(({ name }) => name)} />)
      if (format !== undefined) return exported(format, 'organizations', columns, items)
      const view = await accountViewOf(x, services)
      return htmlReply(
        <Layout view={view} title="Organizations">
          <h1>Organizations</h1>
          <div class="grid">
            <Card>
              {items.length === 0 ? (
                <p class="muted">You are not a member of an organization yet. An owner of one can add you.</p>
              ) : (
                <DataTable
                  path={view.path}
                  caption="Organizations"
                  columns={columns}
                  items={items}
                  hrefOf={({ name }) => pathTo(name)}
                />
              )}
              <CursorFooter path={view.path} next={next} />
            </Card>
            <Command>taco org ls</Command>
          </div>
        </Layout>,
      )
    },
  }),
]
