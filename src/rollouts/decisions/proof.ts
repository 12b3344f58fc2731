import { among } from '../../base/text/among.ts'
import type { GraphFacts } from '../../state/index.ts'
import { type Comparison, type Edge, compareDependency, edgesOf } from '../../graph/index.ts'
import type { Proof } from '../model.ts'

/** Whether a step must run, once everything it needs is settled. */
export type Verdict =
  | { readonly kind: 'run'; readonly why: string }
  | { readonly kind: 'skip'; readonly proof: Proof }

type Upstream = Extract<Proof, { kind: 'inputs' }>['upstream'][number]

/**
 * A unit is skipped only if every output it uses is known to be what its state was made from. Whatever cannot be
 * known is a reason to run: an apply too many is a nuisance, one too few is a lie. Pure.
 */
export function judge(unit: GraphFacts, unitOf: (id: string) => GraphFacts | undefined): Verdict {
  if (unit.missing !== undefined) return { kind: 'run', why: 'its state is missing' }
  if (unit.head === null) return { kind: 'run', why: 'it was never applied' }
  if (unit.failed !== undefined) return { kind: 'run', why: 'its last apply failed' }
  const upstream: Upstream[] = []
  for (const edge of edgesOf(unit)) {
    const used = unitOf(edge.on)
    // A unit that is gone changes nothing any more; `taco status` warns of it.
    if (used === undefined) continue
    const now = used.head === null ? [] : used.head.outputs
    const compared = compareDependency(edge, now)
    if (compared.state !== 'fresh') return { kind: 'run', why: whyRun(used, compared) }
    upstream.push(proven(edge, used))
  }
  return { kind: 'skip', proof: { kind: 'inputs', upstream } }
}

/** What is current is what was read: these outputs prove it. */
function proven({ outputs, read }: Edge, used: GraphFacts): Upstream {
  const covered = outputs ?? read?.names ?? null
  const isCovered = among(covered)
  const same = (used.head?.outputs ?? []).filter(({ name }) => isCovered(name))
  const commit = used.head?.commit ?? 0
  return {
    unit: { id: used.id, name: used.name },
    outputs: Object.fromEntries(same.map(({ name, digest }) => [name, digest])),
    read: read?.commit ?? commit,
    now: commit,
  }
}

function whyRun({ name, missing }: GraphFacts, { changes, unread, because }: Comparison): string {
  const [first] = changes
  if (first !== undefined) {
    const more = changes.length > 1 ? ` and ${changes.length - 1} more` : ''
    if (first.change === 'disappeared') return `${name} no longer has ${first.output}${more}`
    const verb = first.change === 'appeared' ? 'has a new output' : 'changed'
    return `${name} ${verb} ${first.output} at commit ${first.since ?? '?'}${more}`
  }
  if (because === 'encrypted' && missing !== undefined) return `the state of ${name} is missing`
  if (because === 'encrypted') return `the outputs of ${name} are encrypted`
  return `it is unknown what it read of ${name}${unread.length > 0 ? `: ${unread.join(', ')}` : ''}`
}
