/** Who calls, and who may do what. */
export type { Action, Resource } from './actions.ts'
export type { Decision, Denial } from './authorize.ts'
export { authorize } from './authorize.ts'
export { authorOf, systemCaller, withClaim } from './caller.ts'
export type { Caller, Origin, Sight } from './caller.ts'
export { AccessEventType } from './event-types.ts'
export { accessOutboxes, orgAccessKey } from './layout.ts'
export { createAccess, guardsOn, plainAccess } from './access.ts'
export type { Access } from './access.ts'
export { openServerUser, principalText, rootToken, stranger, viaOf, viewAuthor } from './principal.ts'
export type {
  Author,
  Principal,
  RunPrincipal,
  SystemName,
  TeamPrincipal,
  TokenPrincipal,
  TokenScope,
  UserPrincipal,
  Via,
} from './principal.ts'
export { checkKeyRing } from './secrets/key-check.ts'
export type { KeyRing } from './secrets/key-ring.ts'
export { newKeyText } from './secrets/keys.ts'
export { keyRingFrom } from './secrets/key-source.ts'
export type { KeySource } from './secrets/key-source.ts'
export { createRunTokens } from './run-tokens.ts'
export type { RunTokens } from './run-tokens.ts'
export { createGroupReader } from './sessions/read-groups.ts'
export type { SignInProviders } from './sessions/read-groups.ts'
export type { Session } from './sessions/session.ts'
export { createSessions } from './sessions/sessions.ts'
export type { SessionCookie, Sessions } from './sessions/sessions.ts'
export { STARTED_MS, createSignInFlow } from './sessions/sign-in-flow.ts'
export type { SignInFlow } from './sessions/sign-in-flow.ts'
export { MAX_TTL_MS, isRunToken } from './run-scope.ts'
export type { RunScope } from './run-scope.ts'
export type {
  Identity,
  IdentityDeps,
  IdentityProvider,
  ProviderCheck,
  RefusalReason,
  SignInAnswer,
  SignInStart,
  SingleUse,
} from './identity/provider.ts'
export { createSingleUse } from './identity/single-use.ts'
export { ProviderSettings, SECRET_SETTINGS, parseProviderSettings } from './identity/settings.ts'
export type { ProviderKind } from './identity/settings.ts'
export { accessFiles } from './files.ts'
export { withinLimit } from './tokens/expiry.ts'
export { isToken } from './tokens/token-text.ts'
export { type SigningKey, rootSigningKey } from './tokens/signing-key.ts'
export { checkScope } from './tokens/scope.ts'
export type { TokenOwner } from './tokens/document.ts'
export { createTokenOwners, ownerIn } from './tokens/owners.ts'
export { createTokens } from './tokens/tokens.ts'
export type { NewToken, Tokens, TokensOf } from './tokens/tokens.ts'
export type { TokenOwners, TokenRefusal } from './tokens/validated-tokens.ts'
export type { TokenView } from './tokens/views.ts'
export { WorkloadRule, WorkloadRuleInput } from './workload/rule.ts'
export { createOrgAccess } from './organization/org-access.ts'
export type { OrgAccess } from './organization/org-access.ts'
export { createPeople, principalOf } from './people/people.ts'
export type { People, SignedIn } from './people/people.ts'
export type { KnownSession, PersonDocument } from './people/person.ts'
export { createServerSettings, noProvider, viewProvider } from './settings/server-settings.ts'
export type { ServerSettings } from './settings/server-settings.ts'
export { checkRole, labelsInRules } from './policy/check-role.ts'
export type { Explanation } from './policy/explain.ts'
export { SERVER } from './journal-port.ts'
export type { JournalPort } from './journal-port.ts'
export type { SignInServices } from './sign-in.ts'
export { createWorkloads } from './workload/workloads.ts'
export type { Exchanged, Workloads } from './workload/workloads.ts'
export { TERRAFORM_PORTS, checkRedirect, clientOf } from './oauth/clients.ts'
export type { OAuthClient } from './oauth/clients.ts'
export { createOAuth } from './oauth/oauth.ts'
export type { GrantedToken, OAuth, WaitingDevice } from './oauth/oauth.ts'
export type { GrantPerson } from './oauth/grant-documents.ts'
export { oauthError } from './oauth/oauth-error.ts'
export { checkChallenge } from './oauth/pkce.ts'
export { showUserCode } from './oauth/user-code.ts'
export { createAccessQuestions } from './questions.ts'
export type { AccessQuestions } from './questions.ts'
export type { BrokenGlass, Guard, Invitation, OrgPolicy, Team, TokenLimits } from './organization/document.ts'
export { checkUnchanged, partEtag } from './organization/etags.ts'
export { addInvitation, removeMember, setInvitedTeam } from './organization/invitations.ts'
export { isOwners, teamsIn } from './organization/owners.ts'
export { invitationsOf, isInTeam } from './subjects.ts'
export { projectRole, workspaceRole } from './terraform-cloud/composed-roles.ts'
export { leastOf } from './terraform-cloud/permission-set.ts'
export {
  ORGANIZATION_PERMISSION_NAMES,
  type OrganizationPermissions,
} from './terraform-cloud/organization-access.ts'
export {
  type AccessTo,
  accessesIn,
  canGiveAccess,
  hasAccess,
  organizationAccess,
  projectAccess,
  removeAccess,
  setAccess,
  setOrganizationAccess,
  workspaceAccess,
} from './terraform-cloud/team-access.ts'
export {
  OF_ITS_WORKSPACES,
  OF_PROJECT,
  PROJECT_LEVELS,
  PROJECT_PERMISSIONS,
  type ProjectPermissions,
} from './terraform-cloud/project-access.ts'
export {
  WORKSPACE_LEVELS,
  WORKSPACE_PERMISSIONS,
  type WorkspacePermissions,
} from './terraform-cloud/workspace-access.ts'
export { parseSubject, saySubject } from './organization/named-subjects.ts'
export {
  addGuard,
  addTeam,
  addTeamMember,
  bind,
  breakGlass,
  changeTeam,
  findTeam,
  putRole,
  putWorkload,
  removeGuard,
  removeRole,
  removeTeam,
  removeTeamMember,
  removeWorkload,
  unbind,
} from './organization/transitions.ts'
export { groupsOf } from './people/person.ts'
export { type Binding, findRole } from './policy/bindings.ts'
export { BUILT_IN_ROLES } from './policy/built-in-roles.ts'
export { type GrantOnUnit, UNIT_ACTIONS, grantsOnUnit } from './policy/on-unit.ts'
export { type Role, Rule, type UnitFacts } from './policy/rules.ts'
export { matchesUnit } from './policy/unit-patterns.ts'
export { ACTION_WORDS, roleInWords } from './policy/words.ts'
export type { ServerPolicy } from './settings/server-settings.ts'
export { SealedText, openText, sealAgain } from './secrets/sealed.ts'
export { type Sealing, sealingWith } from './secrets/sealing.ts'
