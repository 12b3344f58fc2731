import type { Reason, StatusItem } from '../../../../../graph/index.ts'
import type { Caller } from '../../../../../state/index.ts'
import type { WebServices } from '../../services.ts'
import { withQuery } from '../../shell/addresses.ts'
import { ADVICE } from '../../shell/advice.ts'
import { Card, Why } from '../../shell/parts.tsx'
import { Reasons } from '../../shell/reasons.tsx'
import { LOOK_WORDS, lookOf } from '../../shell/status.tsx'
import type { OrgView } from '../../shell/view.ts'
import { ChangedValue } from '../changed-value.tsx'
import type { UnitPage } from '../frame.tsx'
import { type OutputValue, outputValues } from '../output-values.ts'
import { type Work, WorkLines } from './work.tsx'

/** So many values are shown: each unit that is named takes up to two reads. */
const MOST_VALUES = 4

/** An output that the unit read, as it was then and as it is now. */
export interface ValueChange {
  readonly output: string
  readonly unit: string
  readonly before: OutputValue
  readonly after: OutputValue
}

/** The values behind the reasons, of the units whose outputs the person may read. */
export async function valueChanges(
  { view, ref, status }: UnitPage,
  services: WebServices,
  caller: Caller,
): Promise<readonly ValueChange[]> {
  const changed = (status?.reasons ?? []).flatMap(changeIn).slice(0, MOST_VALUES)
  const found = await Promise.all(
    changed.map(async ({ output, on, commit }) => {
      const upstream = { org: ref.org, unit: on.id }
      const facts = await services.control.units.get(upstream, caller)
      if (!view.may('outputs:read', facts)) return []
      const [before, after] = await Promise.all([
        outputValues(services, upstream, commit, caller),
        outputValues(services, upstream, undefined, caller),
      ])
      return [{ output, unit: on.name, before: before.of(output), after: after.of(output) }]
    }),
  )
  return found.flat()
}

function changeIn({ kind, on, output, read }: Reason) {
  return kind === 'changed' && on !== null && output !== null && read !== null
    ? [{ on, output, commit: read.commit }]
    : []
}

interface WhyCardProps {
  readonly page: UnitPage
  readonly values: readonly ValueChange[]
  readonly work: Work | undefined
  readonly now: number
}

/** The status and why it is so. */
export function WhyCard({ page: { view, status }, values, work, now }: WhyCardProps) {
  if (status === undefined) return null
  const look = lookOf(status)
  return (
    <Card title={TITLES[look] ?? `Why it is ${LOOK_WORDS[look]}`}>
      {(status.reasons.length > 0 || work !== undefined) && (
        <Why look={look}>
          {work !== undefined && <WorkLines of={work} base={view.org.base} />}
          <Reasons
            reasons={status.reasons.filter(({ kind }) => work === undefined || kind !== 'failed')}
            base={view.org.base}
            now={now}
          />
        </Why>
      )}
      {values.length > 0 && (
        <dl class="keyed values">
          {values.map(({ output, unit, before, after }) => (
            <>
              <dt class="mono" title={`Of ${unit}`}>
                {output}
              </dt>
              <dd>
                <ChangedValue before={before} after={after} />
              </dd>
            </>
          ))}
        </dl>
      )}
      <p class="muted">
        {KIND_ADVICE[status.reasons[0]?.kind ?? ''] ?? ADVICE[look]}{' '}
        <RollOutFrom view={view} status={status} />
      </p>
    </Card>
  )
}

/** Where the first reason says more than the status about what to do. */
const KIND_ADVICE: Readonly<Record<string, string>> = {
  encrypted: 'OpenTaco cannot read an encrypted state, so it cannot tell when its outputs change.',
  cycle: 'Remove one of the dependencies of the cycle.',
  gone: 'Remove the dependency on the unit that is gone, and apply this one again.',
  damaged: 'taco doctor says what is wrong, and how to repair it.',
}

interface RollOutFromProps {
  readonly view: OrgView
  readonly status: StatusItem
}

/** A rollout from the units whose outputs changed brings this one up to date. */
function RollOutFrom({ view, status: { reasons } }: RollOutFromProps) {
  const names = [...new Set(reasons.flatMap(({ kind, on }) => (kind === 'changed' && on ? [on.name] : [])))]
  if (names.length === 0 || !view.may('rollout:start')) return null
  return (
    <a href={withQuery(`${view.org.base}/rollouts/new`, { from: names.join(',') })}>
      Preview a rollout from {names.length === 1 ? names[0] : `these ${names.length} units`}
    </a>
  )
}

const TITLES: Readonly<Record<string, string>> = {
  ok: 'Status',
  never: 'Status',
  missing: 'Why its state is missing',
  fail: 'Why it failed',
  run: 'Running',
}
