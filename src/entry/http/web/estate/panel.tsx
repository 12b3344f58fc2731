import type { GraphEdgeView, GraphView, NodeView, StatusItem } from '../../../../graph/index.ts'
import { unitPath, withQuery } from '../shell/addresses.ts'
import { shell } from '../shell/command-line.ts'
import { ADVICE } from '../shell/advice.ts'
import { Card, Command, Notice, Time, Why } from '../shell/parts.tsx'
import { Reasons } from '../shell/reasons.tsx'
import { LOOK_WORDS, type Look, Shape, StatusChip, lookOf } from '../shell/status.tsx'

/** So many units are named; the graph shows the rest. */
const MOST_NAMED = 5
const MOST_WAITING = 12

interface PanelProps {
  readonly base: string
  /** Of the page, without what is only for scripts. */
  readonly path: string
  readonly now: number
  /** Whether a rollout can be started from what is shown: not in the past, and not without the right. */
  readonly canRollOut: boolean
  readonly graph: Pick<GraphView, 'nodes' | 'edges'>
  /** What the filters leave. */
  readonly found: readonly NodeView[]
  /** Undefined: no unit is selected. Null: there is none of that name. */
  readonly selected: StatusItem | null | undefined
  readonly name: string | undefined
  /** That lists what the filters leave. */
  readonly command: string
  /** Given: the bucket does not answer, and this is what the server knew then. */
  readonly lastAt?: string | undefined
}

/** The unit that is selected, why it has its status, and what to do about it. */
export function Panel(props: PanelProps) {
  const { base, path, now, canRollOut, graph, found, selected, name = '', command, lastAt } = props
  return (
    <div id="panel" class="grid">
      {lastAt !== undefined && <LastKnown at={lastAt} />}
      {selected === undefined ? (
        <Attention path={path} nodes={found} command={command} />
      ) : selected === null ? (
        <Card title={name}>
          <p>No unit has this name here, or you cannot see it.</p>
        </Card>
      ) : (
        <Selected base={base} path={path} now={now} canRollOut={canRollOut} graph={graph} item={selected} />
      )}
    </div>
  )
}

/** Marks what the server shows from memory. */
export function LastKnown({ at }: { readonly at: string }) {
  return (
    <Notice kind="fail">
      <p>
        The bucket does not answer. This is what the server knew at <Time at={at} />. Changes are refused
        until it answers again.
      </p>
    </Notice>
  )
}

function Selected({
  base,
  path,
  now,
  canRollOut,
  graph,
  item,
}: Omit<PanelProps, 'selected' | 'name' | 'found' | 'command' | 'lastAt'> & { readonly item: StatusItem }) {
  const { name } = item
  const slash = name.lastIndexOf('/') + 1
  const uses = graph.edges.filter(({ from }) => from === item.id)
  const users = graph.edges.filter(({ to }) => to === item.id)
  const nameOf = new Map(graph.nodes.map((node) => [node.id, node.name]))
  const look = lookOf(item)
  return (
    <section class="card selected">
      {slash > 0 && <p class="mono faint">{name.slice(0, slash)}</p>}
      <div class="bar">
        <h2 class="name">{name.slice(slash)}</h2>
        <StatusChip node={item} />
      </div>
      {item.reasons.length > 0 && (
        <Why look={look}>
          <Reasons reasons={item.reasons} base={base} now={now} />
        </Why>
      )}
      <p class="muted">{ADVICE[look]}</p>
      {uses.length > 0 && (
        <>
          <h3>Uses</h3>
          <ul class="units">
            {uses.slice(0, MOST_NAMED).map((edge) => (
              <UsedUnit edge={edge} path={path} />
            ))}
          </ul>
          {uses.length > MOST_NAMED && <p class="muted">and {uses.length - MOST_NAMED} more</p>}
        </>
      )}
      {users.length > 0 && (
        <>
          <h3>
            Used by {users.length} {users.length === 1 ? 'unit' : 'units'}
          </h3>
          <ul class="units">
            {users.slice(0, MOST_NAMED).map(({ from }) => (
              <li>
                <a class="mono" href={withQuery(path, { unit: nameOf.get(from) ?? from })}>
                  {nameOf.get(from) ?? from}
                </a>
              </li>
            ))}
          </ul>
          {users.length > MOST_NAMED && <p class="muted">and {users.length - MOST_NAMED} more</p>}
        </>
      )}
      <div class="bar actions">
        <a class="button primary" href={unitPath(base, name)}>
          Open
        </a>
        {canRollOut && (
          <a class="button" href={withQuery(`${base}/rollouts/new`, { from: name })}>
            Roll out from here
          </a>
        )}
        <a href={withQuery(path, { view: 'graph', around: name })}>Show in graph</a>
      </div>
      <Command>{shell`taco status ${name}`}</Command>
    </section>
  )
}

function UsedUnit({ edge, path }: { readonly edge: GraphEdgeView; readonly path: string }) {
  const outputs = edge.outputs === null ? 'all outputs' : edge.outputs.join(', ')
  return (
    <li>
      <a class="mono" href={withQuery(path, { unit: edge.name })}>
        {edge.name}
      </a>{' '}
      <span class="mono faint">{outputs}</span>
    </li>
  )
}

interface AttentionProps {
  readonly path: string
  readonly nodes: readonly NodeView[]
  readonly command: string
}

/** While nothing is selected: what wants attention. */
function Attention({ path, nodes, command }: AttentionProps) {
  const ready = nodes.filter((node) => node.ready && lookOf(node) === 'stale')
  const broken = nodes.filter((node) => ['fail', 'missing'].includes(lookOf(node)))
  const running = nodes.filter((node) => lookOf(node) === 'run')
  const lists: readonly (readonly [string, Look, readonly NodeView[]])[] = [
    ['Failed or missing', 'fail', broken],
    ['Running', 'run', running],
    ['Ready to apply', 'stale', ready],
  ]
  const shown = lists.filter(([, , found]) => found.length > 0)
  return (
    <section class="card">
      {shown.length === 0 && (
        <>
          <h2>Attention</h2>
          <p class="muted">Nothing failed, and no unit is ready to apply. Select a unit to see more of it.</p>
        </>
      )}
      {shown.map(([title, look, found]) => (
        <>
          <h2>{title}</h2>
          <ul class="units">
            {found.slice(0, MOST_WAITING).map((node) => (
              <li>
                <Shape look={lookOf(node)} />
                <span class="unseen">{LOOK_WORDS[lookOf(node)]}: </span>
                <a class="mono" href={withQuery(path, { unit: node.name })} data-select>
                  {node.name}
                </a>
              </li>
            ))}
          </ul>
          {found.length > MOST_WAITING && (
            <p>
              <a href={withQuery(path, { view: 'table', status: look })}>
                and {found.length - MOST_WAITING} more
              </a>
            </p>
          )}
        </>
      ))}
      <Command>{command}</Command>
    </section>
  )
}
