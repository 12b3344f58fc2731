import { isTacoError } from '../../../../../base/errors.ts'
import { sayAuthor } from '../../../../../base/text/author.ts'
import type { Caller } from '../../../../../state/index.ts'
import { isVisibleRollout } from '../../../kit/visible-rollouts.ts'
import type { WebServices } from '../../services.ts'
import { unitPath } from '../../shell/addresses.ts'
import { Ago, Notice } from '../../shell/parts.tsx'
import type { UnitPage } from '../frame.tsx'

/** A rollout that works on the unit, or whose apply of it failed. */
export interface Work {
  readonly rollout: string
  readonly isRunning: boolean
  /** What the engine said, if it failed. */
  readonly failure: string | undefined
}

/** Undefined: there is none, or the person may not see it. */
export async function workOn(
  { view, ref, unit, status }: UnitPage,
  { rollouts, control }: WebServices,
  caller: Caller,
): Promise<Work | undefined> {
  const isRunning = status?.marks.includes('running') === true
  if (!isRunning && status?.marks.includes('failed') !== true) return undefined
  if (!view.may('rollout:read', unit)) return undefined
  const id = isRunning
    ? (await rollouts.unfinished(ref.org, caller)).rollouts.find(({ running }) => running.includes(unit.id))
        ?.id
    : (await control.graph.facts(ref, caller))?.failed?.rollout
  if (id === undefined) return undefined
  try {
    const rollout = await rollouts.get({ org: ref.org, id }, caller)
    if (!isVisibleRollout(rollout, await control.units.visible(ref.org, caller))) return undefined
    const step = rollout.steps.find((one) => one.unit.id === unit.id)
    const failure = step?.status === 'failed' ? (step.reason ?? undefined) : undefined
    return { rollout: id, isRunning, failure }
  } catch (error) {
    if (!isTacoError(error, 'NOT_FOUND', 'BUCKET_CORRUPT')) throw error
    return undefined
  }
}

export function WorkLines({ of, base }: { readonly of: Work; readonly base: string }) {
  const link = (
    <a class="mono" href={`${base}/rollouts/${of.rollout}`}>
      {of.rollout}
    </a>
  )
  if (of.isRunning) return <p>The rollout {link} is applying it.</p>
  return (
    <>
      <p>
        Its last apply failed, in the rollout {link}
        {of.failure === undefined ? '.' : ':'}
      </p>
      {of.failure !== undefined && <pre class="said">{of.failure}</pre>}
    </>
  )
}

/** Nothing, unless the unit is locked. */
export function LockNotice({ page, now }: { readonly page: UnitPage; readonly now: number }) {
  const { view, unit, lockAction } = page
  const { lock } = unit
  if (lock === null) return null
  const { Operation: operation, Who: place } = lock.info
  return (
    <Notice kind="warn">
      <p>
        Locked by {lock.outside ? place || 'a program that does not use OpenTaco' : sayAuthor(lock)},{' '}
        <Ago at={lock.at} now={now} />
        {operation !== '' && ` (${operation})`}
        {lock.reason !== null && lock.reason !== '' && `: ${lock.reason}`}. No one else can write the state.{' '}
        <a href={unitPath(view.org.base, unit.name, 'lock')}>
          {lockAction === 'unlock' ? 'Details, and how to unlock it' : 'Details'}
        </a>
      </p>
    </Notice>
  )
}
