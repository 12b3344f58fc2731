import { z } from 'zod'
import { bytes } from '../../../../base/text/bytes.ts'
import { within } from '../../../../base/within.ts'
import type { OrgView as Organization, UnitUsage } from '../../../../state/index.ts'
import type { Route } from '../../kit/routes/route.ts'
import { orgPage } from '../org-page.ts'
import { unitPath } from '../shell/addresses.ts'
import { ExportFormat, exported } from '../shell/export.ts'
import { Card, Command, Empty, Notice, Time } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import { type Column, DataTable, ListFooter, type Paging, pageOf } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { FindForm } from './find-form.tsx'
import { SettingsFrame } from './frame.tsx'

const PAGE_SIZE = 50
/** Counting lists all versions. The page does not wait longer for it. */
const PATIENCE_MS = 3_000

export const usageRoutes: readonly Route[] = [
  orgPage({
    path: '/settings/usage',
    id: 'showUsage',
    action: 'org:read',
    summary: 'What an organization stores, and the largest units',
    query: z.object({
      search: z.string().trim().default('').catch(''),
      page: z.coerce.number().int().default(1).catch(1),
      format: ExportFormat.catch(undefined),
    }),
    async handle({ params: { org }, query, caller, view }, { control, clock }) {
      const counting = control.orgs.usageByUnit(org, caller)
      const columns = unitColumns(view)
      const find = (all: readonly UnitUsage[]) =>
        all.filter(({ name }) => name.toLowerCase().includes(query.search.toLowerCase()))
      if (query.format !== undefined) return exported(query.format, 'usage', columns, find(await counting))
      const all = await within(clock, PATIENCE_MS, counting)
      if (all === undefined) return htmlReply(<CountingPage view={view} />)
      const now = await control.orgs.get(org, caller)
      const isWhole = (await control.units.visible(org, caller)) === undefined
      const total = await control.orgs.usage(org, caller)
      const used = isWhole ? total : { ...sumOf(all), isComplete: total.isComplete, asOf: total.asOf }
      const listed = pageOf(find(all), query.page, PAGE_SIZE)
      const props = { view, now, used, isWhole, search: query.search, columns, ...listed }
      return htmlReply(<UsagePage {...props} />)
    },
  }),
]

interface Used {
  readonly units: number
  readonly versions: number
  readonly bytes: number
  readonly isComplete: boolean
  readonly asOf: string
}

function sumOf(all: readonly UnitUsage[]): Pick<Used, 'units' | 'versions' | 'bytes'> {
  return {
    units: all.filter(({ isDeleted }) => !isDeleted).length,
    versions: all.reduce((sum, { versions }) => sum + versions, 0),
    bytes: all.reduce((sum, one) => sum + sizeOf(one), 0),
  }
}

const sizeOf = ({ stateBytes, versionBytes }: UnitUsage) => stateBytes + versionBytes

interface UsagePageProps {
  readonly view: OrgView
  readonly now: Organization
  readonly used: Used
  /** False: the person may not see all units, and those are not counted. */
  readonly isWhole: boolean
  readonly search: string
  readonly columns: readonly Column<UnitUsage>[]
  readonly items: readonly UnitUsage[]
  readonly paging: Paging
}

/** Until the versions are counted. It shows itself again; without JavaScript, by the link. */
function CountingPage({ view }: { readonly view: OrgView }) {
  return (
    <SettingsFrame view={view} tab="usage">
      <div
        class="grid"
        hx-get={view.path}
        hx-trigger="load delay:2s"
        hx-select="#content"
        hx-target="#content"
        hx-swap="outerHTML"
      >
        <Empty title="Counting">
          <p class="muted">All stored versions are listed. With a long history this takes a while.</p>
          <p>
            <a href={view.path}>Look again</a>
          </p>
        </Empty>
        <Command>{`taco org show ${view.org.name} --usage`}</Command>
      </div>
    </SettingsFrame>
  )
}

function UsagePage(props: UsagePageProps) {
  const { view, now, used, isWhole, search, columns, items, paging } = props
  return (
    <SettingsFrame view={view} tab="usage">
      <div class="grid">
        <Card title="Used">
          <div class="amounts">
            <Amount label="Units" used={used.units} most={now.limits.units} say={count} />
            <Amount label="Versions" used={used.versions} most={undefined} say={count} />
            <Amount label="States and versions" used={used.bytes} most={now.limits.bytes} say={bytes} />
          </div>
          <p class="faint">
            As of <Time at={used.asOf} />. Versions and their bytes include those of deleted units.
            {!isWhole && ' Only units that you may see are counted; limits count all of them.'}
          </p>
          {!used.isComplete && (
            <Notice kind="warn">
              <p>There are more than a million versions. Those beyond are not counted.</p>
            </Notice>
          )}
        </Card>
        <Card title="Largest units">
          <FindForm path={`${view.org.base}/settings/usage`} search={search} />
          {items.length === 0 ? (
            <p class="muted">{search === '' ? 'There are no units yet.' : 'No unit has such a name.'}</p>
          ) : (
            <DataTable path={view.path} caption="Largest units" columns={columns} items={items} />
          )}
          <ListFooter path={view.path} paging={paging} />
        </Card>
        <Command>{`taco org show ${now.name} --usage`}</Command>
      </div>
    </SettingsFrame>
  )
}

const count = (number: number) => number.toLocaleString('en')

interface AmountProps {
  readonly label: string
  readonly used: number
  readonly most: number | undefined
  readonly say: (amount: number) => string
}

/** How much is used, and how much of the limit that is. */
function Amount({ label, used, most, say }: AmountProps) {
  return (
    <div class="amount">
      <span class="muted">{label}</span>
      <b class="num">{say(used)}</b>
      {most === undefined ? (
        <span class="muted">no limit</span>
      ) : (
        <>
          <meter
            aria-label={`${label}: ${say(used)} of ${say(most)}`}
            min={0}
            max={Math.max(most, 1)}
            low={most * 0.9}
            optimum={0}
            value={Math.min(used, Math.max(most, 1))}
          />
          <span class="muted num">
            {share(used, most)} of the limit of {say(most)}
          </span>
        </>
      )}
    </div>
  )
}

function share(used: number, most: number): string {
  return most === 0 ? 'all' : `${Math.floor((used / most) * 100)} %`
}

function unitColumns({ org }: OrgView): readonly Column<UnitUsage>[] {
  return [
    {
      name: 'unit',
      label: 'Unit',
      cell: ({ name, isDeleted }) =>
        isDeleted ? (
          <span class="mono">
            {name} <span class="chip">deleted</span>
          </span>
        ) : (
          <a class="mono" href={unitPath(org.base, name, 'history')}>
            {name}
          </a>
        ),
      value: ({ name }) => name,
    },
    {
      name: 'versions',
      label: 'Versions',
      isNumber: true,
      cell: ({ versions }) => count(versions),
      value: ({ versions }) => versions,
    },
    {
      name: 'stateBytes',
      label: 'State',
      isNumber: true,
      cell: ({ stateBytes }) => <span class="nowrap">{bytes(stateBytes)}</span>,
      value: ({ stateBytes }) => stateBytes,
    },
    {
      name: 'versionBytes',
      label: 'History',
      isNumber: true,
      cell: ({ versionBytes }) => <span class="nowrap">{bytes(versionBytes)}</span>,
      value: ({ versionBytes }) => versionBytes,
    },
  ]
}
