import { sayAuthor } from '../../base/text/author.ts'
import { isoTime } from '../../base/clock.ts'
import type { GraphNode } from './live-graph.ts'
import type { Edge } from './edges.ts'
import type { Comparison } from './status.ts'
import { isMoving, isUnknown } from './status.ts'
import type { Reason } from '../views.ts'

/** Why a unit has the status it has, from documents alone: when a change was made is looked up later. Pure. */
export function reasonsOf(node: GraphNode, nodeOf: (id: string) => GraphNode | undefined): Reason[] {
  const { warning } = node.facts
  const suspect: Reason[] = warning === undefined ? [] : [{ ...blank, kind: 'suspect', says: warning }]
  return [...suspect, ...reasonsOfStatus(node, nodeOf)]
}

function reasonsOfStatus(node: GraphNode, nodeOf: (id: string) => GraphNode | undefined): Reason[] {
  const { status, edges, comparisons, cycle } = node
  if (cycle !== null) return [{ ...blank, kind: 'cycle', cycle: [...cycle], says: sayCycle(cycle) }]
  if (status === 'state-missing') return [{ ...blank, kind: 'missing', says: sayMissing(node.facts) }]
  if (status === 'up-to-date' || status === 'never-applied') return []
  const reasons = edges.flatMap((edge, i) => {
    const comparison = comparisons[i]
    const upstream = nodeOf(edge.on)
    const known = upstream?.facts.damaged === undefined ? upstream?.facts.name : undefined
    const on = { id: edge.on, name: known ?? (edge.name || edge.on) }
    const own = comparison === undefined ? [] : reasonsOfEdge(on, edge, comparison, upstream?.facts)
    const isSaid =
      upstream !== undefined && isUnknown(upstream.status) && own.some(({ kind }) => ofUpstream.has(kind))
    const passed = upstream === undefined || isSaid ? [] : reasonsOfUpstream(on, upstream, status)
    return [...own, ...passed]
  })
  // Of several kinds the one that decided comes first; what would only matter otherwise is left out.
  if (status === 'stale')
    return [...failureOf(node), ...reasons.filter(({ kind }) => kind === 'changed' || kind === 'upstream')]
  if (status === 'waiting') return reasons.filter(({ kind }) => kind === 'upstream')
  return [...reasonsOfItself(node), ...reasons]
}

function reasonsOfItself({ facts, doubt }: GraphNode): Reason[] {
  const says = `the rollout ${doubt} is damaged, and may have left it half applied`
  const doubts: Reason[] = doubt === undefined ? [] : [{ ...blank, kind: 'damaged', says }]
  return [...doubts, ...unknownOfItself(facts)]
}

function unknownOfItself(facts: GraphNode['facts']): Reason[] {
  if (facts.damaged !== undefined) return [{ ...blank, kind: 'damaged', says: facts.damaged }]
  if (facts.forgotten === true) return [{ ...blank, kind: 'forgotten', says: sayForgotten('it') }]
  if (facts.head?.outputs !== null) return []
  return [{ ...blank, kind: 'encrypted', says: 'its state is encrypted, so its outputs are unknown' }]
}

const blank = { on: null, output: null, change: null, read: null, changed: null, cycle: null }

function failureOf({ facts: { failed } }: GraphNode): Reason[] {
  if (failed === undefined) return []
  const when = isoTime(failed.at).slice(0, 16).replace('T', ' ')
  return [{ ...blank, kind: 'failed', says: `its last apply failed, ${when} in ${failed.rollout}` }]
}

type Named = { readonly id: string; readonly name: string }

/** What is wrong with the unit upstream itself: its status would say it once more. */
const ofUpstream = new Set<Reason['kind']>(['encrypted', 'forgotten', 'damaged', 'missing'])

function reasonsOfEdge(
  on: Named,
  { read }: Edge,
  comparison: Comparison,
  upstream: GraphNode['facts'] | undefined,
): Reason[] {
  const { state, changes, unread, because } = comparison
  const base = {
    ...blank,
    on: { ...on },
    // Several reads merged into one do not say which output was read at which commit.
    read: read === undefined || read.mixed === true ? null : { commit: read.commit, at: isoTime(read.at) },
  }
  if (state === 'dangling') return [{ ...base, kind: 'gone', says: sayGone(on.name) }]
  if (upstream?.damaged !== undefined && state !== 'fresh')
    return [{ ...base, kind: 'damaged', says: `the document of ${on.name} cannot be read` }]
  if (because === 'encrypted' && upstream?.missing !== undefined)
    return [{ ...base, kind: 'missing', says: sayStatus(on.name, 'state-missing') }]
  if (because === 'encrypted' && upstream?.forgotten === true)
    return [{ ...base, kind: 'forgotten', says: sayForgotten(on.name) }]
  if (because === 'encrypted')
    return [{ ...base, kind: 'encrypted', says: `the outputs of ${on.name} are encrypted` }]
  if (because === 'no-receipt') return [{ ...base, kind: 'no-receipt', says: sayUnread(on.name) }]
  const changed = changes.map(({ output, change, since }) =>
    withSentence({
      ...base,
      kind: 'changed',
      output,
      change,
      changed: since === null ? null : { commit: since, at: null, by: null, who: null },
      says: '',
    }),
  )
  const missing = unread.map((output): Reason => ({
    ...base,
    kind: 'no-receipt',
    output,
    says: sayUnread(`${output} of ${on.name}`),
  }))
  return [...changed, ...missing]
}

function reasonsOfUpstream(on: Named, upstream: GraphNode, below: GraphNode['status']): Reason[] {
  const matters =
    isMoving(upstream.status) ||
    (below === 'unknown' && isUnknown(upstream.status)) ||
    upstream.cycle !== null
  if (!matters) return []
  return [{ ...blank, kind: 'upstream', on: { ...on }, says: sayStatus(on.name, upstream.status) }]
}

/** Says it again once more is known. */
export function withSentence(reason: Reason): Reason {
  const { on, output, change, read, changed } = reason
  if (reason.kind !== 'changed' || on === null) return reason
  const when = changed?.at == null ? '' : `, ${changed.at.slice(0, 16).replace('T', ' ')}`
  const by = changed?.by == null ? '' : ` by ${sayAuthor({ by: changed.by, who: changed.who })}`
  const at = changed === null ? '' : ` at commit ${changed.commit}`
  const seen = read === null ? '' : `; it was read at commit ${read.commit}`
  return { ...reason, says: `${output} of ${on.name} ${change}${at}${when}${by}${seen}` }
}

export function sayGone(name: string): string {
  return `${name} is gone`
}

function sayStatus(name: string, status: GraphNode['status']): string {
  if (status === 'state-missing') return `the state of ${name} is missing`
  return status === 'never-applied'
    ? `${name} was never applied`
    : `${name} is ${status.replaceAll('-', ' ')}`
}

function sayMissing({ name }: GraphNode['facts']): string {
  return `its state was emptied or deleted around OpenTaco; \`taco state rollback ${name} current\` restores it, \`taco state rm ${name} --force\` accepts the loss`
}

function sayForgotten(name: string): string {
  return `the history does not go back far enough to say which state ${name} had`
}

function sayCycle(cycle: readonly string[]): string {
  return `it is part of a cycle: ${cycle.join(' → ')}`
}

function sayUnread(what: string): string {
  return `it is unknown which ${what} its state was made from`
}
