import { foldKey } from '../../bucket/index.ts'
import type { DirectoryDocument, OrgEntry } from '../documents/model.ts'
import { FIRST_ORG, isOrgName } from '../documents/names.ts'

type Entries = DirectoryDocument['orgs']

/** The directory of organizations as it was read. */
export interface Directory {
  /** Undefined: the organization is older than the directory, or does not exist. */
  entry(id: string): OrgEntry | undefined
  /** From a current or former name to the id. A name that is not in the directory is an id, if it is anything. */
  idOf(name: string): string
  nameOf(id: string): string
  /** Where the states of its new units are stored: empty, or with a slash at the end. */
  folderOf(id: string): string
  /** The organization in the directory whose folder the key is in. */
  ownerOf(key: string): string | undefined
  ids(): Iterable<string>
}

export function readDirectory(orgs: Entries): Directory {
  // Not the object itself: "constructor" is a valid name of an organization.
  const entries = new Map(Object.entries(orgs))
  const idsByName = new Map<string, string>()
  for (const [id, { name, formerNames = [] }] of entries)
    for (const one of [...formerNames, name]) if (one !== undefined) idsByName.set(one, id)
  const folderOf = (id: string) => entries.get(id)?.prefix ?? ownFolder(id)
  return {
    entry: (id) => entries.get(id),
    idOf: (name) => idsByName.get(name) ?? name,
    nameOf: (id) => entries.get(id)?.name ?? id,
    folderOf,
    ownerOf(key) {
      const folded = foldKey(key)
      for (const id of entries.keys()) {
        const folder = foldKey(folderOf(id))
        if (folder !== '' && folded.startsWith(folder)) return id
      }
      return undefined
    },
    ids: () => entries.keys(),
  }
}

/** Organizations other than the first have a folder of their own. */
export function ownFolder(id: string): string {
  return id === FIRST_ORG ? '' : `${id}/`
}

/** The organization whose folder the key would be in, if there is one of that id without a prefix. */
export function namedFolder(key: string): string | undefined {
  const folder = foldKey(key.split('/', 1)[0] ?? '')
  return key.includes('/') && folder !== FIRST_ORG && isOrgName(folder) ? folder : undefined
}

/** Could an object in one of these folders also be in the other? */
export function isNested(one: string, other: string): boolean {
  const [a, b] = [foldKey(one), foldKey(other)]
  return a.startsWith(b) || b.startsWith(a)
}
