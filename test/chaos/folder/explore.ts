/**
 * Tries every order in which several actors can take their steps, one at a time. Orders that differ only in independent
 * steps are tried once (sleep sets, Godefroid 1996), which is exact and not a sample. Where that is too much,
 * `preemptions` tries every order in which at most that many actors are interrupted while they could continue
 * (Musuvathi and Qadeer 2007): the known ways to lose a write need one or two.
 */
import type { Gate, Step } from './disk.ts'

export interface Actor {
  readonly name: string
  /** Crashes before this step, counted from 0. */
  readonly crashAt?: number
  act(gate: Gate): Promise<void>
}

export interface Explored {
  readonly runs: number
  /** The longest any actor went, for choosing where to crash. */
  readonly steps: ReadonlyMap<string, number>
  readonly isComplete: boolean
}

interface Node {
  /** Those whose step need not be tried here (again). */
  readonly asleep: Map<number, Step>
  readonly waiting: ReadonlyMap<number, Step>
  /** The previous actor, and how many were interrupted so far. */
  readonly last: number | undefined
  readonly interrupted: number
  chosen: number
  step: Step
}

/** `begin` makes a fresh world; `check` looks at it when all have ended or crashed, and throws if it is broken. */
export async function explore<W>(options: {
  readonly begin: () => Promise<W>
  readonly actors: (world: W) => readonly Actor[]
  readonly check: (world: W) => Promise<void>
  readonly preemptions?: number | undefined
  readonly maxRuns: number
}): Promise<Explored> {
  const bound = options.preemptions
  const path: Node[] = []
  const steps = new Map<string, number>()
  let runs = 0
  do {
    if (runs >= options.maxRuns) return { runs, steps, isComplete: false }
    runs++
    const world = await options.begin()
    const trace: string[] = []
    const ended = await run(
      options.actors(world),
      trace,
      (depth, waiting) => choose(path, depth, waiting, bound),
      steps,
    )
    if (!ended) continue
    try {
      await options.check(world)
    } catch (error) {
      throw new Error(`after the steps\n  ${trace.join('\n  ')}`, { cause: error })
    }
  } while (backtrack(path, bound))
  return { runs, steps, isComplete: true }
}

/** One random order; the seed is in the error. */
export async function runRandomly(
  actors: readonly Actor[],
  random: () => number,
): Promise<readonly string[]> {
  const trace: string[] = []
  await run(
    actors,
    trace,
    (_, waiting) => {
      const all = [...waiting.keys()]
      return all[Math.floor(random() * all.length)]
    },
    new Map(),
  )
  return trace
}

type Choose = (depth: number, waiting: ReadonlyMap<number, Step>) => number | undefined

async function run(
  actors: readonly Actor[],
  trace: string[],
  pick: Choose,
  steps: Map<string, number>,
): Promise<boolean> {
  const running = actors.map(start)
  for (let depth = 0; ; depth++) {
    const waiting = new Map<number, Step>()
    for (const [i, actor] of running.entries()) {
      const step = await actor.next
      if (step !== undefined) waiting.set(i, step)
    }
    if (waiting.size === 0) {
      for (const actor of running) steps.set(actor.name, Math.max(steps.get(actor.name) ?? 0, actor.taken()))
      const failed = running.find((actor) => actor.failure() !== undefined)
      if (failed !== undefined)
        throw new Error(`${failed.name} failed:\n  ${trace.join('\n  ')}`, { cause: failed.failure() })
      return true
    }
    const chosen = pick(depth, waiting)
    if (chosen === undefined) return false
    const actor = running[chosen]
    trace.push(`${actor?.name}: ${waiting.get(chosen)?.op}`)
    actor?.go()
  }
}

interface Running {
  readonly name: string
  /** The step it is about to take; undefined when it has ended or crashed. */
  next: Promise<Step | undefined>
  go(): void
  taken(): number
  failure(): unknown
}

function start(actor: Actor): Running {
  let failure: unknown
  let taken = 0
  let arrive: (step: Step | undefined) => void = () => {}
  let release: () => void = () => {}
  const running: Running = {
    name: actor.name,
    next: new Promise((resolve) => (arrive = resolve)),
    go() {
      taken++
      running.next = new Promise((resolve) => (arrive = resolve))
      release()
    },
    taken: () => taken,
    failure: () => failure,
  }
  const gate: Gate = (step) => {
    if (taken === actor.crashAt) {
      arrive(undefined)
      return new Promise(() => {})
    }
    return new Promise((resolve) => {
      release = resolve
      arrive(step)
    })
  }
  actor.act(gate).then(
    () => arrive(undefined),
    (error: unknown) => {
      failure = error
      arrive(undefined)
    },
  )
  return running
}

function choose(
  path: Node[],
  depth: number,
  waiting: ReadonlyMap<number, Step>,
  bound: number | undefined,
): number | undefined {
  const known = path[depth]
  if (known !== undefined) {
    if (!waiting.has(known.chosen)) throw new Error(`the run does not repeat itself at step ${depth}`)
    return known.chosen
  }
  const above = path[depth - 1]
  const asleep = new Map<number, Step>()
  for (const [i, step] of (bound === undefined ? above?.asleep : undefined) ?? []) {
    if (above !== undefined && waiting.has(i) && isIndependent(step, above.step)) asleep.set(i, step)
  }
  const interrupted =
    above === undefined ? 0 : above.interrupted + (isInterruption(above, above.chosen) ? 1 : 0)
  const node = { asleep, waiting, last: above?.chosen, interrupted }
  const next = nextOf(node, bound)
  if (next === undefined) return undefined
  path.push({ ...node, chosen: next[0], step: next[1] })
  return next[0]
}

function backtrack(path: Node[], bound: number | undefined): boolean {
  for (let node = path.pop(); node !== undefined; node = path.pop()) {
    node.asleep.set(node.chosen, node.step)
    const next = nextOf(node, bound)
    if (next === undefined) continue
    ;[node.chosen, node.step] = next
    path.push(node)
    return true
  }
  return false
}

type Candidate = Pick<Node, 'asleep' | 'waiting' | 'last' | 'interrupted'>

function nextOf(node: Candidate, bound: number | undefined): [number, Step] | undefined {
  return inTurn(node).find(([i]) => {
    if (node.asleep.has(i)) return false
    return bound === undefined || node.interrupted + (isInterruption(node, i) ? 1 : 0) <= bound
  })
}

/** The previous actor continues first. */
function inTurn({ waiting, last }: Candidate): [number, Step][] {
  return [...waiting].toSorted(([a], [b]) => Number(b === last) - Number(a === last) || a - b)
}

function isInterruption({ last, waiting }: Candidate, chosen: number): boolean {
  return last !== undefined && last !== chosen && waiting.has(last)
}

function isIndependent(a: Step, b: Step): boolean {
  return (
    !touches(a.writes, b.writes, false) &&
    !touches(a.writes, b.reads, true) &&
    !touches(a.reads, b.writes, true)
  )
}

/** Two names made in one folder do not hinder each other; only a reading of the folder sees their order. */
function touches(a: readonly string[], b: readonly string[], isRead: boolean): boolean {
  return a.some((path) => (isRead || !path.endsWith('/*')) && b.includes(path))
}
