import { z } from 'zod'
import { sayAuthor } from '../../../../base/text/author.ts'
import type { RolloutView, StepView } from '../../../../rollouts/index.ts'
import type { Caller } from '../../../../state/index.ts'
import type { Route } from '../../kit/routes/route.ts'
import { isVisibleRollout } from '../../kit/visible-rollouts.ts'
import { UnitParams } from '../../openapi/api.ts'
import { orgPage } from '../org-page.ts'
import { STEP_STATES, stepLook, stepState } from '../rollouts/looks.ts'
import { StepWords, took } from '../rollouts/step-words.tsx'
import type { WebServices } from '../services.ts'
import { withQuery } from '../shell/addresses.ts'
import { ExportFormat, exported } from '../shell/export.ts'
import { Ago, Card, Command, Empty, Tabs } from '../shell/parts.tsx'
import { LookChip } from '../shell/status.tsx'
import { type Column, CursorFooter, DataTable } from '../shell/table.tsx'
import { type UnitPage, UnitPartName, liveUnitReply, openUnit } from './frame.tsx'

const PAGE_SIZE = 25
/** So many rollouts are read for one page, however few of them reach the unit. */
const MOST_READ = 300
const MOST_EXPORTED_READ = 2000
const READ_AT_ONCE = 100

/** What a rollout did with the unit. */
interface Run {
  readonly rollout: RolloutView
  readonly step: StepView
  readonly state: string
}

export const runRoutes: readonly Route[] = [
  orgPage({
    path: '/units/{unit}/runs',
    params: UnitParams.shape,
    id: 'showUnitRuns',
    action: 'rollout:read',
    summary: 'The steps of rollouts on a unit',
    query: z.object({
      state: z.string().optional(),
      cursor: z.string().optional(),
      format: ExportFormat.catch(undefined),
      part: UnitPartName,
    }),
    async handle(request, services) {
      const { query, caller } = request
      const page = await openUnit(request, services)
      const now = services.clock.now()
      const columns = columnsOf(page, now)
      const state = STEP_STATES.find((one) => one === query.state)
      if (query.format !== undefined) {
        const asked = { state, cursor: undefined, most: MOST_EXPORTED_READ, rows: MOST_EXPORTED_READ, now }
        const { runs } = await readRuns(page, asked, services, caller)
        return exported(query.format, 'runs', columns, runs)
      }
      const asked = { state, cursor: query.cursor, most: MOST_READ, rows: PAGE_SIZE, now }
      const found = await readRuns(page, asked, services, caller)
      const children = <Content page={page} columns={columns} state={state} {...found} />
      return liveUnitReply(query.part, { of: page, tab: 'runs', live: 'rollout. step.', children })
    },
  }),
]

interface Asked {
  readonly state: string | undefined
  readonly cursor: string | undefined
  /** So many rollouts are read. */
  readonly most: number
  readonly rows: number
  readonly now: number
}

/** Newest first. Rollouts that reach units that the person may not see are left out, as in the list of rollouts. */
async function readRuns(
  { ref }: UnitPage,
  { state, cursor, most, rows, now }: Asked,
  { rollouts, control }: WebServices,
  caller: Caller,
): Promise<{ readonly runs: readonly Run[]; readonly next: string | undefined }> {
  const visible = await control.units.visible(ref.org, caller)
  const runs: Run[] = []
  let next = cursor
  for (let read = 0; read < most && runs.length < rows; read += READ_AT_ONCE) {
    const asked = { limit: READ_AT_ONCE, ...(next === undefined ? {} : { cursor: next }) }
    const listed = await rollouts.list(ref.org, asked, caller)
    const seen = listed.items.filter((one) => isVisibleRollout(one, visible))
    runs.push(...seen.flatMap((rollout) => runIn(rollout, ref.unit, now)))
    next = listed.next
    if (next === undefined) break
  }
  return { runs: runs.filter((run) => state === undefined || run.state === state), next }
}

