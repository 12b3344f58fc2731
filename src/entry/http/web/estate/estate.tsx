import { z } from 'zod'
import { type NodeView, visibleGraph } from '../../../../graph/index.ts'
import type { Route } from '../../kit/routes/route.ts'
import { orgPage } from '../org-page.ts'
import { unitPath, withQuery } from '../shell/addresses.ts'
import { ExportFormat, exported } from '../shell/export.ts'
import { Layout } from '../shell/layout.tsx'
import { Card, Command } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { LOOKS, LOOK_WORDS, type Look, Shape, StatusChip, lookOf } from '../shell/status.tsx'
import { type Column, DataTable, ListFooter, pageOf } from '../shell/table.tsx'

const PAGE_SIZE = 100

function columnsAt(base: string): readonly Column<NodeView>[] {
  return [
    {
      name: 'name',
      label: 'Unit',
      cell: ({ name }) => (
        <a class="mono" href={unitPath(base, name)}>
          {name}
        </a>
      ),
      value: ({ name }) => name,
    },
    {
      name: 'status',
      label: 'Status',
      cell: (node) => <StatusChip node={node} />,
      value: ({ status }) => status,
    },
    {
      name: 'commit',
      label: 'Outputs commit',
      isNumber: true,
      cell: ({ commit }) => commit ?? '',
      value: ({ commit }) => commit,
    },
  ]
}

export const estateRoutes: readonly Route[] = [
  orgPage({
    path: '',
    id: 'showEstate',
    action: 'graph:read',
    isFiltered: true,
    summary: 'All units and their status',
    query: z.object({
      view: z.string().optional(),
      status: z.string().optional(),
      search: z.string().optional(),
      path: z.string().optional(),
      page: z.coerce.number().int().optional().catch(undefined),
      format: ExportFormat,
    }),
    async handle({ params, query, caller, view }, { graph, control }) {
      const whole = await graph.view({ org: params.org }, caller)
      const visible = await control.units.visible(params.org, caller)
      const { nodes, edges } = visible === undefined ? whole : visibleGraph(whole, visible)
      const found = nodes.filter(
        (node) =>
          (query.status === undefined || lookOf(node) === query.status) &&
          (query.search === undefined || node.name.includes(query.search)) &&
          (query.path === undefined || node.name.startsWith(`${query.path}/`)),
      )
      const columns = columnsAt(view.org.base)
      if (query.format !== undefined) return exported(query.format, 'units', columns, found)
      const { items, paging } = pageOf(found, query.page ?? 1, PAGE_SIZE)
      const counts = new Map<Look, number>()
      for (const node of nodes) counts.set(lookOf(node), (counts.get(lookOf(node)) ?? 0) + 1)
      return htmlReply(
        <Layout view={view} title="Estate">
          <div class="bar">
            <h1>Estate</h1>
            <span class="muted num">
              {nodes.length} units, {edges.length} dependencies
            </span>
          </div>
          <div class="counts">
            {LOOKS.filter((look) => counts.has(look)).map((look) => {
              const isOn = query.status === look
              const href = withQuery(view.path, { status: isOn ? undefined : look, page: undefined })
              return (
                <a href={href} aria-current={isOn ? 'true' : undefined}>
                  <Shape look={look} />
                  <b>{counts.get(look)}</b> <span class="muted">{LOOK_WORDS[look]}</span>
                </a>
              )
            })}
          </div>
          <div class="grid">
            <Card>
              <DataTable
                path={view.path}
                caption="Units"
                columns={columns}
                items={items}
                hrefOf={({ name }) => unitPath(view.org.base, name)}
              />
              <ListFooter path={view.path} paging={paging} />
            </Card>
            <Command>taco status</Command>
          </div>
        </Layout>,
      )
    },
  }),
]
