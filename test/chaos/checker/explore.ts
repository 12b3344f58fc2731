import type { Fate, Schedule, Waiting } from './schedule.ts'

/** How many of each fault a run may have, and which actors may crash. */
export interface Faults {
  readonly crash?: number
  readonly crashLate?: number
  readonly lost?: number
  readonly late?: number
  readonly again?: number
  /** At most so many in one run, whatever they are. */
  readonly total?: number
  /** Whose operations may meet a fault; all by default. */
  readonly of?: readonly string[]
}

export interface Explored {
  readonly runs: number
  readonly steps: number
  /** False: the search stopped at `maxRuns`. */
  readonly isComplete: boolean
}

/** A run that has begun: its schedule, and what must hold when it has ended. */
export interface Begun {
  readonly schedule: Schedule
  check(): Promise<void>
}

export interface Exploration {
  begin(): Promise<Begun>
  readonly faults?: Faults
  /** Only orders in which at most this many actors are interrupted while they could continue. */
  readonly preemptions?: number
  readonly maxRuns: number
}

/**
 * Tries every order of the actors' operations and every fault within bounds, by running again and again with another
 * beginning. Orders that differ only in operations that touch nothing in common are tried once (sleep sets).
 */
export async function explore(exploration: Exploration): Promise<Explored> {
  const path: Node[] = []
  let runs = 0
  let steps = 0
  do {
    if (runs >= exploration.maxRuns) return { runs, steps, isComplete: false }
    const { schedule, check } = await exploration.begin()
    const ended = await runOne(schedule, (depth, waiting) => chooseNext(path, depth, waiting, exploration))
    steps += schedule.steps()
    if (!ended) continue
    runs++
    await checked(schedule, check)
  } while (backtrack(path))
  return { runs, steps, isComplete: true }
}

/** Runs in random order with random faults; the seed identifies the run. */
export async function exploreRandomly(
  exploration: Omit<Exploration, 'maxRuns' | 'preemptions'>,
  random: () => number,
): Promise<Explored> {
  const { schedule, check } = await exploration.begin()
  const used: Fate[] = []
  const calm = random() < 0.3
  let last: string | undefined
  await runOne(schedule, (_depth, waiting) => {
    // Bursts of one actor, or any: both find what the other does not.
    const mine = waiting.filter(({ actor }) => actor === last)
    const among = mine.length > 0 && random() < 0.5 ? mine : waiting
    const one = among[Math.floor(random() * among.length)]
    if (one === undefined) return undefined
    const fates = calm ? (['run'] as const) : fatesOf(one, used, exploration.faults ?? {}, true)
    const fate = random() < 0.15 ? (fates[Math.floor(random() * fates.length)] ?? 'run') : 'run'
    if (fate !== 'run') used.push(fate)
    last = one.actor
    return { id: one.id, fate }
  })
  await checked(schedule, check)
  return { runs: 1, steps: schedule.steps(), isComplete: false }
}

