import { type Caller, type OrgAccess, type OrgPolicy, bind } from '../../../access/index.ts'

/** A person who creates an organization owns it. Only afterwards: the name could have been that of another one. */
export async function giveToCreator(org: string, orgAccess: OrgAccess, caller: Caller): Promise<void> {
  const { principal } = caller
  if (principal.kind !== 'user') return
  const binding = { role: 'owner', to: `user:${principal.id}` }
  const change = {
    type: 'role.granted',
    data: binding,
    transition: <T extends OrgPolicy>(policy: T) => bind(policy, binding),
  } as const
  await orgAccess.change(org, change, caller)
}