function runIn(rollout: RolloutView, unit: string, now: number): readonly Run[] {
  const step = rollout.steps.find((one) => one.unit.id === unit)
  return step === undefined ? [] : [{ rollout, step, state: stepState(step, now) }]
}

interface ContentProps {
  readonly page: UnitPage
  readonly columns: readonly Column<Run>[]
  readonly state: string | undefined
  readonly runs: readonly Run[]
  readonly next: string | undefined
}

function Content({ page, columns, state, runs, next }: ContentProps) {
  const { view } = page
  const path = withQuery(view.path, { part: undefined })
  const tabs = [undefined, ...STEP_STATES].map((one) => ({
    label: one === undefined ? 'All' : one.slice(0, 1).toUpperCase() + one.slice(1),
    href: withQuery(path, { state: one, cursor: undefined }),
    isCurrent: one === state,
  }))
  const isEmpty = runs.length === 0 && state === undefined && next === undefined
  return (
    <>
      {!isEmpty && <Tabs label="State" tabs={tabs} isMinor />}
      <div class="grid">
        {isEmpty ? (
          <Empty title="No runs yet">
            <p>No rollout has reached this unit.</p>
            <p class="muted">{ELSEWHERE}</p>
          </Empty>
        ) : (
          <Card>
            {runs.length === 0 ? (
              <p class="muted">
                {next === undefined
                  ? 'There are no such runs.'
                  : `The last ${MOST_READ} rollouts have no such run of this unit.`}
              </p>
            ) : (
              <DataTable
                path={path}
                caption="Runs"
                columns={columns}
                items={runs}
                hrefOf={({ rollout }) => `${view.org.base}/rollouts/${rollout.id}`}
              />
            )}
            <CursorFooter path={path} next={next} />
            <p class="muted">{ELSEWHERE}</p>
          </Card>
        )}
        <Command>taco rollout ls</Command>
      </div>
    </>
  )
}

const ELSEWHERE =
  'These are the steps of rollouts. What an engine applied by itself is in the history, as a version.'

function columnsOf({ view }: UnitPage, now: number): readonly Column<Run>[] {
  const { base } = view.org
  return [
    {
      name: 'state',
      label: 'State',
      cell: ({ state }) => <LookChip look={stepLook(state)}>{state}</LookChip>,
      value: ({ state }) => state,
    },
    {
      name: 'at',
      label: 'Started',
      cell: ({ step }) => (step.startedAt === null ? '' : <Ago at={step.startedAt} now={now} />),
      value: ({ step }) => step.startedAt,
    },
    {
      name: 'took',
      label: 'Took',
      isNumber: true,
      cell: ({ step }) => (step.result === null ? '' : <span class="nowrap">{took(step.result.ms)}</span>),
      value: ({ step }) => step.result?.ms ?? null,
    },
    {
      name: 'why',
      label: 'Why',
      cell: ({ step, state, rollout }) => (
        <StepWords
          step={step}
          state={state}
          base={base}
          now={now}
          byId={new Map(rollout.steps.map((one) => [one.unit.id, one]))}
        />
      ),
      value: ({ step }) => step.reason ?? step.due,
    },
    {
      name: 'by',
      label: 'Rollout by',
      cell: ({ rollout }) => (
        <>
          {sayAuthor(rollout)}, <Ago at={rollout.createdAt} now={now} />
        </>
      ),
      value: ({ rollout }) => sayAuthor(rollout),
    },
    {
      name: 'worker',
      label: 'Worker',
      cell: ({ step }) => step.worker ?? '',
      value: ({ step }) => step.worker,
    },
    {
      name: 'rollout',
      label: 'Rollout',
      cell: ({ rollout }) => (
        <a class="mono nowrap" href={`${base}/rollouts/${rollout.id}`} title={rollout.id}>
          {`${rollout.id.slice(0, 3)}…${rollout.id.slice(-6)}`}
        </a>
      ),
      value: ({ rollout }) => rollout.id,
    },
  ]
}
