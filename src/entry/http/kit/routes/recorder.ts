import type { Action, Resource } from '../../../../access/index.ts'
import { isTacoError } from '../../../../base/errors.ts'
import type { Audit, AuditEntry } from '../../../../state/index.ts'
import { callerNetwork } from '../../auth/client-address.ts'
import { credentialName, hasCredential } from '../../auth/credential-name.ts'
import type { Exchange } from '../exchange.ts'
import type { Demand, Route } from './route.ts'

/** Reads that are recorded like changes. */
const SENSITIVE: ReadonlySet<Action> = new Set<Action>(['outputs:read-sensitive', 'vars:read-sensitive'])

/** Codes, devices and programs that were refused (RFC 6749, RFC 8628). Waiting for a person is no refusal. */
const REFUSED_GRANTS: ReadonlySet<string> = new Set(['invalid_grant', 'invalid_client', 'access_denied'])

/** Tells the audit what a request did, or that it was refused. */
export interface Recorder {
  /** A read with a credential of which every use is recorded. */
  used(x: Exchange, target: Resource): void
  /** Before the answer. `demands`: the further rights that it needed. */
  done(x: Exchange, route: Route, served: Served): Promise<void>
  /** `route`: undefined if there is none. `askedFor`: what the request is about. */
  refused(x: Exchange, error: unknown, route: Route | undefined, askedFor: () => Resource): void
}

interface Served {
  readonly status: number
  readonly target: Resource
  readonly demands?: readonly Demand[]
}

export function createRecorder(audit: Pick<Audit, 'served' | 'counted' | 'refused'>): Recorder {
  function refuse(x: Exchange, reason: string, { org, unit }: Resource): void {
    const credential = credentialName(x.req.headers.authorization)
    // Who is not known leaves nothing in the records of an organization.
    const isUnknown = isStranger(x)
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
  }

  return {
    used(x, { org, unit }) {
      // The log has it as well, so a read does not fail or wait for this.
      audit.counted({ ...from(x), org, unit }).catch(() => {})
    },
    async done(x, { method, audit: how }, { status, target, demands = [] }) {
      // A page that says why it refuses is an answer like any other.
      if (status === 401 || status === 403)
        refuse(x, status === 401 ? 'UNAUTHENTICATED' : 'FORBIDDEN', target)
      if (status >= 400) return
      const entry = { ...from(x), org: target.org, unit: target.unit }
      const sensitive = demands.find(({ action }) => SENSITIVE.has(action))
      if (sensitive !== undefined) await audit.counted(withAction(entry, sensitive.action))
      if (method === 'GET') return
      await (how === 'counted' || isStranger(x) ? audit.counted(entry) : audit.served(entry))
    },
    refused(x, error, route, askedFor) {
      const reason = x.isDenied ? 'FORBIDDEN' : reasonOf(x, error, route)
      if (reason !== undefined) refuse(x, reason, askedFor())
    },
  }
}

/** Why it was refused; undefined if it was not. */
function reasonOf(x: Exchange, error: unknown, route: Route | undefined): string | undefined {
  if (!isTacoError(error)) return undefined
  const { code, facts } = error
  // Those who send no credential are asked for one. Where none is needed, what is refused came in another way.
  if (code === 'UNAUTHENTICATED')
    return route?.openness === 'everybody' || hasCredential(x.req.headers.authorization) ? code : undefined
  if (code === 'FORBIDDEN' || code === 'RATE_LIMITED') return code
  const { oauth } = facts
  return typeof oauth === 'string' && REFUSED_GRANTS.has(oauth) ? oauth : undefined
}

function isStranger({ principal }: Exchange): boolean {
  return principal.kind === 'anonymous' && !principal.isOpenServer
}

function from(x: Exchange): Pick<AuditEntry, 'caller' | 'network'> {
  return { caller: x.caller, network: callerNetwork(x.address) }
}

function withAction(entry: AuditEntry, action: Action): AuditEntry {
  const { caller } = entry
  const origin = caller.origin === undefined ? undefined : { ...caller.origin, action }
  return { ...entry, caller: { ...caller, origin } }
}
