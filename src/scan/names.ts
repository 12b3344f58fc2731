import { unitNameFor } from '../state/index.ts'
import { groupedBy } from '../base/group-by.ts'
import type { Place } from './backend.ts'

interface Nameless {
  readonly dir: string
  readonly place: Place | undefined
}

interface Names {
  readonly byDir: ReadonlyMap<string, string>
  readonly remarks: readonly { readonly where: string; readonly says: string }[]
}

/**
 * Derived from the state's location where possible, as `taco adopt` does; from the folder otherwise, or if two would be
 * the same. No two are ever the same. A name derived from a location may belong to an existing unit, so no folder may
 * take it: its code would be applied to another unit's state.
 */
export function namesOf(roots: readonly Nameless[], rootName: string): Names {
  const folderName = ({ dir }: Nameless) =>
    unitNameFor({ path: dir === '.' ? rootName : dir, workspace: undefined, layout: 'plain' }, undefined, '')
  const byUnit = groupedBy(roots, ({ place }) => place?.unit)
  const owners = new Map([...byUnit].map(([unit, those]) => [unit, ownerOf(those)]))
  const isOwner = (root: Nameless) => root.place?.unit !== undefined && owners.get(root.place.unit) === root
  const taken = new Set([...owners].filter(([, owner]) => owner !== undefined).map(([unit]) => unit))
  const remarks: { where: string; says: string }[] = []
  const byDir = new Map<string, string>()
  for (const root of roots) {
    const told = isOwner(root) ? root.place?.unit : undefined
    const isFree = (name: string) => !taken.has(name) && (root.place?.unit === name || !byUnit.has(name))
    const wanted = told ?? folderName(root)
    let name = wanted
    for (let n = 2; told === undefined && !isFree(name); n++) name = `${wanted}-${n}`
    taken.add(name)
    byDir.set(root.dir, name)
    const tellers = byUnit.get(wanted)
    if (name !== wanted && tellers !== undefined) {
      const others = tellers.filter((other) => other !== root).map(({ dir }) => dir)
      const says = `it is called ${name}, because the state of ${others.join(', ')} is that of a unit ${wanted}`
      remarks.push({ where: root.dir, says })
    }
  }
  return { byDir, remarks }
}

/** Among those with the same derived name. An address of ours is certain; a key only suggests a name. */
function ownerOf(those: readonly Nameless[]): Nameless | undefined {
  const ours = those.filter(({ place }) => place?.kind === 'opentaco')
  const candidates = ours.length > 0 ? ours : those
  return candidates.length === 1 ? candidates[0] : undefined
}
