import { LRUCache } from 'lru-cache'
import type { Clock } from '../../../../base/clock.ts'
import { isTacoError } from '../../../../base/errors.ts'
import type { Graph, GraphView } from '../../../../graph/index.ts'
import type { Caller } from '../../../../state/index.ts'

/** If there is something to show, a page does not wait longer. */
const PATIENCE_MS = 3_000
const MOST_ORGS = 64

export interface KnownGraph {
  readonly graph: GraphView
  /** True: the bucket does not answer, and this is what it said last. */
  readonly isLast: boolean
}

/** By the service, which keeps the same objects: this costs no memory of its own. */
const known = new WeakMap<Graph, LRUCache<string, GraphView>>()

/** How many units there were when someone last looked. Undefined: not known, and asking would cost something. */
export function knownUnits(graph: Graph, org: string): number | undefined {
  return known.get(graph)?.get(org)?.nodes.length
}

/** The graph as it is, or as it was when the bucket could still be reached. */
export async function knownGraph(
  graph: Graph,
  org: string,
  caller: Caller,
  clock: Pick<Clock, 'sleep'>,
): Promise<KnownGraph> {
  const ofGraph = known.get(graph) ?? new LRUCache<string, GraphView>({ max: MOST_ORGS })
  known.set(graph, ofGraph)
  const last = ofGraph.get(org)
  const asking = graph.view({ org }, caller).then((found) => {
    ofGraph.set(org, found)
    return { graph: found, isLast: false }
  })
  if (last === undefined) return asking
  const waiting = new AbortController()
  const late = clock.sleep(PATIENCE_MS, waiting.signal).then(
    () => ({ graph: last, isLast: true }),
    () => asking,
  )
  try {
    return await Promise.race([asking, late])
  } catch (error) {
    if (!isTacoError(error, 'BUCKET_UNAVAILABLE', 'BUCKET_REFUSED')) throw error
    return { graph: last, isLast: true }
  } finally {
    waiting.abort()
    // The answer may come too late, and fail.
    asking.catch(() => {})
    late.catch(() => {})
  }
}
