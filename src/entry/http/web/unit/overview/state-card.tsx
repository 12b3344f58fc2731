import { sayAuthor } from '../../../../../base/text/author.ts'
import { bytes } from '../../../../../base/text/bytes.ts'
import { unitPath } from '../../shell/addresses.ts'
import { Ago, Card, Path } from '../../shell/parts.tsx'
import type { UnitPage } from '../frame.tsx'

/** What there is to know about the state in a few words. */
export function StateCard({ page, now }: { readonly page: UnitPage; readonly now: number }) {
  const { unit, view } = page
  const { state, missing, labels, lock } = unit
  return (
    <Card title="State">
      <dl class="keyed">
        {state === null ? (
          <>
            <dt>State</dt>
            <dd>{missing === null ? 'none yet' : 'missing'}</dd>
          </>
        ) : (
          <>
            <dt>Resources</dt>
            <dd class="num">{state.resources ?? 'encrypted'}</dd>
            <dt>Size</dt>
            <dd class="num">{bytes(state.size)}</dd>
            <dt>Version</dt>
            <dd class="num">
              {state.seq}, serial {state.serial}
            </dd>
            {state.terraformVersion !== null && (
              <>
                <dt>Engine</dt>
                <dd class="num">{state.terraformVersion}</dd>
              </>
            )}
            <dt>Written</dt>
            <dd>
              <Ago at={state.at} now={now} /> by {sayAuthor(state)}
            </dd>
          </>
        )}
        <dt>Lock</dt>
        <dd>
          {lock === null ? (
            'free'
          ) : (
            <>
              held by{' '}
              <a href={unitPath(view.org.base, unit.name, 'lock')}>
                {lock.outside ? lock.info.Who || 'another program' : sayAuthor(lock)}
              </a>
              , <Ago at={lock.at} now={now} />
              {lock.reason !== null && lock.reason !== '' && <span class="muted">: {lock.reason}</span>}
            </>
          )}
        </dd>
        <dt>Key</dt>
        <dd class="mono">
          <Path>{unit.key}</Path>
        </dd>
        {Object.keys(labels).length > 0 && (
          <>
            <dt>Labels</dt>
            <dd class="mono">
              {Object.entries(labels)
                .map(([name, value]) => `${name}=${value}`)
                .join(' ')}
            </dd>
          </>
        )}
        <dt>Created</dt>
        <dd>
          <Ago at={unit.createdAt} now={now} />
        </dd>
      </dl>
    </Card>
  )
}
