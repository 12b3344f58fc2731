import type { Log } from '../../base/log.ts'
import { messageOf } from '../../base/errors.ts'

/**
 * Work that continues after the answer. It is never needed for correctness (the next process would do it), so a failure
 * is logged and forgotten; closing waits for what is under way.
 */
export interface Background {
  run(what: string, work: () => Promise<void>): void
  /** Runs once, `ms` after the last call with the same name. Skipped when closing; see `flush`. */
  later(name: string, ms: number, work: () => Promise<void>): void
  /** Carries out what was put off, and waits for everything. */
  flush(): Promise<void>
}

export function createBackground(log: Log): Background {
  const running = new Set<Promise<void>>()
  const putOff = new Map<string, { timer: NodeJS.Timeout; work: () => Promise<void> }>()

  function run(what: string, work: () => Promise<void>): void {
    const promise = work().catch((error: unknown) => {
      log.warn('background work failed', { what, error: messageOf(error) })
    })
    running.add(promise)
    void promise.finally(() => running.delete(promise))
  }

  function later(name: string, ms: number, work: () => Promise<void>): void {
    const earlier = putOff.get(name)
    if (earlier !== undefined) clearTimeout(earlier.timer)
    const timer = setTimeout(() => {
      putOff.delete(name)
      run(name, work)
    }, ms)
    timer.unref()
    putOff.set(name, { timer, work })
  }

  async function flush(): Promise<void> {
    for (const [name, { timer, work }] of putOff) {
      clearTimeout(timer)
      run(name, work)
    }
    putOff.clear()
    while (running.size > 0) await Promise.all(running)
  }

  return { run, later, flush }
}
