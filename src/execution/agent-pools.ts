import { z } from 'zod'
import { type RecordDeps, type RecordOf, type Records, createRecords } from '../records/index.ts'

const shape = {
  name: z.string(),
  /** True: every workspace of the organization may use it, except for the excluded ones. */
  isOrgScoped: z.boolean(),
  /** Ids of units. */
  allowedUnits: z.array(z.string()),
  excludedUnits: z.array(z.string()),
  /** Ids of projects. */
  allowedProjects: z.array(z.string()),
}
export type AgentPool = RecordOf<typeof shape>
export type AgentPools = Records<AgentPool>

/** Groups of agents that carry out runs. */
export function createAgentPools(deps: RecordDeps): AgentPools {
  return createRecords(deps, {
    name: 'agent pool',
    folder: 'agent-pools',
    word: 'agent-pool',
    prefix: 'apool',
    shape,
    most: 500,
    unique: { field: 'name', of: ({ name }) => name },
    says: ({ name }) => ({ name }),
  })
}
