import { LRUCache } from 'lru-cache'
import { systemCaller } from '../../access/index.ts'
import { type Clock, isoTime, systemClock } from '../../base/clock.ts'
import { Turns } from '../../base/turns.ts'
import type { GraphFacts, StateControl } from '../../state/index.ts'
import { createChangeTimes } from './reason-times.ts'
import { createDependencies } from '../dependencies/dependencies.ts'
import type { LiveUnit, LiveGraph, GraphNode } from './live-graph.ts'
import { createLiveGraph } from './live-graph.ts'
import { createGoneNames } from './gone-names.ts'
import { unknownUnit } from '../dependencies/unknown-name.ts'
import type { Graph, GraphQuery, RolloutMarks } from '../services.ts'
import type { GraphEdgeView, GraphView, NodeView, Reason, StatusView } from '../views.ts'
import { reasonsOf, sayGone } from './reasons.ts'

export interface GraphDeps {
  readonly control: Pick<StateControl, 'graph' | 'outputs' | 'units'>
  /** What others know of units by id. */
  readonly marks?: (org: string) => Promise<RolloutMarks>
  readonly clock?: Pick<Clock, 'now'>
}

/** So many units are read before anybody asks whether others want their turn. */
const SLICE_UNITS = 64

/** Organizations whose graph is in memory. Others are rebuilt on request. */
const MOST_GRAPHS = 64

/** The graph in memory is read once for all callers. */
const shared = systemCaller('graph')

type Marks = RolloutMarks['marks']

interface Loaded {
  readonly live: LiveGraph
  readonly asOf: number
  readonly marks: Marks
}

