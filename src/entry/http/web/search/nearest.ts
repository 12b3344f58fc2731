import type { NodeView } from '../../../../graph/index.ts'

/** The units whose names have the text in them: those that begin with it first, in whichever part of the path. Pure. */
export function nearest(nodes: readonly NodeView[], text: string, most: number): readonly NodeView[] {
  const ranks: NodeView[][] = [[], [], []]
  for (const node of nodes) {
    const name = node.name.toLowerCase()
    const at = name.indexOf(text)
    if (at === -1) continue
    const last = name.lastIndexOf('/') + 1
    const rank = name.startsWith(text, last) ? 0 : at === 0 || name.includes(`/${text}`) ? 1 : 2
    ranks[rank]?.push(node)
  }
  return ranks.flat().slice(0, most)
}
