/**
 * Projects, and what units and organizations are as workspaces and organizations of the Terraform Cloud API: settings
 * that are stored and given back. A tag of a workspace is a label of its unit.
 */
export {
  type Project,
  type ProjectFields,
  type Projects,
  createProjects,
  defaultProjectId,
  projectEtag,
  projectIdOf,
} from './projects.ts'
export { WorkspaceSettings, settingsChange, settingsOf } from './workspace-settings.ts'
export {
  type OrganizationSettings,
  type OrganizationSettingsService,
  createOrganizationSettings,
} from './organization-settings.ts'
export { type ReservedTagKey, type ReservedTagKeys, createReservedTagKeys } from './reserved-tag-keys.ts'