export function createGraph({ control, marks, clock = systemClock }: GraphDeps): Graph {
  const graphs = new LRUCache<string, LiveGraph>({ max: MOST_GRAPHS })
  const whole = new WeakMap<LiveGraph, { revision: number; until: number; parts: Parts }>()
  const addTimes = createChangeTimes(control.outputs, control.graph)
  const goneNames = createGoneNames(control.units)

  const marked = createMarkedUnits()
  const lastMarks = new LRUCache<string, RolloutMarks>({ max: MOST_GRAPHS })

  /** Without options for those who decide by the graph: it is refused where a unit of it cannot be read. */
  async function current(
    org: string,
    options: { readonly damaged?: 'shown' } = {},
  ): Promise<{ live: LiveGraph; asOf: number }> {
    const { units, asOf } = await control.graph.units(org, options, shared)
    if (!graphs.has(org)) await readFacts(units)
    let live = graphs.get(org)
    if (live === undefined) {
      live = createLiveGraph()
      graphs.set(org, live)
    }
    live.update(marked(units, lastMarks.get(org)))
    return { live, asOf }
  }

  async function load({ org, at }: GraphQuery): Promise<Loaded> {
    if (at === undefined) {
      const known = await marks?.(org)
      if (known !== undefined) lastMarks.set(org, known)
      return { ...(await current(org, { damaged: 'shown' })), marks: known?.marks ?? new Map() }
    }
    const live = createLiveGraph()
    const all = (await control.graph.unitsAt(org, at, shared)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    live.update(all.map((facts) => ({ id: facts.id, key: facts, facts: () => facts })))
    return { live, asOf: at, marks: new Map() }
  }

  /** The same objects as long as nothing changed, so that a face can keep what it made of them. */
  async function allOf(org: string, { live, marks: known }: Loaded): Promise<Parts> {
    const kept = whole.get(live)
    const now = clock.now()
    if (kept?.revision === live.revision() && now <= kept.until && known.size === 0) return kept.parts
    const [nodes, revision] = [live.nodes(), live.revision()]
    const parts = await named(org, partsOf(nodes, known, now))
    // A lock may run out without anybody changing anything.
    const until = nodes.reduce((first, { facts }) => Math.min(first, lockedUntil(facts, now)), Infinity)
    if (known.size === 0) whole.set(live, { revision, until, parts })
    return parts
  }

  async function named(org: string, { nodes, edges }: Parts): Promise<Parts> {
    const isNameless = ({ to, name, state }: GraphEdgeView) => state === 'dangling' && name === to
    const nameless = edges.filter(isNameless)
    if (nameless.length === 0) return { nodes, edges }
    const names = await goneNames(
      org,
      nameless.map(({ to }) => to),
    )
    return {
      nodes,
      edges: edges.map((edge) =>
        isNameless(edge) ? { ...edge, name: names.get(edge.to) ?? edge.name } : edge,
      ),
    }
  }

  async function namedReasons(org: string, reasons: readonly Reason[]): Promise<readonly Reason[]> {
    const goneId = ({ kind, on }: Reason) => (kind === 'gone' && on?.name === on?.id ? on?.id : undefined)
    const names = await goneNames(
      org,
      reasons.flatMap((reason) => goneId(reason) ?? []),
    )
    return reasons.map((reason) => {
      const id = goneId(reason)
      const name = id === undefined ? undefined : names.get(id)
      return id === undefined || name === undefined
        ? reason
        : { ...reason, on: { id, name }, says: sayGone(name) }
    })
  }

  return {
    async view(query): Promise<GraphView> {
      const loaded = await load(query)
      const asOf = isoTime(loaded.asOf)
      if (query.unit === undefined) return { asOf, ...(await allOf(query.org, loaded)) }
      const parts = partsOf(selected(loaded.live, query), loaded.marks, clock.now())
      const { nodes, edges } = await named(query.org, parts)
      const shown = new Set(nodes.map(({ id }) => id))
      return { asOf, nodes, edges: edges.filter(({ to, state }) => shown.has(to) || state === 'dangling') }
    },
    async status(query): Promise<StatusView> {
      const loaded = await load(query)
      const { live } = loaded
      const nodes = selected(live, query)
      const counts = {
        'up-to-date': 0,
        stale: 0,
        waiting: 0,
        unknown: 0,
        'never-applied': 0,
        'state-missing': 0,
      }
      for (const { status } of nodes) counts[status]++
      const needsIt = ({ facts, status }: GraphNode) =>
        status !== 'up-to-date' ||
        loaded.marks.has(facts.id) ||
        facts.failed !== undefined ||
        facts.warning !== undefined
      const wanted = query.attention === true ? nodes.filter(needsIt) : nodes
      const items = wanted.map((node) => ({
        ...nodeView(node, loaded.marks, clock.now()),
        reasons: reasonsOf(node, (id) => live.node(id)),
      }))
      const reasons = await namedReasons(
        query.org,
        items.flatMap((item) => item.reasons),
      )
      const timed = await addTimes(query.org, reasons, query.at)
      let next = 0
      return {
        asOf: isoTime(loaded.asOf),
        counts,
        items: items.map((item) => ({ ...item, reasons: timed.slice(next, (next += item.reasons.length)) })),
      }
    },
    dependencies: createDependencies(control, (org) => current(org), goneNames),
  }
}

/** Of very many units this takes longer than all the rest. What was read is kept with the unit. */
async function readFacts(units: readonly LiveUnit[]): Promise<void> {
  const turns = new Turns()
  for (const [i, unit] of units.entries()) {
    unit.facts()
    if (i % SLICE_UNITS === SLICE_UNITS - 1) await turns.pause()
  }
}

/** What could not be noted with a unit, or cannot be known of it, counts all the same: half applied is never fine. */
function createMarkedUnits() {
  const made = new WeakMap<object, { readonly as: string; readonly unit: LiveUnit }>()
  return (units: readonly LiveUnit[], known: RolloutMarks | undefined): readonly LiveUnit[] => {
    if (known === undefined || (known.failed.size === 0 && known.doubt === undefined)) return units
    return units.map((unit) => {
      const apply = known.failed.get(unit.id)
      const doubt = known.doubt?.(unit.id)
      if (apply === undefined && doubt === undefined) return unit
      const as = `${apply?.rollout} ${apply?.at} ${doubt}`
      const earlier = made.get(unit.key)
      if (earlier?.as === as) return earlier.unit
      const facts = apply === undefined ? unit.facts() : { ...unit.facts(), failed: apply }
      const marked = { id: unit.id, key: {}, facts: () => facts, ...(doubt === undefined ? {} : { doubt }) }
      made.set(unit.key, { as, unit: marked })
      return marked
    })
  }
}

interface Parts {
  readonly nodes: NodeView[]
  readonly edges: GraphEdgeView[]
}

function partsOf(nodes: readonly GraphNode[], marks: Marks, now: number): Parts {
  const readable = nodes.filter(({ facts }) => facts.damaged === undefined)
  const nameOf = new Map(readable.map(({ facts }) => [facts.id, facts.name]))
  return {
    nodes: nodes.map((node) => nodeView(node, marks, now)),
    edges: nodes.flatMap(({ facts, edges, comparisons }) =>
      edges.map((edge, i) => ({
        from: facts.id,
        to: edge.on,
        name: nameOf.get(edge.on) ?? (edge.name || edge.on),
        outputs: edge.outputs === null ? null : [...edge.outputs],
        source: edge.source,
        state: comparisons[i]?.state ?? 'unknown',
        changed: comparisons[i]?.changes.map(({ output }) => output) ?? [],
      })),
    ),
  }
}

/** When this view expires by itself: Infinity if nothing does. Expired locks are ignored. */
function lockedUntil({ locked, leaseUntil }: GraphFacts, now: number): number {
  return locked && leaseUntil !== undefined && leaseUntil >= now ? leaseUntil : Infinity
}

function nodeView({ facts, status, isReady }: GraphNode, marks: Marks, now: number): NodeView {
  const { id, name, leaseUntil, failed } = facts
  const head = facts.forgotten === true || facts.damaged !== undefined ? null : facts.head
  const locked = facts.locked && (leaseUntil === undefined || leaseUntil >= now)
  const own = [
    ...(locked ? (['locked'] as const) : []),
    ...(failed === undefined ? [] : (['failed'] as const)),
    ...(facts.warning === undefined ? [] : (['suspect'] as const)),
  ]
  return {
    id,
    name,
    status,
    ready: isReady,
    marks: [...own, ...(marks.get(id) ?? [])],
    commit: head?.commit ?? null,
    at: head === null ? null : isoTime(head.at),
    by: head?.by ?? null,
    who: head?.who ?? null,
  }
}

/** The units that were asked for, in the order of all. */
function selected(live: LiveGraph, { unit, direction }: GraphQuery): readonly GraphNode[] {
  const nodes = live.nodes()
  if (unit === undefined) return nodes
  const start = nodes.find(({ facts }) => facts.id === unit || facts.name === unit)
  if (start === undefined)
    throw unknownUnit(
      unit,
      nodes.map(({ facts }) => facts.name),
    )
  const { id } = start.facts
  if (direction === 'none') return [start]
  const shown = new Set([id])
  if (direction !== 'down') for (const up of live.reach(id, 'up')) shown.add(up)
  if (direction !== 'up') for (const down of live.reach(id, 'down')) shown.add(down)
  return nodes.filter(({ facts }) => shown.has(facts.id))
}
