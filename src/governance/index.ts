/**
 * What an organization sets for its runs: policies and policy sets, run tasks, connections to code hosts, and what
 * people say about runs. All of it is stored, related and shown; runs will evaluate it.
 */
export { type Governance, createGovernance } from './governance.ts'
export type { Comment, RunFinder } from './comments.ts'
export {
  type OAuthClient,
  type OAuthClientFields,
  type OAuthToken,
  SERVICE_PROVIDERS,
  type ServiceProvider,
} from './oauth-clients.ts'
export type { Parameter } from './parameters.ts'
export { MAX_POLICY_BYTES, type Policy } from './policies.ts'
export {
  NEW_POLICY_SET,
  type PolicySet,
  type PolicySetFields,
  type PolicySetVersion,
  type Relation,
  type TagSelector,
  currentVersion,
} from './policy-sets.ts'
export { EnforcementLevel, PolicyKind, languageOf } from './policy-words.ts'
export { type RunTask, type RunTaskFields, Stage, TaskLevel, type UnitTask } from './run-tasks.ts'
