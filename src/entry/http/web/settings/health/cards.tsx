import type { Attempt, BucketHealth, CheckView, Report, ServerList } from '../../../../../health/index.ts'
import { Confirm } from '../../shell/confirm.tsx'
import type { Faults } from '../../shell/faults.ts'
import { Form } from '../../shell/layout.tsx'
import { Ago, Card, Notice } from '../../shell/parts.tsx'
import { type Column, DataTable } from '../../shell/table.tsx'
import type { OrgView } from '../../shell/view.ts'
import { settingsPath } from '../frame.tsx'
import { ASK_EVERY } from './check-part.tsx'
import { LevelChip } from './findings.tsx'

export function BucketCard({ bucket, now }: { readonly bucket: BucketHealth; readonly now: number }) {
  const { answer, probed } = bucket
  return (
    <Card title="Bucket">
      <dl class="keyed">
        <dt>Reachable</dt>
        <dd>
          {answer.isReachable ? (
            <>
              <span class="chip ok">
                <span aria-hidden="true">✓</span> yes
              </span>{' '}
              answers in <span class="num">{answer.ms}</span> ms
            </>
          ) : (
            <>
              <span class="chip look-fail">
                <span aria-hidden="true">✕</span> no
              </span>{' '}
              {answer.message} {answer.hint}
            </>
          )}
        </dd>
        <dt>Kind</dt>
        <dd>{bucket.kind}</dd>
        <dt>Address</dt>
        <dd class="mono">{bucket.label}</dd>
      </dl>
      {probed !== undefined && (
        <details class="more">
          <summary>
            {probed.findings.every(({ ok }) => ok)
              ? 'It does everything that OpenTaco needs'
              : 'It does not do everything that OpenTaco needs'}
          </summary>
          <p class="faint">
            Tested when this server started, <Ago at={probed.at} now={now} />.
          </p>
          <ul class="plain">
            {probed.findings.map(({ check, ok, detail, hint }) => (
              <li>
                <LevelChip level={ok ? 'ok' : 'warning'} /> <span class="mono">{check}</span>
                <div class="muted">
                  {detail} {hint}
                </div>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  )
}

type Server = ServerList['items'][number]

const serverColumns = (now: number): readonly Column<Server>[] => [
  {
    name: 'host',
    label: 'Server',
    cell: ({ host, url }) => (
      <>
        {host}
        <div class="faint mono">{url}</div>
      </>
    ),
    value: ({ host }) => host,
  },
  { name: 'version', label: 'Version', cell: ({ version }) => version, value: ({ version }) => version },
  {
    name: 'started',
    label: 'Started',
    cell: ({ startedAt }) => <Ago at={startedAt} now={now} />,
    value: ({ startedAt }) => startedAt,
  },
  {
    name: 'bucket',
    label: 'Bucket answers in',
    cell: ({ bucketMs }) => (bucketMs === undefined ? '' : `${bucketMs} ms`),
    value: ({ bucketMs }) => bucketMs ?? null,
    isNumber: true,
  },
  {
    name: 'state',
    label: 'State',
    cell: ({ isSeen, seenAt }) =>
      isSeen ? (
        <span class="chip ok">
          <span aria-hidden="true">✓</span> running
        </span>
      ) : (
        <>
          <span class="chip look-fail">
            <span aria-hidden="true">✕</span> not seen
          </span>
          <div class="faint">
            last <Ago at={seenAt} now={now} />
          </div>
        </>
      ),
    value: ({ isSeen }) => isSeen,
  },
]

interface ServersCardProps {
  readonly servers: ServerList
  readonly now: number
  /** False: only how many there are. */
  readonly isDetailed: boolean
  readonly path: string
}

export function ServersCard({ servers, now, isDetailed, path }: ServersCardProps) {
  const { items, unreadable, problem, asOf } = servers
  const versions = [...new Set(items.filter(({ isSeen }) => isSeen).map(({ version }) => version))]
  const lost = items.filter(({ isSeen }) => !isSeen).length
  const running = items.length - lost
  return (
    <Card title="Servers">
      {problem !== undefined && (
        <Notice kind="warn">
          <p>
            {problem} This is what the server knew <Ago at={asOf} now={now} />.
          </p>
        </Notice>
      )}
      <p class="muted">
        {running} {running === 1 ? 'server runs' : 'servers run'} on this bucket
        {versions.length > 0 && `, version ${versions.join(' and ')}`}
        {lost > 0 && `; ${lost} not seen recently`}.{' '}
        {versions.length > 1 && 'Update all of them to the newest version.'}
        {unreadable > 0 && ` ${unreadable} of a newer version cannot be shown.`}
      </p>
      {isDetailed && items.length > 0 && (
        <DataTable path={path} caption="Servers" columns={serverColumns(now)} items={items} />
      )}
    </Card>
  )
}

interface CheckFormsProps {
  readonly view: OrgView
  readonly faults: Faults
}

export function CheckForms({ view, faults }: CheckFormsProps) {
  const path = settingsPath(view, 'health')
  return (
    <Card title="Check the bucket">
      <Form view={view} action={`${path}/check`} class="form">
        <label class="check">
          <input type="checkbox" name="deep" value="on" /> Read every version back, which takes longer
        </label>
        <div>
          <button class="button primary" type="submit">
            Check now
          </button>
        </div>
      </Form>
      <Confirm
        view={view}
        action={`${path}/repair`}
        label="Repair what can be repaired"
        button="Repair"
        word="repair"
        faults={faults}
      >
        <p class="muted">
          Finishes writes that were interrupted, rebuilds names and documents that are missing, and gives up
          writes whose content is lost. Nothing that can be read is deleted.
        </p>
        <label class="check">
          <input type="checkbox" name="deep" value="on" /> Read every version back
        </label>
      </Confirm>
    </Card>
  )
}

interface AuditCardProps {
  readonly view: OrgView
  readonly now: number
  readonly check: CheckView | undefined
}

/** Whether the journal still is what was sealed. While that is found out, the part asks for itself again. */
export function AuditPart({ view, now, check }: AuditCardProps) {
  const path = settingsPath(view, 'health')
  const isRunning = check?.attempt.state === 'running'
  const asking = { 'hx-get': `${path}?part=audit`, 'hx-trigger': ASK_EVERY, 'hx-swap': 'outerHTML' }
  return (
    <div id="audit" {...(isRunning ? asking : {})}>
      <Card title="Audit log">
        {check?.report === undefined ? (
          <p class="muted">It has not been compared with its seals yet.</p>
        ) : (
          <AuditReport report={check.report} now={now} />
        )}
        {check !== undefined && <AuditAttempt {...check.attempt} path={path} />}
        {!isRunning && (
          <Form view={view} action={`${path}/audit`}>
            <button class="button" type="submit">
              Verify now
            </button>
          </Form>
        )}
      </Card>
    </div>
  )
}

function AuditReport({ report, now }: { readonly report: Report; readonly now: number }) {
  const { error } = report.counts
  return (
    <>
      <p>
        <LevelChip level={error === 0 ? 'ok' : 'error'} />{' '}
        {error === 0
          ? 'It matches its seals.'
          : `${error} ${error === 1 ? 'record does' : 'records do'} not match the seals.`}{' '}
        <span class="muted">
          Verified <Ago at={report.endedAt} now={now} />.
        </span>
      </p>
      {report.findings.slice(0, MOST_SHOWN).map(({ message, hint }) => (
        <p class="muted">
          {message} {hint}
        </p>
      ))}
    </>
  )
}

function AuditAttempt({ state, server, error, path }: Attempt & { readonly path: string }) {
  if (state === 'running')
    return (
      <p class="muted">
        It is being verified on {server.host}. <a href={path}>Refresh</a>
      </p>
    )
  if (state === 'failed') return <p class="muted">The last verification failed: {error}</p>
  if (state === 'interrupted')
    return <p class="muted">The last verification was interrupted: its server ended.</p>
  return null
}

/** Further ones are in the list of `taco audit verify`. */
const MOST_SHOWN = 10
