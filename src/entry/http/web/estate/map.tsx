import { raw } from 'hono/html'
import type { NodeView } from '../../../../graph/index.ts'
import { withQuery } from '../shell/addresses.ts'
import { lookOf, lookWords } from '../shell/status.tsx'
import { type MapGroup, groupUnits, isDense } from './groups.ts'

interface MapProps {
  readonly path: string
  readonly nodes: readonly NodeView[]
  readonly selected: string | undefined
}

/** One square for each unit, grouped by path. Ten thousand of them are made by hand: it takes a tenth of the time. */
export function EstateMap({ path, nodes, selected }: MapProps) {
  const hrefTo = cellAddress(path)
  return (
    <div class={isDense(nodes) ? 'map dense' : 'map'} data-map>
      {groupUnits(nodes).map((group) => (
        <Group path={path} group={group} hrefTo={hrefTo} selected={selected} />
      ))}
    </div>
  )
}

interface GroupProps {
  readonly path: string
  readonly group: MapGroup
  readonly hrefTo: (unit: string) => string
  readonly selected: string | undefined
}

function Group({ path, group, hrefTo, selected }: GroupProps) {
  return (
    <section>
      <h2>
        {group.path === '' ? (
          'no folder'
        ) : (
          <a href={withQuery(path, { path: group.path, unit: undefined })}>{group.path}</a>
        )}
        <span class="n num">{group.count}</span>
      </h2>
      {group.rows.map(({ label, nodes }) => (
        <>
          {label !== '' && <h3>{label}</h3>}
          <div class="cells">{raw(nodes.map((node) => cell(node, hrefTo, selected)).join(''))}</div>
        </>
      ))}
    </section>
  )
}

function cell(node: NodeView, hrefTo: (unit: string) => string, selected: string | undefined): string {
  const name = escaped(node.name)
  const isSelected = node.name === selected ? ' aria-current="true"' : ''
  return `<a class="look-${lookOf(node)}" href="${hrefTo(node.name)}" title="${name}: ${lookWords(node)}"${isSelected}></a>`
}

/** The address of this page with another unit selected. */
function cellAddress(path: string): (unit: string) => string {
  const others = withQuery(path, { unit: undefined }).split('?')[1]
  const begin = escaped(others === undefined ? '?unit=' : `?${others}&unit=`)
  // A slash may be written as it is in a query, and most of the rest of a name, too.
  return (unit) => begin + encodeURIComponent(unit).replaceAll('%2F', '/')
}

function escaped(text: string): string {
  return /["&<>]/.test(text)
    ? text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    : text
}
