import { messageOf } from '../../base/errors.ts'
import { forEachLimit } from '../../base/for-each-limit.ts'
import { sharedJournalPrefix } from '../documents/journal-layout.ts'
import type { StateDeps } from '../settings.ts'
import type { Roots } from './roots.ts'
import { RARELY_MS } from './roots.ts'
import type { Tails } from './tail.ts'

/** One for all in this process who follow the same organization, or all of them: they share its listings. */
export interface Following {
  roots(): Roots
  /** The next look at the bucket, whether or not it found something. */
  next(signal: AbortSignal): Promise<void>
  leave(): void
}

/** So many journals are all looked at each time; of more, only those in which something happens. */
const FEW = 8

interface Scope {
  members: number
  roots: Roots
  /** The first look. */
  looked: Promise<void>
  readonly waiting: Set<() => void>
  lookedAt: number
  /** This process wrote something since the last look. */
  hasWritten: boolean
  wakeUp: () => void
  readonly ending: AbortController
}

export interface Follower {
  join(org: string | undefined): Promise<Following>
  /** This process wrote events of the organization: those who follow it need not wait for the next look. */
  wrote(org: string): void
}

export function createFollower(
  { clock, log, settings }: Pick<StateDeps, 'clock' | 'log' | 'settings'>,
  tails: Tails,
  rootsOf: (org: string | undefined, lagMs: number) => Promise<Roots>,
): Follower {
  const scopes = new Map<string | undefined, Scope>()

  async function look(org: string | undefined, scope: Scope, hasWritten = false): Promise<void> {
    scope.lookedAt = clock.now()
    scope.roots = await rootsOf(org, RARELY_MS)
    const { prefixes } = scope.roots
    await forEachLimit(prefixes, 32, async (root) => {
      const tail = tails(root)
      const isMinor = root === sharedJournalPrefix || prefixes.length > FEW
      if (hasWritten && !isMinor) return tail.refresh(0)
      // A little less than the pause, so that timers that fire early do not skip a turn.
      await tail.refresh(isMinor && tail.isQuiet() ? RARELY_MS : settings.followEveryMs * 0.9)
    })
  }

  /** Until the next look. True: this process wrote something meanwhile. */
  async function pause(scope: Scope): Promise<boolean> {
    const { signal } = scope.ending
    const waking = new AbortController()
    scope.wakeUp = () => waking.abort()
    const either = AbortSignal.any([signal, waking.signal])
    if (!scope.hasWritten) await clock.sleep(settings.followEveryMs, either).catch(() => {})
    if (!scope.hasWritten || signal.aborted) return false
    // However much is written here, the bucket is asked twice as often at most.
    const early = scope.lookedAt + settings.followEveryMs / 2 - clock.now()
    if (early > 0) await clock.sleep(early, signal).catch(() => {})
    scope.hasWritten = false
    return true
  }

  async function run(org: string | undefined, scope: Scope): Promise<void> {
    const { signal } = scope.ending
    await scope.looked.catch(() => {})
    while (!signal.aborted) {
      const hasWritten = await pause(scope)
      if (signal.aborted) return
      await look(org, scope, hasWritten).catch((error: unknown) => {
        log.warn('the journal could not be followed', { org, error: messageOf(error) })
      })
      for (const wake of scope.waiting) wake()
    }
  }

  function open(org: string | undefined): Scope {
    const scope: Scope = {
      members: 0,
      roots: { orgs: [], prefixes: [], asOf: 0 },
      looked: Promise.resolve(),
      waiting: new Set(),
      lookedAt: 0,
      hasWritten: false,
      wakeUp() {},
      ending: new AbortController(),
    }
    scopes.set(org, scope)
    scope.looked = look(org, scope)
    void run(org, scope)
    return scope
  }

  async function join(org: string | undefined): Promise<Following> {
    const scope = scopes.get(org) ?? open(org)
    scope.members++
    const leave = () => {
      if (--scope.members > 0) return
      scope.ending.abort()
      if (scopes.get(org) === scope) scopes.delete(org)
    }
    try {
      await scope.looked
    } catch (error) {
      leave()
      throw error
    }
    return {
      roots: () => scope.roots,
      leave,
      next: (signal) =>
        new Promise((resolve) => {
          const wake = () => {
            scope.waiting.delete(wake)
            signal.removeEventListener('abort', wake)
            resolve()
          }
          if (signal.aborted) return resolve()
          scope.waiting.add(wake)
          signal.addEventListener('abort', wake, { once: true })
        }),
    }
  }

  return {
    join,
    wrote(org) {
      const scope = scopes.get(org)
      if (scope === undefined) return
      scope.hasWritten = true
      scope.wakeUp()
    },
  }
}
