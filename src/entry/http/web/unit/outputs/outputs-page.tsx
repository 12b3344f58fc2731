import type { Child } from 'hono/jsx'
import type { OutputView, OutputsCommitView } from '../../../../../state/index.ts'
import { sayAuthor } from '../../../../../base/text/author.ts'
import { UnitLinks } from '../../rollouts/step-words.tsx'
import { unitPath, withQuery } from '../../shell/addresses.ts'
import { matchingLines, shell } from '../../shell/command-line.ts'
import { Form } from '../../shell/layout.tsx'
import { Ago, Card, Command, Empty, Notice, Tabs } from '../../shell/parts.tsx'
import { type Column, DataTable, ListFooter, pageOf } from '../../shell/table.tsx'
import { UnitFrame, type UnitPage } from '../frame.tsx'
import type { Readers } from './readers.ts'
import { typeWords } from './type-words.ts'

interface OutputsFrameProps {
  readonly page: UnitPage
  readonly view: 'values' | 'commits' | 'compare'
  readonly children?: Child
}

/** The pages about outputs: their values, the commits that changed them, and two commits compared. */
export function OutputsFrame({ page, view, children }: OutputsFrameProps) {
  const path = unitPath(page.view.org.base, page.unit.name, 'outputs')
  const tabs = [
    { label: 'Values', href: path, isCurrent: view === 'values' },
    {
      label: 'Commits',
      href: `${path}/log`,
      isCurrent: view === 'commits',
      count: page.unit.commit ?? undefined,
    },
    { label: 'Compare', href: `${path}/diff`, isCurrent: view === 'compare' },
  ]
  return (
    <UnitFrame of={page} tab="outputs">
      {page.unit.state !== null && <Tabs label="Outputs" tabs={tabs} isMinor />}
      <div class="grid">{children}</div>
    </UnitFrame>
  )
}

interface OutputsPageProps {
  readonly page: UnitPage
  readonly commit: OutputsCommitView | undefined
  readonly readers: Readers | undefined
  readonly search: string
  readonly now: number
  readonly isRevealed?: boolean
}

/** By name. Pure. */
export function matching(outputs: readonly OutputView[], search: string): readonly OutputView[] {
  const wanted = search.trim().toLowerCase()
  return outputs.filter(({ name }) => name.toLowerCase().includes(wanted))
}

export function OutputsPage({ page, commit, readers, search, now, isRevealed = false }: OutputsPageProps) {
  const { view, unit } = page
  const path = unitPath(view.org.base, unit.name, 'outputs')
  const all = commit?.outputs ?? []
  const isOld = commit !== undefined && commit.commit !== unit.commit
  return (
    <OutputsFrame page={page} view="values">
      {isRevealed && (
        <Notice kind="warn">
          <p>
            This page shows sensitive values. That you looked at them is recorded.{' '}
            <a href={path}>Hide them</a>
          </p>
        </Notice>
      )}
      {isOld && (
        <Notice kind="warn">
          <p>
            These are the outputs of an earlier commit. <a href={path}>Show the current ones</a>
          </p>
        </Notice>
      )}
      {all.length === 0 || commit === undefined ? (
        <Empty title="No outputs">
          <p class="muted">{emptyText(page, commit)}</p>
        </Empty>
      ) : (
        <Card>
          <p class="muted">
            Commit {commit.commit}, <Ago at={commit.at} now={now} /> by {sayAuthor(commit)}
          </p>
          <List page={page} all={all} readers={readers} search={search} isRevealed={isRevealed} />
          <Reveal page={page} all={all} isShown={!isRevealed && !isOld} />
        </Card>
      )}
      <Command>{commandOf(page, commit, isOld, isRevealed, search)}</Command>
    </OutputsFrame>
  )
}

function commandOf(
  { unit }: UnitPage,
  commit: OutputsCommitView | undefined,
  isOld: boolean,
  isRevealed: boolean,
  search: string,
): string {
  const at = isOld && commit !== undefined ? [String(commit.commit)] : []
  const options = isRevealed ? ['--sensitive'] : []
  return matchingLines(shell`taco outputs show ${[unit.name, ...at, ...options]}`, search.trim())
}

