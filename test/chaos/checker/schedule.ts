import { TacoError } from '../../../src/base/errors.ts'
import type { Gate, Operation } from './scheduled-bucket.ts'

/** What may happen to an operation when its turn comes. */
export type Fate =
  /** It happens and is answered. */
  | 'run'
  /** It happens; the answer is lost. */
  | 'lost'
  /** It does not happen, and fails. */
  | 'fail'
  /** The caller gives up waiting; it happens at some later time. */
  | 'late'
  /** It happens and the client library, having seen no answer, sends it once more at some later time. */
  | 'again'
  /** The process ends before it. */
  | 'crash'
  /** The process ends; the operation is under way already and happens at some later time. */
  | 'crash-late'

export interface Waiting {
  /** The same in every run that made the same choices. */
  readonly id: string
  readonly actor: string
  readonly operation: Operation
  readonly isGhost: boolean
  readonly wasTried: boolean
}

/** The actors of one run, and what each of them is about to do. */
export interface Schedule {
  gate(actor: string): Gate
  /** Sleeps until another actor has changed something, or no other can continue. */
  sleep(actor: string, ms: number): Promise<void>
  start(actor: string, act: () => Promise<void>): void
  /** Ends when every actor waits, sleeps, has ended or has crashed. */
  settle(): Promise<readonly Waiting[]>
  take(id: string, fate: Fate): void
  steps(): number
  trace(): readonly string[]
  failures(): readonly { readonly actor: string; readonly error: unknown }[]
  hasCrashed(actor: string): boolean
}

interface Parked {
  readonly id: string
  readonly actor: string
  readonly operation: Operation
  answer(value: unknown): void
  refuse(error: Error): void
  isGhost: boolean
  wasTried: boolean
}

/**
 * `isQuiet`: operations that no other actor can notice; they take no turn. `deletesWithinMs`: no DELETE is under way
 * for longer, so no actor sleeps through one that long.
 */
export function createSchedule(
  isQuiet: (key: string) => boolean,
  passTime: (ms: number) => void,
  deletesWithinMs = Infinity,
): Schedule {
  let parked: Parked[] = []
  let sleepers: { actor: string; ms: number; wake: () => void }[] = []
  const counts = new Map<string, number>()
  const crashed = new Set<string>()
  const running = new Set<string>()
  const failures: { actor: string; error: unknown }[] = []
  const trace: string[] = []
  let steps = 0

  function gate(actor: string): Gate {
    return (operation) => {
      if (crashed.has(actor)) return new Promise(() => {})
      // eslint-disable-next-line @typescript-eslint/require-await -- throws become rejections
      if (isQuiet(operation.key)) return (async () => operation.execute())()
      return new Promise((resolve, reject) => {
        const count = (counts.get(actor) ?? 0) + 1
        counts.set(actor, count)
        parked.push({
          id: `${actor}#${count}`,
          actor,
          operation,
          answer: (value) => resolve(value as never),
          refuse: reject,
          isGhost: false,
          wasTried: false,
        })
      })
    }
  }

  function wakeOthers(actor: string): void {
    const awake = sleepers.filter((sleeper) => sleeper.actor !== actor && !sleepsThroughDelete(sleeper))
    sleepers = sleepers.filter((sleeper) => !awake.includes(sleeper))
    for (const { wake } of awake) wake()
  }

  function sleepsThroughDelete({ actor, ms }: { readonly actor: string; readonly ms: number }): boolean {
    if (ms < deletesWithinMs) return false
    return parked.some((one) => one.operation.kind === 'delete' && one.actor !== actor && !one.isGhost)
  }

  function crash(actor: string): void {
    crashed.add(actor)
    running.delete(actor)
    parked = parked.filter((one) => one.actor !== actor || one.isGhost)
    sleepers = sleepers.filter((sleeper) => sleeper.actor !== actor)
  }

  function remove(one: Parked): void {
    parked = parked.filter((other) => other !== one)
  }

  function perform(one: Parked, fate: Fate): void {
    const { operation } = one
    if (fate === 'crash') return crash(one.actor)
    if (fate === 'crash-late') {
      one.isGhost = true
      return crash(one.actor)
    }
    if (fate === 'late') {
      one.isGhost = true
      return one.refuse(unavailable())
    }
    if (fate === 'fail') {
      remove(one)
      return one.refuse(unavailable())
    }
    const value = operation.execute()
    if (operation.writes) wakeOthers(one.actor)
    if (fate === 'again') {
      one.wasTried = true
      return undefined
    }
    remove(one)
    if (fate === 'lost') return one.refuse(unavailable())
    return one.answer(value)
  }

  return {
    gate,
    sleep: (actor, ms) =>
      crashed.has(actor)
        ? new Promise(() => {})
        : new Promise((resolve) => {
            const wake = () => {
              passTime(ms)
              resolve()
            }
            sleepers.push({ actor, ms, wake })
          }),
    start(actor, act) {
      running.add(actor)
      act().then(
        () => running.delete(actor),
        (error: unknown) => {
          running.delete(actor)
          failures.push({ actor, error })
        },
      )
    },
    async settle() {
      await turn()
      while (parked.length === 0 && sleepers.length > 0) {
        // Only actors that wait for time to pass can continue.
        const first = sleepers.toSorted((a, b) => a.ms - b.ms)[0]
        sleepers = sleepers.filter((sleeper) => sleeper !== first)
        first?.wake()
        await turn()
      }
      return parked
    },
    take(id, fate) {
      const one = parked.find((waiting) => waiting.id === id)
      if (one === undefined)
        throw new Error(`the run does not repeat itself: ${id} is not waiting after\n  ${trace.join('\n  ')}`)
      steps++
      const { kind, key } = one.operation
      const how = fate === 'run' ? (one.isGhost ? ' (late)' : '') : ` (${fate})`
      trace.push(`${steps} ${one.actor}: ${kind} ${shortKey(key)}${how}`)
      perform(one, fate)
    },
    steps: () => steps,
    trace: () => trace,
    failures: () => failures,
    hasCrashed: (actor) => crashed.has(actor),
  }
}

function unavailable(): TacoError {
  return new TacoError('BUCKET_UNAVAILABLE', 'no answer from the bucket')
}

/** Everything that can continue without the bucket has done so: nothing here takes longer than a turn. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function shortKey(key: string): string {
  if (key.startsWith('.taco/orgs/default/units/')) return 'document'
  if (key.endsWith('.tflock')) return '.tflock'
  return key.replace('.taco/orgs/default/', '')
}
