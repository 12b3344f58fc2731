import {
  type Caller,
  type OrgPolicy,
  type Role,
  checkUnchanged,
  putRole,
  removeRole,
} from '../../../../access/index.ts'
import type { HttpDeps } from '../../deps.ts'

type Services = Pick<HttpDeps, 'orgAccess'>

/** Creates a role, or replaces it. `seen`: the etag of the role that the caller read; it must still be that one. */
export async function storeRole(
  { orgAccess }: Services,
  org: string,
  role: Role,
  caller: Caller,
  seen?: string,
): Promise<void> {
  const change = {
    type: 'role.changed' as const,
    data: { role: role.name, rules: role.rules.length },
    transition: <T extends OrgPolicy>(policy: T) => {
      const stored = policy.roles.find(({ name }) => name === role.name)
      checkUnchanged(seen, stored, `The role ${role.name}`)
      return putRole(policy, role)
    },
  }
  await orgAccess.change(org, change, caller)
}

export async function deleteRole(
  { orgAccess }: Services,
  org: string,
  role: string,
  caller: Caller,
): Promise<void> {
  const change = {
    type: 'role.deleted' as const,
    data: { role },
    transition: <T extends OrgPolicy>(policy: T) => removeRole(policy, role),
  }
  await orgAccess.change(org, change, caller)
}
