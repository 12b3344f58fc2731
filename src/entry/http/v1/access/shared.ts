import { z } from 'zod'
import type { Caller, OrgPolicy, SignInServices } from '../../../../access/index.ts'
import { TacoError } from '../../../../base/errors.ts'
import type { V1Services } from '../define.ts'

export const OrgParams = z.object({ org: z.string() })
export const ofNamedOrg = ({ params }: { readonly params: { readonly org: string } }) => ({ org: params.org })

/** People and providers exist only where people can sign in. */
export function signInOf({ signIn }: Pick<V1Services, 'signIn'>): SignInServices {
  if (signIn !== undefined) return signIn
  throw new TacoError('FORBIDDEN', 'People cannot sign in to this server.', {
    facts: { auth: 'sso' },
    hint: 'Start it with --auth sso.',
  })
}

/** The policy of an organization that exists. */
export async function policyOf(
  { control, orgAccess }: Pick<V1Services, 'control' | 'orgAccess'>,
  org: string,
  caller: Caller,
): Promise<OrgPolicy> {
  const { id } = await control.orgs.get(org, caller)
  return orgAccess.get(id, caller)
}
