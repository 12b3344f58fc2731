import { sayAuthor } from '../../../base/text/author.ts'
import type { Output } from './output.ts'
import type { RolloutView, StepView } from '../../../rollouts/index.ts'
import type { Session } from '../session.ts'
import { oneLine } from '../../../base/text/terminal-text.ts'
import { age, duration } from './format.ts'

const LOOKS = {
  waiting: ['○', 'dim'],
  running: ['◐', 'cyan'],
  left: ['◐', 'red'],
  applied: ['●', 'green'],
  skipped: ['–', 'dim'],
  failed: ['✗', 'red'],
} as const

type Placed = Pick<StepView, 'unit' | 'needs'>

/**
 * Steps as a tree, each below the last of what it needs: the one that lets it go on. Those with several needs are
 * shown once.
 */
export function tree<T extends Placed>(steps: readonly T[], line: (step: T) => string): string {
  const place = new Map(steps.map(({ unit }, i) => [unit.id, i]))
  const children = new Map<string, T[]>()
  for (const step of steps) {
    const last = step.needs.toSorted((a, b) => (place.get(a) ?? 0) - (place.get(b) ?? 0)).at(-1) ?? ''
    children.set(last, [...(children.get(last) ?? []), step])
  }
  const lines: string[] = []
  function draw(of: string, indent: string): void {
    const below = children.get(of) ?? []
    below.forEach((step, i) => {
      const isLast = i === below.length - 1
      const branch = of === '' ? '' : isLast ? '└─ ' : '├─ '
      lines.push(`${indent}${branch}${line(step)}\n`)
      draw(step.unit.id, of === '' ? '' : `${indent}${isLast ? '   ' : '│  '}`)
    })
  }
  draw('', '')
  return lines.join('')
}

function stepLine(step: StepView, rollout: RolloutView, output: Output, now: number): string {
  const shown = shownStatus(step, now)
  const [sign, style] = LOOKS[shown as keyof typeof LOOKS] ?? ['?', 'yellow']
  const detail = shown === 'left' ? saysLeft(step, rollout) : detailOf(step)
  const text = `${sign} ${step.unit.name}  ${shown}`
  return `${output.style(style, oneLine(text))}${detail === '' ? '' : output.style('dim', oneLine(`  ${detail}`))}`
}

/** A worker that is killed says nothing; it only stops to renew its claim. */
function shownStatus({ status, leaseUntil }: StepView, now: number): string {
  return status === 'running' && leaseUntil !== null && Date.parse(leaseUntil) <= now ? 'left' : status
}

function saysLeft({ worker }: StepView, { id, status }: RolloutView): string {
  const left = `by ${worker ?? '?'}, whose lease is over: it may be half applied`
  if (status === 'active') return `${left}, and the next \`taco rollout work ${id}\` continues it`
  return status === 'paused' ? `${left}; continue with \`taco rollout resume ${id}\`` : left
}

function detailOf(step: StepView): string {
  const { status, worker, due, reason, proof, result, attempts } = step
  if (status === 'running') return `by ${worker ?? '?'}${attempts > 1 ? `, attempt ${attempts}` : ''}`
  if (status === 'failed') return reason ?? ''
  if (status === 'waiting') return due ?? ''
  if (status === 'skipped') return proof === null ? `by hand: ${reason ?? ''}` : saysProof(proof)
  if (result === null) return ''
  const took = result.ms < 1000 ? `${Math.round(result.ms)} ms` : duration(result.ms / 1000)
  return result.changed.length > 0 ? `changed ${result.changed.join(', ')}, ${took}` : took
}

export function saysProof(proof: NonNullable<StepView['proof']>): string {
  if (proof.kind === 'other') return 'proven, in a way that only a newer OpenTaco knows'
  if (proof.kind === 'fingerprint')
    return `same fingerprint ${proof.fingerprint.slice(0, 12)} as ${proof.version}`
  const parts = proof.upstream.map(({ unit, outputs, read, now }) => {
    const names = Object.keys(outputs)
    const digests = Object.values(outputs).map((digest) => digest.slice(0, 8))
    const since = read === now ? `commit ${now}` : `commits ${read} to ${now}`
    return `${unit.name} ${names.join(', ') || 'outputs'} same at ${since} (${digests.join(', ')})`
  })
  return parts.join('; ') || 'it uses nothing'
}

/** Leases are judged by the clock that gave them: one that goes wrong here must not show a worker as gone. */
export async function show({ output, world, client }: Session, rollout: RolloutView): Promise<void> {
  const now = (await client()).serverTime() ?? world.now()
  output.print(tree(rollout.steps, (step) => stepLine(step, rollout, output, now)))
  const counted = ['applied', 'skipped', 'failed', 'left', 'running', 'waiting'].flatMap((kind) => {
    const number = rollout.steps.filter((step) => shownStatus(step, now) === kind).length
    return number === 0 ? [] : [`${number} ${kind}`]
  })
  output.print(
    `\n${rollout.id} ${rollout.status}, by ${oneLine(sayAuthor(rollout))} ${age(rollout.createdAt, now)}: ${counted.join(', ')}\n`,
  )
}
