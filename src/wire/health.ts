import { hostname } from 'node:os'
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import { type Log, silentLog } from '../base/log.ts'
import type { Bucket } from '../bucket/index.ts'
import {
  type CheckWork,
  type Health,
  type Probed,
  type ServerFacts,
  createBucketHealth,
  createChecks,
  createServers,
} from '../health/index.ts'
import type { Rollouts } from '../rollouts/index.ts'
import type { AuditFinding, DoctorFinding, StateControl } from '../state/index.ts'

export interface OpenedHealth {
  readonly health: Health
  /** Lists this server among those that run on the bucket, until it stops. */
  announce(facts: Pick<ServerFacts, 'version' | 'url' | 'auth'>): { stop(): Promise<void> }
}

export function openHealth(deps: {
  readonly bucket: Bucket
  readonly clock: Clock
  readonly ids: Ids
  readonly log?: Log
  readonly control: StateControl
  readonly rollouts: Rollouts
  readonly probed?: Probed | undefined
}): OpenedHealth {
  const { bucket, clock, ids, log = silentLog, control, rollouts, probed } = deps
  const server = { id: ids.id('srv'), host: hostname() }
  const common = { bucket, clock, ids, log }
  const servers = createServers(common)
  return {
    health: {
      servers,
      checks: createChecks({ ...common, server, work: workOf(control, rollouts) }),
      bucket: createBucketHealth(common, server.id, probed),
    },
    announce: (facts) => servers.announce({ ...facts, ...server, pid: process.pid }),
  }
}

function workOf(control: StateControl, rollouts: Rollouts): CheckWork {
  return async function* (subject, options, caller, progress) {
    if (subject.kind === 'audit') {
      for await (const finding of control.audit.verify({ org: subject.org }, caller)) yield ofAudit(finding)
      return
    }
    yield* control.upkeep.doctor({ ...options, progress }, caller)
    if (options.deep) yield* rollouts.doctor(caller)
  }
}

function ofAudit({ level, kind, org, key, message, hash }: AuditFinding): DoctorFinding {
  return {
    level,
    check: `audit.${kind}`,
    message: key === null ? message : `${key}: ${message}`,
    hint: hash === null ? null : `The newest seal has the hash ${hash}. Keep it outside of the bucket.`,
    unit: null,
    org,
    repaired: false,
  }
}
