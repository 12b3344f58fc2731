import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { ClaimOptions, Claims, StepEnd, StepStart } from '../rollouts/index.ts'
import type { RunVariables } from '../variables/index.ts'
import type { RunnerEvent } from './events.ts'
import type { Engines } from './host/engines.ts'
import type { Machine } from './host/machine.ts'
import type { Repository } from './repository.ts'
import type { RunTokenApi } from './run-token.ts'

/** The rollouts API for one rollout: over HTTP, or the services of this process. */
export interface RolloutApi {
  claim(options: ClaimOptions): Promise<Claims>
  /** Gives the tokens of those claims that others have taken over. */
  renew(claims: { readonly tokens: readonly string[]; readonly leaseMs: number }): Promise<readonly string[]>
  begin(
    unit: string,
    options: { readonly token: string; readonly leaseMs: number; readonly lock: boolean },
  ): Promise<StepStart>
  end(
    unit: string,
    options: { readonly token: string; readonly end: StepEnd; readonly next?: ClaimOptions },
  ): Promise<Claims>
  /** The variables that apply to a unit, with their values. */
  variables(unit: string): Promise<RunVariables>
  /** Whether the same call may succeed later: nothing was decided, the server or its bucket did not answer. */
  isAway(error: unknown): boolean
}

/** The state backend that engines use. */
export interface StateBackend {
  readonly url: string
  /** The environment of engines, apart from the backend. */
  readonly env: Readonly<Record<string, string>>
  /** Issues a token for each run. Undefined: the backend asks for none. */
  readonly tokens: RunTokenApi | undefined
}

export interface RunnerNeeds {
  readonly api: RolloutApi
  readonly backend: StateBackend
  readonly repository: Repository
  readonly engines: Engines
  readonly machine: Machine
  readonly clock: Clock
  readonly log: Log
  report(event: RunnerEvent): void
}

export interface RunnerOptions {
  /** Shown to others: who works on a step. */
  readonly worker: string
  readonly org: string
  /** How many steps run at once. */
  readonly jobs: number
  /** How long a step stays claimed without a renewal. */
  readonly leaseMs: number
  /** How long to wait for a unit that is locked. Undefined: two leases, and as long as it takes for an engine that an earlier worker left. */
  readonly lockTimeoutMs?: number | undefined
  /** How long to keep trying to report what an engine did. */
  readonly patienceMs: number
  /** How often to report that only others have steps to do. */
  readonly idleEveryMs: number
  /** Saves a plan, then applies that. */
  readonly separatePlan: boolean
  /** False: applies even what is proven to be up to date. */
  readonly skips: boolean
  readonly colour: boolean
}
