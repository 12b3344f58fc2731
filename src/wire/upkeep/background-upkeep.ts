import { type Caller, systemCaller } from '../../access/index.ts'
import type { Clock } from '../../base/clock.ts'
import type { Log } from '../../base/log.ts'
import type { Upkeep } from '../../state/index.ts'

export interface BackgroundOptions {
  readonly upkeep: Upkeep
  readonly clock: Clock
  readonly log: Log
  readonly lookEveryMs: number
  /** Zero: never. */
  readonly gcEveryMs: number
  readonly lastActiveAt: () => number
  /** Seals the hours of the journal that are over. */
  readonly seal?: (caller: Caller) => Promise<object>
  /** What else is removed when retention is carried out: tokens that ended long ago. */
  readonly collectTokens?: ((caller: Caller) => Promise<number>) | undefined
  /** Called after every look with the number of missing states. */
  readonly onMissing?: (states: number) => void
  readonly random?: () => number
}

/** Retention waits for this much quiet. */
const QUIET_MS = 30_000
/** An hour that is over is sealed within this time. */
const SEAL_EVERY_MS = 5 * 60_000

/**
 * Looks at every unit now and then (a left-over lock blocks programs that go around us until someone looks), and
 * carries out retention while the server is idle. Several servers do this side by side. Every step is safe to repeat,
 * and jitter keeps them from doing it all at once.
 */
export function startBackground(options: BackgroundOptions): { stop(): Promise<void> } {
  const { clock, log, upkeep } = options
  const stopping = new AbortController()
  const random = options.random ?? Math.random
  const { signal } = stopping

  async function guarded(what: string, work: () => Promise<object>): Promise<void> {
    try {
      const done = await work()
      log.debug('upkeep done', { what, ...done })
    } catch (error) {
      if (!signal.aborted) log.warn('upkeep failed', { what, error })
    }
  }

  async function look(): Promise<void> {
    while (!signal.aborted) {
      await guarded('sweep', async () => {
        const report = await upkeep.sweep(systemCaller('upkeep', signal))
        options.onMissing?.(report.missing)
        return report
      })
      await clock.sleep(options.lookEveryMs * (0.75 + random() / 2), signal).catch(() => {})
    }
  }

  async function collect(): Promise<void> {
    while (options.gcEveryMs > 0 && !signal.aborted) {
      await clock.sleep(options.gcEveryMs * (0.75 + random() / 2), signal).catch(() => {})
      // A server that is never idle must not keep everything forever: it waits once more as long, and no longer.
      const atLatest = clock.now() + options.gcEveryMs
      while (!signal.aborted && clock.now() < atLatest && clock.now() - options.lastActiveAt() < QUIET_MS) {
        await clock.sleep(QUIET_MS, signal).catch(() => {})
      }
      if (signal.aborted) return
      await guarded('gc', () => upkeep.gc({ dryRun: false }, systemCaller('upkeep', signal)))
      await guarded('tokens', async () => ({
        removed: await options.collectTokens?.(systemCaller('upkeep', signal)),
      }))
    }
  }

  async function seal(): Promise<void> {
    const { seal: sealNow } = options
    while (sealNow !== undefined && !signal.aborted) {
      await clock.sleep(SEAL_EVERY_MS * (0.75 + random() / 2), signal).catch(() => {})
      if (!signal.aborted) await guarded('seal', () => sealNow(systemCaller('upkeep', signal)))
    }
  }

  const running = Promise.all([look(), collect(), seal()])
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}
