import type { Action } from './actions.ts'
import type { UnitFacts } from './policy/rules.ts'
import { type Author, type Principal, type SystemName, principalText } from './principal.ts'

/** What a caller may do in the organization of a request, for lists and for what is only known later. */
export interface Sight {
  /** True: every unit of the organization. */
  readonly seesAll: boolean
  /** True: rules tell units apart, so what holds for the organization need not hold for each unit. */
  needsUnit(action: Action): boolean
  /** Without a unit: on the organization. */
  may(action: Action, unit: UnitFacts | undefined): boolean
}

/** Which request it was, for the audit. */
export interface Origin {
  /** Of the client: of its own connection, or as a trusted proxy gave it. */
  readonly address: string
  /** What the route is for. Undefined: there is no such route. */
  readonly action?: Action
  /** `POST /v1/units/{unit}/lock` */
  readonly route?: string
}

/** On whose behalf a service does something. Every method of a service takes one. */
export interface Caller {
  readonly principal: Principal
  /** What the caller says of itself (`alice@laptop`): recorded and shown as unverified, and nothing is decided by it. */
  readonly claim?: string | undefined
  /** Undefined: the caller may see and do everything. */
  readonly sight?: Sight | undefined
  readonly requestId?: string
  /** Undefined: no request asks for it. */
  readonly origin?: Origin | undefined
  readonly signal?: AbortSignal
  /** Set if the request can be recognised when it is repeated, so that its change is made once. */
  readonly request?: {
    /** A hash of its Idempotency-Key and of who sent it. */
    readonly key: string
    /** A hash of everything that it says. */
    readonly digest: string
  }
}

/** The author of a change, as stored. For a run: the caller that requested its token. */
export function authorOf({ principal, claim }: Pick<Caller, 'principal' | 'claim'>): Author {
  const { by, who } =
    principal.kind === 'run' ? principal.issuedTo : { by: principalText(principal), who: undefined }
  const said = claim ?? who
  return said === undefined || said === '' || said === by ? { by } : { by, who: said }
}

/** With what the holder of a lock says of itself: all that an engine on the http backend can say. */
export function withClaim(caller: Caller, claim: string | undefined): Caller {
  return caller.claim !== undefined || claim === undefined || claim === '' ? caller : { ...caller, claim }
}

/** For work that no request asks for. */
export function systemCaller(name: SystemName, signal?: AbortSignal): Caller {
  const principal = { kind: 'system', name } as const
  return signal === undefined ? { principal } : { principal, signal }
}
