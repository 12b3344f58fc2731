import type { Server, ServerOptions } from 'node:http'
import type { Access, AccessQuestions, OrgAccess, SignInFlow, SignInServices } from '../../access/index.ts'
import type { Configurations } from '../../configurations/index.ts'
import type { Clock } from '../../base/clock.ts'
import type { Ids } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import type { AgentPools, SshKeys } from '../../execution/index.ts'
import type { Graph, Inputs } from '../../graph/index.ts'
import type { OrganizationSettingsService, Projects, ReservedTagKeys } from '../../projects/index.ts'
import type { Health } from '../../health/index.ts'
import type { Notifications } from '../../notifications/index.ts'
import type { Governance, RunFinder } from '../../governance/index.ts'
import type { OrgIds } from '../../records/index.ts'
import type { Sync } from '../../project/index.ts'
import type { ProviderMirror, Registry } from '../../registry/index.ts'
import type { Rollouts } from '../../rollouts/index.ts'
import type { StateControl } from '../../state/index.ts'
import type { VariableServices } from '../../variables/index.ts'
import type { Guard } from './auth/auth.ts'
import type { SigningKeys } from './auth/signing-keys.ts'
import type { WorkloadExchange } from './auth/workload-exchange.ts'
import type { TrustedProxies } from './auth/client-address.ts'
import type { Face } from './kit/routes/dispatch.ts'
import type { Limits } from './kit/limits.ts'
import type { LongAnswers } from './kit/long-answers.ts'
import type { Metrics } from './kit/metrics.ts'

/** What the HTTP face is built from. */
export interface HttpDeps extends VariableServices {
  readonly control: StateControl
  readonly graph: Graph
  readonly inputs: Inputs
  readonly sync: Sync
  readonly rollouts: Rollouts
  readonly registry: Registry
  /** Undefined: this server mirrors no providers. */
  readonly mirror?: ProviderMirror | undefined
  readonly guard: Guard
  /** Of S3 clients. Undefined: there is no S3 face. */
  readonly signingKeys?: SigningKeys | undefined
  /** Further faces beside the native API. */
  readonly faces?: readonly Face[]
  /** Makes further faces from all of this. */
  readonly moreFaces?: (deps: HttpDeps) => readonly Face[]
  /** Gives jobs tokens. Undefined: only people and run tokens are let in. */
  readonly exchangeWorkload?: WorkloadExchange | undefined
  /** For finding out which organization an id belongs to. */
  readonly orgIds: OrgIds
  /** Given if other faces have streams, too. */
  readonly longAnswers?: LongAnswers
  readonly sshKeys: SshKeys
  readonly agentPools: AgentPools
  readonly projects: Projects
  readonly organizationSettings: OrganizationSettingsService
  readonly reservedTagKeys: ReservedTagKeys
  readonly configurations: Configurations
  readonly notifications: Notifications
  readonly health: Health
  readonly governance: Governance
  readonly runs: RunFinder
  readonly access: Access
  readonly orgAccess: OrgAccess
  readonly accessQuestions: AccessQuestions
  /** Undefined: people cannot sign in here. */
  readonly signIn: SignInServices | undefined
  /** Asks a sign-in provider whether its settings can work. Undefined: people cannot sign in here. */
  readonly checkProvider?: SignInFlow['check'] | undefined
  /** True: /metrics asks for no credential. */
  readonly isMetricsOpen?: boolean
  readonly limits: Limits
  readonly metrics: Metrics
  /** What `/metrics` answers. Undefined: the metrics of this process. */
  readonly metricsText?: () => Promise<string>
  readonly log: Log
  readonly clock: Clock
  readonly ids: Ids
  readonly about: {
    readonly version: string
    readonly bucket: { readonly kind: string; readonly label: string }
  }
  /** Proxies that are believed about whom they speak for. */
  readonly trustedProxies?: TrustedProxies
  /** Makes a server that speaks TLS. Undefined: plain HTTP. */
  readonly createTlsServer?: ((options: ServerOptions) => Server) | undefined
  /** Throws when the bucket cannot be reached. */
  ready(): Promise<void>
  /** Called now and again during large uploads, which leave many buffers behind. */
  readonly freeBuffers?: () => void
}
