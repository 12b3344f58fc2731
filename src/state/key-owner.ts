import { TacoError } from '../base/errors.ts'
import { foldKey } from '../bucket/index.ts'

/**
 * An organization other than the first keeps its states in a folder of its name (`defaultStateKey`), so what is there is
 * that organization's, registered or not. What is in no such folder is nobody's in particular: everybody who may
 * register a key may take it, which is to become a right of administrators.
 */
export function refuseForeignKey(org: string, key: string, orgs: readonly string[]): void {
  const folder = foldKey(key.split('/', 1)[0] ?? '')
  if (!key.includes('/') || folder === org || folder === 'default' || !orgs.includes(folder)) return
  throw new TacoError('FORBIDDEN', `${key} is in the folder of the organization ${folder}`, {
    facts: { field: 'key' },
    hint: `register it there, with --org ${folder}`,
  })
}
