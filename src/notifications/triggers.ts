import type { NotedEvent } from './event.ts'

/** What a trigger reacts to. `outside`: only what was done around OpenTaco, or only what was done through it. */
interface Reaction {
  readonly types: readonly string[]
  readonly outside?: boolean
  readonly says: string
}

/** Triggers of our own, by the events of the journal that they react to. */
export const NATIVE_TRIGGERS = {
  'state:changed': {
    types: ['state.written', 'state.deleted'],
    outside: false,
    says: 'a state was written or deleted',
  },
  'outside:changed': {
    types: ['state.written', 'state.deleted', 'state.missing', 'state.superseded'],
    outside: true,
    says: 'a state was changed, emptied or deleted around OpenTaco',
  },
  'lock:held': { types: ['lock.taken'], says: 'a unit was locked' },
  'lock:released': { types: ['lock.released'], says: 'a lock was released' },
  'lock:forced': { types: ['lock.forced'], says: "someone else's lock was released" },
  'lock:expired': { types: ['lock.expired'], says: 'a lock expired' },
  'unit:created': { types: ['unit.created', 'unit.adopted', 'unit.restored'], says: 'a unit was created' },
  'unit:renamed': { types: ['unit.renamed'], says: 'a unit was renamed' },
  'unit:deleted': { types: ['unit.deleted'], says: 'a unit was deleted' },
  'unit:stale': { types: ['unit.stale'], says: 'outputs that a unit uses have changed' },
  'rollout:started': { types: ['rollout.started'], says: 'a rollout started' },
  'rollout:paused': { types: ['rollout.paused'], says: 'a rollout was paused' },
  'rollout:cancelled': { types: ['rollout.cancelled'], says: 'a rollout was cancelled' },
  'rollout:completed': { types: ['rollout.finished'], says: 'a rollout completed' },
  'rollout:failed': { types: ['step.failed'], says: 'a step of a rollout failed' },
  'rollout:applied': { types: ['step.applied'], says: 'a step of a rollout was applied' },
  'guard:broken': { types: ['guard.broken'], says: 'someone broke the guard of a unit' },
  'team:changed': {
    types: ['team.changed', 'team.member-added', 'team.member-removed'],
    says: 'a team or its members changed',
  },
  'access:changed': {
    types: ['role.changed', 'role.deleted', 'role.granted', 'role.revoked', 'token.created', 'token.revoked'],
    says: 'roles, bindings or tokens changed',
  },
} as const satisfies Readonly<Record<string, Reaction>>

/** Terraform Cloud's triggers for which something exists. A run is a step of a rollout here. */
const RUN_TRIGGERS: Readonly<Record<string, Reaction>> = {
  'run:completed': { types: ['step.applied'], says: '' },
  'run:errored': { types: ['step.failed'], says: '' },
}

/** Terraform Cloud's other triggers: they are stored, and nothing sets them off yet. */
const LATER = [
  'run:created',
  'run:planning',
  'run:needs_attention',
  'run:applying',
  'assessment:drifted',
  'assessment:failed',
  'assessment:check_failure',
  'workspace:auto_destroy_reminder',
  'workspace:auto_destroy_run_results',
  'change_request:created',
]

export const KNOWN_TRIGGERS: readonly string[] = [
  ...Object.keys(NATIVE_TRIGGERS),
  ...Object.keys(RUN_TRIGGERS),
  ...LATER,
]

const REACTIONS: Readonly<Record<string, Reaction>> = { ...NATIVE_TRIGGERS, ...RUN_TRIGGERS }

/** The first of these triggers that the event sets off. */
export function triggerFor(triggers: readonly string[], event: NotedEvent): string | undefined {
  return triggers.find((trigger) => {
    const reaction = Object.hasOwn(REACTIONS, trigger) ? REACTIONS[trigger] : undefined
    if (reaction?.types.includes(event.type) !== true) return false
    return reaction.outside === undefined || reaction.outside === isOutside(event)
  })
}

function isOutside({ type, data }: NotedEvent): boolean {
  return type === 'state.missing' || type === 'state.superseded' || data['how'] === 'outside'
}
