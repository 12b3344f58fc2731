import { systemCaller } from '../../access/index.ts'
import { isRecent } from '../../base/clock.ts'
import { TacoError } from '../../base/errors.ts'
import { foldKey } from '../../bucket/index.ts'
import { orgKey } from '../documents/layout.ts'
import type { StateDeps } from '../settings.ts'
import { namedFolder } from '../orgs/directory.ts'
import type { OrgDirectory } from '../orgs/org-directory.ts'
import type { OrgStore } from './orgs.ts'

/**
 * Whose state keys are. Every organization but the first has a folder, so what is in it belongs to that organization,
 * registered or not. Any other key belongs to none.
 */
export interface KeyOwners {
  /** The organization whose folder the key is in. */
  ownerOf(key: string): Promise<string | undefined>
  /** Refuses a key, given or derived from a name, that the organization may not use. */
  refuseForeign(org: string, key: string): Promise<void>
  /** The folder that its keys must be in. Empty: it has no prefix, and may use keys that belong to none. */
  boundsOf(org: string): Promise<string>
  /** Of all organizations; may lag other servers like a full listing of units. */
  orgNames(): Promise<readonly string[]>
}

export function createKeyOwners(deps: StateDeps, orgs: OrgStore, directory: OrgDirectory): KeyOwners {
  const { bucket, clock, settings } = deps
  let listed: { readonly names: readonly string[]; readonly asOf: number } = { names: [], asOf: -Infinity }

  /**
   * As fresh as a full listing of units: only a copied bucket lacks claims, and no journal shows what was copied. In a
   * folder, finding the organizations means reading the names of all their units.
   */
  async function orgNames(): Promise<readonly string[]> {
    if (!isRecent(clock, listed.asOf, settings.catalogVerifyMs)) {
      const asOf = clock.now()
      listed = { names: await orgs.names(systemCaller('opentaco')), asOf }
    }
    return listed.names
  }

  async function ownerOf(key: string): Promise<string | undefined> {
    const now = await directory.fresh()
    const owner = now.ownerOf(key)
    const folder = namedFolder(key)
    if (owner !== undefined || folder === undefined || now.entry(folder) !== undefined) return owner
    // Names that were listed a while ago, or one that another server has just added.
    const isOrg = (await orgNames()).includes(folder) || (await bucket.head(orgKey(folder))) !== undefined
    return isOrg ? folder : undefined
  }

  const boundsOf = async (org: string) => (await directory.fresh()).entry(org)?.prefix ?? ''

  return {
    ownerOf,
    boundsOf,
    orgNames,
    async refuseForeign(org, key) {
      const owner = await ownerOf(key)
      if (owner !== undefined && owner !== org)
        throw new TacoError('FORBIDDEN', `The key ${key} is in the folder of another organization.`, {
          facts: { field: 'key' },
          hint: 'Choose another name or key, or use that organization.',
        })
      const prefix = directory.latest().entry(org)?.prefix ?? ''
      if (!foldKey(key).startsWith(foldKey(prefix)))
        throw new TacoError('FORBIDDEN', `The key ${key} is outside the folder of the organization.`, {
          facts: { field: 'key' },
          hint: `Choose a key under ${prefix}.`,
        })
    },
  }
}
