import type { Caller, OrgView } from '../../../../state/index.ts'
import type { WebServices } from '../services.ts'

/** A page of the organizations that the caller may know of. */
export async function visibleOrgs(
  { control, access }: Pick<WebServices, 'control' | 'access'>,
  page: { readonly limit: number; readonly cursor?: string; readonly deleted?: 'no' | 'only' },
  caller: Caller,
): Promise<{ readonly items: readonly OrgView[]; readonly next: string | undefined }> {
  const { items, next } = await control.orgs.list(page, caller)
  const seen = await Promise.all(items.map(({ id }) => access.seesOrg(caller.principal, id)))
  return { items: items.filter((_, at) => seen[at]), next }
}
