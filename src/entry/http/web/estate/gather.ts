import {
  type GraphView,
  type NodeView,
  type StatusItem,
  visibleGraph,
  visibleStatus,
} from '../../../../graph/index.ts'
import type { Caller } from '../../../../state/index.ts'
import type { WebServices } from '../services.ts'
import { knownGraph } from './last-known.ts'
import { type EstateQuery, selectUnits } from './selection.ts'

type Services = Pick<WebServices, 'graph' | 'control' | 'clock'>

interface Asked {
  readonly org: string
  readonly at: number | undefined
  readonly query: EstateQuery
}

export interface Estate {
  /** What the person may see of it. */
  readonly graph: GraphView
  /** True: the bucket does not answer, and this is what it said last. */
  readonly isLast: boolean
  /** What the filters leave. */
  readonly found: readonly NodeView[]
  /** Undefined: no unit is selected. Null: there is none of that name. */
  readonly selected: StatusItem | null | undefined
}

export async function gatherEstate(services: Services, asked: Asked, caller: Caller): Promise<Estate> {
  const { org, at, query } = asked
  const { graph: whole, isLast } =
    at === undefined
      ? await knownGraph(services.graph, org, caller, services.clock)
      : { graph: await services.graph.view({ org, at }, caller), isLast: false }
  const visible = await services.control.units.visible(org, caller)
  const graph = visible === undefined ? whole : visibleGraph(whole, visible)
  // Whatever needs the bucket is left out while it does not answer.
  const labelled = isLast ? undefined : await labelledUnits(services, asked, caller)
  const node = graph.nodes.find(({ name }) => name === query.unit)
  const selected =
    query.unit === undefined
      ? undefined
      : node === undefined
        ? null
        : isLast
          ? { ...node, reasons: [] }
          : await statusOf(services, { ...asked, id: node.id }, caller)
  return { graph, isLast, found: selectUnits(graph.nodes, query, labelled), selected }
}

async function statusOf(
  { graph, control }: Services,
  { org, at, id }: Asked & { readonly id: string },
  caller: Caller,
): Promise<StatusItem | null> {
  const asked = { org, unit: id, direction: 'none' as const, ...(at === undefined ? {} : { at }) }
  const status = await graph.status(asked, caller)
  const visible = await control.units.visible(org, caller)
  return (visible === undefined ? status : visibleStatus(status, visible)).items[0] ?? null
}

/** Ids of the units that have all the labels that are asked for. Undefined: no label is. */
async function labelledUnits(
  { control }: Services,
  { org, query }: Asked,
  caller: Caller,
): Promise<ReadonlySet<string> | undefined> {
  if (query.label.length === 0) return undefined
  const labels = Object.fromEntries(query.label.map((text) => text.split(/=(.*)/s).slice(0, 2)))
  const { items } = await control.units.list({ org, labels, limit: Number.MAX_SAFE_INTEGER }, caller)
  return new Set(items.map(({ id }) => id))
}

/** Of the units that were found: those that the unit `around` uses, and those that use it, directly or not. */
export async function aroundUnit(
  { graph }: Services,
  { org, at, query, graph: { nodes }, found }: Asked & Pick<Estate, 'graph' | 'found'>,
  caller: Caller,
): Promise<readonly NodeView[]> {
  const unit = nodes.find(({ name }) => name === query.around)
  if (unit === undefined) return found
  const near = await graph.view({ org, unit: unit.id, ...(at === undefined ? {} : { at }) }, caller)
  const ids = new Set(near.nodes.map(({ id }) => id))
  return found.filter(({ id }) => ids.has(id))
}
