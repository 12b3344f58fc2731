import { LRUCache } from 'lru-cache'
import { systemCaller } from '../../access/index.ts'
import { isoTime } from '../../base/clock.ts'
import { isTacoError } from '../../base/errors.ts'
import { forEachLimit } from '../../base/for-each-limit.ts'
import type { GraphStore, Outputs, OutputsCommitView } from '../../state/index.ts'
import type { Reason } from '../views.ts'
import { withSentence } from './reasons.ts'

/** More different commits than this are not looked up for one answer: each costs requests to the bucket. */
const MOST_LOOKUPS = 100
const AT_ONCE = 8

/** What took an output away may be followed by another: the output came back and went again. */
const GONE_TTL_MS = 10_000

/** What is read here is kept for all callers. */
const shared = systemCaller('graph')

type Commit = Pick<OutputsCommitView, 'commit' | 'at' | 'by' | 'who'>

/** Adds to reasons when a change was made and by whom. A commit never changes, so each is looked up once. */
export function createChangeTimes(outputs: Pick<Outputs, 'log'>, graph: Pick<GraphStore, 'commitOf'>) {
  const known = new LRUCache<string, { readonly commit: Commit | undefined }>({ max: 20_000 })

  async function lookUp(org: string, reason: Reason, until: number): Promise<Commit | undefined> {
    const { on, changed, output, read } = reason
    if (on === null || output === null) return undefined
    const ref = { org, unit: on.id }
    if (changed !== null) {
      // A commit right after the read, or of a past time, needs no look at the commits in between.
      const isNext = read !== null && changed.commit === read.commit + 1
      const made =
        isNext || until !== Infinity ? await graph.commitOf(org, on.id, changed.commit, shared) : undefined
      if (made !== undefined)
        return { commit: changed.commit, at: isoTime(made.at), by: made.by, who: made.who }
      const { items } = await outputs.log(ref, { limit: 50, cursor: String(changed.commit + 1) }, shared)
      return firstChange(items, output, read?.commit)
    }
    // It is gone. The newest commit that touched it took it away, unless that one still has it: then it went with the
    // whole state, which makes no commit.
    const { items } = await outputs.log(ref, { limit: 50 }, shared)
    const newest = items.find((item) => item.changed.includes(output) && Date.parse(item.at) <= until)
    if (newest === undefined || newest.commit <= (read?.commit ?? 0)) return undefined
    return newest.outputs?.some(({ name }) => name === output) === true ? undefined : newest
  }

  return async function addTimes(
    org: string,
    reasons: readonly Reason[],
    until = Infinity,
  ): Promise<readonly Reason[]> {
    const wanted = new Map<string, Reason>()
    for (const reason of reasons) {
      if (reason.kind !== 'changed' || wanted.size >= MOST_LOOKUPS) continue
      if (!known.has(keyOf(org, reason, until))) wanted.set(keyOf(org, reason, until), reason)
    }
    await forEachLimit([...wanted], AT_ONCE, async ([key, reason]) => {
      try {
        const ttl = reason.changed === null ? GONE_TTL_MS : 0
        known.set(key, { commit: await lookUp(org, reason, until) }, { ttl })
      } catch (error) {
        // Deleted meanwhile, or not there at that time: the status is shown without it.
        if (!isTacoError(error, 'NOT_FOUND', 'GONE')) throw error
      }
    })
    return reasons.map((reason) => {
      const commit = reason.kind === 'changed' ? known.get(keyOf(org, reason, until))?.commit : undefined
      if (commit === undefined) return reason
      const changed = { commit: commit.commit, at: commit.at, by: commit.by, who: commit.who }
      return withSentence({ ...reason, changed })
    })
  }
}

/**
 * The commit since which the output differs from what was read; later ones may have changed it again. Where the log does
 * not go back to the read, the last that changed it.
 */
function firstChange(
  items: readonly OutputsCommitView[],
  output: string,
  readAt: number | undefined,
): Commit | undefined {
  const digestIn = (item: OutputsCommitView) => item.outputs?.find(({ name }) => name === output)?.digest
  const before = items.findIndex(({ commit }) => readAt !== undefined && commit <= readAt)
  const base = items[before]
  if (base === undefined) return items[0]
  const later = items.slice(0, before)
  const same = later.findIndex((item) => item.outputs === null || digestIn(item) === digestIn(base))
  const differing = same === -1 ? later : later.slice(0, same)
  return differing.findLast(({ changed }) => changed.includes(output)) ?? items[0]
}

function keyOf(org: string, { on, changed, output, read }: Reason, until: number): string {
  const asOf = until === Infinity ? 'now' : 'then'
  const what = `${output} ${read?.commit} ${changed === null ? until : `${changed.commit} ${asOf}`}`
  return `${org} ${on?.id} ${what}`
}
