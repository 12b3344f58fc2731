import { sayPrincipal } from '../../../../../base/text/author.ts'
import type { CheckView } from '../../../../../health/index.ts'
import { withQuery } from '../../shell/addresses.ts'
import { Ago, Card, Notice } from '../../shell/parts.tsx'
import { DataTable, ListFooter, type Paging } from '../../shell/table.tsx'
import type { OrgView } from '../../shell/view.ts'
import { type ShownFinding, findingColumns } from './findings.tsx'

export interface CheckPartProps {
  readonly view: OrgView
  /** Of the page, with its filters. */
  readonly path: string
  readonly now: number
  /** Undefined: there was none yet. */
  readonly check: CheckView | undefined
  readonly findings: readonly ShownFinding[]
  readonly counts: Readonly<Record<string, number>>
  /** Empty: all that are not fine. */
  readonly level: string
  readonly paging: Paging
}

/** How often a page asks how far a running check got. */
export const ASK_EVERY = 'every 2s'

/** The last check and what it found. While one runs, the part asks for itself again. */
export function CheckPart(props: CheckPartProps) {
  const { path, check } = props
  const isRunning = check?.attempt.state === 'running'
  const asking = {
    'hx-get': withQuery(path, { part: 'check' }),
    'hx-trigger': ASK_EVERY,
    'hx-swap': 'outerHTML',
  }
  return (
    <div id="check" class="grid" {...(isRunning ? asking : {})}>
      {check !== undefined && <AttemptNotice check={check} now={props.now} path={path} />}
      {check?.report !== undefined && <ReportCard {...props} report={check.report} />}
      {check === undefined && (
        <Card title="Findings">
          <p class="muted">
            The bucket was not checked yet. A check looks at every unit: its document, its state, its lock and
            its name. A thorough one also reads every version back.
          </p>
        </Card>
      )}
    </div>
  )
}

function AttemptNotice({
  check: { attempt },
  now,
  path,
}: {
  readonly check: CheckView
  readonly now: number
  readonly path: string
}) {
  const { state, checked, total, server, startedAt, error, options } = attempt
  const by = sayPrincipal(attempt.by)
  const what = options.repair ? 'repair' : options.deep ? 'thorough check' : 'check'
  if (state === 'running')
    return (
      <Notice kind="warn">
        <p>
          A {what} is running on {server.host}, started <Ago at={startedAt} now={now} /> by {sayPrincipal(by)}
          . {total === undefined ? 'It has just begun.' : `${checked} of ${total} units were checked.`}{' '}
          <a href={path}>Refresh</a>
        </p>
        <progress
          class="wide"
          aria-label="Units checked"
          {...(total === undefined || total === 0 ? {} : { value: checked, max: total })}
        />
      </Notice>
    )
  if (state === 'interrupted')
    return (
      <Notice kind="warn">
        <p>
          The {what} that {sayPrincipal(by)} started <Ago at={startedAt} now={now} /> was interrupted: the
          server on {server.host} ended or does not reach the bucket. It had checked {checked} units.
        </p>
      </Notice>
    )
  if (state === 'failed')
    return (
      <Notice kind="fail">
        <p>
          The {what} that {sayPrincipal(by)} started <Ago at={startedAt} now={now} /> failed: {error}
        </p>
      </Notice>
    )
  return null
}

const LEVELS = [
  ['', 'To review', ['error', 'warning', 'info', 'repaired']],
  ['error', 'Errors', ['error']],
  ['warning', 'Warnings', ['warning']],
  ['info', 'Notes', ['info']],
  ['repaired', 'Repaired', ['repaired']],
  ['ok', 'Fine', ['ok']],
] as const

/** The levels that a filter of the page stands for. */
export function levelsIn(filter: string): readonly string[] {
  return (LEVELS.find(([level]) => level === filter) ?? LEVELS[0])[2]
}

function ReportCard(props: CheckPartProps & { readonly report: NonNullable<CheckView['report']> }) {
  const { view, path, now, report, findings, counts, level, paging } = props
  const columns = findingColumns(view).filter(({ label }) => label !== '')
  const nothing = level === '' ? 'Nothing to review: everything is fine.' : 'No finding of this kind.'
  return (
    <Card title="Findings">
      <p class="muted">
        {report.options.repair ? 'Repaired' : report.options.deep ? 'Checked thoroughly' : 'Checked'}{' '}
        <Ago at={report.endedAt} now={now} /> by {sayPrincipal(report.by)}, on {report.server.host}.{' '}
        <span class="num">{report.checked.toLocaleString('en')}</span> units were checked.
      </p>
      <nav class="counts" aria-label="Findings">
        {LEVELS.map(([value, label, levels]) => (
          <a
            href={withQuery(path, { level: value, page: undefined })}
            aria-current={value === level ? 'true' : undefined}
          >
            <b class="num">{levels.reduce((sum, one) => sum + (counts[one] ?? 0), 0)}</b> {label}
          </a>
        ))}
      </nav>
      {findings.length === 0 ? (
        <p class="muted">{nothing}</p>
      ) : (
        <DataTable path={path} caption="Findings" columns={columns} items={findings} />
      )}
      {report.omitted > 0 && (
        <p class="faint">
          {report.omitted} more findings are not stored. <code>taco doctor</code> prints all of them.
        </p>
      )}
      <ListFooter path={path} paging={paging} />
    </Card>
  )
}
