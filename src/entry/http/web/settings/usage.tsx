import { bytes } from '../../../../base/text/bytes.ts'
import { within } from '../../../../base/within.ts'
import type { OrgView as Organization, UnitUsage } from '../../../../state/index.ts'
import type { Route } from '../../kit/routes/route.ts'
import { orgPage } from '../org-page.ts'
import { unitPath } from '../shell/addresses.ts'
import { shell } from '../shell/command-line.ts'
import { exported } from '../shell/export.ts'
import { type Arranged, List, ListQuery, arrange } from '../shell/list.tsx'
import { Card, Command, Empty, Notice, Time } from '../shell/parts.tsx'
import { htmlReply } from '../shell/render.ts'
import type { Column } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { SettingsFrame, settingsPath } from './frame.tsx'

/** Counting lists all versions. The page does not wait longer for it. */
const PATIENCE_MS = 3_000

export const usageRoutes: readonly Route[] = [
  orgPage({
    path: '/settings/usage',
    id: 'showUsage',
    action: 'org:read',
    summary: 'What an organization stores, and the largest units',
    query: ListQuery,
    async handle({ params: { org }, query, caller, view }, { control, clock }) {
      const counting = control.orgs.usageByUnit(org, caller)
      const columns = unitColumns(view)
      if (query.format !== undefined)
        return exported(query.format, 'usage', columns, arrange(await counting, columns, query).found)
      const all = await within(clock, PATIENCE_MS, counting)
      if (all === undefined) return htmlReply(<CountingPage view={view} />)
      const now = await control.orgs.get(org, caller)
      const isWhole = (await control.units.visible(org, caller)) === undefined
      const total = await control.orgs.usage(org, caller)
      const used = isWhole ? total : { ...sumOf(all), isComplete: total.isComplete, asOf: total.asOf }
      const list = arrange(all, columns, query)
      return htmlReply(<UsagePage view={view} now={now} used={used} isWhole={isWhole} list={list} />)
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
  readonly list: Arranged<UnitUsage>
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
        <Command>{shell`taco org show ${view.org.name} --usage`}</Command>
      </div>
    </SettingsFrame>
  )
}

function UsagePage({ view, now, used, isWhole, list }: UsagePageProps) {
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
              <p>There are more than a million versions. The rest is not counted.</p>
            </Notice>
          )}
        </Card>
        <Card title="Largest units">
          <List
            path={settingsPath(view, 'usage')}
            caption="Largest units"
            list={list}
            empty="There are no units yet."
          />
        </Card>
        <Command>{shell`taco org show ${now.name} --usage`}</Command>
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