interface ListProps {
  readonly page: UnitPage
  readonly all: readonly OutputView[]
  readonly readers: Readers | undefined
  readonly search: string
  readonly isRevealed: boolean
}

/** Outputs are few: those of a large unit are narrowed by the search, not paged. */
function List({ page, all, readers, search, isRevealed }: ListProps) {
  const { view, unit } = page
  const found = matching(all, search)
  const path = unitPath(view.org.base, unit.name, 'outputs')
  const { paging } = pageOf(found, 1, Math.max(1, found.length))
  return (
    <>
      {all.length > 8 && (
        <search>
          <form class="bar filters" action={path}>
            <input
              type="search"
              name="search"
              value={search}
              placeholder="Name"
              aria-label="Search outputs"
            />
            <button class="button" type="submit">
              Search
            </button>
          </form>
        </search>
      )}
      {found.length === 0 ? (
        <p class="muted">No output matches.</p>
      ) : (
        <DataTable path={path} caption="Outputs" columns={columnsOf(page, readers)} items={found} />
      )}
      {!isRevealed && <ListFooter path={view.path} paging={paging} />}
    </>
  )
}

interface RevealProps {
  readonly page: UnitPage
  readonly all: readonly OutputView[]
  readonly isShown: boolean
}

function Reveal({ page: { view, unit }, all, isShown }: RevealProps) {
  if (!isShown || !all.some(({ sensitive }) => sensitive)) return null
  if (!view.may('outputs:read-sensitive', unit))
    return (
      <p class="muted">
        You may not see sensitive values: that takes the right <code>outputs:read-sensitive</code>.
      </p>
    )
  return (
    <Form view={view} action={unitPath(view.org.base, unit.name, 'outputs')} class="bar actions">
      <button class="button" type="submit">
        Show sensitive values
      </button>
      <span class="muted">It is recorded that you looked at them.</span>
    </Form>
  )
}

function emptyText({ unit }: UnitPage, commit: OutputsCommitView | undefined): string {
  if (unit.missing !== null) return 'The state is missing from the bucket.'
  if (unit.state === null) return 'The unit has no state yet.'
  if (commit?.outputs === null) return 'The state is encrypted, so its outputs are unknown.'
  return 'The state has no outputs.'
}

export function columnsOf(
  { view, unit }: UnitPage,
  readers: Readers | undefined,
): readonly Column<OutputView>[] {
  const { base } = view.org
  const log = unitPath(base, unit.name, 'outputs/diff')
  return [
    {
      name: 'name',
      label: 'Name',
      cell: ({ name }) => <span class="mono">{name}</span>,
      value: ({ name }) => name,
    },
    {
      name: 'value',
      label: 'Value',
      cell: ({ json, sensitive }) =>
        json === undefined ? (
          <span class="muted">
            <span aria-hidden="true">•••••••• </span>
            {sensitive ? 'sensitive' : 'not available'}
          </span>
        ) : (
          <code class="value">{shownJson(json)}</code>
        ),
      value: ({ json, sensitive }) => (sensitive ? null : (json ?? null)),
    },
    {
      name: 'type',
      label: 'Type',
      cell: ({ type }) => <span class="mono muted">{typeWords(type)}</span>,
      value: ({ type }) => type,
    },
    {
      name: 'since',
      label: 'Since commit',
      isNumber: true,
      cell: ({ since }) => (
        <a href={withQuery(log, { from: String(since - 1), to: String(since) })}>{since}</a>
      ),
      value: ({ since }) => since,
    },
    ...(readers === undefined
      ? []
      : [
          {
            name: 'readers',
            label: 'Read by',
            cell: ({ name }: OutputView) => <UnitLinks base={base} names={readers.of(name)} most={3} />,
            value: ({ name }: OutputView) => readers.of(name).join(' '),
          },
        ]),
  ]
}

/** Over several lines if it is long. Numbers keep every digit: then it stays as it is. */
function shownJson(json: string): string {
  if (json.length < 80 || /\d{16}/.test(json)) return json
  return JSON.stringify(JSON.parse(json), null, 2)
}
