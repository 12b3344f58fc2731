import { z } from 'zod'
import type { Caller } from '../access/index.ts'
import { type RecordDeps, type RecordKind, type RecordOf, createRecords } from '../records/index.ts'

/**
 * What an organization is on the Terraform Cloud API, beyond what every organization has. Everything may be missing.
 * Names are those of that API in camel case.
 */
const shape = {
  email: z.string().optional(),
  collaboratorAuthPolicy: z.string().optional(),
  sessionTimeout: z.number().optional(),
  sessionRemember: z.number().optional(),
  costEstimationEnabled: z.boolean().optional(),
  assessmentsEnforced: z.boolean().optional(),
  ownersTeamSamlRoleId: z.string().optional(),
  sendPassingStatusesForUntriggeredSpeculativePlans: z.boolean().optional(),
  aggregatedCommitStatusEnabled: z.boolean().optional(),
  speculativePlanManagementEnabled: z.boolean().optional(),
  allowForceDeleteWorkspaces: z.boolean().optional(),
  userTokensEnabled: z.boolean().optional(),
  /** Of workspaces and projects that name none. */
  defaultExecutionMode: z.string().optional(),
  defaultAgentPool: z.string().optional(),
}
export type OrganizationSettings = Partial<Omit<RecordOf<typeof shape>, 'id' | 'createdAt' | 'updatedAt'>>

const kind: RecordKind<typeof shape> = {
  name: 'organization setting',
  folder: 'organization-settings',
  word: 'organization-settings',
  prefix: 'orgset',
  shape,
  most: 1,
}

export interface OrganizationSettingsService {
  get(org: string): Promise<OrganizationSettings>
  /** At most two seconds old. */
  fresh(org: string): Promise<OrganizationSettings>
  /** Fields that are left out stay as they are; undefined takes one out. */
  update(org: string, change: OrganizationSettings, caller: Caller): Promise<OrganizationSettings>
}

export function createOrganizationSettings(deps: RecordDeps): OrganizationSettingsService {
  const records = createRecords(deps, kind)
  return {
    get: async (org) => (await records.list({ org }))[0] ?? {},
    fresh: async (org) => (await records.fresh({ org }))[0] ?? {},
    async update(org, change, caller) {
      if (Object.keys(change).length === 0) return (await records.list({ org }))[0] ?? {}
      const [known] = await records.list({ org })
      if (known === undefined) return records.create({ org }, change, caller)
      return records.update({ org }, known.id, (record) => ({ ...record, ...change }), caller)
    },
  }
}
