import type { Action, Resource } from '../../../../access/index.ts'
import { isTacoError } from '../../../../base/errors.ts'
import type { Audit, AuditEntry } from '../../../../state/index.ts'
import { credentialOf } from '../../auth/auth.ts'
import { callerNetwork } from '../../auth/client-address.ts'
import { credentialName } from '../../auth/credential-name.ts'
import type { Exchange } from '../exchange.ts'
import type { Demand, Route } from './route.ts'

/** Reads that are recorded like changes. */
const SENSITIVE: ReadonlySet<Action> = new Set<Action>(['outputs:read-sensitive'])

/** Tells the audit what a request did, or that it was refused. */
export interface Recorder {
  /** A read with a credential of which every use is recorded. */
  used(x: Exchange, target: Resource): void
  /** Before the answer. `demands`: the further rights that it needed. */
  done(x: Exchange, route: Route, served: Served): Promise<void>
  /** `askedFor`: what the request is about. */
  refused(x: Exchange, error: unknown, askedFor: () => Resource): void
}

interface Served {
  readonly status: number
  readonly target: Resource
  readonly demands?: readonly Demand[]
}

export function createRecorder(audit: Pick<Audit, 'served' | 'counted' | 'refused'>): Recorder {
  return {
    used(x, { org, unit }) {
      // The log has it as well, so a read does not fail or wait for this.
      audit.counted({ ...from(x), org, unit }).catch(() => {})
    },
    async done(x, { method, audit: how }, { status, target, demands = [] }) {
      if (status >= 400) return
      const entry = { ...from(x), org: target.org, unit: target.unit }
      const sensitive = demands.find(({ action }) => SENSITIVE.has(action))
      if (sensitive !== undefined) await audit.counted(withAction(entry, sensitive.action))
      if (method === 'GET') return
      const isStranger = x.principal.kind === 'anonymous' && !x.principal.isOpenServer
      await (how === 'counted' || isStranger ? audit.counted(entry) : audit.served(entry))
    },
    refused(x, error, askedFor) {
      const { authorization } = x.req.headers
      const given = credentialOf(authorization)
      if (!x.isDenied && !isRefusal(error, given !== undefined)) return
      const reason = x.isDenied ? 'FORBIDDEN' : isTacoError(error) ? error.code : ''
      const { org, unit } = askedFor()
      const credential = given === undefined ? undefined : credentialName(given)
      // Who is not known leaves nothing in the records of an organization.
      const isUnknown = x.principal.kind === 'anonymous' && !x.principal.isOpenServer
      audit.refused({
        ...from(x),
        ...(isUnknown ? {} : { org }),
        unit,
        data: {
          reason,
          ...(isUnknown && org !== undefined ? { org } : {}),
          ...(isUnknown && credential !== undefined ? { credential } : {}),
        },
      })
    },
  }
}

/** Those who send no credential are asked for one, which is not a refusal. */
function isRefusal(error: unknown, hasCredential: boolean): boolean {
  if (isTacoError(error, 'UNAUTHENTICATED')) return hasCredential
  return isTacoError(error, 'FORBIDDEN', 'RATE_LIMITED')
}

function from(x: Exchange): Pick<AuditEntry, 'caller' | 'network'> {
  return { caller: x.caller, network: callerNetwork(x.address) }
}

function withAction(entry: AuditEntry, action: Action): AuditEntry {
  const { caller } = entry
  const origin = caller.origin === undefined ? undefined : { ...caller.origin, action }
  return { ...entry, caller: { ...caller, origin } }
}
