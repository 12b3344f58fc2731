import { sayPrincipal } from '../../../../base/text/author.ts'
import type { AuditRecord } from '../../../../state/index.ts'
import { unitPath } from '../shell/addresses.ts'
import { option, shell } from '../shell/command-line.ts'
import type { Faults } from '../shell/faults.ts'
import { Field, describedBy } from '../shell/form/field.tsx'
import { SelectField } from '../shell/form/select-field.tsx'
import { TextField } from '../shell/form/text-field.tsx'
import { Layout } from '../shell/layout.tsx'
import { Card, Command, Time } from '../shell/parts.tsx'
import { type Column, CursorFooter, DataTable } from '../shell/table.tsx'
import type { OrgView } from '../shell/view.ts'
import { fieldTime, momentText } from './moment.ts'
import { ResultChip, recordPath } from './record-page.tsx'

/** As they are in the address. Empty: not filtered. */
export interface AuditFilters {
  readonly who: string
  readonly action: string
  readonly unit: string
  readonly result?: 'done' | 'refused' | undefined
  readonly since: string
  readonly until: string
}

/** Most records in an export. */
export const EXPORTED = 10_000

export function auditColumns(base: string): readonly Column<AuditRecord>[] {
  return [
    { name: 'at', label: 'When', cell: ({ at }) => <Time at={at} />, value: ({ at }) => at },
    {
      name: 'by',
      label: 'Who',
      cell: ({ by, who, via }) => (
        <>
          {sayPrincipal(by)}
          {who !== null && <div class="faint">says {who}</div>}
          {via !== null && (
            <div class="faint">
              {via.kind} {via.name ?? via.id}
            </div>
          )}
        </>
      ),
      value: ({ by }) => by,
    },
    {
      name: 'result',
      label: 'Result',
      cell: ({ result }) => <ResultChip result={result} />,
      value: ({ result }) => result,
    },
    {
      name: 'action',
      label: 'Action',
      cell: ({ action, type, count }) => (
        <>
          <span class="mono">{action ?? type}</span>
          {action !== null && <div class="faint mono">{type}</div>}
          {count > 1 && <div class="faint">{count} times</div>}
        </>
      ),
      value: ({ action }) => action,
    },
    {
      name: 'unit',
      label: 'Unit',
      cell: ({ unit }) =>
        unit === null ? (
          ''
        ) : unit.id === null ? (
          <span class="mono">{unit.name}</span>
        ) : (
          <a class="mono" href={unitPath(base, unit.name)}>
            {unit.name}
          </a>
        ),
      value: ({ unit }) => unit?.name ?? null,
    },
    {
      name: 'address',
      label: 'From',
      cell: ({ address }) => <span class="num">{address ?? ''}</span>,
      value: ({ address }) => address,
    },
    {
      name: 'event',
      label: 'Details',
      cell: (record) => (
        <a href={recordPath(base, record)} aria-label={`Show ${record.type} at ${record.at}`}>
          Show
        </a>
      ),
      value: ({ type }) => type,
    },
    {
      name: 'request',
      label: '',
      cell: () => '',
      value: ({ requestId }) => requestId,
    },
  ]
}

interface AuditPageProps {
  readonly view: OrgView
  readonly filters: AuditFilters
  readonly records: readonly AuditRecord[]
  readonly next: string | undefined
  readonly faults: Faults
}

export function AuditPage({ view, filters, records, next, faults }: AuditPageProps) {
  const columns = auditColumns(view.org.base).filter(({ label }) => label !== '')
  return (
    <Layout view={view} title="Audit" isWide>
      <h1>Audit</h1>
      <div class="grid">
        <Filters path={`${view.org.base}/audit`} filters={filters} faults={faults} />
        <Card title="Who changed what, and who was refused">
          {records.length === 0 ? (
            <p class="muted">
              {next === undefined
                ? 'No record matches.'
                : 'No record matches in this part of the log. Older ones are on the next page.'}
            </p>
          ) : (
            <DataTable
              path={view.path}
              caption="Audit records, newest first"
              columns={columns}
              items={records}
              hrefOf={(record) => recordPath(view.org.base, record)}
            />
          )}
          <CursorFooter path={view.path} next={next} />
          <p class="faint">
            An export has the newest {EXPORTED.toLocaleString('en')} records that match.{' '}
            <code>taco audit --csv</code> has no limit.
          </p>
        </Card>
        <Command>{commandOf(filters)}</Command>
      </div>
    </Layout>
  )
}

interface FiltersProps {
  readonly path: string
  readonly filters: AuditFilters
  readonly faults: Faults
}

const RESULTS = [
  ['', 'all'],
  ['done', 'done'],
  ['refused', 'refused'],
] as const

function Filters({ path, filters, faults }: FiltersProps) {
  const field = (id: 'who' | 'action' | 'unit', label: string, hint: string) => (
    <TextField id={id} label={label} hint={hint} value={filters[id]} faults={faults} />
  )
  const time = (id: 'since' | 'until', label: string, of: 'first' | 'last') => (
    <Field id={id} label={label} hint="In UTC." error={faults[id]}>
      <input
        type="datetime-local"
        id={id}
        name={id}
        value={fieldTime(filters[id], of)}
        {...describedBy(id, faults)}
      />
    </Field>
  )
  return (
    <Card title="Filter">
      <form class="audit-filters" action={path}>
        {field('who', 'Who', 'user:alice or alice, or the id of a token, session or run.')}
        {field('action', 'Action', 'Such as state:write, state:* or lock.forced.')}
        {field('unit', 'Unit', 'Name or id.')}
        <SelectField id="result" label="Result" value={filters.result ?? ''} options={RESULTS} />
        {time('since', 'Since', 'first')}
        {time('until', 'Until', 'last')}
        <div class="bar">
          <button class="button" type="submit">
            Filter
          </button>
          <a href={path}>Show all</a>
        </div>
      </form>
    </Card>
  )
}

function commandOf({ who, action, unit, result, since, until }: AuditFilters): string {
  const options = {
    who,
    action,
    unit,
    result,
    since: momentText(since, 'first'),
    until: momentText(until, 'last'),
  }
  return shell`taco audit ${Object.entries(options).flatMap(([name, value]) => option(name, value))}`
}
