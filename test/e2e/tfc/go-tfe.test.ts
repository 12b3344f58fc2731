import { expect, test } from 'vitest'
import { WALK_KEY, buildWalk, walkServices } from '../../peers/go-tfe.ts'
import { startSignInServer } from '../../rig/sign-in-server.ts'
import { administratorToken, startReceiver } from '../../rig/tfc.ts'

/** As the program in test/peers/go-tfe calls them. */
const SERVICES = [
  'Users',
  'Organizations',
  'Projects',
  'Workspaces',
  'WorkspaceTags',
  'WorkspaceLocks',
  'RemoteStateConsumers',
  'StateVersions',
  'StateVersionOutputs',
  'WorkspaceResources',
  'OrganizationTags',
  'ReservedTagKeys',
  'Variables',
  'VariableSets',
  'VariableSetVariables',
  'Teams',
  'TeamAccess',
  'TeamProjectAccess',
  'TeamMembers',
  'TeamTokens',
  'OrganizationMemberships',
  'OrganizationTokens',
  'UserTokens',
  'AgentPools',
  'AgentTokens',
  'SSHKeys',
  'NotificationConfigurations',
  'RunTriggers',
  'Policies',
  'PolicySets',
  'PolicySetParameters',
  'PolicySetVersions',
  'RunTasks',
  'WorkspaceRunTasks',
  'OAuthClients',
  'OAuthTokens',
  'ConfigurationVersions',
  'RegistryModules',
  'RegistryNoCodeModules',
  'RegistryProviders',
  'RegistryProviderVersions',
  'GPGKeys',
  'AuditTrails',
]

const program = await buildWalk()

test.skipIf(program === undefined)(
  'go-tfe can use every service: create, read, update, list page by page, delete',
  { timeout: 120_000 },
  async () => {
    const server = await startSignInServer([])
    const token = await administratorToken(server, 'walker')

    const results = await walkServices(program ?? '', {
      TFE_ADDRESS: server.publicUrl,
      TFE_TOKEN: token,
      WALK_ORG: 'default',
      WALK_HOOK: await startReceiver(),
      WALK_GPG_KEY: WALK_KEY.armor,
      WALK_GPG_KEY_ID: WALK_KEY.id,
    })

    expect(results.filter(({ error }) => error !== undefined)).toEqual([])
    expect([...new Set(results.map(({ service }) => service))].toSorted()).toEqual(SERVICES.toSorted())
  },
)
