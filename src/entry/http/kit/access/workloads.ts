import {
  type Caller,
  type OrgPolicy,
  WorkloadRule,
  type WorkloadRuleInput,
  checkScope,
  checkUnchanged,
  putWorkload,
  removeWorkload,
} from '../../../../access/index.ts'
import type { z } from 'zod'
import type { HttpDeps } from '../../deps.ts'

type Services = Pick<HttpDeps, 'orgAccess'>

/** Creates a rule, or replaces it. `seen`: the etag of the rule that the caller read; it must still be that one. */
export async function storeWorkload(
  { orgAccess }: Services,
  org: string,
  input: z.output<typeof WorkloadRuleInput>,
  caller: Caller,
  seen?: string,
): Promise<WorkloadRule> {
  const rule = WorkloadRule.parse(input)
  if (input.scope !== undefined) checkScope(input.scope)
  const change = {
    type: 'workload.changed' as const,
    data: { workload: rule.name, issuer: rule.issuer, roles: rule.roles },
    transition: <T extends OrgPolicy>(policy: T) => {
      const stored = policy.workloads.find(({ name }) => name === rule.name)
      checkUnchanged(seen, stored, `The workload rule ${rule.name}`)
      return putWorkload(policy, rule)
    },
  }
  await orgAccess.change(org, change, caller)
  return rule
}

export async function deleteWorkload(
  { orgAccess }: Services,
  org: string,
  name: string,
  caller: Caller,
): Promise<void> {
  const change = {
    type: 'workload.deleted' as const,
    data: { workload: name },
    transition: <T extends OrgPolicy>(policy: T) => removeWorkload(policy, name),
  }
  await orgAccess.change(org, change, caller)
}
