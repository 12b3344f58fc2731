import { z } from 'zod'
import type { Caller, OrgPolicy } from '../../../../access/index.ts'
import type { V1Services } from '../define.ts'

export const OrgParams = z.object({ org: z.string() })
export const ofNamedOrg = ({ params }: { readonly params: { readonly org: string } }) => ({ org: params.org })

/** The policy of an organization that exists. */
export async function policyOf(
  { control, orgAccess }: Pick<V1Services, 'control' | 'orgAccess'>,
  org: string,
  caller: Caller,
): Promise<OrgPolicy> {
  const { id } = await control.orgs.get(org, caller)
  return orgAccess.get(id, caller)
}