async function checked(schedule: Schedule, check: () => Promise<void>): Promise<void> {
  try {
    for (const { actor, error } of schedule.failures()) throw new Error(`${actor} failed`, { cause: error })
    await check()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${reason}\nafter the steps\n  ${schedule.trace().join('\n  ')}`, { cause: error })
  }
}

const LONGEST = 600

async function runOne(
  schedule: Schedule,
  pick: (depth: number, waiting: readonly Waiting[]) => Choice | undefined,
): Promise<boolean> {
  for (let depth = 0; depth < LONGEST; depth++) {
    const waiting = await schedule.settle()
    if (waiting.length === 0) return true
    const choice = pick(depth, waiting)
    if (choice === undefined) return false
    schedule.take(choice.id, choice.fate)
  }
  throw new Error(`a run does not end:\n  ${schedule.trace().slice(-60).join('\n  ')}`)
}

interface Choice {
  readonly id: string
  readonly fate: Fate
}

interface Node {
  readonly waiting: ReadonlyMap<string, Waiting>
  /** Those whose turn need not be tried here (again). */
  readonly asleep: Set<string>
  readonly choices: readonly Choice[]
  readonly used: readonly Fate[]
  /** The previous actor, and how many were interrupted so far. */
  readonly last: string | undefined
  readonly interrupted: number
  at: number
}

function chooseNext(
  path: Node[],
  depth: number,
  waiting: readonly Waiting[],
  { faults = {}, preemptions }: Exploration,
): Choice | undefined {
  const known = path[depth]
  if (known !== undefined) return known.choices[known.at]
  const above = path[depth - 1]
  const asleep = preemptions === undefined ? stillAsleep(above, waiting) : new Set<string>()
  const used = usedBy(above)
  const last = above === undefined ? undefined : actorOf(above)
  const interrupted = above === undefined ? 0 : above.interrupted + interruption(above, actorOf(above))
  const at = new Map(waiting.map((one) => [one.id, { ...one }]))
  const node = { waiting: at, last, interrupted }
  const choices = inTurn(waiting, last)
    .filter(
      (one) =>
        !asleep.has(one.id) && interrupted + interruption(node, one.actor) <= (preemptions ?? Infinity),
    )
    .flatMap((one) => fatesOf(one, used, faults, false).map((fate) => ({ id: one.id, fate })))
  const first = choices[0]
  if (first === undefined) return undefined
  path.push({ ...node, asleep, choices, used, at: 0 })
  return first
}

function actorOf(node: Node): string {
  return node.waiting.get(chosen(node).id)?.actor ?? ''
}

/** 1: the previous actor could have continued. */
function interruption({ last, waiting }: Pick<Node, 'last' | 'waiting'>, actor: string): number {
  if (last === undefined || last === actor) return 0
  return [...waiting.values()].some((one) => one.actor === last && !one.isGhost) ? 1 : 0
}

function backtrack(path: Node[]): boolean {
  for (let node = path.pop(); node !== undefined; node = path.pop()) {
    const before = chosen(node)
    node.at++
    const next = node.choices[node.at]
    if (next === undefined) continue
    if (next.id !== before.id) node.asleep.add(before.id)
    path.push(node)
    return true
  }
  return false
}

function chosen(node: Node): Choice {
  const choice = node.choices[node.at]
  if (choice === undefined) throw new Error('a node without a choice')
  return choice
}

function usedBy(above: Node | undefined): readonly Fate[] {
  if (above === undefined) return []
  const { fate } = chosen(above)
  return fate === 'run' ? above.used : [...above.used, fate]
}

function stillAsleep(above: Node | undefined, waiting: readonly Waiting[]): Set<string> {
  if (above === undefined) return new Set()
  const done = above.waiting.get(chosen(above).id)
  const still = [...above.asleep].filter((id) => {
    const one = above.waiting.get(id)
    return (
      one !== undefined &&
      done !== undefined &&
      waiting.some((other) => other.id === id) &&
      isIndependent(one, done)
    )
  })
  return new Set(still)
}

/** The previous actor continues first: the very first run is the one without interruptions. */
function inTurn(waiting: readonly Waiting[], last: string | undefined): readonly Waiting[] {
  return [...waiting].sort((a, b) => Number(b.actor === last) - Number(a.actor === last))
}

function isIndependent(a: Waiting, b: Waiting): boolean {
  if (a.actor === b.actor) return false
  if (!a.operation.writes && !b.operation.writes) return true
  const [x, y] = [a.operation, b.operation]
  if (x.kind === 'list') return !y.key.startsWith(x.key)
  if (y.kind === 'list') return !x.key.startsWith(y.key)
  return x.key !== y.key
}

function fatesOf(one: Waiting, used: readonly Fate[], faults: Faults, isRandom: boolean): readonly Fate[] {
  if (one.isGhost || used.length >= (faults.total ?? Infinity)) return ['run']
  if (faults.of !== undefined && !faults.of.includes(one.actor)) return ['run']
  const left = (fate: Fate, most: number | undefined) =>
    used.filter((one) => one === fate).length < (most ?? 0)
  const { writes } = one.operation
  const fates: Fate[] = ['run']
  if (left('crash', faults.crash)) fates.push('crash')
  if (one.wasTried) return fates
  if (writes && left('lost', faults.lost)) fates.push('lost')
  if (writes && left('again', faults.again)) fates.push('again')
  if (writes && left('late', faults.late)) fates.push('late')
  if (writes && left('crash-late', faults.crashLate)) fates.push('crash-late')
  if (isRandom && left('lost', faults.lost)) fates.push('fail')
  return fates
}
