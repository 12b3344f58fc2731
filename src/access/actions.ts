/** Everything that can be allowed or denied. A route names one of them, and so does a check inside a service. */
export const ACTIONS = [
  'server:health',
  'server:metrics',
  'server:read',
  'server:admin',
  'org:read',
  'org:create',
  'org:admin',
  'unit:read',
  'unit:create',
  'unit:update',
  'unit:rename',
  'unit:delete',
  'unit:restore',
  /** Settings that protect a unit: retention, decryption. */
  'unit:admin',
  'state:read',
  'state:write',
  'state:delete',
  /** Writing without the checks of serial and lineage, or deleting while resources remain. */
  'state:force',
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
  'vars:write',
  'events:read',
] as const
export type Action = (typeof ACTIONS)[number]

/** What an action is about. Without a unit: the organization. Without an organization: the server and all of them. */
export interface Resource {
  readonly org?: string | undefined
  /** A name or an id. */
  readonly unit?: string | undefined
}
