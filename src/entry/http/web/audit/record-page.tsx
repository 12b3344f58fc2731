import { sayPrincipal } from '../../../../base/text/author.ts'
import type { AuditRecord } from '../../../../state/index.ts'
import { unitPath, withQuery } from '../shell/addresses.ts'
import { shell } from '../shell/command-line.ts'
import { Layout } from '../shell/layout.tsx'
import { Card, Code, Command, Split, Time, Why } from '../shell/parts.tsx'
import type { OrgView } from '../shell/view.ts'

/** With its time: that is where it is looked for. */
export function recordPath(base: string, { id, at }: Pick<AuditRecord, 'id' | 'at'>): string {
  return withQuery(`${base}/audit/${encodeURIComponent(id)}`, { at })
}

export function ResultChip({ result }: Pick<AuditRecord, 'result'>) {
  return (
    <span class={result === 'done' ? 'chip ok' : 'chip look-fail'}>
      <span aria-hidden="true">{result === 'done' ? '✓' : '✕'}</span> {result}
    </span>
  )
}

interface RecordPageProps {
  readonly view: OrgView
  readonly record: AuditRecord
}

/** Everything that is known of one record, with links to what is like it. */
export function RecordPage({ view, record }: RecordPageProps) {
  const { at, by, who, via, address, action, type, route, unit, requestId, count, data, result } = record
  const audit = `${view.org.base}/audit`
  const like = (filter: Readonly<Record<string, string>>, text: string) => (
    <a href={withQuery(audit, filter)}>{text}</a>
  )
  return (
    <Layout view={view} title="Audit record">
      <nav class="crumbs" aria-label="Path">
        <a href={audit}>Audit</a> /
      </nav>
      <h1 class="mono">{type}</h1>
      <Split
        side={
          <>
            <Card title="Who">
              <dl class="keyed">
                <dt>Who</dt>
                <dd>{like({ who: by }, sayPrincipal(by))}</dd>
                {who !== null && (
                  <>
                    <dt>Says</dt>
                    <dd>
                      {who} <span class="faint">not verified</span>
                    </dd>
                  </>
                )}
                {via !== null && (
                  <>
                    <dt>With</dt>
                    <dd>
                      {via.kind} {like({ who: via.id }, via.name ?? via.id)}
                      {via.name !== null && <div class="faint mono">{via.id}</div>}
                    </dd>
                  </>
                )}
                <dt>From</dt>
                <dd class="mono">{address ?? 'unknown'}</dd>
              </dl>
            </Card>
            <Command>{shell`taco audit --since ${at} --until ${at}`}</Command>
          </>
        }
      >
        {result === 'refused' && (
          <Why look="fail">
            <p>
              This was refused
              {action !== null &&
                `: ${sayPrincipal(by)} does not have the right ${action}, or the request was not possible`}
              .
            </p>
          </Why>
        )}
        <Card title="What">
          <dl class="keyed">
            <dt>When</dt>
            <dd>
              <Time at={at} /> <span class="faint mono">{at}</span>
            </dd>
            <dt>Result</dt>
            <dd>
              <ResultChip result={result} />
            </dd>
            {action !== null && (
              <>
                <dt>Action</dt>
                <dd class="mono">{like({ action }, action)}</dd>
              </>
            )}
            <dt>Event</dt>
            <dd class="mono">{like({ action: type }, type)}</dd>
            {unit !== null && (
              <>
                <dt>Unit</dt>
                <dd class="mono">
                  {unit.id === null ? (
                    unit.name
                  ) : (
                    <a href={unitPath(view.org.base, unit.name)}>{unit.name}</a>
                  )}{' '}
                  {like({ unit: unit.id ?? unit.name }, 'all records')}
                </dd>
              </>
            )}
            {count > 1 && (
              <>
                <dt>Times</dt>
                <dd>{count}, after one that has a record of its own</dd>
              </>
            )}
            {route !== null && (
              <>
                <dt>Route</dt>
                <dd class="mono">{route}</dd>
              </>
            )}
            {requestId !== null && (
              <>
                <dt>Request</dt>
                <dd class="mono">{requestId}</dd>
              </>
            )}
            <dt>Id</dt>
            <dd class="mono">{record.id}</dd>
          </dl>
        </Card>
        {Object.keys(data).length > 0 && (
          <Card title="Details">
            <Code label="Details">{JSON.stringify(data, null, 2)}</Code>
          </Card>
        )}
      </Split>
    </Layout>
  )
}
