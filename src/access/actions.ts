/** Everything that can be allowed or denied. A route names one of them, and so does a check inside a service. */
export const ACTIONS = [
  'server:health',
  'server:metrics',
  'server:read',
  'server:admin',
  /** Sign-in providers of the server: adding, changing, removing. */
  'provider:manage',
  /** The caller's own account: who they are, their personal tokens, their sessions. */
  'account:manage',
  'org:read',
  'org:create',
  /** Settings, limits and name of the organization; registering objects by key, adopting, cleaning up, repairing. */
  'org:admin',
  /** Deleting the organization, and restoring it. */
  'org:delete',
  /** Who is a member, which teams, roles and bindings there are, and why somebody may do something. */
  'access:read',
  /** Adding and removing members of the organization. */
  'member:manage',
  /** Teams: creating, renaming, deleting, their members and the groups that are mapped to them. */
  'team:manage',
  /** Custom roles, and who has which role where. */
  'role:manage',
  /** Tokens of teams, of the organization and of agents, and the rules by which workloads get tokens. */
  'token:manage',
  'audit:read',
  'unit:read',
  'unit:create',
  'unit:update',
  'unit:rename',
  'unit:delete',
  'unit:restore',
  /** Settings that protect a unit: retention, decryption. */
  'unit:admin',
  /** Guarding a unit, a pattern or the organization, so that only runs write states; and ending that. */
  'guard:set',
  'state:read',
  'state:write',
  'state:delete',
  /** Writing without the checks of serial and lineage, or deleting while resources remain. */
  'state:force',
  /** Writing the state of a guarded unit without a run, with a reason. */
  'state:break-glass',
  'state:rollback',
  /** What versions say about themselves, without their content. */
  'versions:read',
  /** The content of versions, also as a difference. */
  'versions:read-state',
  'outputs:read',
  'outputs:read-sensitive',
  /** Reading on behalf of a unit, which is recorded with that unit. */
  'reads:record',
  'lock',
  'unlock-others',
  'graph:read',
  'graph:write',
  'run:plan',
  'run:apply',
  'run:approve',
  /** Issuing, renewing and revoking run tokens. */
  'run:token',
  'rollout:read',
  'rollout:start',
  'rollout:work',
  'rollout:control',
  'vars:read',
  /** The values of sensitive variables, for a plan or an apply on the caller's machine. */
  'vars:read-sensitive',
  'vars:write',
  'events:read',
  /** Modules and providers of the organization's registry. */
  'registry:read',
  'registry:publish',
  /** Policies, policy sets, run tasks and connections to code hosts. */
  'policy:read',
  'policy:manage',
  'notification:read',
  'notification:manage',
] as const
export type Action = (typeof ACTIONS)[number]

/** About the server or the caller, not about an organization: no role of an organization grants them. */
export const SERVER_ACTIONS: ReadonlySet<Action> = new Set<Action>([
  'server:health',
  'server:metrics',
  'server:read',
  'server:admin',
  'provider:manage',
  'account:manage',
  'org:create',
])

/** What an action is about. Without a unit: the organization. Without an organization: the server and all of them. */
export interface Resource {
  readonly org?: string | undefined
  /** A name or an id. */
  readonly unit?: string | undefined
  /** The project itself; with a unit, the project that the unit is about to be in. */
  readonly project?: string | undefined
}
