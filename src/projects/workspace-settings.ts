import { z } from 'zod'
import { openObject } from '../bucket/index.ts'
import type { SectionChange, UnitView } from '../state/index.ts'

const VcsRepo = openObject({
  identifier: z.string(),
  branch: z.string().optional(),
  ingressSubmodules: z.boolean().optional(),
  oauthTokenId: z.string().optional(),
  githubAppInstallationId: z.string().optional(),
  tagsRegex: z.string().optional(),
})

/**
 * What a unit is as a workspace, beyond what every unit has. Everything may be missing: then the default holds, or what
 * the project or the organization says. Names are those of the Terraform Cloud API in camel case.
 */
export const WorkspaceSettings = openObject({
  /** The id of a project. Undefined: the default project. */
  project: z.string().optional(),
  executionMode: z.string().optional(),
  agentPool: z.string().optional(),
  terraformVersion: z.string().optional(),
  workingDirectory: z.string().optional(),
  autoApply: z.boolean().optional(),
  autoApplyRunTrigger: z.boolean().optional(),
  allowDestroyPlan: z.boolean().optional(),
  assessmentsEnabled: z.boolean().optional(),
  autoDestroyAt: z.string().optional(),
  autoDestroyActivityDuration: z.string().optional(),
  inheritsProjectAutoDestroy: z.boolean().optional(),
  fileTriggersEnabled: z.boolean().optional(),
  globalRemoteState: z.boolean().optional(),
  projectRemoteState: z.boolean().optional(),
  queueAllRuns: z.boolean().optional(),
  speculativeEnabled: z.boolean().optional(),
  structuredRunOutputEnabled: z.boolean().optional(),
  triggerPrefixes: z.array(z.string()).optional(),
  triggerPatterns: z.array(z.string()).optional(),
  vcsRepo: VcsRepo.optional(),
  sshKey: z.string().optional(),
  sourceName: z.string().optional(),
  sourceUrl: z.string().optional(),
  /** Ids of units. */
  remoteStateConsumers: z.array(z.string()).optional(),
})
export type WorkspaceSettings = z.infer<typeof WorkspaceSettings>

/** The section of this layer in the document of a unit. */
const SECTION = 'projects'

/** Of a unit. A section that cannot be understood is the error of its author, and is not passed over. */
export function settingsOf({ sections }: Pick<UnitView, 'sections'>): WorkspaceSettings {
  const section = sections?.[SECTION]
  return section === undefined ? {} : WorkspaceSettings.parse(section)
}

/** For `units.create` and `units.update`. Fields that `change` leaves undefined are removed. */
export function settingsChange(change: (current: WorkspaceSettings) => WorkspaceSettings): SectionChange {
  return {
    name: SECTION,
    change(current) {
      const changed = change(current === undefined ? {} : WorkspaceSettings.parse(current))
      const kept = Object.entries(changed).filter(([, value]) => value !== undefined)
      return kept.length === 0 ? undefined : Object.fromEntries(kept)
    },
  }
}
