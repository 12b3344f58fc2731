import { z } from 'zod'
import { sayAuthor } from '../../../../base/text/author.ts'
import type { RolloutView } from '../../../../rollouts/index.ts'
import type { Caller } from '../../../../state/index.ts'
import { isVisibleRollout } from '../../kit/visible-rollouts.ts'
import { orgPage } from '../org-page.ts'
import type { WebServices } from '../services.ts'
import { withQuery } from '../shell/addresses.ts'
import { option, shell } from '../shell/command-line.ts'
import { ExportFormat, exported } from '../shell/export.ts'
import { Layout } from '../shell/layout.tsx'
import { Ago, Card, Command, Empty, Tabs } from '../shell/parts.tsx'
import { htmlReply, partReply } from '../shell/render.ts'
import { LookChip } from '../shell/status.tsx'
import { type Column, CursorFooter, DataTable } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { ROLLOUT_STATES, isSettled, rolloutLook, rolloutState } from './looks.ts'

const PAGE_SIZE = 25
/** So many rollouts are read for one page, however few of them the filter leaves. */
const MOST_READ = 200
const MOST_EXPORTED = 10_000

/** What a list says of a rollout. Its steps may be thousands. */
interface Row {
  readonly id: string
  readonly state: string
  readonly from: string
  readonly steps: number
  readonly settled: number
  readonly failed: number
  readonly by: string
  readonly startedAt: string
  readonly endedAt: string | null
}

function rowOf(rollout: RolloutView): Row {
  return {
    id: rollout.id,
    state: rolloutState(rollout),
    from: rollout.roots.join(', '),
    steps: rollout.steps.length,
    settled: rollout.steps.filter(isSettled).length,
    failed: rollout.steps.filter(({ status }) => status === 'failed').length,
    by: sayAuthor(rollout),
    startedAt: rollout.createdAt,
    endedAt: rollout.endedAt,
  }
}

const columnsOf = (base: string, now: number): readonly Column<Row>[] => [
  {
    name: 'id',
    label: 'Rollout',
    cell: ({ id }) => (
      <a class="mono" href={`${base}/rollouts/${id}`}>
        {id}
      </a>
    ),
    value: ({ id }) => id,
  },
  {
    name: 'state',
    label: 'State',
    cell: ({ state }) => <LookChip look={rolloutLook(state)}>{state}</LookChip>,
    value: ({ state }) => state,
  },
  {
    name: 'from',
    label: 'From',
    cell: ({ from }) => <span class="mono">{from.length > 80 ? `${from.slice(0, 79)}…` : from}</span>,
    value: ({ from }) => from,
  },
  {
    name: 'settled',
    label: 'Settled',
    cell: ({ settled, steps }) => (
      <span class="num nowrap">
        <progress max={steps} value={settled} aria-hidden="true"></progress> {settled} of {steps}
      </span>
    ),
    value: ({ settled }) => settled,
  },
  {
    name: 'failed',
    label: 'Failed',
    isNumber: true,
    cell: ({ failed }) => failed,
    value: ({ failed }) => failed,
  },
  { name: 'by', label: 'By', cell: ({ by }) => by, value: ({ by }) => by },
  {
    name: 'startedAt',
    label: 'Started',
    cell: ({ startedAt }) => <Ago at={startedAt} now={now} />,
    value: ({ startedAt }) => startedAt,
  },
]

const EXPORTED_ONLY: readonly Pick<Column<Row>, 'name' | 'value'>[] = [
  { name: 'steps', value: ({ steps }) => steps },
  { name: 'endedAt', value: ({ endedAt }) => endedAt },
]

type Services = Pick<WebServices, 'rollouts' | 'control'>

interface Asked {
  readonly org: string
  readonly state: string | undefined
  readonly cursor: string | undefined
}

