import type { Sealing } from '../access/index.ts'
import type { Spool } from '../base/spool.ts'
import type { RecordDeps } from '../records/index.ts'
import { type Comments, createComments } from './comments.ts'
import { type OAuthClients, createOAuthClients } from './oauth-clients.ts'
import { type Parameters, createParameters } from './parameters.ts'
import { type Policies, createPolicies } from './policies.ts'
import { type PolicySets, createPolicySets } from './policy-sets.ts'
import { type RunTasks, type UnitTasks, createRunTasks, createUnitTasks } from './run-tasks.ts'

/** The caller's rights were checked before. */
export interface Governance {
  readonly policies: Policies
  readonly policySets: PolicySets
  readonly parameters: Parameters
  readonly runTasks: RunTasks
  readonly unitTasks: UnitTasks
  readonly oauthClients: OAuthClients
  readonly comments: Comments
}

export interface GovernanceDeps extends RecordDeps {
  readonly sealing: Sealing
  readonly spool: Spool
}

export function createGovernance(deps: GovernanceDeps): Governance {
  const policySets = createPolicySets(deps)
  const parameters = createParameters(deps)
  const runTasks = createRunTasks(deps)
  const unitTasks = createUnitTasks(deps)
  return {
    policies: createPolicies(deps),
    policySets: {
      ...policySets,
      async remove(org, id, caller) {
        await policySets.remove(org, id, caller)
        await parameters.clear(org, id)
      },
    },
    parameters,
    runTasks: {
      ...runTasks,
      async remove(org, id, caller) {
        await runTasks.remove(org, id, caller)
        // What is left behind if this fails is never shown: its task does not exist.
        await unitTasks.rewrite(
          { org },
          (all) => {
            const rest = all.filter(({ task }) => task !== id)
            return { records: rest.length === all.length ? all : rest, answer: undefined }
          },
          caller,
        )
      },
    },
    unitTasks,
    oauthClients: createOAuthClients(deps),
    comments: createComments(deps),
  }
}
