import { TacoError } from '../../base/errors.ts'
import { foldKey } from '../../bucket/index.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { readEntryText } from '../catalog/catalog-entry.ts'
import { isOrgName, parseOrgName } from '../documents/names.ts'
import type { OrgStore } from './orgs.ts'
import type { Orgs } from '../state-control.ts'

/**
 * The organization whose folder a key is in, if it exists. Every organization but the first keeps its states in a folder
 * of its name (`defaultStateKey`), so what is there belongs to that organization, registered or not. Anything else
 * belongs to none, and everybody who may register a key may take it, which is to become a right of administrators.
 */
export function folderOwner(key: string): string | undefined {
  const folder = foldKey(key.split('/', 1)[0] ?? '')
  return key.includes('/') && folder !== 'default' && isOrgName(folder) ? folder : undefined
}

/** Refuses a key, given or derived from a name, that is in the folder of an organization other than `org`. */
export async function refuseForeignKey(
  org: string,
  key: string,
  isOrg: (name: string) => boolean | Promise<boolean>,
): Promise<void> {
  const owner = folderOwner(key)
  if (owner === undefined || owner === org || !(await isOrg(owner))) return
  throw new TacoError('FORBIDDEN', `The key ${key} is in the folder of the organization ${owner}.`, {
    facts: { field: 'key' },
    hint: `Use that organization (--org ${owner}), or choose another name or key.`,
  })
}

/**
 * Creates organizations. One whose folder holds states of others is refused: it would not own what is in its folder,
 * and the others could add no unit beside those that they have there. A unit that is made at the same moment stays.
 */
export function createOrgMaker(orgs: OrgStore, catalog: Catalog): Orgs['create'] {
  return async (input, caller) => {
    const name = parseOrgName(input.name)
    for (const org of await orgs.names(caller)) {
      if (org === name) continue
      const { entries } = await catalog.current(org)
      for (const entry of entries) {
        if (entry.deletedAt > 0 || folderOwner(readEntryText(entry).view.key) !== name) continue
        throw new TacoError(
          'ALREADY_EXISTS',
          `The folder ${name}/ holds the state of the unit ${entry.name} of the organization ${org}.`,
          { facts: { field: 'name', unit: entry.name, org }, hint: 'Choose another name.' },
        )
      }
    }
    return orgs.create(input, caller)
  }
}
