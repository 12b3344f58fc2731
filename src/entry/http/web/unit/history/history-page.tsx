import { sayAuthor } from '../../../../../base/text/author.ts'
import type { AbsenceView, DamagedVersion } from '../../../../../state/index.ts'
import { unitPath } from '../../shell/addresses.ts'
import { matchingLines, shell } from '../../shell/command-line.ts'
import { Card, Command, Empty, Notice, Time } from '../../shell/parts.tsx'
import { CursorFooter, DataTable } from '../../shell/table.tsx'
import { UnitFrame, type UnitPage } from '../frame.tsx'
import { CountChanges, type ListedVersions } from './changes.tsx'
import { versionColumns } from './version-columns.tsx'

export interface FoundVersions extends ListedVersions {
  readonly damaged: readonly DamagedVersion[]
  readonly absences: readonly AbsenceView[]
  readonly next: string | undefined
}

interface HistoryPageProps {
  readonly page: UnitPage
  readonly found: FoundVersions
  readonly search: string
}

export function HistoryPage({ page, found, search }: HistoryPageProps) {
  const { unit } = page
  const { items, next, damaged, absences } = found
  return (
    <UnitFrame of={page} tab="history">
      <div class="grid">
        {damaged.length > 0 && (
          <Notice kind="warn">
            <p>
              {damaged.length === 1 ? 'A version' : `${damaged.length} versions`} cannot be read:{' '}
              {damaged.map(({ seq }) => seq).join(', ')}. <code>taco doctor --deep</code> says why.
            </p>
          </Notice>
        )}
        {absences.map((one) => (
          <Absence of={one} />
        ))}
        {items.length === 0 && search === '' && next === undefined ? (
          <Empty title="No versions">
            <p class="muted">
              The first write of an engine, or of the command below, makes the first version.
            </p>
            <Command>{shell`taco state push ${unit.name} terraform.tfstate`}</Command>
          </Empty>
        ) : (
          <Card>
            <List page={page} found={found} search={search} />
          </Card>
        )}
        <Command>{matchingLines(shell`taco state versions ${unit.name}`, search.trim())}</Command>
      </div>
    </UnitFrame>
  )
}

function List({ page, found, search }: HistoryPageProps) {
  const { view, unit } = page
  const { items, next } = found
  const path = (tab: string) => unitPath(view.org.base, unit.name, tab)
  const table = (
    <DataTable path={view.path} caption="Versions" columns={versionColumns(page, found)} items={items} />
  )
  return (
    <>
      {(search !== '' || next !== undefined || items.length > 10) && (
        <search>
          <form class="bar filters" action={path('history')}>
            <input
              type="search"
              name="search"
              value={search}
              placeholder="Number, serial, person or message"
              aria-label="Search versions"
            />
            <button class="button" type="submit">
              Search
            </button>
          </form>
        </search>
      )}
      <CountChanges page={page} listed={found} />
      {items.length === 0 ? (
        <p class="muted">{next === undefined ? 'No version matches.' : 'No version of this page matches.'}</p>
      ) : items.length > 1 && view.may('versions:read-state', unit) ? (
        <form action={path('diff')}>
          {table}
          <p class="actions">
            <button class="button" type="submit">
              Compare selected
            </button>
          </p>
        </form>
      ) : (
        table
      )}
      <CursorFooter path={view.path} next={next} />
    </>
  )
}

const ABSENCES: Readonly<Record<string, string>> = {
  state: 'The state was deleted',
  unit: 'The unit was deleted',
  missing: 'The state was missing from',
}

function Absence({ of: { what, at, until, ...author } }: { readonly of: AbsenceView }) {
  return (
    <Notice kind="warn">
      <p>
        {ABSENCES[what] ?? 'There was no state'} <Time at={at} /> by {sayAuthor(author)}
        {until !== null && (
          <>
            , until <Time at={until} />
          </>
        )}
        .
      </p>
    </Notice>
  )
}