/** Reads page after page until there is enough: those of other states and those that are hidden are left out. */
async function readRows(
  { rollouts, control }: Services,
  { org, state, cursor }: Asked,
  most: { readonly rows: number; readonly read: number; readonly page: number },
  caller: Caller,
): Promise<{ readonly rows: readonly Row[]; readonly next: string | undefined }> {
  const visible = await control.units.visible(org, caller)
  const rows: Row[] = []
  let next = cursor
  for (let read = 0; read < most.read && rows.length < most.rows; read += most.page) {
    const page = await rollouts.list(
      org,
      { limit: most.page, ...(next === undefined ? {} : { cursor: next }) },
      caller,
    )
    const seen = page.items.filter((one) => isVisibleRollout(one, visible)).map(rowOf)
    rows.push(...seen.filter((row) => state === undefined || row.state === state))
    next = page.next
    if (next === undefined) break
  }
  return { rows, next }
}

export const rolloutList = orgPage({
  path: '/rollouts',
  id: 'showRollouts',
  action: 'rollout:read',
  isFiltered: true,
  summary: 'Rollouts, newest first',
  query: z.object({
    state: z.enum(ROLLOUT_STATES).optional().catch(undefined),
    cursor: z.string().optional(),
    format: ExportFormat.catch(undefined),
    part: z.enum(['list']).optional().catch(undefined),
  }),
  async handle({ params: { org }, query: { state, cursor, format, part }, caller, view }, services) {
    const columns = columnsOf(view.org.base, services.clock.now())
    if (format !== undefined) {
      const most = { rows: MOST_EXPORTED, read: MOST_EXPORTED, page: 100 }
      const { rows } = await readRows(services, { org, state, cursor: undefined }, most, caller)
      return exported(format, 'rollouts', [...columns, ...EXPORTED_ONLY], rows)
    }
    const most = { rows: PAGE_SIZE, read: MOST_READ, page: PAGE_SIZE }
    const found = await readRows(services, { org, state, cursor }, most, caller)
    const path = withQuery(view.path, { part: undefined })
    const list = <List view={view} path={path} columns={columns} state={state} {...found} />
    if (part === 'list') return partReply(list)
    const tabs = [undefined, ...ROLLOUT_STATES].map((one) => ({
      label: one === undefined ? 'All' : one.slice(0, 1).toUpperCase() + one.slice(1),
      href: withQuery(path, { state: one, cursor: undefined }),
      isCurrent: one === state,
    }))
    return htmlReply(
      <Layout view={view} title="Rollouts" live="">
        <div class="bar">
          <h1>Rollouts</h1>
          <a class="button primary end" href={`${view.org.base}/rollouts/new`}>
            Start a rollout
          </a>
        </div>
        <Tabs label="State" tabs={tabs} />
        {list}
        <div class="grid">
          <Command>{shell`taco rollout ls ${option('state', state)}`}</Command>
        </div>
      </Layout>,
    )
  },
})

interface ListProps {
  readonly view: OrgView
  readonly path: string
  readonly columns: readonly Column<Row>[]
  readonly state: string | undefined
  readonly rows: readonly Row[]
  readonly next: string | undefined
}

function List({ view, path, columns, state, rows, next }: ListProps) {
  return (
    <div
      id="rollouts"
      data-live-on="rollout. step."
      hx-get={withQuery(path, { part: 'list' })}
      hx-trigger="live"
      hx-swap="outerMorph"
    >
      {rows.length === 0 && state === undefined && next === undefined ? (
        <Empty title="No rollouts yet">
          <p>
            A rollout applies a change through the graph: the unit that changed, then the units that use it,
            in order. Units whose inputs stay the same are skipped.
          </p>
        </Empty>
      ) : (
        <Card>
          {rows.length === 0 ? (
            <p class="muted">
              {next === undefined
                ? 'No rollout is in this state.'
                : `No rollout of the last ${MOST_READ} is in this state.`}
            </p>
          ) : (
            <DataTable
              path={path}
              caption="Rollouts"
              columns={columns}
              items={rows}
              hrefOf={({ id }) => `${view.org.base}/rollouts/${id}`}
            />
          )}
          <CursorFooter path={path} next={next} />
        </Card>
      )}
    </div>
  )
}
