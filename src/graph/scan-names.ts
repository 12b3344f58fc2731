import { unitNameFor } from '../state/index.ts'
import { groupedBy } from './grouped.ts'
import type { Place } from './scan-backend.ts'

interface Nameless {
  readonly dir: string
  readonly place: Place | undefined
}

/**
 * By the state's place where it tells, as `taco adopt` does; by folder where it does not, or two would be the same.
 * No two are ever the same.
 */
export function namesOf(roots: readonly Nameless[], rootName: string): ReadonlyMap<string, string> {
  const folderName = ({ dir }: Nameless) =>
    unitNameFor({ path: dir === '.' ? rootName : dir, workspace: undefined, layout: 'plain' }, undefined, '')
  const byUnit = groupedBy(roots, ({ place }) => place?.unit)
  const isTold = ({ place }: Nameless) => place?.unit !== undefined && byUnit.get(place.unit)?.length === 1
  const ofFolders = new Set(roots.filter((root) => !isTold(root)).map(folderName))
  const taken = new Set<string>()
  return new Map(
    roots.map((root) => {
      const told = isTold(root) ? root.place?.unit : undefined
      const wanted = told === undefined || ofFolders.has(told) ? folderName(root) : told
      let name = wanted
      for (let n = 2; taken.has(name); n++) name = `${wanted}-${n}`
      taken.add(name)
      return [root.dir, name]
    }),
  )
}
