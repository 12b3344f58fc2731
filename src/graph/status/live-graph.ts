import type { GraphFacts, GraphUnit, OutputDigest } from '../../state/index.ts'
import { findPath, type Order, orderOf } from './cycles.ts'
import { type Edge, edgesOf } from './edges.ts'
import { RankQueue } from './rank-queue.ts'
import type { Comparison, OutputsNow, UnitStatus } from './status.ts'
import { compareDependency, decideStatus, isMoving, isUnknown } from './status.ts'

/**
 * The graph of one organization in memory. Units are whole numbers inside (a slot is never given away again), a change
 * is carried downstream only as far as it matters. Everything in it follows from the documents it was last given.
 */
export interface LiveGraph {
  /** Takes units as `control.graph.units()` gives them; a unit has changed when its `key` is another object. */
  update(units: readonly LiveUnit[]): void
  /** Another number whenever anything may have changed. */
  revision(): number
  /** In the order in which they were given. */
  nodes(): readonly GraphNode[]
  node(id: string): GraphNode | undefined
  /** Those that use the unit directly, even if it is gone. */
  users(id: string): readonly GraphNode[]
  /** Everything that the unit uses (`up`) or that uses it (`down`), at any distance, without itself. */
  reach(id: string, direction: 'up' | 'down'): ReadonlySet<string>
}

export interface LiveUnit extends GraphUnit {
  /** Id of a rollout that may have left it half applied. */
  readonly doubt?: string
}

export interface GraphNode {
  readonly facts: GraphFacts
  readonly edges: readonly Edge[]
  /** One for each edge. */
  readonly comparisons: readonly Comparison[]
  readonly status: UnitStatus
  /** For `stale`: nothing upstream is on the move, so it can be applied. */
  readonly isReady: boolean
  /** Names along the cycle that it is part of, the first one again at the end. */
  readonly cycle: readonly string[] | null
  /** Id of a rollout that may have left it half applied. */
  readonly doubt: string | undefined
}

interface Slot {
  readonly id: string
  key: object | undefined
  /** Undefined: there is no such unit (any more), but others may name it. */
  facts: GraphFacts | undefined
  doubt: string | undefined
  outputs: OutputsNow
  edges: readonly Edge[]
  ups: readonly number[]
  readonly downs: Set<number>
  comparisons: readonly Comparison[]
  status: UnitStatus
  /** Something upstream is on the move. */
  isBelowMoving: boolean
  hasChanged: boolean
  hasUnknown: boolean
}

const noOutputs: readonly OutputDigest[] = []
/** All units of a larger group that use each other get the same cycle among them. */
const MOST_ON_THEIR_OWN = 100

