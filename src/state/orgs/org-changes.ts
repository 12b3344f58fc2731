import type { Author } from '../../access/index.ts'
import { TacoError } from '../../base/errors.ts'
import type { DirectoryDocument, OrgEntry } from '../documents/model.ts'
import { isNested, ownFolder, readDirectory } from './directory.ts'

/** Changes of the directory of organizations. Pure; a refusal is thrown. */
type Entries = DirectoryDocument['orgs']

const MOST_FORMER_NAMES = 50

export interface NewOrg {
  readonly id: string
  readonly prefix?: string | undefined
}

/**
 * The directory with a new organization; the same one if it is there already, in the same place: its creation is to be
 * finished, or was. `older`: ids of organizations that may not be in the directory.
 */
export function added(orgs: Entries, { id, prefix }: NewOrg, older: readonly string[]): Entries {
  const directory = readDirectory(orgs)
  if (directory.idOf(id) !== id) throw nameTaken(id)
  const present = directory.entry(id)
  if (present !== undefined) {
    if (present.prefix === prefix && present.deleted === undefined) return orgs
    throw orgExists(id)
  }
  const folder = prefix ?? ownFolder(id)
  for (const other of new Set([...directory.ids(), ...older])) {
    const taken = directory.folderOf(other)
    if (other === id || taken === '' || !isNested(folder, taken)) continue
    throw new TacoError(
      'ALREADY_EXISTS',
      `The folder ${folder} overlaps with ${taken}, where another organization keeps its states.`,
      {
        facts: { field: prefix === undefined ? 'name' : 'prefix' },
        hint: 'Choose another folder with --prefix.',
      },
    )
  }
  return { ...orgs, [id]: prefix === undefined ? {} : { prefix } }
}

/** `isOlder`: an organization of that id exists, whether the directory knows it or not. */
export function renamed(orgs: Entries, id: string, to: string, isOlder: boolean): Entries {
  const directory = readDirectory(orgs)
  const from = directory.nameOf(id)
  if (from === to) return orgs
  const owner = directory.idOf(to)
  const isOwn = owner === id
  if (!isOwn && (owner !== to || directory.entry(to) !== undefined || isOlder)) throw nameTaken(to)
  const entry = directory.entry(id) ?? {}
  const formerNames = [...(entry.formerNames ?? []).filter((name) => name !== to), from].filter(
    (name) => name !== to && name !== id,
  )
  if (formerNames.length > MOST_FORMER_NAMES)
    throw new TacoError('BAD_REQUEST', `The organization has had ${formerNames.length} names.`, {
      facts: { field: 'name' },
      hint: 'Former names are never given to another organization. Use one that it had before.',
    })
  return { ...orgs, [id]: { ...moved(entry), name: to, formerNames } }
}

export function deleted(orgs: Entries, id: string, how: { readonly at: number } & Author): Entries {
  const entry = readDirectory(orgs).entry(id) ?? {}
  return entry.deleted === undefined ? { ...orgs, [id]: { ...moved(entry), deleted: how } } : orgs
}

export function restored(orgs: Entries, id: string): Entries {
  const entry = readDirectory(orgs).entry(id)
  if (entry?.deleted === undefined) return orgs
  const { deleted: _, ...rest } = entry
  return { ...orgs, [id]: moved(rest) }
}

function moved(entry: OrgEntry): OrgEntry {
  return { ...entry, moves: (entry.moves ?? 0) + 1 }
}

/** Without saying whose it is, or was. */
function nameTaken(name: string): TacoError {
  return new TacoError('ALREADY_EXISTS', `The name ${name} belongs to another organization, or did before.`, {
    facts: { field: 'name' },
    hint: 'Choose another name. A name is never given to a second organization.',
  })
}

export function orgExists(id: string): TacoError {
  return new TacoError('ALREADY_EXISTS', `The organization ${id} already exists.`, {
    facts: { field: 'name' },
    hint: 'Choose another name.',
  })
}
