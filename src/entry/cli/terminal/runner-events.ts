import { messageOf } from '../../../base/errors.ts'
import type { EngineLeft, RunnerEvent } from '../../../runner/index.ts'
import type { Output } from './output.ts'

type StepEvent = Exclude<RunnerEvent, { readonly kind: 'idle' }>

/** One line about a step. */
export function lineOf(event: StepEvent, { style }: Pick<Output, 'style'>): string {
  switch (event.kind) {
    case 'started':
      return style('bold', `started: ${event.claim.why}`)
    case 'ended':
      return style('bold', saysEnd(event.end))
    case 'line':
      return event.line
    case 'unproven':
      return `has no fingerprint, so it is applied: ${event.path} cannot be read`
    case 'waiting':
      return `waiting: ${event.error.message}`
    case 'engine-left':
      return saysLeft(event.left)
    case 'unrecorded':
      return `if this worker is killed, others will not see that its engine is still running: ${event.reason}`
    case 'token-left':
      return saysTokenLeft(event)
    case 'lost':
      return 'another worker took this step over'
    default:
      return event.error.message
  }
}

/** Also for commands that run an engine without a rollout. */
export function saysTokenLeft({
  expiresAt,
  error,
}: {
  readonly expiresAt: string
  readonly error: unknown
}): string {
  return `the token of this run could not be revoked and is valid until ${expiresAt}: ${messageOf(error)}`
}

function saysLeft(left: EngineLeft): string {
  switch (left.kind) {
    case 'running':
      return `waiting: the engine of an earlier worker (process ${left.pid}) is still running`
    case 'perhaps':
      return `waiting: process ${left.pid} may be the engine of an earlier worker; if it is not, remove ${left.note}`
    default:
      return `an earlier worker may have left its engine running on ${left.host} (process ${left.pid}), which cannot be checked from here`
  }
}

function saysEnd(end: Extract<StepEvent, { readonly kind: 'ended' }>['end']): string {
  switch (end.kind) {
    case 'applied':
      return `applied in ${(end.engineMs / 1000).toFixed(1)} s`
    case 'failed':
      return `failed: ${end.reason}`
    case 'unchanged':
      return `skipped: same fingerprint ${end.fingerprint.slice(0, 12)} as its last apply`
    default:
      return 'returned'
  }
}