export function createLiveGraph(): LiveGraph {
  const slots: Slot[] = []
  const slotOf = new Map<string, number>()
  let given: readonly LiveUnit[] = []
  let order = orderOf([])
  const cycles = new Map<number, { order: Order; revision: number; names: readonly string[] }>()
  let revision = 0

  function at(index: number): Slot {
    const slot = slots[index]
    if (slot === undefined) throw new Error(`there is no slot ${index}`)
    return slot
  }

  function intern(id: string): number {
    const known = slotOf.get(id)
    if (known !== undefined) return known
    slots.push({
      id,
      key: undefined,
      facts: undefined,
      doubt: undefined,
      outputs: undefined,
      edges: [],
      ups: [],
      downs: new Set(),
      comparisons: [],
      status: 'unknown',
      isBelowMoving: false,
      hasChanged: false,
      hasUnknown: false,
    })
    slotOf.set(id, slots.length - 1)
    return slots.length - 1
  }

  /** What changed since the last time. Usually the list is the same but for a key, so places are compared first. */
  function findChanged(units: readonly LiveUnit[]): number[] {
    const changed: number[] = []
    const isSameList = units.length === given.length && units.every((unit, i) => unit.id === given[i]?.id)
    for (let i = 0; i < units.length; i++) {
      const unit = units[i]
      if (unit === undefined || unit.key === given[i]?.key) continue
      const index = intern(unit.id)
      const slot = at(index)
      if (slot.key === unit.key) continue
      slot.key = unit.key
      setFacts(slot, unit.facts())
      slot.doubt = unit.doubt
      changed.push(index)
    }
    if (!isSameList && given.length > 0) {
      const present = new Set(units.map(({ id }) => id))
      for (const { id } of given) {
        if (present.has(id)) continue
        const index = intern(id)
        at(index).key = undefined
        setFacts(at(index), undefined)
        changed.push(index)
      }
    }
    given = units
    return changed
  }

  function setFacts(slot: Slot, facts: GraphFacts | undefined): void {
    slot.facts = facts
    slot.edges = facts === undefined ? [] : edgesOf(facts)
    slot.outputs = outputsOf(facts)
  }

  /** Gives whether the order still holds. */
  function relink(index: number): boolean {
    const slot = at(index)
    const before = slot.ups
    const count = slots.length
    const ups = slot.edges.map(({ on }) => intern(on))
    if (ups.length === before.length && ups.every((up, i) => up === before[i])) return true
    const kept = new Set(ups)
    for (const up of before) if (!kept.has(up)) at(up).downs.delete(index)
    for (const up of ups) at(up).downs.add(index)
    slot.ups = ups
    // A cycle may be gone; otherwise an edge less never hurts, and one more only if it points the wrong way.
    if (slots.length !== count || order.groups.has(placeOf(index))) return false
    return ups.every((up) => placeOf(up) < placeOf(index))
  }

  function placeOf(index: number): number {
    return order.place[index] ?? -1
  }

  function compare(slot: Slot): void {
    const { edges, ups } = slot
    slot.comparisons = edges.map((edge, i) => compareDependency(edge, slots[ups[i] ?? -1]?.outputs))
    summarize(slot)
  }

  /** Only its edges to units that changed. */
  function compareEdgesTo(slot: Slot, changed: ReadonlySet<number>): void {
    const { edges, ups, comparisons } = slot
    slot.comparisons = comparisons.map((comparison, i) => {
      const [edge, up] = [edges[i], ups[i]]
      if (edge === undefined || up === undefined || !changed.has(up)) return comparison
      return compareDependency(edge, at(up).outputs)
    })
    summarize(slot)
  }

  function summarize(slot: Slot): void {
    // What is half applied must be applied, whatever it reads.
    const isHalfDone = slot.facts?.failed !== undefined
    slot.hasChanged = isHalfDone || slot.comparisons.some(({ state }) => state === 'changed')
    slot.hasUnknown = slot.comparisons.some(({ state }) => state === 'unknown' || state === 'dangling')
  }

  /** True if those downstream have to look again. A cycle is settled as one. */
  function settle(index: number): boolean {
    const members = order.groups.get(placeOf(index)) ?? [index]
    const isInCycle = order.groups.has(placeOf(index))
    let isBelowMoving = false
    let isBelowUnknown = false
    for (const member of members) {
      for (const up of at(member).ups) {
        const { facts, status, isBelowMoving: below } = at(up)
        if (facts === undefined) continue
        // What members of the cycle pass on to each other says nothing: only what comes in from outside does.
        if (placeOf(up) === placeOf(index))
          isBelowMoving ||= facts.head === null && facts.missing === undefined
        else {
          isBelowUnknown ||= isUnknown(status)
          isBelowMoving ||= below || isMoving(status)
        }
      }
    }
    let hasChanged = false
    for (const member of members) {
      const slot = at(member)
      if (slot.facts === undefined) continue
      const status = decideStatus({
        isStateMissing: slot.facts.missing !== undefined,
        hasState: slot.facts.head !== null,
        isInCycle,
        hasChanged: slot.hasChanged,
        // What a unit gives to others is unknown while its state cannot be read.
        hasUnknown: slot.hasUnknown || slot.facts.head?.outputs === null || slot.doubt !== undefined,
        isUpstreamMoving: isBelowMoving,
        isUpstreamUnknown: isBelowUnknown,
      })
      hasChanged ||= status !== slot.status || isBelowMoving !== slot.isBelowMoving
      slot.status = status
      slot.isBelowMoving = isBelowMoving
    }
    return hasChanged
  }

  function update(units: readonly LiveUnit[]): void {
    const known = slots.length
    const changed = findChanged(units)
    if (changed.length === 0) return
    revision++
    let isOrdered = slots.length === known
    for (const index of changed) isOrdered = relink(index) && isOrdered
    if (!isOrdered) order = orderOf(slots.map(({ ups }) => ups))
    if (changed.length * 4 > slots.length) {
      for (const slot of slots) compare(slot)
      settleAll()
      return
    }
    for (const index of changed) compare(at(index))
    const isChanged = new Set(changed)
    const below = new Set(changed.flatMap((index) => [...at(index).downs]))
    for (const down of below) if (!isChanged.has(down)) compareEdgesTo(at(down), isChanged)
    // With another order others may have come into a cycle or out of it.
    if (isOrdered) settleBelow(changed)
    else settleAll()
  }

  function settleAll(): void {
    for (const index of order.sequence) settle(index)
  }

  function settleBelow(changed: readonly number[]): void {
    const queue = new RankQueue(order.place)
    for (const index of changed) {
      queue.add(index)
      for (const down of at(index).downs) queue.add(down)
    }
    for (let index = queue.take(); index !== undefined; index = queue.take()) {
      if (settle(index)) for (const down of downsOf(index)) queue.add(down)
    }
  }

  function* downsOf(index: number): Generator<number> {
    for (const member of order.groups.get(placeOf(index)) ?? [index]) {
      for (const down of at(member).downs) if (placeOf(down) !== placeOf(index)) yield down
    }
  }

  function view(slot: Slot, index: number): GraphNode | undefined {
    const { facts, edges, comparisons, status, isBelowMoving, doubt } = slot
    if (facts === undefined) return undefined
    const isReady = status === 'stale' && !isBelowMoving
    return { facts, edges, comparisons, status, isReady, cycle: cycleOf(index), doubt }
  }

  function cycleOf(index: number): readonly string[] | null {
    if (!order.groups.has(placeOf(index))) return null
    const group = order.groups.get(placeOf(index)) ?? []
    // Finding the shortest way takes as long as the group is large, and each of its units asks.
    const from = group.length > MOST_ON_THEIR_OWN ? (group[0] ?? index) : index
    const known = cycles.get(from)
    if (known?.order === order && known.revision === revision) return known.names
    const inside = (node: number) => at(node).ups.filter((up) => placeOf(up) === placeOf(index))
    const path = findPath(from, from, inside) ?? []
    const names = path.map((node) => at(node).facts?.name ?? at(node).id)
    cycles.set(from, { order, revision, names })
    return names
  }

  return {
    update,
    revision: () => revision,
    nodes: () => given.flatMap(({ id }) => viewById(id) ?? []),
    node: viewById,
    users(id) {
      const index = slotOf.get(id)
      return index === undefined ? [] : [...at(index).downs].flatMap((down) => view(at(down), down) ?? [])
    },
    reach(id, direction) {
      const reached = new Set<number>()
      const start = slotOf.get(id)
      const queue = start === undefined ? [] : [start]
      for (const index of queue) {
        for (const next of direction === 'up' ? at(index).ups : at(index).downs) {
          if (next === start || reached.has(next) || at(next).facts === undefined) continue
          reached.add(next)
          queue.push(next)
        }
      }
      return new Set([...reached].map((index) => at(index).id))
    },
  }

  function viewById(id: string): GraphNode | undefined {
    const index = slotOf.get(id)
    return index === undefined ? undefined : view(at(index), index)
  }
}

function outputsOf(facts: GraphFacts | undefined): OutputsNow {
  if (facts === undefined) return undefined
  return facts.head === null ? noOutputs : facts.head.outputs
}
