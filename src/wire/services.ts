import {
  type Access,
  type AccessQuestions,
  type JournalPort,
  type KeyRing,
  type OrgAccess,
  type Sealing,
  type SignInServices,
  createAccess,
  createGroupReader,
  createOAuth,
  createAccessQuestions,
  createOrgAccess,
  createPeople,
  createServerSettings,
  createSessions,
  createSingleUse,
  createTokenOwners,
  createTokens,
  sealingWith,
  systemCaller,
} from '../access/index.ts'
import { isTacoError } from '../base/errors.ts'
import { createSignInProviders } from './sign-in-providers.ts'
import { type Configurations, createConfigurations } from '../configurations/index.ts'
import { type Governance, type RunFinder, createGovernance } from '../governance/index.ts'
import { type Graph, type Inputs, createGraph, createInputs } from '../graph/index.ts'
import {
  type OrganizationSettingsService,
  type Projects,
  type ReservedTagKeys,
  createOrganizationSettings,
  createProjects,
  createReservedTagKeys,
  projectIdOf,
} from '../projects/index.ts'
import type { Probed } from '../health/index.ts'
import { type OrgIds, type RecordDeps, createOrgIds } from '../records/index.ts'
import { type AgentPools, type SshKeys, createAgentPools, createSshKeys } from '../execution/index.ts'
import { createHttpsUpstream } from '../registry/mirror/adapters/https-upstream.ts'
import {
  type ProviderMirror,
  type Registry,
  createProviderMirror,
  createRegistry,
} from '../registry/index.ts'
import { type Sync, createSync } from '../project/index.ts'
import { type Rollouts, createRolloutMarks, createRollouts } from '../rollouts/index.ts'
import { type Log, silentLog } from '../base/log.ts'
import { openSpool } from './spool.ts'
import { ownDescriber } from './threads/describe-modules.ts'
import type { StateControl } from '../state/index.ts'
import { type VariableServices, createVariables } from '../variables/index.ts'
import { type OpenedHealth, openHealth } from './health.ts'
import { type NotifySettings, type OpenedNotifications, openNotifications } from './notifications.ts'

/** What is built on state control, for every face. */
export interface Services extends VariableServices, OpenedNotifications, OpenedHealth {
  readonly graph: Graph
  readonly inputs: Inputs
  readonly sync: Sync
  readonly rollouts: Rollouts
  readonly orgIds: OrgIds
  /** What every layer needs that keeps records. */
  readonly recordDeps: RecordDeps
  readonly sealing: Sealing
  readonly sshKeys: SshKeys
  readonly agentPools: AgentPools
  readonly projects: Projects
  readonly organizationSettings: OrganizationSettingsService
  readonly reservedTagKeys: ReservedTagKeys
  readonly configurations: Configurations
  readonly registry: Registry
  readonly governance: Governance
  readonly runs: RunFinder
  readonly mirror: ProviderMirror | undefined
  readonly access: Access
  readonly orgAccess: OrgAccess
  readonly accessQuestions: AccessQuestions
  /** Undefined: people cannot sign in here (`--auth none`, `--auth token`). */
  readonly signIn: SignInServices | undefined
}

export interface ServiceDeps extends Omit<Parameters<typeof createRollouts>[0], 'control'> {
  readonly control: StateControl
  /** Undefined: nobody reads it. */
  readonly log?: Log
  /** Given if people can sign in. */
  readonly keys?: KeyRing | undefined
  /** Seals secrets of organizations. Undefined: none can be stored. Default: `keys`. */
  readonly sealKeys?: KeyRing | undefined
  readonly notify?: NotifySettings | undefined
  /** What was found when the bucket was tried out. */
  readonly probed?: Probed | undefined
  /** Registries whose providers are mirrored. */
  readonly mirrorHosts?: readonly string[] | undefined
}

export function createServices({
  keys,
  sealKeys = keys,
  notify,
  mirrorHosts = [],
  ...deps
}: ServiceDeps): Services {
  const { control, clock } = deps
  const rollouts = createRollouts(deps)
  const accessDeps = { ...deps, journal: control.outbox }
  const orgAccess = createOrgAccess(accessDeps)
  const signIn = keys === undefined ? undefined : createSignIn(accessDeps, keys, orgAccess)
  const findUnit = unitFinder(control)
  const orgIds = createOrgIds({ orgs: control.orgs, clock })
  const recordDeps: RecordDeps = { ...deps, outbox: control.outbox, orgIds }
  const sealing = sealingWith(sealKeys)
  const spool = openSpool()
  const projects = createProjects(recordDeps, control)
  const access = createAccess({ clock, orgs: orgAccess, settings: signIn?.settings, findUnit, projectOf })
  const graph = createGraph({ control, marks: createRolloutMarks(rollouts, clock), clock })
  return {
    graph,
    ...openHealth({ ...deps, rollouts }),
    ...openNotifications({ ...deps, ...recordDeps, graph, sealing, access, people: signIn?.people }, notify),
    inputs: createInputs(control),
    sync: createSync(control),
    rollouts,
    orgIds,
    recordDeps,
    sealing,
    sshKeys: createSshKeys({ ...recordDeps, sealing }),
    agentPools: createAgentPools(recordDeps),
    projects,
    ...createVariables({ ...recordDeps, sealing, projects }, control),
    organizationSettings: createOrganizationSettings(recordDeps),
    reservedTagKeys: createReservedTagKeys(recordDeps),
    configurations: createConfigurations({ ...recordDeps, spool }),
    registry: createRegistry({ ...recordDeps, spool, describeModule: ownDescriber() }),
    governance: createGovernance({ ...recordDeps, sealing, spool }),
    // There are none yet.
    runs: { has: () => Promise.resolve(false) },
    mirror:
      mirrorHosts.length === 0
        ? undefined
        : createProviderMirror({
            ...recordDeps,
            spool,
            hosts: mirrorHosts,
            upstream: createHttpsUpstream(mirrorHosts),
          }),
    access,
    orgAccess,
    accessQuestions: createAccessQuestions({ clock, access, orgs: orgAccess, signIn, findUnit, projectOf }),
    signIn,
  }
}

function createSignIn(
  deps: Omit<ServiceDeps, 'control' | 'keys'> & { readonly journal: JournalPort },
  keys: KeyRing,
  orgAccess: OrgAccess,
): SignInServices {
  const people = createPeople(deps)
  const settings = createServerSettings({ ...deps, keys })
  const all = { log: silentLog, ...deps, keys, people }
  const providers = createSignInProviders(settings, { clock: deps.clock, singleUse: createSingleUse(deps) })
  const groups = createGroupReader({ ...all, providers })
  const tokens = createTokens({ ...all, ring: keys, owners: createTokenOwners(people, orgAccess) })
  return {
    keys,
    people,
    settings,
    tokens,
    oauth: createOAuth({ ...deps, ring: keys, tokens }),
    providers,
    sessions: createSessions({ ...all, groups }),
  }
}

/** A section that cannot be understood gives nobody a right. */
function projectOf(unit: Parameters<typeof projectIdOf>[0]): string | undefined {
  try {
    return projectIdOf(unit)
  } catch {
    return undefined
  }
}

/** What rules go by. A unit that was deleted or never made is none. */
function unitFinder({ units }: StateControl) {
  const caller = systemCaller('access')
  return async (org: string, unit: string) => {
    try {
      const { id, name, labels, sections } = await units.get({ org, unit }, caller)
      return { id, org, name, labels, sections }
    } catch (error) {
      if (isTacoError(error, 'NOT_FOUND', 'BAD_REQUEST')) return undefined
      throw error
    }
  }
}
