import type { NodeView } from '../../../../graph/index.ts'
import { withQuery } from '../shell/addresses.ts'
import { Card } from '../shell/parts.tsx'
import { LOOKS, LOOK_WORDS, type Look, Shape, lookOf, lookWords } from '../shell/status.tsx'
import { countLooks } from './selection.ts'

/** Up to so many units, everything is in the page, and folders open without a request. */
const MOST_WHOLE = 500

interface Folder {
  readonly path: string
  readonly name: string
  readonly folders: Map<string, Folder>
  readonly units: NodeView[]
  /** Of everything below it. */
  readonly all: NodeView[]
}

interface TreeProps {
  readonly path: string
  readonly nodes: readonly NodeView[]
  /** The folder that is open, with those above it. */
  readonly opened: string | undefined
  readonly selected: string | undefined
}

/** Units by folder, each folder with what is below it. */
export function UnitTree({ path, nodes, opened, selected }: TreeProps) {
  const root = newFolder('', '')
  for (const node of nodes) {
    let at = root
    at.all.push(node)
    for (const part of node.name.split('/').slice(0, -1)) {
      const below = at.path === '' ? part : `${at.path}/${part}`
      let next = at.folders.get(part)
      if (next === undefined) at.folders.set(part, (next = newFolder(below, part)))
      at = next
      at.all.push(node)
    }
    at.units.push(node)
  }
  return (
    <Card>
      <div class="tree">
        <Below
          path={path}
          folder={root}
          opened={opened}
          selected={selected}
          isWhole={nodes.length <= MOST_WHOLE}
        />
      </div>
    </Card>
  )
}

interface FolderProps extends Pick<TreeProps, 'path' | 'opened' | 'selected'> {
  readonly folder: Folder
  readonly isWhole: boolean
}

function Below({ folder, ...rest }: FolderProps) {
  return (
    <ul>
      {[...folder.folders.values()].map((below) => (
        <li>
          <FolderItem {...rest} folder={below} />
        </li>
      ))}
      {folder.units.map((node) => (
        <li class="unit">
          <Shape look={lookOf(node)} />
          <a
            class="mono"
            href={withQuery(rest.path, { unit: node.name })}
            aria-current={node.name === rest.selected ? 'true' : undefined}
            data-select
          >
            {node.name.slice(folder.path === '' ? 0 : folder.path.length + 1)}
          </a>
          <span class="muted">{lookWords(node)}</span>
        </li>
      ))}
    </ul>
  )
}

function FolderItem({ folder, ...rest }: FolderProps) {
  const { opened = '', selected = '' } = rest
  const holds = (path: string) => `${path}/`.startsWith(`${folder.path}/`)
  const isOpen = holds(opened) || holds(selected) || (rest.isWhole && folder.all.some(wantsAttention))
  if (!rest.isWhole && !isOpen)
    return (
      <a class="folder" href={withQuery(rest.path, { opened: folder.path })}>
        <FolderLine folder={folder} />
      </a>
    )
  return (
    <details open={isOpen}>
      <summary class="folder">
        <FolderLine folder={folder} />
      </summary>
      <Below {...rest} folder={folder} />
    </details>
  )
}

function FolderLine({ folder }: { readonly folder: Folder }) {
  const counts = countLooks(folder.all)
  const shown = LOOKS.filter((look): look is Look => counts.has(look))
  return (
    <>
      <span class="mono">{folder.name}/</span>
      <span class="muted num">{folder.all.length}</span>
      <span class="looks">
        {shown.map((look) => (
          <span title={LOOK_WORDS[look]}>
            <Shape look={look} />
            <span class="num">{counts.get(look)}</span>
            <span class="unseen"> {LOOK_WORDS[look]}</span>
          </span>
        ))}
      </span>
    </>
  )
}

/** Where something is to be seen, the tree is open. */
function wantsAttention(node: NodeView): boolean {
  return ['fail', 'missing', 'stale', 'run'].includes(lookOf(node))
}

function newFolder(path: string, name: string): Folder {
  return { path, name, folders: new Map(), units: [], all: [] }
}
