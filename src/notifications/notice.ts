import type { NotedEvent } from './event.ts'

/** What is sent, before a destination gives it its form. */
export interface Notice {
  /** Id of the configuration. */
  readonly configuration: string
  readonly trigger: string
  /** A sentence. */
  readonly message: string
  readonly org: string
  /** As Terraform Cloud names it: with `--` for `/`. */
  readonly workspace: { readonly id: string; readonly name: string } | null
  /** A page about it. */
  readonly link: string | null
  /** Null for a verification. */
  readonly event: NotedEvent | null
}

/** The sentence that tells of an event. Pure. */
export function sentenceOf({ type, unit, by, data }: NotedEvent): string {
  const name = unit?.name ?? 'the organization'
  const text = (field: string) => (typeof data[field] === 'string' ? data[field] : '')
  const number = (field: string) => (typeof data[field] === 'number' ? String(data[field]) : '?')
  switch (type) {
    case 'state.written':
      return data['how'] === 'outside'
        ? `The state of ${name} was changed outside OpenTaco.`
        : `${by} wrote the state of ${name} (serial ${number('serial')}).`
    case 'state.deleted':
      return `The state of ${name} was deleted by ${by}.`
    case 'state.missing':
      return `The state of ${name} is missing: it was emptied or deleted outside OpenTaco.`
    case 'state.superseded':
      return `A write to ${name} was overwritten from outside OpenTaco.`
    case 'lock.taken':
      return `${by} locked ${name}.`
    case 'lock.released':
      return `${by} unlocked ${name}.`
    case 'lock.forced':
      return `${by} released another holder's lock of ${name}.`
    case 'lock.expired':
      return `The lock of ${name} expired.`
    case 'unit.created':
      return `${by} created ${name}.`
    case 'unit.adopted':
      return `${by} adopted ${name}.`
    case 'unit.restored':
      return `${by} restored ${name}.`
    case 'unit.renamed':
      return `${by} renamed ${text('from')} to ${text('to')}.`
    case 'unit.deleted':
      return `${by} deleted ${name}.`
    case 'unit.stale':
      return `${name} is stale: outputs of ${text('because')} that it uses have changed.`
    case 'rollout.started':
      return `${by} started a rollout of ${text('from')} with ${number('steps')} steps.`
    case 'rollout.paused':
      return `${by} paused the rollout ${text('rollout')}.`
    case 'rollout.cancelled':
      return `${by} cancelled the rollout ${text('rollout')}.`
    case 'rollout.finished':
      return `The rollout ${text('rollout')} completed: ${number('applied')} applied, ${number('skipped')} skipped.`
    case 'step.applied':
      return `${name} was applied by the rollout ${text('rollout')}.`
    case 'step.failed':
      return `${name} failed in the rollout ${text('rollout')}: ${text('reason')}`
    case 'guard.broken':
      return `${by} broke the guard of ${name}: ${text('reason')}`
    default:
      return `${by}: ${type}${unit === null ? '' : ` (${name})`}`
  }
}
